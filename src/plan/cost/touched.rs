//! The attributes that an update changes, parsed from its expression.

use std::collections::BTreeMap;

use crate::json::{CodecError, Reader, object_members};

/// The change of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangedFields {
    Set,
    /// It is removed as a whole.
    Removed,
}

/// The attributes that the expression changes, as a whole or in part.
pub(super) fn changed_fields(
    expression: &str,
    names: &[u8],
) -> Result<BTreeMap<String, ChangedFields>, CodecError> {
    let mut known = BTreeMap::new();
    for (sign, name) in object_members(names)? {
        known.insert(sign.into_owned(), Reader::new(name).string()?.into_owned());
    }
    let mut touched = BTreeMap::new();
    let (mut clause, mut is_target, mut depth) = ("", false, 0_i32);
    for word in expression.split_whitespace() {
        if depth == 0 && matches!(word, "SET" | "REMOVE" | "ADD" | "DELETE") {
            (clause, is_target) = (word, true);
            continue;
        }
        // The library writes its expressions with blanks between words, and a target is the first
        // word of a clause or follows a comma outside of parentheses.
        if is_target {
            let path = word.trim_end_matches(',');
            let sign = path.split(['.', '[']).next().unwrap_or_default();
            let name = known.get(sign).map_or(sign, String::as_str);
            let whole = sign.len() == path.len();
            let touch = match clause == "REMOVE" && whole {
                true => ChangedFields::Removed,
                false => ChangedFields::Set,
            };
            touched.insert(name.to_owned(), touch);
        }
        for c in word.chars() {
            depth += i32::from(c == '(') - i32::from(c == ')');
        }
        is_target = depth == 0 && word.ends_with(',');
    }
    Ok(touched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_from_what_is_read() {
        let names = br##"{"#n0":"a","#n1":"b","#n2":"c"}"##;
        let of = |expression| changed_fields(expression, names).expect("an expression");
        let list = |wanted: &[(&str, ChangedFields)]| -> BTreeMap<String, ChangedFields> {
            wanted
                .iter()
                .map(|(name, touch)| ((*name).to_owned(), *touch))
                .collect()
        };
        assert_eq!(of(""), list(&[]));
        assert_eq!(
            of("SET #n0 = if_not_exists(#n1, :v0) + :v1, #n2.x[3] = :v2 REMOVE #n1"),
            list(&[
                ("a", ChangedFields::Set),
                ("c", ChangedFields::Set),
                ("b", ChangedFields::Removed)
            ])
        );
        assert_eq!(
            of("SET #n0 = list_append(#n0, :v0) REMOVE #n1[2], #n2 ADD d :v1 DELETE e :v2"),
            list(&[
                ("a", ChangedFields::Set),
                ("b", ChangedFields::Set),
                ("c", ChangedFields::Removed),
                ("d", ChangedFields::Set),
                ("e", ChangedFields::Set)
            ])
        );
    }
}
