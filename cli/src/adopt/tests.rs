//! Properties of the plan: it never panics, its text is Rust, it accounts for every item, and it finds declarations again.

use std::collections::BTreeSet;

use dynamo_entity::schema::KeyType;
use dynamo_entity::{Item, Number, Value};

use super::comparison::difference;
use super::declaration::{declarations, name_structs};
use super::sample::{SampleColumn, SampleIndex, SampleProjection, TableSample};
use super::table::{AdoptedTable, plan_table};
use super::template::PartForm;
use super::test_text::{sample_lines, test_text};

/// A small generator, so that each seed is one case.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

const NAMES: [&str; 34] = [
    "pk",
    "sk",
    "PK",
    "SK",
    "gsi1pk",
    "gsi1sk",
    "type",
    "Type",
    "_type",
    "_et",
    "__edb_e__",
    "__edb_v__",
    "cls",
    "self",
    "Self",
    "fn",
    "rest",
    "Rest",
    "count",
    "createdAt",
    "created_at",
    "version",
    "expires",
    "größe",
    "日本",
    "",
    "a b",
    "\"",
    "{x}",
    "\n//",
    "0",
    "_job.x",
    "Order",
    "order",
];

const TEXTS: [&str; 30] = [
    "a",
    "A",
    "ann",
    "Ann#1",
    "USER#ann",
    "USER#",
    "#",
    "##",
    "ORDER#000007",
    "ORDER#7#x",
    "$shop#order_1#a",
    "$shop",
    "{",
    "}",
    "2026-03-01T12:00:00.000Z",
    "2026-03-01T12:00:00Z",
    "2026-03-01T12:00:00+00:00",
    "2026-03-01T12:00:00.000001+0000",
    "2026-03-01t12:00:00.000z",
    "2026-13-01T12:00:60.000Z",
    "1772366400123",
    "7",
    "-7",
    "true",
    "İ",
    "ß",
    "\u{0}",
    "a:b",
    "a::b",
    "order",
];

fn number(draws: &mut Draws) -> Number {
    let texts = [
        "0",
        "7",
        "-7",
        "1.5",
        "1e125",
        "-1e-130",
        "1772366400",
        "1772366400123",
        "18446744073709551616",
        "0.1234567890123456789",
    ];
    draws.one(&texts).parse().unwrap()
}

fn value(draws: &mut Draws, depth: usize) -> Value {
    match draws.below(if depth > 3 { 7 } else { 11 }) {
        0..=2 => Value::S(draws.one(&TEXTS).to_owned()),
        3 | 4 => Value::N(number(draws)),
        5 => draws.one(&[Value::Null, Value::Bool(true), Value::B(vec![0, 1])]),
        6 => match draws.below(3) {
            0 => Value::Ss([draws.one(&TEXTS).to_owned()].into()),
            1 => Value::Ns([number(draws), number(draws)].into()),
            _ => Value::Bs([vec![7]].into()),
        },
        7 | 8 => Value::L(
            (0..draws.below(4))
                .map(|_| value(draws, depth + 1))
                .collect(),
        ),
        _ => Value::M(
            (0..draws.below(4))
                .map(|_| (draws.one(&NAMES).to_owned(), value(draws, depth + 1)))
                .collect(),
        ),
    }
}

fn key_value(draws: &mut Draws, ty: KeyType) -> Value {
    match ty {
        KeyType::S => Value::S(draws.one(&TEXTS).to_owned()),
        KeyType::N => Value::N(number(draws)),
        KeyType::B => Value::B(vec![u8::try_from(draws.below(256)).unwrap()]),
    }
}

fn column(draws: &mut Draws, taken: &mut BTreeSet<String>) -> SampleColumn {
    let name = loop {
        let name = draws.one(&NAMES);
        if !name.is_empty() && taken.insert(name.to_owned()) {
            break name.to_owned();
        }
    };
    SampleColumn {
        name,
        ty: draws.one(&[KeyType::S, KeyType::S, KeyType::S, KeyType::N, KeyType::B]),
    }
}

/// Any table with any items.
fn nasty_sample(seed: u64) -> TableSample {
    let mut draws = Draws(seed);
    for _ in 0..4 {
        draws.below(2);
    }
    let mut taken = BTreeSet::new();
    let pk = column(&mut draws, &mut taken);
    let sk = (draws.below(3) > 0).then(|| column(&mut draws, &mut taken));
    let indexes = (0..draws.below(3)).map(|number| {
        let is_local = sk.is_some() && draws.below(4) == 0;
        SampleIndex {
            name: format!("{}{number}", draws.one(&["scan", "gsi", "by.x", "key"])),
            is_local,
            pk: (0..if is_local { 0 } else { 1 + draws.below(2) })
                .map(|_| column(&mut draws, &mut taken))
                .collect(),
            sk: (0..usize::from(is_local).max(draws.below(2)))
                .map(|_| column(&mut draws, &mut taken))
                .collect(),
            project: draws.one(&[
                SampleProjection::All,
                SampleProjection::Keys,
                SampleProjection::Only(vec!["count".to_owned()]),
            ]),
        }
    });
    let indexes: Vec<SampleIndex> = indexes.collect();
    let rows = (0..draws.below(7)).map(|_| {
        let mut row: Item = (0..draws.below(8))
            .map(|_| (draws.one(&NAMES).to_owned(), value(&mut draws, 0)))
            .collect();
        for column in [&pk].into_iter().chain(&sk) {
            row.insert(&column.name, key_value(&mut draws, column.ty));
        }
        for column in indexes.iter().flat_map(SampleIndex::columns) {
            row.remove(&column.name);
            if draws.below(3) > 0 {
                row.insert(&column.name, key_value(&mut draws, column.ty));
            }
        }
        row
    });
    let rows = rows.collect();
    TableSample {
        name: draws.one(&["orders", "a.b", "Orders-2", "___"]).to_owned(),
        pk,
        sk,
        indexes,
        ttl: draws.one(&[None, Some("expires".to_owned())]),
        rows,
        is_whole: false,
    }
}

/// The declarations and the test, which both must be Rust.
fn rust_of(sample: &TableSample) -> (AdoptedTable, syn::File) {
    let mut table = plan_table(sample);
    name_structs(&mut table);
    let text = declarations(&table, sample);
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let test = test_text(&table, "declarations.rs", "test.sample");
    syn::parse_file(&test).unwrap_or_else(|error| panic!("{error}: {test}"));
    sample_lines(&table, sample).unwrap();
    (table, file)
}

#[test]
fn any_table_gives_declarations_of_rust() {
    for seed in 0..600 {
        let sample = nasty_sample(seed);
        let (table, file) = rust_of(&sample);
        let kept: usize = table.kept.iter().map(Vec::len).sum();
        let others: usize = table.others.iter().map(|(_, count)| count).sum();
        assert_eq!(
            kept + others,
            sample.rows.len(),
            "seed {seed}: every item is counted once"
        );
        let mut types = BTreeSet::new();
        for item in &file.items {
            let syn::Item::Struct(item) = item else {
                continue;
            };
            assert!(
                types.insert(item.ident.to_string()),
                "seed {seed}: two structs `{}`",
                item.ident
            );
            let mut fields = BTreeSet::new();
            for field in &item.fields {
                let name = field.ident.as_ref().unwrap().to_string();
                assert!(
                    fields.insert(name.clone()),
                    "seed {seed}: two fields `{name}`"
                );
            }
        }
    }
}

#[test]
fn a_large_item_and_a_long_key_are_planned() {
    let mut sample = nasty_sample(3);
    sample.indexes.clear();
    (sample.pk, sample.sk) = (
        SampleColumn {
            name: "pk".to_owned(),
            ty: KeyType::S,
        },
        None,
    );
    let row = |number: usize| {
        let key = format!("{}#{number}", "a#".repeat(1_000));
        let text = "x".repeat(380_000);
        [
            ("pk", Value::S(key)),
            ("text", Value::S(text)),
            ("number", Value::from(number as i64)),
        ]
        .into_iter()
        .collect()
    };
    sample.rows = (0..3).map(row).collect();
    let (table, _) = rust_of(&sample);
    assert_eq!(table.kept.iter().map(Vec::len).sum::<usize>(), 3);
}

/// How a known declaration forms a part of a key.
#[derive(Clone, Copy)]
enum Formed {
    Plain(&'static str),
    Lower(&'static str),
    Padded(&'static str),
    /// The price as it is, padded, or with two decimals, these padded too or not.
    Price(Option<usize>, bool),
    Time,
    /// The first characters of the time: its year, month or day.
    Period(usize),
    /// Only in the key.
    Hidden,
}

/// Rows of a declaration with this template.
fn known_rows(
    draws: &mut Draws,
    template: &[(&'static str, Formed)],
    index: &[(&'static str, Formed)],
) -> Vec<Item> {
    let texts = ["ann", "Bob", "x y", "é", "Z9", "o-1"];
    (0..12_usize)
        .map(|number| {
            let at = format!(
                "{}-{:02}-{:02}T12:00:00.{:03}Z",
                2020 + draws.below(9),
                1 + draws.below(12),
                1 + draws.below(28),
                draws.below(1000)
            );
            let (name, kind, own) = (draws.one(&texts), draws.one(&texts), draws.one(&texts));
            let fraction = ["", ".5", ".05", ".75"][number % 4];
            let price = format!("{}{fraction}", number * 7);
            let mut row: Item = [
                ("name", Value::S(name.to_owned())),
                ("kind", Value::S(kind.to_owned())),
                ("at", Value::S(at.clone())),
                ("number", Value::from(number as i64 * 37)),
                ("total", Value::from(draws.below(9) as i64)),
                ("price", Value::N(number_of(&price))),
            ]
            .into_iter()
            .collect();
            let text = |parts: &[(&str, Formed)]| -> String {
                let formed = parts.iter().map(|(literal, part)| {
                    let text = |name: &str| name_of(&row, name);
                    let part = match part {
                        Formed::Plain(field) => text(field),
                        Formed::Lower(field) => text(field).to_lowercase(),
                        Formed::Padded(field) => format!("{:0>6}", text(field)),
                        Formed::Price(width, is_fixed) => {
                            let cents = if *is_fixed {
                                fixed(&price)
                            } else {
                                price.clone()
                            };
                            format!("{cents:0>width$}", width = width.unwrap_or(0))
                        }
                        Formed::Time => at.clone(),
                        Formed::Period(width) => at[..*width].to_owned(),
                        Formed::Hidden => own.to_owned(),
                    };
                    format!("{literal}{part}")
                });
                formed.collect()
            };
            let (sk, gsi1sk) = (text(template), text(index));
            let has_index = draws.below(4) > 0;
            row.insert("pk", format!("P#{number}"));
            row.insert("sk", sk);
            match has_index {
                true => {
                    row.insert("gsi1pk", format!("KIND#{kind}"));
                    row.insert("gsi1sk", gsi1sk);
                }
                // Without a part, the row is not in the index.
                false => drop(row.remove("kind")),
            }
            row
        })
        .collect()
}

fn number_of(text: &str) -> Number {
    text.parse().expect("a number")
}

/// The text of a price with two decimals.
fn fixed(price: &str) -> String {
    let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
    format!("{whole}.{fraction:0<2}")
}

fn name_of(row: &Item, name: &str) -> String {
    match row.get(name) {
        Some(Value::S(text)) => text.clone(),
        Some(Value::N(number)) => number.as_str().to_owned(),
        _ => String::new(),
    }
}

#[test]
fn known_declarations_are_found_again() {
    let marks = ["#", "|", "::", "@"];
    let forms = [
        Formed::Plain("name"),
        Formed::Lower("name"),
        Formed::Padded("number"),
        Formed::Plain("number"),
        Formed::Price(None, false),
        Formed::Price(Some(8), false),
        Formed::Price(None, true),
        Formed::Price(Some(8), true),
        Formed::Time,
        Formed::Period(4),
        Formed::Period(7),
        Formed::Period(10),
        Formed::Hidden,
    ];
    for seed in 0..90 {
        let mut draws = Draws(seed);
        draws.below(2);
        let mark = draws.one(&marks);
        let first = draws.one(&forms);
        // A template contains a field once.
        let second = match first {
            Formed::Padded(_) | Formed::Plain("number") => Formed::Time,
            Formed::Time | Formed::Period(_) => {
                draws.one(&[Formed::Padded("number"), Formed::Plain("number")])
            }
            _ => draws.one(&[
                Formed::Time,
                Formed::Padded("number"),
                Formed::Plain("number"),
            ]),
        };
        let last = draws.one(&[Formed::Plain("name"), Formed::Lower("name")]);
        let template: Vec<(&'static str, Formed)> = vec![("SK#", first), (mark, second)];
        let rows = known_rows(&mut draws, &template, &[("", Formed::Time), (mark, last)]);
        let texts = |name: &str| SampleColumn {
            name: name.to_owned(),
            ty: KeyType::S,
        };
        let sample = TableSample {
            name: "known".to_owned(),
            pk: texts("pk"),
            sk: Some(texts("sk")),
            indexes: vec![SampleIndex {
                name: "gsi1".to_owned(),
                is_local: false,
                pk: vec![texts("gsi1pk")],
                sk: vec![texts("gsi1sk")],
                project: SampleProjection::All,
            }],
            ttl: None,
            rows,
            is_whole: true,
        };
        let (table, _) = rust_of(&sample);
        assert_eq!(table.entities.len(), 1, "seed {seed}");
        let entity = &table.entities[0];
        for row in &sample.rows {
            assert_eq!(
                difference(entity, &sample, row),
                None,
                "seed {seed}: {row:?} {entity:?}"
            );
        }
        // An item whose attribute no longer fits its key is not taken for one that is written as it is.
        for row in &sample.rows {
            for (attribute, other) in [
                ("number", Value::from(999_i64)),
                ("price", Value::N(number_of("999.25"))),
                ("at", Value::from("2031-01-01T00:00:00.000Z")),
            ] {
                let mut changed = row.clone();
                changed.insert(attribute, other);
                let mut keys = entity.patterns.iter().flat_map(|pattern| pattern.keys());
                let in_index = row.contains("gsi1sk") && keys.any(|key| key.contains(attribute));
                if entity.sk.as_ref().is_some_and(|sk| sk.contains(attribute)) || in_index {
                    assert!(
                        difference(entity, &sample, &changed).is_some(),
                        "seed {seed}: {changed:?}"
                    );
                }
            }
            let mut changed = row.clone();
            changed.insert("total", Value::Null);
            assert!(
                difference(entity, &sample, &changed).is_some(),
                "seed {seed}: {changed:?}"
            );
        }
        // The parts that are attributes are found as such.
        let sk = entity
            .sk
            .as_ref()
            .and_then(|sk| sk.template())
            .expect("a template");
        let hidden = sk
            .parts()
            .filter(|(part, _)| part.starts_with('\u{1}'))
            .count();
        let form = sk
            .parts()
            .find(|(part, _)| *part == "price")
            .map(|(_, form)| form);
        let wanted = match first {
            Formed::Price(None, false) => Some(PartForm::Plain),
            Formed::Price(Some(width), false) => Some(PartForm::Width(width)),
            Formed::Price(width, true) => Some(PartForm::Decimals {
                width: width.unwrap_or(0),
                decimals: 2,
            }),
            _ => None,
        };
        assert_eq!(form, wanted, "seed {seed}: {sk:?} {:?}", sample.rows);
        let wanted = usize::from(matches!(first, Formed::Hidden));
        assert_eq!(hidden, wanted, "seed {seed}: {sk:?} {:?}", sample.rows);
    }
}

/// A table with a sort key, an index over `gsi1pk` and the number `gsi1sk`, and these items.
fn typed_sample(rows: &[&str]) -> TableSample {
    let column = |name: &str, ty| SampleColumn {
        name: name.to_owned(),
        ty,
    };
    let read = |row: &&str| Item::from_json(row).expect("an item");
    TableSample {
        name: "typed".to_owned(),
        pk: column("pk", KeyType::S),
        sk: Some(column("sk", KeyType::S)),
        indexes: vec![SampleIndex {
            name: "gsi1".to_owned(),
            is_local: false,
            pk: vec![column("gsi1pk", KeyType::S)],
            sk: vec![column("gsi1sk", KeyType::N)],
            project: SampleProjection::All,
        }],
        ttl: None,
        rows: rows.iter().map(read).collect(),
        is_whole: true,
    }
}

fn text_of(sample: &TableSample) -> (String, Vec<(String, usize)>) {
    let mut table = plan_table(sample);
    name_structs(&mut table);
    (declarations(&table, sample), table.others)
}

const MEMBERS: [&str; 2] = [
    r#"{"pk":"m#a","sk":"m#","_type":"Member","team":"red","id":"a","code":7,"until":1772366400}"#,
    r#"{"pk":"m#b","sk":"m#","_type":"Member","team":"blue","id":"b","code":12,"until":1772366401}"#,
];

#[test]
fn unique_rows_are_declared_with_their_scope() {
    let rows = [
        r#"{"pk":"_unique#red#Member#code#7","sk":"_unique#","_type":"_Unique"}"#,
        r#"{"pk":"_unique#blue#Member#code#12","sk":"_unique#","_type":"_Unique"}"#,
        r#"{"pk":"_unique#Other#code#7","sk":"_unique#","_type":"_Unique"}"#,
    ];
    let all = [&MEMBERS[..], &rows[..]].concat();
    let (text, others) = text_of(&typed_sample(&all));
    let wanted = r##"unique(unique_code, pk = "_unique#{team}#Member#code#{code}", sk = "_unique#", constant("_type" = "_Unique"))"##;
    assert!(text.contains(wanted), "{text}");
    // The value of another model is not declared.
    assert_eq!(others.iter().map(|(_, count)| *count).sum::<usize>(), 1);

    // An item without its row contradicts the template.
    let (text, others) = text_of(&typed_sample(&all[..3]));
    assert!(!text.contains("unique("), "{text}");
    let note = "the unique rows of `code` are not declared, because 1 of 2 items in the sample have no row";
    assert!(text.contains(note), "{text}");
    assert_eq!(others.len(), 1);

    // In a part of the table, the row may be elsewhere.
    let mut part = typed_sample(&all[..3]);
    part.is_whole = false;
    let (text, _) = text_of(&part);
    let notes = [
        "the scope of `unique_code` is guessed",
        "`unique_code`: 1 of 2 items",
    ];
    assert!(
        text.contains(wanted) && notes.iter().all(|note| text.contains(note)),
        "{text}"
    );

    // The rows remain when their items expire.
    let mut expiring = typed_sample(&all);
    expiring.ttl = Some("until".to_owned());
    let (text, others) = text_of(&expiring);
    assert!(
        text.contains("its unique values are not declared") && !text.contains("unique("),
        "{text}"
    );
    assert_eq!(others.iter().map(|(_, count)| *count).sum::<usize>(), 3);
}

#[test]
fn doubtful_unique_rows_are_noted() {
    // Both fields of the items are the scope.
    let rows = [
        r#"{"pk":"m#a","sk":"m#","_type":"Member","team":"red","club":"red","code":7}"#,
        r#"{"pk":"m#b","sk":"m#","_type":"Member","team":"blue","club":"blue","code":12}"#,
        r#"{"pk":"_unique#red#Member#code#7","sk":"_unique#","_type":"_Unique"}"#,
        r#"{"pk":"_unique#blue#Member#code#12","sk":"_unique#","_type":"_Unique"}"#,
    ];
    let (text, _) = text_of(&typed_sample(&rows));
    let note = "the rows of `unique_code` fit other scopes too (`team`)";
    assert!(
        text.contains(note) && text.contains("_unique#{club}#Member"),
        "{text}"
    );

    // An item with any partition key could have that of a row.
    let rows = [
        r#"{"pk":"a1","sk":"m#","_type":"Member","id":"a1","code":7}"#,
        r#"{"pk":"b","sk":"m#","_type":"Member","id":"b","code":12}"#,
        r#"{"pk":"_unique#Member#code#7","sk":"_unique#","_type":"_Unique"}"#,
        r#"{"pk":"_unique#Member#code#12","sk":"_unique#","_type":"_Unique"}"#,
    ];
    let (text, others) = text_of(&typed_sample(&rows));
    let note = "the unique rows of `code` are not declared, because their partition keys could be those of an item";
    assert!(text.contains(note) && !text.contains("unique("), "{text}");
    assert_eq!(others.iter().map(|(_, count)| *count).sum::<usize>(), 2);
}

#[test]
fn a_copied_number_is_declared() {
    let row = |id: u32, score: u32, key: u32, more: &str| {
        format!(
            r#"{{"pk":"g#{id}","sk":"g#","gsi1pk":"game","gsi1sk":{key},"score":{score},"game":"game"{more}}}"#
        )
    };
    let text = |rows: [String; 3]| text_of(&typed_sample(&rows.each_ref().map(String::as_str))).0;
    let typed = |score, key| {
        let row = |id, score, key| row(id, score, key, r#","_type":"Score""#);
        text([row(1, 10, 10), row(2, score, score), row(3, 10, key)])
    };
    let declared = "sk = number(score)";
    let copied = typed(20, 10);
    assert!(copied.contains(declared), "{copied}");
    assert!(
        !copied.contains("pub gsi1sk") && !copied.contains("it equals"),
        "{copied}"
    );
    let differs = typed(20, 11);
    assert!(!differs.contains(declared), "{differs}");
    let one_value = typed(10, 10);
    assert!(!one_value.contains(declared), "{one_value}");

    // Without a type, the attribute of a derived key has another name.
    let row = |id, score, key| row(id, score, key, "");
    let own = text([row(1, 10, 10), row(2, 20, 20), row(3, 10, 10)]);
    assert!(
        own.contains("it equals `score` in all items") && !own.contains(declared),
        "{own}"
    );
}

/// ElectroDB and OneTable write the text of the partition key without the number too.
#[test]
fn an_item_may_lack_a_copied_number() {
    let rows = [(1, Some(10)), (2, Some(20)), (3, None)].map(|(id, score)| {
        let numbers = score.map_or_else(String::new, |score| {
            format!(r#","gsi1sk":{score},"score":{score}"#)
        });
        format!(
            r#"{{"pk":"g#{id}","sk":"g#","gsi1pk":"chess{id}","game":"chess{id}","_type":"Score"{numbers}}}"#
        )
    });
    let text = text_of(&typed_sample(&rows.each_ref().map(String::as_str))).0;
    assert!(
        text.contains(r#"pk = "{game}", sk = number(score)"#),
        "{text}"
    );
}

/// A name with a meaning of its own, or several equal attributes, leave open which attribute is copied.
#[test]
fn a_number_that_may_be_no_copy_remains() {
    let rows = [10, 20, 10].map(|stock| {
        format!(
            r#"{{"pk":"g#{stock}","sk":"g#","gsi1pk":"game","gsi1sk":{stock},"stock":{stock},"total":{stock},"game":"game","_type":"Score"}}"#
        )
    });
    let sample = typed_sample(&rows.each_ref().map(String::as_str));
    let text = text_of(&sample).0;
    assert!(
        text.contains("it equals `stock` and `total` in all items") && text.contains("gsi1sk"),
        "{text}"
    );
    assert!(!text.contains("sk = number("), "{text}");

    let mut named = sample;
    for item in &mut named.rows {
        item.remove("total");
        let number = item.remove("gsi1sk").expect("a number");
        item.insert("available", number);
    }
    for column in named.indexes.iter_mut().flat_map(|index| &mut index.sk) {
        column.name = "available".to_owned();
    }
    let text = text_of(&named).0;
    assert!(
        text.contains("it equals `stock` in all items") && text.contains("pub available"),
        "{text}"
    );
    assert!(!text.contains("sk = number("), "{text}");
}

/// Offers whose sort key is this text before the price in these forms.
fn offers(before: &str, prices: &[(&str, &str)]) -> String {
    let rows = prices.iter().enumerate().map(|(number, (price, part))| {
        format!(
            r#"{{"pk":"o#{number}","sk":"{before}{part}","gsi1pk":"g","gsi1sk":1,"price":{price}}}"#
        )
    });
    let rows: Vec<String> = rows.collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    text_of(&typed_sample(&rows)).0
}

#[test]
fn prices_that_all_have_two_decimals_are_noted() {
    let plain = [("12.25", "12.25"), ("7.75", "7.75"), ("9.99", "9.99")];
    let padded = [
        ("12.25", "0012.25"),
        ("7.75", "0007.75"),
        ("9.99", "0009.99"),
    ];
    let note = "all numbers of the sample have 2 decimals";
    for (before, prices, template) in [
        ("PRICE#", plain, "PRICE#{price}"),
        ("PRICE#", padded, "PRICE#{price:07.2}"),
        // Templates of ElectroDB have a width and no decimals.
        ("$offer_1#price_", plain, "$offer_1#price_{price}"),
        ("$offer_1#price_", padded, "$offer_1#price_{price:07}"),
    ] {
        let text = offers(before, &prices);
        assert!(text.contains(template), "{template}: {text}");
        assert!(text.contains("unsure") && text.contains(note), "{text}");
    }
    // One whole number decides.
    let text = offers(
        "PRICE#",
        &[("12.25", "12.25"), ("7", "7"), ("9.99", "9.99")],
    );
    assert!(text.contains("{price}") && !text.contains(note), "{text}");
    let text = offers("PRICE#", &[("12.25", "0012.25"), ("7", "0007.00")]);
    assert!(
        text.contains("{price:07.2}") && !text.contains(note),
        "{text}"
    );
}
