//! Conditions that users combine.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

use super::node::Node;
use crate::json::CodecError;

/// A condition on an item of `R`. Combine conditions with `&`, `|`, `!`, [`all`] and [`any`].
///
/// A comparison with a missing attribute is false, but `ne` and `!` of a comparison are true: see [the
/// module](crate::expr#missing-attributes).
#[must_use = "a condition counts only where it is returned or given"]
pub struct Condition<R> {
    node: Node,
    /// An upper bound of the nesting depth.
    depth: usize,
    kind: PhantomData<fn() -> R>,
}

/// DynamoDB accepts no more operators, and a deeper tree has more.
const MAX_DEPTH: usize = 300;

/// All of the conditions must hold. Without any, it always holds.
pub fn all<R>(conditions: impl IntoIterator<Item = Condition<R>>) -> Condition<R> {
    join_conditions(conditions, Node::all)
}

/// At least one of the conditions must hold. Without any, a write is rejected and a query finds nothing.
pub fn any<R>(conditions: impl IntoIterator<Item = Condition<R>>) -> Condition<R> {
    join_conditions(conditions, Node::any)
}

fn join_conditions<R>(
    conditions: impl IntoIterator<Item = Condition<R>>,
    join: fn(Vec<Node>) -> Node,
) -> Condition<R> {
    let (mut nodes, mut depth) = (Vec::new(), 0);
    for condition in conditions {
        depth = condition.depth.max(depth);
        nodes.push(condition.node);
    }
    Condition::nested_at(join(nodes), depth + 1)
}

impl<R> Condition<R> {
    /// A condition that is nested too deeply cannot be sent, so it is dropped here, because dropping it later would
    /// recurse.
    fn nested_at(node: Node, depth: usize) -> Self {
        if depth <= MAX_DEPTH {
            return Condition {
                node,
                depth,
                kind: PhantomData,
            };
        }
        let fault = format!(
            "a condition of more than {MAX_DEPTH} operators; DynamoDB allows {MAX_DEPTH}: compare fewer things, such as a version, or a whole map or list instead of its parts"
        );
        Node::Faulty(CodecError::new(fault)).into()
    }

    pub(crate) fn into_node(self) -> Node {
        self.node
    }
}

impl<R> From<Node> for Condition<R> {
    fn from(node: Node) -> Self {
        Condition {
            node,
            depth: 0,
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
        Condition::nested_at(self.node.not(), self.depth + 1)
    }
}

impl<R> Clone for Condition<R> {
    fn clone(&self) -> Self {
        Condition {
            node: self.node.clone(),
            depth: self.depth,
            kind: PhantomData,
        }
    }
}

/// Values are not shown.
impl<R> fmt::Debug for Condition<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = super::Expression::default();
        match self.node.write_condition(text.begin_parameter("")) {
            Ok(()) => write!(f, "Condition({})", text.readable_text()),
            Err(fault) => write!(f, "Condition(invalid: {fault})"),
        }
    }
}
