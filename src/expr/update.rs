//! The changes of one update, as an update expression.

use std::borrow::Cow;
use std::collections::HashSet;

use super::expression::Expression;
use super::node::Node;
use crate::json::{CodecError, Tag};
use crate::path::{DisjointPlaces, Place};

/// An empty list, in the format of the writer.
pub(super) const EMPTY_LIST: &[u8] = b"{\"L\":[]}";

/// The change at a place. Values are DynamoDB JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpdateAction {
    Set(Vec<u8>),
    /// Copies the value of another place.
    Copy(Place),
    SetIfAbsent(UpdateOperand),
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

    pub(super) fn guarded(mut self, guard: Option<Node>) -> Self {
        self.guard = guard;
        self
    }

    /// The change of a whole attribute, from a value that was compared and not from a path.
    pub(crate) fn of_attribute(name: String, action: UpdateAction) -> Self {
        UntypedChange::new(Place::of(name), Ok(action))
    }
}

impl UpdateActions {
    /// Adds a change, with the guards that it needs.
    pub(crate) fn add(&mut self, change: UntypedChange) -> Result<(), CodecError> {
        let UntypedChange {
            place,
            action,
            guard,
        } = change;
        let action = action?;
        if action == UpdateAction::Nothing {
            return Ok(());
        }
        if let Some(other) = self.overlapping(&place) {
            return Err(CodecError::new(format!(
                "the changes of `{other}` and `{place}` overlap: one update changes each place once"
            )));
        }
        self.guards.extend(guard);
        self.guards.extend(holder(&place));
        self.actions.push((place, action));
        Ok(())
    }

    /// A place that overlaps this one.
    fn overlapping(&mut self, place: &Place) -> Option<&Place> {
        if self.actions.len() > FEW {
            for (known, _) in &self.actions[self.sorted..] {
                self.places.insert(known);
            }
            self.sorted = self.actions.len();
            if !self.places.overlap(place) {
                return None;
            }
        }
        let places = self.actions.iter().map(|(other, _)| other);
        places.into_iter().find(|other| other.overlaps(place))
    }

    /// Adds an action of the library's own.
    pub(crate) fn set(&mut self, attribute: impl Into<Cow<'static, str>>, action: UpdateAction) {
        self.actions.push((Place::of(attribute), action));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The places that change, whole attributes or places in them, with their actions.
    pub(crate) fn actions(&self) -> impl Iterator<Item = (&Place, &UpdateAction)> + Clone {
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
    pub(crate) fn write(&self, out: &mut Expression) {
        out.begin("UpdateExpression");
        let mut clauses = Vec::new();
        for (clause, verb) in [
            (Clause::Set, "SET "),
            (Clause::Remove, "REMOVE "),
            (Clause::Add, "ADD "),
            (Clause::Delete, "DELETE "),
        ] {
            let mut of_clause = self
                .actions
                .iter()
                .filter(|(_, action)| action.clause() == clause)
                .peekable();
            if of_clause.peek().is_none() {
                continue;
            }
            out.push(if clauses.is_empty() { "" } else { " " })
                .push(verb);
            for (at, (place, action)) in of_clause.enumerate() {
                out.push(if at == 0 { "" } else { ", " });
                action.write(place, out);
            }
            clauses.push(clause);
        }
    }
}

/// The condition for a write to this place. For an element it is that the element exists, because otherwise the list
/// would grow or stay unchanged. For other places, the map that contains the place must exist and must not be NULL,
/// which other programs write for absent values.
fn holder(place: &Place) -> Option<Node> {
    if place.is_element() {
        Some(Node::Exists(place.clone()))
    } else {
        place.parent().map(|map| Node::IsType(map, Tag::M))
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
            UpdateAction::Copy(_)
            | UpdateAction::Discard(_)
            | UpdateAction::Remove
            | UpdateAction::Nothing => false,
        }
    }

    fn clause(&self) -> Clause {
        match self {
            UpdateAction::Remove | UpdateAction::Nothing => Clause::Remove,
            UpdateAction::Insert(_) => Clause::Add,
            UpdateAction::Discard(_) => Clause::Delete,
            _ => Clause::Set,
        }
    }

    fn write(&self, place: &Place, out: &mut Expression) {
        out.place(place);
        match self {
            UpdateAction::Set(json) => {
                out.push(" = ").json(json);
            }
            UpdateAction::Copy(from) => {
                out.push(" = ").place(from);
            }
            UpdateAction::SetIfAbsent(value) => {
                out.push(" = ").operator("if_not_exists(").place(place);
                value.write(out.push(", "));
                out.push(")");
            }
            UpdateAction::Add {
                start,
                delta,
                minus,
            } => {
                out.push(" = ");
                if_absent(place, start, out);
                delta.write(out.operator(if *minus { " - " } else { " + " }));
            }
            UpdateAction::Append(elements) => {
                out.push(" = ").operator("list_append(");
                if_absent(place, EMPTY_LIST, out);
                elements.write(out.push(", "));
                out.push(")");
            }
            UpdateAction::Prepend(elements) => {
                elements.write(out.push(" = ").operator("list_append("));
                if_absent(place, EMPTY_LIST, out.push(", "));
                out.push(")");
            }
            UpdateAction::Insert(json) | UpdateAction::Discard(json) => {
                out.push(" ").json(json);
            }
            UpdateAction::Remove | UpdateAction::Nothing => {}
        }
    }
}

impl UpdateOperand {
    fn write(&self, out: &mut Expression) {
        match self {
            UpdateOperand::Json(json) => out.json(json),
            UpdateOperand::At(place) => out.place(place),
        };
    }
}

fn if_absent(place: &Place, json: &[u8], out: &mut Expression) {
    out.operator("if_not_exists(")
        .place(place)
        .push(", ")
        .json(json)
        .push(")");
}
