//! The types of stored values, taken apart.
//!
//! The library writes these texts, so one type has one spelling: aliases are resolved, and types that are stored alike have
//! one name. See [`FieldSchema::value_type`](crate::schema::FieldSchema::value_type).

use std::fmt;

/// Types that are made of others in a way that is known here; those of tuples and arrays are `()` and `[;4]`.
const COLLECTIONS: [&str; 3] = ["Vec", "Set", "Map"];

/// A type: its name and the types that it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredType {
    pub(crate) name: String,
    pub(crate) of: Vec<StoredType>,
}

impl StoredType {
    /// Takes a text apart. A declared type is a name as a whole, and so is everything that is not known here.
    pub(crate) fn read(text: &str, is_declared: &impl Fn(&str) -> bool) -> StoredType {
        let whole = || StoredType {
            name: text.to_owned(),
            of: Vec::new(),
        };
        // Declared names come first: a type of the model may be called `Map` or have generics in
        // its name.
        if is_declared(text) {
            return whole();
        }
        let within = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        let (name, inside) = if let Some(inside) = within("(", ")") {
            ("()".to_owned(), inside)
        } else if let Some((element, len)) =
            // The last semicolon, because the element may be an array itself.
            within("[", "]").and_then(|array| array.rsplit_once(';'))
        {
            (format!("[;{len}]"), element)
        } else {
            match text.split_once('<') {
                Some((name, inside)) if COLLECTIONS.contains(&name) && inside.ends_with('>') => {
                    (name.to_owned(), &inside[..inside.len() - 1])
                }
                // Other generic types are opaque: what their parameters mean for the stored form is
                // not known.
                _ => return whole(),
            }
        };
        let of = list(inside).into_iter();
        StoredType {
            name,
            of: of.map(|text| StoredType::read(text, is_declared)).collect(),
        }
    }

    /// The names that it is made of in the end.
    pub(crate) fn names<'t>(&'t self, names: &mut Vec<&'t str>) {
        match self.of.is_empty() {
            true => names.push(&self.name),
            false => self.of.iter().for_each(|ty| ty.names(names)),
        }
    }

    pub(crate) fn is_collection(&self) -> bool {
        COLLECTIONS.contains(&self.name.as_str())
            || self.name == "()"
            || self.name.starts_with("[;")
    }
}

impl fmt::Display for StoredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of: Vec<String> = self.of.iter().map(StoredType::to_string).collect();
        let of = of.join(",");
        match self.name.strip_prefix("[;") {
            Some(len) => write!(f, "[{of};{len}"),
            None if self.name == "()" => write!(f, "({of})"),
            None if self.of.is_empty() => f.write_str(&self.name),
            None => write!(f, "{}<{of}>", self.name),
        }
    }
}

/// The texts between commas.
fn list(text: &str) -> Vec<&str> {
    // Only commas outside of all brackets separate; `Map<K,V>` is one element of a tuple.
    let (mut depth, mut start, mut list) = (0_usize, 0, Vec::new());
    for (at, character) in text.char_indices().chain([(text.len(), ',')]) {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 || at == text.len() => {
                list.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    list.retain(|ty| !ty.is_empty());
    list
}
