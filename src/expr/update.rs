//! The changes of one update, as an update expression.

use std::collections::HashSet;

use super::expression::Expression;
use super::node::Node;
use crate::json::{CodecError, Tag};
use crate::path::{DisjointPlaces, FormerUse, Place};

/// An empty list, in the format of the writer.
pub(super) const EMPTY_LIST: &[u8] = b"{\"L\":[]}";

/// The change at a place. Values are DynamoDB JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpdateAction {
    Set(Vec<u8>),
    /// Copies the value of another place.
    Copy(Place),
    SetIfAbsent(UpdateOperand),
    /// Sets the sum or the difference of another place and an operand.
    SetSum {
        first: Place,
        second: UpdateOperand,
        minus: bool,
    },
    Add {
        /// The value of a missing number.
        start: Vec<u8>,
        delta: UpdateOperand,
        minus: bool,
    },
    Append(UpdateOperand),
    Prepend(UpdateOperand),
    Insert(Vec<u8>),
    Discard(Vec<u8>),
    Remove,
    /// The action of another place: DynamoDB computes the same value for both from the item before the update.
    Same {
        place: Place,
        action: Box<UpdateAction>,
    },
    /// Changes nothing, for example because no elements were added.
    Nothing,
}

/// The operand of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpdateOperand {
    /// A value in DynamoDB JSON.
    Json(Vec<u8>),
    /// The value of another place before the update.
    At(Place),
}

/// The actions of one update, and the conditions that they need.
#[derive(Debug, Clone, Default)]
pub(crate) struct UpdateActions {
    actions: Vec<(Place, UpdateAction)>,
    /// The number of actions whose places are in `places`, which is filled when there are many.
    sorted: usize,
    places: DisjointPlaces,
    guards: Vec<Node>,
}

/// Up to this many places are compared one by one.
const FEW: usize = 16;

/// One change, without the type of the item.
#[doc(hidden)]
#[derive(Clone)]
pub struct UntypedChange {
    pub(super) place: Place,
    pub(super) action: Result<UpdateAction, CodecError>,
    /// The condition that makes the change possible.
    pub(super) guard: Option<Node>,
}

impl UntypedChange {
    pub(super) fn new(place: Place, action: Result<UpdateAction, CodecError>) -> Self {
        UntypedChange {
            place,
            action,
            guard: None,
        }
    }

    pub(super) fn guarded_by(mut self, guard: Option<Node>) -> Self {
        self.guard = guard;
        self
    }

    /// The change of an attribute or of a member of one, from a value that was compared and not from a path.
    pub(crate) fn of_value(place: Place, action: UpdateAction) -> Self {
        UntypedChange::new(place, Ok(action))
    }
}

impl UpdateActions {
    /// Adds a change, with the guards that it needs.
    pub(crate) fn add_change(&mut self, change: UntypedChange) -> Result<(), CodecError> {
        let UntypedChange {
            place,
            action,
            guard,
        } = change;
        let action = action?;
        if action == UpdateAction::Nothing {
            return Ok(());
        }
        refuse_parts_of_renamed(&place, &action)?;
        if let Some(other) = self.find_overlap(&place) {
            return Err(CodecError::new(format!(
                "the changes of `{other}` and `{place}` overlap: one update changes each place once"
            )));
        }
        self.guards.extend(guard);
        self.guards.extend(holder_exists(&place));
        self.actions.push((place, action));
        Ok(())
    }

    /// A place that overlaps this one.
    fn find_overlap(&mut self, place: &Place) -> Option<&Place> {
        if self.actions.len() > FEW {
            for (known, _) in &self.actions[self.sorted..] {
                self.places.insert_place(known);
            }
            self.sorted = self.actions.len();
            if !self.places.overlaps_any(place) {
                return None;
            }
        }
        let places = self.actions.iter().map(|(other, _)| other);
        places.into_iter().find(|other| other.overlaps_with(place))
    }

    /// Adds an action of the library's own.
    pub(crate) fn set_action(&mut self, attribute: impl Into<Place>, action: UpdateAction) {
        self.actions.push((attribute.into(), action));
    }

    /// Adds the change of an attribute or of a member of one, from a value that was compared and not from a path.
    pub(crate) fn set_value(&mut self, place: Place, action: UpdateAction) {
        self.guards.extend(holder_exists(&place));
        self.set_action(place, action);
    }

    /// Adds an action of the library's own instead of any other at this attribute.
    pub(crate) fn replace_action(&mut self, attribute: &'static str, action: UpdateAction) {
        self.actions
            .retain(|(place, _)| place.attribute_name() != attribute);
        self.set_action(attribute, action);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The places that change, whole attributes or places in them, with their actions.
    pub(crate) fn place_actions(&self) -> impl Iterator<Item = (&Place, &UpdateAction)> + Clone {
        self.actions.iter().map(|(place, action)| (place, action))
    }

    /// The conditions that make the changes possible, each once.
    pub(crate) fn take_guards(&mut self) -> Vec<Node> {
        let mut known = HashSet::new();
        let mut guards = std::mem::take(&mut self.guards);
        guards.retain(|guard| match guard {
            Node::IsType(place, tag) => known.insert((place.clone(), *tag)),
            _ => true,
        });
        guards
    }

    /// Writes the update expression.
    pub(crate) fn write_update(&self, out: &mut Expression) {
        out.begin_parameter("UpdateExpression");
        let mut is_first = true;
        for (clause, verb) in [
            (Clause::Set, "SET "),
            (Clause::Remove, "REMOVE "),
            (Clause::Add, "ADD "),
            (Clause::Delete, "DELETE "),
        ] {
            let of_clause = self.actions.iter().flat_map(|(place, action)| {
                let under = names_of(place, action).into_iter();
                under
                    .filter_map(move |(under, of)| (of == clause).then_some((place, under, action)))
            });
            let mut of_clause = of_clause.peekable();
            if of_clause.peek().is_none() {
                continue;
            }
            out.push_text(if is_first { "" } else { " " })
                .push_text(verb);
            for (at, (place, under, action)) in of_clause.enumerate() {
                out.push_text(if at == 0 { "" } else { ", " });
                match (under, clause) {
                    (WrittenName::New, _) => {
                        out.push_place(place);
                        action.write_action(place, out);
                    }
                    (WrittenName::Former(name), Clause::Remove) => {
                        out.push_name(name);
                    }
                    (WrittenName::Former(name), _) => {
                        out.push_name(name);
                        action.write_action(place, out);
                    }
                }
            }
            is_first = false;
        }
    }
}

/// A name of an attribute that an action writes.
#[derive(Clone, Copy)]
enum WrittenName {
    New,
    Former(&'static str),
}

/// The names that an action writes, each with its clause.
fn names_of(
    place: &Place,
    action: &UpdateAction,
) -> impl IntoIterator<Item = (WrittenName, Clause)> + use<> {
    let clause = action.update_clause();
    let former = place.former_name().map(|former| {
        let clause = match former.usage {
            FormerUse::Dropped => Clause::Remove,
            FormerUse::First | FormerUse::Alone => clause,
        };
        (WrittenName::Former(former.name), clause)
    });
    [Some((WrittenName::New, clause)), former]
        .into_iter()
        .flatten()
}

/// Rejects the changes that DynamoDB cannot make under both names: it adds to a missing set, so the new name would get
/// the new elements alone, and it finds no place within a missing attribute.
fn refuse_parts_of_renamed(place: &Place, action: &UpdateAction) -> Result<(), CodecError> {
    let Some(former) = place.former_name() else {
        return Ok(());
    };
    let is_of_set = matches!(action, UpdateAction::Insert(_) | UpdateAction::Discard(_));
    if place.is_attribute() && !is_of_set {
        return Ok(());
    }
    let (attribute, former) = (place.attribute_name(), former.name);
    let part = if is_of_set {
        "elements of a set"
    } else {
        "a part"
    };
    Err(CodecError::new(format!(
        "`{attribute}` was `{former}`, and DynamoDB cannot change {part} under both names: `set` the whole `{attribute}`, or use `modify`, which reads it first"
    )))
}

/// The condition for a write to this place. For an element it is that the element exists, because otherwise the list
/// would grow or stay unchanged. For other places, the map that contains the place must exist and must not be NULL,
/// which other programs write for absent values.
fn holder_exists(place: &Place) -> Option<Node> {
    if place.is_element() {
        Some(Node::Exists(place.clone()))
    } else {
        place.parent_place().map(|map| Node::IsType(map, Tag::M))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clause {
    Set,
    Remove,
    Add,
    Delete,
}

impl UpdateAction {
    /// Whether the attribute has a value afterwards, regardless of its value before. A copy from another place gives
    /// no value if no item exists yet.
    pub(crate) fn makes_a_value(&self) -> bool {
        match self {
            UpdateAction::Set(_) | UpdateAction::Insert(_) => true,
            UpdateAction::SetIfAbsent(operand)
            | UpdateAction::Add { delta: operand, .. }
            | UpdateAction::Append(operand)
            | UpdateAction::Prepend(operand) => matches!(operand, UpdateOperand::Json(_)),
            UpdateAction::Same { action, .. } => action.makes_a_value(),
            UpdateAction::Copy(_)
            | UpdateAction::SetSum { .. }
            | UpdateAction::Discard(_)
            | UpdateAction::Remove
            | UpdateAction::Nothing => false,
        }
    }

    fn update_clause(&self) -> Clause {
        match self {
            UpdateAction::Remove | UpdateAction::Nothing => Clause::Remove,
            UpdateAction::Insert(_) => Clause::Add,
            UpdateAction::Discard(_) => Clause::Delete,
            UpdateAction::Same { action, .. } => action.update_clause(),
            _ => Clause::Set,
        }
    }

    /// Writes the action after the name of its target. `place` is what it computes from.
    fn write_action(&self, place: &Place, out: &mut Expression) {
        match self {
            UpdateAction::Set(json) => {
                out.push_text(" = ").push_json(json);
            }
            UpdateAction::Copy(from) => value_of(from, NULL, out.push_text(" = ")),
            UpdateAction::SetIfAbsent(value) => {
                out.push_text(" = ");
                if_absent(place, |out| value.write_operand(NULL, out), out);
            }
            UpdateAction::SetSum {
                first,
                second,
                minus,
            } => {
                value_of(first, ZERO, out.push_text(" = "));
                second.write_operand(ZERO, out.push_operator(if *minus { " - " } else { " + " }));
            }
            UpdateAction::Add {
                start,
                delta,
                minus,
            } => {
                out.push_text(" = ");
                if_absent(place, push_json(start), out);
                delta.write_operand(ZERO, out.push_operator(if *minus { " - " } else { " + " }));
            }
            UpdateAction::Append(elements) => {
                out.push_text(" = ").push_operator("list_append(");
                if_absent(place, push_json(EMPTY_LIST), out);
                elements.write_operand(EMPTY_LIST, out.push_text(", "));
                out.push_text(")");
            }
            UpdateAction::Prepend(elements) => {
                elements.write_operand(
                    EMPTY_LIST,
                    out.push_text(" = ").push_operator("list_append("),
                );
                if_absent(place, push_json(EMPTY_LIST), out.push_text(", "));
                out.push_text(")");
            }
            UpdateAction::Insert(json) | UpdateAction::Discard(json) => {
                out.push_text(" ").push_json(json);
            }
            UpdateAction::Same { place, action } => action.write_action(place, out),
            UpdateAction::Remove | UpdateAction::Nothing => {}
        }
    }
}

impl UpdateOperand {
    /// Writes the operand. `stand_in` is a value of its type; see [`value_of`].
    fn write_operand(&self, stand_in: &[u8], out: &mut Expression) {
        match self {
            UpdateOperand::Json(json) => {
                out.push_json(json);
            }
            UpdateOperand::At(place) => value_of(place, stand_in, out),
        }
    }
}

/// Stand-ins for values that a guard proves to exist.
pub(crate) const NULL: &[u8] = b"{\"NULL\":true}";
const ZERO: &[u8] = b"{\"N\":\"0\"}";

/// Writes the value of a place. For a renamed attribute, DynamoDB evaluates all operands of `if_not_exists`, so the
/// innermost one has to be a value, although the guard of the action makes sure that it is not used.
fn value_of(place: &Place, stand_in: &[u8], out: &mut Expression) {
    match place.former_name() {
        None => {
            out.push_place(place);
        }
        Some(_) => if_absent(place, push_json(stand_in), out),
    }
}

fn push_json(json: &[u8]) -> impl FnOnce(&mut Expression) {
    |out| {
        out.push_json(json);
    }
}

/// Writes the value of a place, or another one if it has none: of a renamed attribute, the value under its former name
/// first.
fn if_absent(place: &Place, other: impl FnOnce(&mut Expression), out: &mut Expression) {
    let former = place.former_name();
    let read_alone = former.is_some_and(|former| former.usage == FormerUse::Alone);
    let under_former = former.map(|former| place.under_former_name(former));
    let places = under_former.iter().chain((!read_alone).then_some(place));
    for place in places.clone() {
        out.push_operator("if_not_exists(")
            .push_place(place)
            .push_text(", ");
    }
    other(out);
    for _ in places {
        out.push_text(")");
    }
}
