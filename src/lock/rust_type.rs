//! What becomes of stored values when a field gets another Rust type.

/// How the values of a type are those of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TypeChange {
    /// They are stored alike.
    Alike,
    /// The new type has all values of the old one, stored alike, and more.
    Wider,
    /// The old type has all values of the new one, and more.
    Narrower,
    /// Nobody knows.
    Unknown,
}

/// Crates whose types are told by their last names.
const KNOWN_CRATES: [&str; 8] = [
    "std",
    "core",
    "alloc",
    "chrono",
    "uuid",
    "ulid",
    "rust_decimal",
    "bigdecimal",
];
/// What is stored as what is in it. That an `Option` may be missing is said elsewhere.
const WRAPPERS: [&str; 3] = ["Option", "Box", "Arc"];
/// Types that are stored alike.
const ALIKE: [(&str, &str); 4] = [
    ("String", "str"),
    ("HashSet", "BTreeSet"),
    ("HashMap", "BTreeMap"),
    ("Vec", "[]"),
];

/// A type: its name and the types that it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RustType {
    name: String,
    of: Vec<RustType>,
}

/// What the change from one type to another means, both as they are written.
pub(super) fn type_change(old: &str, new: &str) -> TypeChange {
    change(&read(old), &read(new))
}

fn change(old: &RustType, new: &RustType) -> TypeChange {
    if old == new {
        return TypeChange::Alike;
    }
    if old.of.is_empty() && new.of.is_empty() {
        return match (
            is_among(&old.name, &new.name),
            is_among(&new.name, &old.name),
        ) {
            (true, _) => TypeChange::Wider,
            (_, true) => TypeChange::Narrower,
            _ => TypeChange::Unknown,
        };
    }
    // What a type of the user's stores of its arguments is its own affair.
    let is_known = ["[]", "BTreeSet", "BTreeMap"].contains(&old.name.as_str());
    if !is_known || old.name != new.name || old.of.len() != new.of.len() {
        return TypeChange::Unknown;
    }
    // A list of bytes is no list.
    let is_bytes =
        |ty: &RustType| ty.name == "[]" && ty.of.iter().any(|element| element.name == "u8");
    if is_bytes(old) != is_bytes(new) {
        return TypeChange::Unknown;
    }
    let pairs = old.of.iter().zip(&new.of);
    let changes: Vec<TypeChange> = pairs.map(|(old, new)| change(old, new)).collect();
    let is_any = |wanted| changes.contains(&wanted);
    let is_map = old.name == "BTreeMap" && changes.first() != Some(&TypeChange::Alike);
    let is_both = is_any(TypeChange::Wider) && is_any(TypeChange::Narrower);
    match is_map || is_both {
        true => TypeChange::Unknown,
        false => changes.iter().copied().max().unwrap_or(TypeChange::Unknown),
    }
}

/// Whether each number of one type is a number of another one, and is stored alike.
fn is_among(old: &str, new: &str) -> bool {
    let (Some((is_signed, bits)), new) = (integer(old), new) else {
        return (old, new) == ("f32", "f64");
    };
    match (new, integer(new)) {
        (_, Some((to_signed, to_bits))) => match (is_signed, to_signed) {
            (false, true) => to_bits > bits,
            (true, false) => false,
            _ => to_bits >= bits,
        },
        ("Number" | "BigDecimal", None) => true,
        ("Decimal", None) => bits <= 64,
        ("f64", None) => bits <= 32,
        ("f32", None) => bits <= 16,
        _ => false,
    }
}

/// Whether an integer has a sign, and how many bits.
fn integer(name: &str) -> Option<(bool, u16)> {
    let (sign, bits) = name.split_at_checked(1)?;
    let is_signed = match sign {
        "i" => true,
        "u" => false,
        _ => return None,
    };
    match bits {
        "size" => Some((is_signed, 64)),
        "8" | "16" | "32" | "64" | "128" => Some((is_signed, bits.parse().ok()?)),
        _ => None,
    }
}

/// A type as it is written. What this cannot take apart is a name as a whole.
fn read(text: &str) -> RustType {
    let text = text.trim();
    let ty = match (text.strip_suffix('>'), text.find('<')) {
        (Some(inside), Some(at)) => RustType {
            name: short_name(&text[..at]),
            of: list(&inside[at + 1..]),
        },
        _ => match slice(text) {
            Some(element) => RustType {
                name: "[]".to_owned(),
                of: vec![read(element)],
            },
            None => RustType {
                name: short_name(text),
                of: Vec::new(),
            },
        },
    };
    plain(ty)
}

/// `T` of `[T]`. An array has its length in its type.
fn slice(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    (!inside.contains(';')).then_some(inside)
}

/// The types between commas, without lifetimes.
fn list(text: &str) -> Vec<RustType> {
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
    let types = list
        .into_iter()
        .filter(|ty| !ty.is_empty() && !ty.starts_with('\''));
    types.map(read).collect()
}

/// The name of a type without its path, where everybody knows whose it is.
fn short_name(path: &str) -> String {
    let path = path.trim().trim_start_matches("::");
    match (path.split_once("::"), path.rsplit_once("::")) {
        (Some((first, _)), Some((_, last))) if KNOWN_CRATES.contains(&first) => last.to_owned(),
        _ => path.to_owned(),
    }
}

/// Another way to write a type that is stored alike.
fn plain(mut ty: RustType) -> RustType {
    if let ([inner], true) = (
        &ty.of[..],
        WRAPPERS.contains(&ty.name.as_str()) || ty.name == "Cow",
    ) {
        return inner.clone();
    }
    if let Some((_, alike)) = ALIKE.iter().find(|(name, _)| *name == ty.name) {
        ty.name = (*alike).to_owned();
    }
    // How a set or a map hashes is not stored.
    let most = match ty.name.as_str() {
        "BTreeSet" => 1,
        "BTreeMap" => 2,
        _ => usize::MAX,
    };
    ty.of.truncate(most);
    ty
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compared_by_what_is_stored() {
        use TypeChange::{Alike, Narrower, Unknown, Wider};
        for (old, new, expected) in [
            ("u32", "u64", Wider),
            ("u64", "u32", Narrower),
            ("u32", "i32", Unknown),
            ("u32", "i64", Wider),
            ("i8", "u64", Unknown),
            ("u64", "Decimal", Wider),
            ("u128", "rust_decimal::Decimal", Unknown),
            ("u32", "f32", Unknown),
            ("f32", "f64", Wider),
            ("f64", "f32", Narrower),
            ("usize", "u64", Wider),
            ("String", "Box<str>", Alike),
            ("String", "std::borrow::Cow<'static,str>", Alike),
            ("Option<String>", "String", Alike),
            ("Option<Box<u8>>", "u16", Wider),
            ("chrono::DateTime<chrono::Utc>", "DateTime<Utc>", Alike),
            ("DateTime<Utc>", "DateTime<FixedOffset>", Unknown),
            ("a::Status", "b::Status", Unknown),
            ("Status", "model::Status", Unknown),
            ("HashSet<String>", "BTreeSet<String>", Alike),
            ("HashSet<String,FxBuildHasher>", "HashSet<String>", Alike),
            (
                "HashMap<String,Vec<u8>>",
                "std::collections::BTreeMap<String,Vec<u8>>",
                Alike,
            ),
            ("HashMap<String,u8>", "HashMap<String,u16>", Wider),
            ("HashMap<u8,u8>", "HashMap<u16,u8>", Unknown),
            ("Vec<u32>", "Box<[u64]>", Wider),
            ("Vec<u32>", "[u32;4]", Unknown),
            ("Vec<Vec<u8>>", "Vec<Vec<u16>>", Unknown),
            ("Vec<Vec<u16>>", "Vec<Vec<u32>>", Wider),
            ("HashMap<String,Vec<u8>>", "HashMap<String,Bytes>", Unknown),
            ("Wrapped<u8>", "Wrapped<u16>", Unknown),
            ("(u8,u8)", "(u8,u16)", Unknown),
            ("String", "Email", Unknown),
            ("u32", "Count", Unknown),
            ("", "u8", Unknown),
            ("Vec<", "Vec>", Unknown),
            ("é", "<>", Unknown),
        ] {
            assert_eq!(type_change(old, new), expected, "{old} to {new}");
            assert_eq!(type_change(old, old), Alike, "{old}");
        }
    }
}
