//! Random tables, and what may become of them.

use dynamo_entity::schema::TableSchema;
use fastrand::Rng;
use serde_json::{Value as Json, json};

const LETTERS: [&str; 3] = ["S", "N", "B"];

/// Tables of different names.
pub fn tables(rng: &mut Rng, count: usize) -> Vec<TableSchema> {
    (0..count).map(|number| table_of(rng, number)).collect()
}

/// The attributes that keys of tables and indexes have; each has one type, which follows from its name.
fn key(rng: &mut Rng) -> Json {
    let number = rng.usize(..9);
    json!({"name": format!("k{number}"), "type": LETTERS[number % 3]})
}

fn keys(rng: &mut Rng, least: usize, most: usize) -> Vec<Json> {
    let mut keys: Vec<Json> = Vec::new();
    for _ in 0..rng.usize(least..=most) {
        let key = key(rng);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn index(rng: &mut Rng, name: &str) -> Json {
    let most = if rng.u8(..4) == 0 { 3 } else { 1 };
    let pk = keys(rng, 1, most);
    let mut sk = keys(rng, 0, most.min(2));
    sk.retain(|key| !pk.contains(key));
    let projection = match rng.u8(..3) {
        0 => json!("all"),
        1 => json!("keys"),
        _ => json!(["a", "z 1"]),
    };
    json!({"name": name, "pk": pk, "sk": sk, "projection": projection})
}

fn table_of(rng: &mut Rng, number: usize) -> TableSchema {
    let mut table = json!({
        "format": 1,
        "name": format!("table-{number}{}", rng.choice(["", ".x", "_Y", "-z"]).unwrap_or("")),
        "keys": "escaped",
        "pk": {"name": "k0", "type": "S"},
    });
    let mut local = Vec::new();
    if rng.bool() {
        table["sk"] = json!({"name": "k1", "type": "N"});
        for number in 0..rng.usize(..3) {
            let sk = json!([{"name": "k2", "type": "B"}]);
            let pk = json!([table["pk"]]);
            local.push(
                json!({"name": format!("local{number}"), "pk": pk, "sk": sk, "projection": "all"}),
            );
        }
    }
    table["local_indexes"] = json!(local);
    let global: Vec<Json> = (0..rng.usize(..5))
        .map(|at| index(rng, &format!("index{at}")))
        .collect();
    table["global_indexes"] = json!(global);
    settings(rng, &mut table);
    read(&table)
}

fn throughput(rng: &mut Rng, scale: u64) -> Json {
    json!({"reads": rng.u64(1..40) * scale, "writes": rng.u64(1..40) * scale})
}

fn settings(rng: &mut Rng, table: &mut Json) {
    let mut settings = json!({"billing": "on_demand"});
    if rng.u8(..4) == 0 {
        settings["billing"] = json!({"reads": rng.u8(1..9), "writes": rng.u8(1..9)});
    }
    if rng.bool() {
        settings["deletion_protection"] = json!(rng.bool());
    }
    if rng.u8(..3) == 0 {
        settings["point_in_time_recovery"] = json!(rng.u8(1..=35));
    }
    if rng.u8(..3) == 0 {
        settings["class"] = json!(rng.choice(["standard", "infrequent_access"]));
    }
    if rng.u8(..3) == 0 {
        settings["tags"] = json!({"team \"a\"": "${b} %{c}", "x": ""});
    }
    if settings["billing"] == "on_demand" && rng.u8(..3) == 0 {
        settings["on_demand_maximum"] = throughput(rng, 1);
        let index = table["global_indexes"][0]["name"].as_str();
        if let Some(index) = index.filter(|_| rng.bool()) {
            let own = json!({"on_demand_maximum": throughput(rng, 1)});
            settings["indexes"] = json!({index: own});
        }
    }
    if rng.u8(..3) == 0 {
        settings["warm_throughput"] = throughput(rng, 1000);
    }
    if rng.u8(..3) == 0 {
        let key = json!({"key": "arn:aws:kms:eu-west-1:111122223333:key/1234abcd"});
        let keys = [json!("aws_owned"), json!("aws_managed"), key];
        settings["encryption"] = keys[rng.usize(..3)].clone();
    }
    table["settings"] = settings;
    table["ttl"] = json!(rng.choice(["", "expires", "over"]));
    table["stream"] = json!(rng.choice(["", "keys_only", "new_image", "new_and_old_images"]));
    let members = table.as_object_mut().expect("an object");
    members.retain(|_, value| value != "");
}

fn read(table: &Json) -> TableSchema {
    TableSchema::from_json(&table.to_string()).expect("a schema")
}

/// The same tables after some time: other settings, indexes that come and go, tables that come and go.
pub fn later(rng: &mut Rng, tables: &[TableSchema]) -> Vec<TableSchema> {
    let mut later = Vec::new();
    for schema in tables {
        let mut table: Json = serde_json::from_str(&schema.to_json()).expect("JSON");
        match rng.u8(..6) {
            0 => continue,
            1 => {}
            _ => {
                let mut indexes: Vec<Json> = table["global_indexes"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                indexes.retain(|_| rng.u8(..3) > 0);
                for number in 0..rng.usize(..4) {
                    let at = rng.usize(..=indexes.len());
                    // Index names are never used again, which would be a change of the old one.
                    let name = format!("new{number}-{}", rng.u32(..));
                    indexes.insert(at, index(rng, &name));
                }
                rng.shuffle(&mut indexes);
                table["global_indexes"] = json!(indexes);
                let own = table["settings"].as_object_mut().expect("an object");
                own.remove("indexes");
                if rng.bool() {
                    settings(rng, &mut table);
                }
            }
        }
        later.push(read(&table));
    }
    let first = tables.len();
    later.extend((0..rng.usize(..2)).map(|more| table_of(rng, first + more)));
    if later.is_empty() {
        later.push(table_of(rng, first));
    }
    later
}
