//! Law K7: compares `keys_may_meet` with all keys that small templates can form.

use std::collections::BTreeSet;

use dynamo_entity::schema::{
    EntityDef, KeyDef, KeySource, KeyType, Piece, Presence, Style, Width, keys_may_meet,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::config;

/// One piece of a random template.
#[derive(Debug, Clone, Copy)]
enum Given {
    Literal(&'static str),
    Text,
    Fixed(usize),
    Signed(usize),
    /// The end of a sharded key: the delimiter and the shard 0 or 1.
    Shard,
}

fn piece(delimiter: char) -> impl Strategy<Value = Given> {
    let literals = match delimiter {
        '#' => vec!["#", "a", "1", "#a", "a#", "#1#", "a1", "-", "#1"],
        _ => vec![":", "a", "1", ":a", "a:", ":1:", "a1", "-", ":1"],
    };
    prop_oneof![
        4 => select(literals).prop_map(Given::Literal),
        3 => Just(Given::Text),
        2 => (1usize..=2).prop_map(Given::Fixed),
        1 => Just(Given::Signed(1)),
    ]
}

/// A template that `is_delimited` accepts: each part without a fixed width ends at the delimiter or at the
/// end of the key. It has at most two parts, so that all its keys can be listed.
fn template(delimiter: char) -> impl Strategy<Value = Vec<Given>> {
    template_of(piece(delimiter), 4, delimiter)
}

/// A template of a partition key, which may end in a shard.
fn partition(delimiter: char) -> impl Strategy<Value = Vec<Given>> {
    (template(delimiter), any::<bool>()).prop_map(|(mut template, sharded)| {
        template.extend(sharded.then_some(Given::Shard));
        template
    })
}

fn template_of(
    piece: impl Strategy<Value = Given>,
    length: usize,
    delimiter: char,
) -> impl Strategy<Value = Vec<Given>> {
    prop::collection::vec(piece, 1..=length).prop_map(move |pieces| {
        let text = if delimiter == '#' { "#" } else { ":" };
        let mut delimited: Vec<Given> = Vec::new();
        let mut parts = 0;
        for piece in pieces {
            parts += usize::from(!matches!(piece, Given::Literal(_)));
            let piece = if parts > 2 {
                Given::Literal(text)
            } else {
                piece
            };
            let open = matches!(delimited.last(), Some(Given::Text | Given::Signed(_)));
            let ends = matches!(piece, Given::Literal(literal) if literal.starts_with(delimiter));
            if open && !ends {
                delimited.push(Given::Literal(text));
            }
            delimited.push(piece);
        }
        delimited
    })
}

fn pieces(given: &[Given]) -> &'static [Piece] {
    let part = |width| Piece::Part {
        field: "f",
        width,
        presence: Presence::Always,
        format: 0,
    };
    let pieces: Vec<Piece> = given
        .iter()
        .map(|piece| match *piece {
            Given::Literal(text) => Piece::Literal(text),
            Given::Text => part(Width::Variable),
            Given::Fixed(width) => part(Width::Fixed(width)),
            Given::Signed(width) => part(Width::Signed(width)),
            Given::Shard => Piece::Shard(2),
        })
        .collect();
    Box::leak(pieces.into_boxed_slice())
}

fn key(given: &[Given]) -> KeyDef {
    KeyDef::new("k", KeyType::S, KeySource::Template(pieces(given)))
}

fn entity(pk: KeyDef, sk: KeyDef) -> EntityDef {
    EntityDef {
        type_attribute: None,
        append_only: false,
        id: "property::Entity",
        type_name: "",
        stored_name: "",
        constants: &[],
        pk,
        sk: Some(sk),
        attributes: &[],
        indexes: &[],
        uniques: &[],
        large: &[],
        ttl: None,
        expiry: None,
        version: None,
        created_at: None,
        updated_at: None,
        created_by: None,
        updated_by: None,
        key_fault: |_| None,
        shape: None,
        second_key: None,
        reread: |_| None,
        sentinels: |_| Ok(Vec::new()),
    }
}

/// All texts over the alphabet whose length is in the range.
fn words(alphabet: &[&str], lengths: std::ops::RangeInclusive<usize>) -> Vec<String> {
    let mut all = Vec::new();
    let mut of_length = vec![String::new()];
    for length in 0..=*lengths.end() {
        if lengths.contains(&length) {
            all.extend(of_length.iter().cloned());
        }
        of_length = of_length
            .iter()
            .flat_map(|word| alphabet.iter().map(move |letter| format!("{word}{letter}")))
            .collect();
    }
    all
}

/// All keys that the template forms with texts of up to three letters.
fn keys(given: &[Given], style: Style) -> BTreeSet<String> {
    let mut keys = vec![String::new()];
    for (at, piece) in given.iter().enumerate() {
        let last = at + 1 == given.len();
        let texts = match *piece {
            Given::Literal(text) => vec![text.to_owned()],
            // The last text of a verbatim key may hold the delimiter.
            Given::Text if last && style != Style::Escaped => words(&["a", "1", ":"], 1..=4),
            Given::Text => words(&["a", "1"], 1..=3),
            Given::Fixed(width) => words(&["a", "1", "-"], width..=width),
            Given::Signed(width) => words(&["a", "1"], width..=width)
                .into_iter()
                .flat_map(|digits| [format!("-{digits}"), digits])
                .collect(),
            Given::Shard => ["0", "1"]
                .map(|shard| format!("{}{shard}", style.delimiter()))
                .into(),
        };
        keys = keys
            .iter()
            .flat_map(|key| texts.iter().map(move |text| format!("{key}{text}")))
            .collect();
    }
    keys.into_iter().collect()
}

fn meet(left: &[Given], right: &[Given], style: Style) -> bool {
    !keys(left, style).is_disjoint(&keys(right, style))
}

/// Two entities differ in one of their keys only; first it is the partition key, then the sort key.
fn may_meet(left: &[Given], right: &[Given], style: Style) -> (bool, bool) {
    let same = key(&[Given::Literal("same")]);
    let (left, right) = (key(left), key(right));
    (
        keys_may_meet(&entity(left, same), &entity(right, same), style),
        keys_may_meet(&entity(same, right), &entity(same, left), style),
    )
}

fn sound(left: &[Given], right: &[Given], style: Style) -> Result<(), TestCaseError> {
    let (may, mirrored) = may_meet(left, right, style);
    prop_assert_eq!(may, mirrored, "symmetric, and the same for both keys");
    if meet(left, right, style) {
        prop_assert!(may, "these keys meet and the check says never");
    }
    Ok(())
}

/// A template whose literals are no longer than the texts that are tried.
fn plain_template() -> impl Strategy<Value = Vec<Given>> {
    let literal = select(vec!["#", "a", "b", "#a", "b#", "#b#"]).prop_map(Given::Literal);
    template_of(prop_oneof![3 => literal, 2 => Just(Given::Text)], 3, '#')
}

/// Only texts and literals, and texts may be empty. For these the check is exact.
fn exact(left: &[Given], right: &[Given]) -> Result<(), TestCaseError> {
    let loose = |given: &[Given]| -> BTreeSet<String> {
        let mut keys = vec![String::new()];
        for piece in given {
            let texts = match *piece {
                Given::Literal(text) => vec![text.to_owned()],
                _ => words(&["a", "b"], 0..=3),
            };
            keys = keys
                .iter()
                .flat_map(|key| texts.iter().map(move |text| format!("{key}{text}")))
                .collect();
        }
        keys.into_iter().collect()
    };
    let meet = !loose(left).is_disjoint(&loose(right));
    prop_assert_eq!(may_meet(left, right, Style::Escaped).0, meet);
    Ok(())
}

/// Templates of a verbatim table whose texts end at a separator of their own.
fn separated_template() -> impl Strategy<Value = Vec<Given>> {
    let separator = select(vec![":", "@", "-", "@@", "--a", "@-", "::"]);
    let part = prop_oneof![3 => Just(Given::Text), 1 => Just(Given::Fixed(2)), 1 => Just(Given::Signed(1))];
    let pair = (part, separator.prop_map(Given::Literal));
    let end = select(vec![Given::Text, Given::Literal("a"), Given::Literal("@")]);
    (proptest::collection::vec(pair, 1..=2), end).prop_map(|(pairs, end)| {
        let pairs = pairs
            .into_iter()
            .flat_map(|(part, separator)| [part, separator]);
        pairs.chain([end]).collect()
    })
}

/// The keys of such a template. A text ends at the first separator, so it contains none.
fn separated_keys(given: &[Given]) -> BTreeSet<String> {
    let mut keys = vec![String::new()];
    for (at, piece) in given.iter().enumerate() {
        let mut texts = match *piece {
            Given::Literal(text) => vec![text.to_owned()],
            Given::Fixed(width) => words(&["a", "-", ":"], width..=width),
            Given::Signed(_) => vec!["1".to_owned(), "-1".to_owned()],
            _ if at + 1 == given.len() => words(&["a", "@", "-"], 1..=2),
            _ => words(&["a", "@", "-", ":"], 1..=2),
        };
        if let (Given::Text, Some(Given::Literal(next))) = (piece, given.get(at + 1)) {
            let first = next.chars().next().unwrap();
            let run = next.chars().take_while(|c| *c == first).count();
            let separator = first.to_string().repeat(if first == ':' { 1 } else { run });
            texts.retain(|text| format!("{text}{separator}").find(&separator) == Some(text.len()));
        }
        keys = keys
            .iter()
            .flat_map(|key| texts.iter().map(move |text| format!("{key}{text}")))
            .collect();
    }
    keys.into_iter().collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn keys_with_other_separators_that_meet_are_seen(left in separated_template(), right in separated_template()) {
        let (may, mirrored) = may_meet(&left, &right, Style::Verbatim(':'));
        prop_assert_eq!(may, mirrored, "symmetric, and the same for both keys");
        if !separated_keys(&left).is_disjoint(&separated_keys(&right)) {
            prop_assert!(may, "these keys meet and the check says never");
        }
    }

    #[test]
    fn escaped_keys_that_meet_are_seen(left in partition('#'), right in partition('#')) {
        sound(&left, &right, Style::Escaped)?;
    }

    #[test]
    fn verbatim_keys_that_meet_are_seen(left in partition(':'), right in partition(':')) {
        sound(&left, &right, Style::Verbatim(':'))?;
    }

    /// A check that always answers yes would also be sound, so this tests that it answers no where it can.
    #[test]
    fn texts_that_never_meet_are_let_through(left in plain_template(), right in plain_template()) {
        exact(&left, &right)?;
    }

    /// Two items can only meet if both of their keys can meet.
    #[test]
    fn one_key_that_differs_is_enough(pks in (template('#'), template('#')), sks in (template('#'), template('#'))) {
        let both = keys_may_meet(
            &entity(key(&pks.0), key(&sks.0)),
            &entity(key(&pks.1), key(&sks.1)),
            Style::Escaped,
        );
        let pk = may_meet(&pks.0, &pks.1, Style::Escaped).0;
        let sk = may_meet(&sks.0, &sks.1, Style::Escaped).0;
        prop_assert_eq!(both, pk && sk);
    }
}
