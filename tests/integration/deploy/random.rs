//! Random tables, and what they become.

use std::collections::BTreeSet;

use dynamo_entity::schema::TableSchema;
use fastrand::Rng;

/// Two declarations of one table: as it is, and as it is to be.
pub struct Pair {
    pub before: TableSchema,
    pub after: TableSchema,
    /// Whether the second one asks for what no table can become.
    pub is_impossible: bool,
}

/// The keys and the projection of one index.
#[derive(Debug, Clone, PartialEq)]
struct Index {
    name: String,
    text: String,
}

/// The types of the attributes, the same in both declarations. An attribute has the number of its index behind its name where
/// indexes share none.
const ATTRIBUTES: [(&str, &str); 5] = [("a", "S"), ("b", "N"), ("c", "B"), ("d", "S"), ("e", "N")];

impl Pair {
    pub fn random(seed: u64, may_be_impossible: bool, shares: bool) -> Pair {
        let mut rng = Rng::with_seed(seed);
        let has_sk = rng.bool();
        let indexes: Vec<Index> = (0..6).map(|at| index(&mut rng, at, shares)).collect();
        let local = (has_sk && rng.u8(..4) == 0).then(|| local(&mut rng));
        let is_impossible = may_be_impossible && rng.u8(..5) == 0;
        let mut chosen = indexes.clone();
        let before = declaration(&mut rng, has_sk, &mut chosen, local.as_deref());
        let mut kept = indexes;
        let (has_sk, local) = match is_impossible {
            false => (has_sk, local),
            true if rng.bool() => (!has_sk, None),
            true => {
                // An index of before has another key now.
                let Some(index) = chosen.first() else {
                    return Pair::random(seed ^ 0x5bd1_e995, may_be_impossible, shares);
                };
                kept.retain(|other| other.name != index.name);
                let text = index.text.replacen(
                    "[{\"name\":",
                    "[{\"name\":\"zz\",\"type\":\"S\"},{\"name\":",
                    1,
                );
                let name = index.name.clone();
                let after =
                    declaration_of(&mut rng, has_sk, &[Index { name, text }], local.as_deref());
                return Pair {
                    before,
                    after,
                    is_impossible,
                };
            }
        };
        let after = declaration(&mut rng, has_sk, &mut kept, local.as_deref());
        Pair {
            before,
            after,
            is_impossible,
        }
    }
}

fn attribute(rng: &mut Rng, number: &str) -> String {
    let (name, ty) = ATTRIBUTES[rng.usize(..ATTRIBUTES.len())];
    format!("{{\"name\":\"{name}{number}\",\"type\":\"{ty}\"}}")
}

fn projection(rng: &mut Rng) -> &'static str {
    ["\"all\"", "\"keys\"", "[\"x\",\"y\"]"][rng.usize(..3)]
}

fn index(rng: &mut Rng, at: usize, shares: bool) -> Index {
    let number = if shares {
        String::new()
    } else {
        at.to_string()
    };
    let name = format!("gsi-{at}");
    let pk = attribute(rng, &number);
    let sk = attribute(rng, &number);
    let sk = if rng.bool() && sk != pk {
        format!("\"sk\":[{sk}],")
    } else {
        String::new()
    };
    let projection = projection(rng);
    let text = format!("{{\"name\":\"{name}\",\"pk\":[{pk}],{sk}\"projection\":{projection}}}");
    Index { name, text }
}

fn local(rng: &mut Rng) -> String {
    let sk = attribute(rng, "");
    let projection = projection(rng);
    format!(
        "[{{\"name\":\"lsi-0\",\"pk\":[{{\"name\":\"pk\",\"type\":\"S\"}}],\"sk\":[{sk}],\"projection\":{projection}}}]"
    )
}

/// Takes some of the indexes.
fn declaration(
    rng: &mut Rng,
    has_sk: bool,
    indexes: &mut Vec<Index>,
    local: Option<&str>,
) -> TableSchema {
    rng.shuffle(indexes);
    indexes.truncate(rng.usize(..4));
    declaration_of(rng, has_sk, indexes, local)
}

fn declaration_of(
    rng: &mut Rng,
    has_sk: bool,
    indexes: &[Index],
    local: Option<&str>,
) -> TableSchema {
    let mut members = vec![
        "\"format\":1".to_owned(),
        "\"name\":\"changing\"".to_owned(),
        "\"pk\":{\"name\":\"pk\",\"type\":\"S\"}".to_owned(),
    ];
    if has_sk {
        members.push("\"sk\":{\"name\":\"sk\",\"type\":\"N\"}".to_owned());
    }
    members.push("\"keys\":\"escaped\"".to_owned());
    let texts: Vec<&str> = indexes.iter().map(|index| index.text.as_str()).collect();
    members.push(format!("\"global_indexes\":[{}]", texts.join(",")));
    members.extend(local.map(|local| format!("\"local_indexes\":{local}")));
    if let Some(ttl) = [None, Some("x"), Some("t")][rng.usize(..3)] {
        members.push(format!("\"ttl\":\"{ttl}\""));
    }
    let views = ["keys_only", "new_image", "old_image", "new_and_old_images"];
    if rng.bool() {
        members.push(format!("\"stream\":\"{}\"", views[rng.usize(..4)]));
    }
    members.push("\"settings\":{}".to_owned());
    let text = format!("{{{}}}", members.join(","));
    with_settings(rng, TableSchema::from_json(&text).expect("a schema"))
}

fn with_settings(rng: &mut Rng, schema: TableSchema) -> TableSchema {
    let schema = match rng.u8(..3) {
        0 => schema,
        1 => schema.deletion_protection(true),
        _ => schema.deletion_protection(false),
    };
    let schema = match rng.u8(..4) {
        0 => schema,
        1 => schema.on_demand(),
        2 => schema.scaled(rng.u64(1..9), rng.u64(1..9)),
        _ => schema.provisioned(rng.u64(1..9), rng.u64(1..9)),
    };
    let schema = if rng.bool() {
        schema.point_in_time_recovery(rng.u8(1..=35))
    } else {
        schema
    };
    let schema = if rng.bool() {
        schema.infrequent_access()
    } else {
        schema
    };
    let names: BTreeSet<u8> = (0..rng.u8(..3)).map(|_| rng.u8(..4)).collect();
    names.into_iter().fold(schema, |schema, name| {
        schema.tag(format!("tag{name}"), format!("value {}", rng.u8(..3)))
    })
}
