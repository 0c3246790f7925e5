//! Conditions, as users combine them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

use super::node::Node;

/// What must hold of an item of `R`. Combine with `&`, `|`, `!`, [`all`] and [`any`].
///
/// A comparison with a missing attribute does not hold, but `ne` and `!` of a comparison do: see
/// [the module](crate::expr#what-is-missing).
#[must_use = "a condition counts only where it is returned or given"]
pub struct Condition<R> {
    node: Node,
    kind: PhantomData<fn() -> R>,
}

/// All of them; of none, nothing is asked.
pub fn all<R>(conditions: impl IntoIterator<Item = Condition<R>>) -> Condition<R> {
    Node::all(conditions.into_iter().map(|condition| condition.node)).into()
}

/// At least one of them. Of none, nothing can hold: a write is refused, a query finds nothing.
pub fn any<R>(conditions: impl IntoIterator<Item = Condition<R>>) -> Condition<R> {
    Node::any(conditions.into_iter().map(|condition| condition.node)).into()
}

impl<R> Condition<R> {
    pub(crate) fn into_node(self) -> Node {
        self.node
    }
}

impl<R> From<Node> for Condition<R> {
    fn from(node: Node) -> Self {
        Condition {
            node,
            kind: PhantomData,
        }
    }
}

impl<R> BitAnd for Condition<R> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        all([self, other])
    }
}

impl<R> BitOr for Condition<R> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        any([self, other])
    }
}

impl<R> Not for Condition<R> {
    type Output = Self;

    fn not(self) -> Self {
        self.node.not().into()
    }
}

impl<R> Clone for Condition<R> {
    fn clone(&self) -> Self {
        self.node.clone().into()
    }
}

/// Never the values.
impl<R> fmt::Debug for Condition<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = super::Expression::default();
        match self.node.write(text.begin("")) {
            Ok(()) => write!(f, "Condition({})", text.shown()),
            Err(fault) => write!(f, "Condition(invalid: {fault})"),
        }
    }
}
