//! Guards of a loaded entity, in the format of the stored item (law K8).
//!
//! A struct contains values and not their stored format: a time with an offset or with fewer digits, a UUID in
//! capitals. Therefore its guards first check for this library's format. If such a guard fails and the returned item
//! has the same values, only the format differs: the same request is sent once more, with the stored format. A failed
//! condition is a definite answer, so nothing was written before. Rows of this library cost nothing for it. Other
//! rows cost one more request, and none if the version has changed.

use bytes::Bytes;

use super::write_request::WriteRequest;
use crate::entity::{self, DynamoEntity};
use crate::json::{find_member, is_null};
use crate::path::{FormerUse, Place};

/// The item in this library's format, if it can be read: an object of DynamoDB JSON.
pub fn reread<E: DynamoEntity>(item: &[u8]) -> Option<Vec<u8>> {
    match entity::read::<E>(item) {
        Ok(entity) => entity::encode_as_is(&entity).ok(),
        Err(_) => None,
    }
}

impl WriteRequest {
    /// Whether the write may have to be sent in another format.
    pub(crate) fn asks_as_read(&self) -> bool {
        self.condition.asks_as_read()
    }

    /// Takes the stored format of the values that were read. None if a guard fails for more than its format, or if no
    /// format differs.
    pub(crate) fn reencode_guards(&mut self, item: &Bytes) -> Option<()> {
        let condition_failure = self.condition_failure();
        let mut guards = self.condition.as_read();
        // A guard for a default value also holds if the attribute is absent, so an absent attribute is not another
        // format.
        let differs = guards
            .iter()
            .any(|(place, asked)| stored_value(item, place).is_some_and(|json| json != **asked));
        if !differs {
            return None;
        }
        // Reading the item and encoding it again gives its values in this library's format. If all
        // guards then match, only the format differed.
        let own = condition_failure.reencode_from(item)?;
        for (place, asked) in &guards {
            stored_value(&own, place).filter(|json| json == *asked)?;
        }
        // All guards are rewritten, also those that held: the stored format is exact, so nothing is
        // weakened.
        for (place, asked) in &mut guards {
            if let Some(json) = stored_value(item, place) {
                **asked = json.to_vec();
            }
        }
        Some(())
    }
}

/// The value of an attribute, under its former name if the item has that one.
fn stored_value<'i>(item: &'i [u8], place: &Place) -> Option<&'i [u8]> {
    let named = |name: &str| find_member(item, name).ok().flatten();
    let stored = match place.former_name() {
        None => named(place.attribute_name()),
        Some(former) if former.usage == FormerUse::Alone => named(former.name),
        Some(former) => named(former.name).or_else(|| named(place.attribute_name())),
    };
    stored.filter(|json| !is_null(json))
}
