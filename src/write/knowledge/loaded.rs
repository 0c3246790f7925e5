//! The condition that an attribute is the one that was loaded.

use crate::entity::{EntityDeclaration, TtlTime};
use crate::expr::{Comparison, Node, Term};
use crate::json::{CodecError, Reader, is_null};
use crate::path::Place;
use crate::plan::check;
use crate::schema::AttributeDef;

/// The condition that the stored attribute is what the loaded entity holds, in whatever spelling. None represents an
/// absent attribute or NULL, and a default for an absent one too.
pub(crate) fn loaded_condition(
    declared: &EntityDeclaration,
    at: usize,
    attribute: &AttributeDef,
    held: Option<&[u8]>,
) -> Result<Node, CodecError> {
    // A field with `null` encodes None as NULL, even if the attribute was missing. Both must match.
    let Some(json) = held.filter(|json| !is_null(json)) else {
        return Ok(check::absent_condition(attribute.place()));
    };
    let same = if declared.def.ttl == Some(attribute.stored) {
        ttl_condition(attribute.stored, json)?
    } else {
        check::as_read_condition(attribute.place(), json)
    };
    Ok(if (declared.default_json)(at)?.as_deref() == Some(json) {
        Node::any([check::absent_condition(attribute.place()), same])
    } else {
        same
    })
}

/// The condition on the seconds of the TTL. A fraction that others stored was cut off when it was read.
fn ttl_condition(attribute: &'static str, json: &[u8]) -> Result<Node, CodecError> {
    let seconds = <i64 as TtlTime>::decode_ttl(&mut Reader::new(json))?;
    let place = || Term::Place(Place::of(attribute));
    let number = |number: i64| Term::Value(format!("{{\"N\":\"{number}\"}}").into_bytes());
    // Other programs may store a fraction, which reading has truncated, so the whole second is
    // accepted.
    let from = Node::Compare(place(), Comparison::Ge, number(seconds));
    let until = Node::Compare(place(), Comparison::Lt, number(seconds.saturating_add(1)));
    Ok(from.and(until))
}
