//! A condition as a tree, and its text.

use std::fmt::Display;

use super::comparison::Comparison;
use super::expression::Expression;
use crate::json::{CodecError, Tag};
use crate::path::{Former, FormerUse, Place};

/// A condition on an item.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Compare(Term, Comparison, Term),
    Between(Term, Term, Term),
    In(Term, Vec<Vec<u8>>),
    Exists(Place),
    Missing(Place),
    IsType(Place, Tag),
    StartsWith(Place, Vec<u8>),
    /// A value, or another attribute.
    Contains(Place, Term),
    Not(Box<Node>),
    /// All of these; without any, it always holds.
    All(Vec<Node>),
    /// At least one of these; without any, it never holds.
    Any(Vec<Node>),
    /// A condition with a value that cannot be stored.
    Faulty(CodecError),
}

/// An operand of a comparison.
#[derive(Debug, Clone)]
pub(crate) enum Term {
    Place(Place),
    Size(Place),
    /// A value in DynamoDB JSON.
    Value(Vec<u8>),
    /// A value that was read from the item, which may be stored in another format.
    AsRead(Vec<u8>),
}

/// How many values an IN takes.
const MAX_IN: usize = 100;

/// How tightly the operator of a node binds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Tightest,
}

impl Node {
    /// Both conditions. A node that always holds is omitted; one that never holds replaces the whole, and a fault
    /// replaces everything.
    pub(crate) fn and(self, other: Node) -> Node {
        match (self, other) {
            (faulty @ Node::Faulty(_), _) | (_, faulty @ Node::Faulty(_)) => faulty,
            (never, _) | (_, never) if never.is_never() => never,
            (always, node) | (node, always) if always.is_always() => node,
            (Node::All(nodes), Node::All(more)) => Node::All(appended(nodes, more)),
            (Node::All(mut nodes), node) => {
                nodes.push(node);
                Node::All(nodes)
            }
            (node, Node::All(mut nodes)) => {
                nodes.insert(0, node);
                Node::All(nodes)
            }
            (node, other) => Node::All(vec![node, other]),
        }
    }

    /// Adds a condition that must hold too.
    pub(crate) fn narrow(&mut self, more: Node) {
        let before = std::mem::replace(self, Node::All(Vec::new()));
        *self = before.and(more);
    }

    pub(crate) fn all(nodes: impl IntoIterator<Item = Node>) -> Node {
        nodes.into_iter().fold(Node::All(Vec::new()), Node::and)
    }

    /// At least one of both conditions. A node that never holds is omitted. A node that always holds replaces the whole
    /// condition, and so does a fault, which comes first.
    pub(crate) fn or(self, other: Node) -> Node {
        match (self, other) {
            (faulty @ Node::Faulty(_), _) | (_, faulty @ Node::Faulty(_)) => faulty,
            (always, _) | (_, always) if always.is_always() => always,
            (never, node) | (node, never) if never.is_never() => node,
            (Node::Any(nodes), Node::Any(more)) => Node::Any(appended(nodes, more)),
            (Node::Any(mut nodes), node) => {
                nodes.push(node);
                Node::Any(nodes)
            }
            (node, Node::Any(mut nodes)) => {
                nodes.insert(0, node);
                Node::Any(nodes)
            }
            (node, other) => Node::Any(vec![node, other]),
        }
    }

    pub(crate) fn any(nodes: impl IntoIterator<Item = Node>) -> Node {
        nodes.into_iter().fold(Node::Any(Vec::new()), Node::or)
    }

    /// The opposite. For a comparison it is a NOT, because both `<` and `>=` are false for a missing attribute.
    pub(crate) fn not(self) -> Node {
        match self {
            Node::Not(node) => *node,
            Node::Exists(place) => Node::Missing(place),
            Node::Missing(place) => Node::Exists(place),
            Node::All(nodes) if nodes.is_empty() => Node::Any(nodes),
            Node::Any(nodes) if nodes.is_empty() => Node::All(nodes),
            faulty @ Node::Faulty(_) => faulty,
            node => Node::Not(Box::new(node)),
        }
    }

    pub(crate) fn is_always(&self) -> bool {
        matches!(self, Node::All(nodes) if nodes.is_empty())
    }

    pub(crate) fn is_never(&self) -> bool {
        matches!(self, Node::Any(nodes) if nodes.is_empty())
    }

    /// The nodes that must all hold.
    pub(crate) fn top_level(&self) -> &[Node] {
        match self {
            Node::All(nodes) => nodes,
            node => std::slice::from_ref(node),
        }
    }

    /// The attributes that the condition names.
    pub(crate) fn named_attributes(&self) -> Vec<&str> {
        fn of(term: &Term) -> Option<&Place> {
            match term {
                Term::Place(place) | Term::Size(place) => Some(place),
                Term::Value(_) | Term::AsRead(_) => None,
            }
        }
        let places = match self {
            Node::Compare(left, _, right) => vec![of(left), of(right)],
            Node::Between(term, low, high) => vec![of(term), of(low), of(high)],
            Node::In(term, _) => vec![of(term)],
            Node::Exists(place)
            | Node::Missing(place)
            | Node::IsType(place, _)
            | Node::StartsWith(place, _) => vec![Some(place)],
            Node::Contains(place, part) => vec![Some(place), of(part)],
            Node::Not(node) => return node.named_attributes(),
            Node::All(nodes) | Node::Any(nodes) => {
                return nodes.iter().flat_map(Node::named_attributes).collect();
            }
            Node::Faulty(_) => Vec::new(),
        };
        let places = places.into_iter().flatten();
        places.map(|place| &**place.attribute_name()).collect()
    }

    /// Whether the condition compares an attribute with a value that was read.
    pub(crate) fn asks_as_read(&self) -> bool {
        match self {
            Node::Compare(_, _, Term::AsRead(_)) => true,
            Node::Not(node) => node.asks_as_read(),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().any(Node::asks_as_read),
            _ => false,
        }
    }

    /// The attributes that are compared with values that were read, and those values.
    pub(crate) fn as_read(&mut self) -> Vec<(&Place, &mut Vec<u8>)> {
        match self {
            Node::Compare(Term::Place(place), _, Term::AsRead(json)) => {
                vec![(place, json)]
            }
            Node::Not(node) => node.as_read(),
            Node::All(nodes) | Node::Any(nodes) => {
                nodes.iter_mut().flat_map(Node::as_read).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The first place in it that older programs store under another name, if it is a single condition.
    fn find_renamed(&self) -> Option<(&Place, Former)> {
        fn of(term: &Term) -> Option<(&Place, Former)> {
            match term {
                Term::Place(place) | Term::Size(place) => Some((place, place.former_name()?)),
                Term::Value(_) | Term::AsRead(_) => None,
            }
        }
        match self {
            Node::Compare(left, _, right) => of(left).or_else(|| of(right)),
            Node::Between(term, low, high) => of(term).or_else(|| of(low)).or_else(|| of(high)),
            Node::In(term, _) => of(term),
            Node::Exists(place)
            | Node::Missing(place)
            | Node::IsType(place, _)
            | Node::StartsWith(place, _) => Some((place, place.former_name()?)),
            Node::Contains(place, part) => {
                let former = place.former_name().map(|former| (place, former));
                former.or_else(|| of(part))
            }
            Node::Not(_) | Node::All(_) | Node::Any(_) | Node::Faulty(_) => None,
        }
    }

    /// The same condition on whichever of the two names an item has: on the former one if it exists, because older
    /// programs write no other, or on the former one alone. A NOT stays outside, since a missing attribute makes no comparison true.
    fn under_both_names(&self) -> Option<Node> {
        let (renamed, former) = self.find_renamed()?;
        let (old, new) = (renamed.under_former_name(former), renamed.under_new_name());
        if former.usage == FormerUse::Alone {
            return Some(self.with_place(renamed, &old));
        }
        if renamed.is_attribute() {
            match self {
                Node::Exists(_) => return Some(Node::any([Node::Exists(old), Node::Exists(new)])),
                Node::Missing(_) => {
                    return Some(Node::all([Node::Missing(old), Node::Missing(new)]));
                }
                _ => {}
            }
        }
        let attribute = Place::of(former.name);
        let before = Node::Exists(attribute.clone()).and(self.with_place(renamed, &old));
        let after = Node::Missing(attribute).and(self.with_place(renamed, &new));
        Some(Node::any([before, after]))
    }

    /// A single condition with another place instead of this one.
    fn with_place(&self, replaced: &Place, place: &Place) -> Node {
        let moved = |here: &Place| match here == replaced {
            true => place.clone(),
            false => here.clone(),
        };
        let term = |term: &Term| match term {
            Term::Place(here) => Term::Place(moved(here)),
            Term::Size(here) => Term::Size(moved(here)),
            Term::Value(_) | Term::AsRead(_) => term.clone(),
        };
        match self {
            Node::Compare(left, comparison, right) => {
                Node::Compare(term(left), *comparison, term(right))
            }
            Node::Between(here, low, high) => Node::Between(term(here), term(low), term(high)),
            Node::In(here, values) => Node::In(term(here), values.clone()),
            Node::Exists(here) => Node::Exists(moved(here)),
            Node::Missing(here) => Node::Missing(moved(here)),
            Node::IsType(here, tag) => Node::IsType(moved(here), *tag),
            Node::StartsWith(here, value) => Node::StartsWith(moved(here), value.clone()),
            Node::Contains(here, part) => Node::Contains(moved(here), term(part)),
            Node::Not(_) | Node::All(_) | Node::Any(_) | Node::Faulty(_) => self.clone(),
        }
    }

    fn binding_strength(&self) -> Binding {
        if let Some(both) = self.under_both_names() {
            return both.binding_strength();
        }
        match self {
            Node::All(_) => Binding::And,
            Node::Any(_) => Binding::Or,
            Node::In(_, values) if values.len() > MAX_IN => Binding::Or,
            Node::Not(_) => Binding::Not,
            _ => Binding::Tightest,
        }
    }

    /// Writes the condition. One that always holds writes nothing; the caller must handle one that never does.
    pub(crate) fn write_condition(&self, out: &mut Expression) -> Result<(), CodecError> {
        if let Some(both) = self.under_both_names() {
            return both.write_condition(out);
        }
        match self {
            Node::Compare(left, comparison, right) => {
                left.write_term(out);
                out.push_operator(comparison.operator_symbol());
                right.write_term(out);
            }
            Node::Between(term, low, high) => {
                term.write_term(out);
                out.push_operator(" BETWEEN ");
                low.write_term(out);
                out.push_text(" AND ");
                high.write_term(out);
            }
            Node::In(term, values) => write_in(term, values, out),
            Node::Exists(place) => write_function("attribute_exists(", place, out),
            Node::Missing(place) => write_function("attribute_not_exists(", place, out),
            Node::IsType(place, tag) => {
                let tag = format!("{{\"S\":\"{}\"}}", tag.name());
                function_of("attribute_type(", place, tag.as_bytes(), out);
            }
            Node::StartsWith(place, value) => function_of("begins_with(", place, value, out),
            Node::Contains(place, part) => {
                out.push_operator("contains(")
                    .push_place(place)
                    .push_text(", ");
                part.write_term(out);
                out.push_text(")");
            }
            Node::Not(node) => {
                out.push_operator("NOT ");
                node.write_within(&Binding::Tightest, out)?;
            }
            Node::All(nodes) => write_joined(nodes, " AND ", &Binding::And, out)?,
            Node::Any(nodes) if nodes.is_empty() => {
                return Err(CodecError::new(
                    "the condition can never be true: it compares with no values, or with an empty range",
                ));
            }
            Node::Any(nodes) => write_joined(nodes, " OR ", &Binding::Or, out)?,
            Node::Faulty(fault) => return Err(fault.clone()),
        }
        Ok(())
    }

    /// Writes the condition as an operand of an operator that binds like this.
    fn write_within(&self, binding: &Binding, out: &mut Expression) -> Result<(), CodecError> {
        if self.binding_strength() >= *binding {
            return self.write_condition(out);
        }
        out.push_text("(");
        self.write_condition(out)?;
        out.push_text(")");
        Ok(())
    }
}

/// Joins nodes without moving earlier ones again, so that `a & b & c & ..` takes as many steps as it has conditions.
fn appended(mut nodes: Vec<Node>, mut more: Vec<Node>) -> Vec<Node> {
    if nodes.len() < more.len() {
        // The longer list has room already, so a chain that grows at its front allocates nothing new.
        more.splice(..0, nodes);
        more
    } else {
        nodes.append(&mut more);
        nodes
    }
}

impl Term {
    pub(super) fn number(number: &impl Display) -> Term {
        Term::Value(format!("{{\"N\":\"{number}\"}}").into_bytes())
    }

    fn write_term(&self, out: &mut Expression) {
        match self {
            Term::Place(place) => {
                out.push_place(place);
            }
            Term::Size(place) => write_function("size(", place, out),
            Term::Value(json) | Term::AsRead(json) => {
                out.push_json(json);
            }
        }
    }
}

fn write_function(name: &str, place: &Place, out: &mut Expression) {
    out.push_operator(name).push_place(place).push_text(")");
}

fn function_of(name: &str, place: &Place, value: &[u8], out: &mut Expression) {
    out.push_operator(name).push_place(place).push_text(", ");
    out.push_json(value).push_text(")");
}

/// Writes an IN, or several if there are more values than one takes.
fn write_in(term: &Term, values: &[Vec<u8>], out: &mut Expression) {
    for (at, chunk) in values.chunks(MAX_IN).enumerate() {
        if at > 0 {
            out.push_operator(" OR ");
        }
        term.write_term(out);
        out.push_operator(" IN (");
        for (at, value) in chunk.iter().enumerate() {
            out.push_text(if at == 0 { "" } else { ", " })
                .push_json(value);
        }
        out.push_text(")");
    }
}

fn write_joined(
    nodes: &[Node],
    by: &str,
    binding: &Binding,
    out: &mut Expression,
) -> Result<(), CodecError> {
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.push_operator(by);
        }
        node.write_within(binding, out)?;
    }
    Ok(())
}
