//! Suggestions for words that are nearly right.

/// The known word within two letters of this one.
pub(crate) fn nearest_word<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let allowed = |known: &str| if known.len() > 4 { 2 } else { 1 };
    known
        .iter()
        .map(|known| (edit_distance(word, known), *known))
        .filter(|(distance, known)| *distance <= allowed(known))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// How many letters to insert, delete or replace.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_a_slip() {
        let names = ["customer", "number", "placed_at"];
        assert_eq!(nearest_word("custmer", &names), Some("customer"));
        assert_eq!(nearest_word("nunber", &names), Some("number"));
        assert_eq!(nearest_word("colour", &names), None);
        assert_eq!(
            (
                edit_distance("", "abc"),
                edit_distance("abc", ""),
                edit_distance("kitten", "sitting")
            ),
            (3, 3, 3)
        );
    }
}
