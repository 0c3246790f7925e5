//! JSON that people read: built as a tree, written with one member a line.

use super::writer::escape_into;

/// A value of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JsonTree {
    Bool(bool),
    Number(u64),
    Text(String),
    List(Vec<JsonTree>),
    /// Members in the order in which they are written.
    Object(Vec<(String, JsonTree)>),
}

impl JsonTree {
    /// An object of those members that exist.
    pub(crate) fn object_of<'n>(
        members: impl IntoIterator<Item = (&'n str, Option<JsonTree>)>,
    ) -> Self {
        let members = members.into_iter();
        let there = members.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        JsonTree::Object(there.collect())
    }

    pub(crate) fn list_of<T>(values: &[T], tree: impl Fn(&T) -> JsonTree) -> Self {
        JsonTree::List(values.iter().map(tree).collect())
    }

    /// The text, with a line for each member and each element, and an end of line behind the last.
    pub(crate) fn to_text(&self) -> String {
        let mut out = Vec::new();
        self.write_tree(0, &mut out);
        out.push(b'\n');
        // Only valid texts and their escapes were written, so nothing is replaced.
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The text on one line, without spaces.
    #[cfg(feature = "export")]
    pub(crate) fn to_line(&self) -> String {
        let mut out = Vec::new();
        self.write_line(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[cfg(feature = "export")]
    fn write_line(&self, out: &mut Vec<u8>) {
        match self {
            JsonTree::Bool(_) | JsonTree::Number(_) | JsonTree::Text(_) => self.write_tree(0, out),
            JsonTree::List(values) => {
                out.push(b'[');
                for (at, value) in values.iter().enumerate() {
                    out.extend((at > 0).then_some(b','));
                    value.write_line(out);
                }
                out.push(b']');
            }
            JsonTree::Object(members) => {
                out.push(b'{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.extend((at > 0).then_some(b','));
                    write_quoted(name, out);
                    out.push(b':');
                    value.write_line(out);
                }
                out.push(b'}');
            }
        }
    }

    fn write_tree(&self, depth: usize, out: &mut Vec<u8>) {
        match self {
            JsonTree::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
            JsonTree::Number(value) => out.extend_from_slice(value.to_string().as_bytes()),
            JsonTree::Text(text) => write_quoted(text, out),
            JsonTree::List(values) => {
                write_block(values, (b'[', b']'), depth, out, |value, out| {
                    value.write_tree(depth + 1, out);
                });
            }
            JsonTree::Object(members) => {
                write_block(members, (b'{', b'}'), depth, out, |(name, value), out| {
                    write_quoted(name, out);
                    out.extend_from_slice(b": ");
                    value.write_tree(depth + 1, out);
                });
            }
        }
    }
}

fn write_quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape_into(out, text);
    out.push(b'"');
}

fn write_block<T>(
    elements: &[T],
    (open, close): (u8, u8),
    depth: usize,
    out: &mut Vec<u8>,
    write: impl Fn(&T, &mut Vec<u8>),
) {
    out.push(open);
    for (at, element) in elements.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_indent(depth + 1, out);
        write(element, out);
    }
    if !elements.is_empty() {
        write_indent(depth, out);
    }
    out.push(close);
}

fn write_indent(depth: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', 2 * depth));
}

impl From<bool> for JsonTree {
    fn from(value: bool) -> Self {
        JsonTree::Bool(value)
    }
}

impl From<u64> for JsonTree {
    fn from(value: u64) -> Self {
        JsonTree::Number(value)
    }
}

impl From<&str> for JsonTree {
    fn from(text: &str) -> Self {
        JsonTree::Text(text.to_owned())
    }
}

impl From<&String> for JsonTree {
    fn from(text: &String) -> Self {
        JsonTree::Text(text.clone())
    }
}
