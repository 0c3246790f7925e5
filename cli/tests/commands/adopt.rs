//! Declarations for tables of other programs: the files of `tests/golden/adopted`, which `tests/examples` compiles and runs.
//!
//! `GOLDEN=overwrite` writes them.

use std::path::{Path, PathBuf};

use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity_cli::App;

use crate::place::{Outcome, Place};

/// A program without tables of its own.
pub fn app() -> App {
    App::new([])
}

/// A table of another program, with rows as that program writes them.
struct Planted {
    table: &'static str,
    /// The key and the indexes, as members of the JSON of a schema.
    keys: &'static str,
    /// Rows in DynamoDB JSON if their values are objects with a type, otherwise in plain JSON.
    rows: &'static str,
}

const PLANTED: [Planted; 10] = [
    Planted {
        table: "electrodb",
        keys: r#""pk":{"name":"pk","type":"S"},"sk":{"name":"sk","type":"S"},"global_indexes":[
            {"name":"gsi1pk-gsi1sk-index","pk":[{"name":"gsi1pk","type":"S"}],"sk":[{"name":"gsi1sk","type":"S"}],"projection":"all"}]"#,
        rows: r#"
{"pk":"$shop#customer_ann","sk":"$order_1#number_000007","gsi1pk":"$shop#status_open","gsi1sk":"$order_1#createdat_2026-03-01t12:00:00.000z#number_000007","__edb_e__":"order","__edb_v__":"1","customer":"Ann","number":7,"status":"open","createdAt":"2026-03-01T12:00:00.000Z","total":1250,"paid":false,"lines":[{"sku":"A1","count":2},{"sku":"B2","count":1,"gift":true}]}
{"pk":"$shop#customer_ann","sk":"$order_1#number_000008","gsi1pk":"$shop#status_paid","gsi1sk":"$order_1#createdat_2026-03-02t08:30:00.120z#number_000008","__edb_e__":"order","__edb_v__":"1","customer":"Ann","number":8,"status":"paid","createdAt":"2026-03-02T08:30:00.120Z","total":9900,"paid":true,"note":"gift","lines":[]}
{"pk":"$shop#customer_bob#x","sk":"$order_1#number_000007","gsi1pk":"$shop#status_open","gsi1sk":"$order_1#createdat_2026-03-03t00:00:00.000z#number_000007","__edb_e__":"order","__edb_v__":"1","customer":"bob#x","number":7,"status":"open","createdAt":"2026-03-03T00:00:00.000Z","total":100,"paid":false,"lines":[{"sku":"C3","count":1}]}
{"pk":"$shop#customer_ann","sk":"$customer_1","__edb_e__":"customer","__edb_v__":"1","customer":"Ann","mail":"Ann@x.org","createdAt":1772366400123}
{"pk":"$shop#customer_bob#x","sk":"$customer_1","__edb_e__":"customer","__edb_v__":"1","customer":"bob#x","mail":"bob@x.org","createdAt":1772366400456}
{"pk":"$stock#customer_eve","sk":"$customer_2","__edb_e__":"customer","__edb_v__":"2","customer":"eve"}
{"pk":"$stock#customer_eve","sk":"$order_1#number_000001","__edb_e__":"order","__edb_v__":"1","customer":"Eve","number":1,"total":5}"#,
    },
    Planted {
        table: "one_table",
        keys: r#""pk":{"name":"pk","type":"S"},"sk":{"name":"sk","type":"S"},"global_indexes":[
            {"name":"gs1","pk":[{"name":"gs1pk","type":"S"}],"sk":[{"name":"gs1sk","type":"S"}],"projection":"all"}]"#,
        rows: r#"
{"pk":"account#acme","sk":"account#","_type":"Account","id":"acme","name":"Acme Ltd","balance":12.5,"created":"2026-03-01T12:00:00.000Z","updated":"2026-03-01T12:00:00.000Z"}
{"pk":"account#blue","sk":"account#","_type":"Account","id":"blue","name":"Blue","balance":7,"created":"2026-03-01T12:00:00.000Z","updated":"2026-03-02T12:00:00.000Z"}
{"pk":"account#acme","sk":"user#Ann Lee","gs1pk":"email#ann@x.org","gs1sk":"user#","_type":"User","accountId":"acme","name":"Ann Lee","email":"ann@x.org","joined":"2026-03-01T12:00:00.000Z","role":"admin","created":"2026-03-01T12:00:00.120Z","updated":"2026-03-02T08:30:00.000Z"}
{"pk":"account#acme","sk":"user#Bob","gs1sk":"user#","_type":"User","accountId":"acme","name":"Bob","created":"2026-03-01T12:00:00.120Z","updated":"2026-03-02T08:30:00.000Z"}
{"pk":"account#blue","sk":"user#Cid","gs1pk":"email#cid@y.org","gs1sk":"user#","_type":"User","accountId":"blue","name":"Cid","email":"cid@y.org","role":"user","created":"2026-03-01T12:00:00.120Z","updated":"2026-03-02T08:30:00.000Z"}
{"pk":"_unique#User#email#ann@x.org","sk":"_unique#","_type":"_Unique"}
{"pk":"_unique#User#email#cid@y.org","sk":"_unique#","_type":"_Unique"}"#,
    },
    Planted {
        table: "toolbox",
        keys: r#""pk":{"name":"pk","type":"S"},"sk":{"name":"sk","type":"S"}"#,
        rows: r#"
{"pk":"ann#lee","sk":"ORDER#7","_et":"Order","_ct":"2026-03-01T12:00:00.120Z","_md":"2026-03-01T12:00:00.120Z","customer":"ann#lee","number":7,"total":1250,"coupon":null,"tags":["a",null]}
{"pk":"bob","sk":"ORDER#12","_et":"Order","_ct":"2026-03-01T12:00:00.120Z","_md":"2026-03-03T12:00:00.000Z","customer":"bob","number":12,"total":80,"coupon":"SPRING","tags":[]}
{"pk":"bob","sk":"PROFILE","_et":"Profile","_ct":"2026-03-01T12:00:00.120Z","_md":"2026-03-01T12:00:00.120Z","customer":"bob","type":"gold","address":{"street":"Main 1","zip":"0150"}}
{"pk":"ann#lee","sk":"PROFILE","_et":"Profile","_ct":"2026-03-01T12:00:00.120Z","_md":"2026-03-01T12:00:00.120Z","customer":"ann#lee","type":"silver","address":{"street":"Side 2","zip":"5003","floor":3}}"#,
    },
    Planted {
        table: "two_programs",
        keys: r#""pk":{"name":"pk","type":"S"},"sk":{"name":"sk","type":"S"}"#,
        rows: r#"
{"pk":"$shop#customer_ann","sk":"$order_1#number_7","__edb_e__":"order","__edb_v__":"1","customer":"Ann","number":7}
{"pk":"$shop#customer_bob","sk":"$order_1#number_12","__edb_e__":"order","__edb_v__":"1","customer":"bob","number":12}
{"pk":"ann","sk":"TICKET#7","_et":"Ticket","customer":"ann","number":7,"type":"complaint"}
{"pk":"bob","sk":"TICKET#10","_et":"Ticket","customer":"bob","number":10,"type":"question"}
{"pk":"bob","sk":"TICKET#11","_et":"Ticket","customer":"bob","number":11,"type":"question"}"#,
    },
    Planted {
        table: "pynamo",
        keys: r#""pk":{"name":"customer","type":"S"},"sk":{"name":"number","type":"N"}"#,
        rows: r#"
{"customer":{"S":"ann"},"number":{"N":"7"},"placed_at":{"S":"2026-03-01T12:00:00.000000+0000"},"tags":{"SS":["new","red"]},"photo":{"B":"AAEC"},"version":{"N":"1"},"total":{"N":"12.25"}}
{"customer":{"S":"ann"},"number":{"N":"8"},"placed_at":{"S":"2026-03-02T12:30:00.120000+0000"},"note":{"S":"gift"},"version":{"N":"3"},"total":{"N":"5"}}
{"customer":{"S":"bob"},"number":{"N":"1"},"placed_at":{"S":"2026-03-02T12:30:00.000001+0000"},"tags":{"SS":["red"]},"version":{"N":"1"},"total":{"N":"0.1"}}"#,
    },
    Planted {
        table: "boto3-app",
        keys: r#""pk":{"name":"PK","type":"S"},"sk":{"name":"SK","type":"S"},"ttl":"expires","global_indexes":[
            {"name":"GSI1","pk":[{"name":"GSI1PK","type":"S"}],"sk":[{"name":"GSI1SK","type":"S"}],"projection":"keys"}]"#,
        rows: r#"
{"PK":{"S":"USER#ann"},"SK":{"S":"PROFILE"},"email":{"S":"ann@x.org"},"scores":{"NS":["1","2","30"]},"settings":{"M":{"theme":{"S":"dark"},"mail":{"BOOL":true}}},"joined":{"S":"2026-03-01T12:00:00+00:00"}}
{"PK":{"S":"USER#bob"},"SK":{"S":"PROFILE"},"email":{"S":"bob@x.org"},"settings":{"M":{"theme":{"S":"light"},"mail":{"BOOL":false}}},"joined":{"S":"2026-03-01T12:00:00.500000+00:00"}}
{"PK":{"S":"USER#ann"},"SK":{"S":"ORDER#2026-03-01T12:00:00+00:00#o1"},"GSI1PK":{"S":"STATUS#open"},"GSI1SK":{"S":"o1"},"orderId":{"S":"o1"},"status":{"S":"open"},"placed":{"S":"2026-03-01T12:00:00+00:00"},"price":{"N":"12.5"},"rate":{"N":"0.1234567890123456789"},"expires":{"N":"1772366400"}}
{"PK":{"S":"USER#bob"},"SK":{"S":"ORDER#2026-03-02T12:00:00.250000+00:00#o2"},"GSI1PK":{"S":"STATUS#paid"},"GSI1SK":{"S":"o2"},"orderId":{"S":"o2"},"status":{"S":"paid"},"placed":{"S":"2026-03-02T12:00:00.250000+00:00"},"price":{"N":"3"},"rate":{"N":"7"}}
{"PK":{"S":"USER#bob"},"SK":{"S":"SESSION#s-9"},"ip":{"S":"::1"},"expires":{"N":"1772366400"}}
{"PK":{"S":"USER#ann"},"SK":{"S":"SESSION#s-7"},"ip":{"S":"10.0.0.1"},"expires":{"N":"1772366500"}}"#,
    },
    Planted {
        table: "java",
        keys: r#""pk":{"name":"customerId","type":"S"},"sk":{"name":"number","type":"N"},"global_indexes":[
            {"name":"byStatus","pk":[{"name":"status","type":"S"}],"sk":[{"name":"placedAt","type":"S"}],"projection":"all"}]"#,
        rows: r#"
{"customerId":"ann","number":7,"status":"IN_WORK","placedAt":"2026-03-01T12:00:00.500Z","changed":"2026-03-01T12:00:00Z","amounts":[1250,300],"note":null,"version":1,"type":"a"}
{"customerId":"ann","number":8,"status":"DONE","placedAt":"2026-03-01T12:00:00Z","changed":"2026-03-01T12:00:00.000000001Z","amounts":[],"note":"x","version":4,"type":"b"}
{"customerId":"bob","number":-1,"status":"DONE","placedAt":"2026-03-04T12:00:00Z","changed":"2026-03-01T12:00:00.120Z","amounts":[7],"note":null,"version":1,"type":"a"}"#,
    },
    Planted {
        table: "document_client",
        keys: r#""pk":{"name":"pk","type":"S"},"sk":{"name":"sk","type":"S"},"global_indexes":[
            {"name":"by-day","pk":[{"name":"day","type":"S"}],"projection":["self"]}]"#,
        rows: r#"
{"pk":"VISIT#home","sk":"1772366400123#g1","at":1772366400123,"guest":"g1","self":true,"day":"2026-03-01","Guest":"G1","größe":1,"a b":"x","0":0,"extra":{"k1":1}}
{"pk":"VISIT#shop","sk":"1772366400456#g2","at":1772366400456,"guest":"g2","self":false,"Guest":"G2","größe":2,"a b":"y","0":1,"extra":[1]}
{"pk":"VISIT#home","sk":"1772366400789#g3","at":1772366400789,"guest":"g3","self":false,"day":"2026-03-02","Guest":"G3","größe":3,"a b":"z","0":-1}"#,
    },
    Planted {
        table: "discriminators",
        keys: r#""pk":{"name":"id","type":"S"}"#,
        rows: r#"
{"id":"1","cls":"Cat","lives":9}
{"id":"2","cls":"Dog","owner":"ann","versions":["1"]}
{"id":"3","cls":"Cat","lives":7,"owner":"bob"}
{"id":"4","cls":"Dog","owner":null,"seen":1772366400}"#,
    },
    Planted {
        table: "a.nasty-1",
        keys: r#""pk":{"name":"key","type":"B"},"sk":{"name":"count","type":"N"},
            "local_indexes":[{"name":"scan","pk":[{"name":"key","type":"B"}],"sk":[{"name":"limit","type":"S"}],"projection":"all"}],
            "global_indexes":[{"name":"type","pk":[{"name":"first","type":"N"}],"sk":[{"name":"Item","type":"S"}],"projection":"keys"}]"#,
        rows: r#"
{"key":{"B":"AA=="},"count":{"N":"1.5"},"limit":{"S":"a"},"first":{"N":"-7"},"Item":{"S":"2026-03-01T12:00:00.000Z"},"Self":{"S":"x"},"self":{"S":"x"},"SELF":{"N":"1"},"rest":{"M":{"Value":{"M":{"type":{"S":"x"}}}}}}
{"key":{"B":"AA=="},"count":{"N":"2"},"limit":{"S":"b"},"a\"b\\{x}":{"S":"y"},"_":{"NULL":true},"日本":{"L":[{"M":{"fn":{"N":"1e20"}}},{"NULL":true}]},"Option":{"BS":["AA=="]}}
{"key":{"B":"AAE="},"count":{"N":"-2"},"String":{"M":{"not a name":{"N":"1"},"7":{"N":"2"}}},"String2":{"M":{}},"Vec":{"S":"2026-02-30T12:00:00Z"},"Rest":{"BOOL":true},"SELF":{"S":"two"}}"#,
    },
];

fn schema(planted: &Planted) -> Outcome<TableSchema> {
    let text = format!(
        r#"{{"format":1,"name":"{}",{},"keys":"escaped","settings":{{}}}}"#,
        planted.table, planted.keys
    );
    Ok(TableSchema::from_json(&text)?)
}

fn plant(place: &Place, planted: &Planted) -> Outcome {
    let schema = schema(planted)?;
    place.typed(async |db| {
        let has_ttl = schema.ttl.is_some();
        db.create_tables([schema.clone()]).await?;
        if has_ttl {
            db.enable_ttl([schema.clone()]).await?;
        }
        for line in planted.rows.lines().filter(|line| !line.is_empty()) {
            let plain = Item::from_json(line)?;
            let is_typed = plain
                .iter()
                .all(|(_, value)| matches!(value, dynamo_entity::Value::M(map) if map.len() == 1));
            let row = match is_typed {
                true => Item::from_dynamodb_json(line)?,
                false => plain,
            };
            Item::in_table(planted.table).put(row).send(db).await?;
        }
        Ok(())
    })
}

fn golden(file: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/adopted");
    folder.join(file)
}

pub fn declarations_are_those_of_the_tests(place: &Place) -> Outcome {
    let overwrites = std::env::var_os("GOLDEN").is_some_and(|what| what == "overwrite");
    for planted in &PLANTED {
        plant(place, planted)?;
        let name = planted.table.replace(['-', '.'], "_");
        let files = [
            format!("{name}.rs"),
            format!("{name}_test.rs"),
            format!("{name}_test.sample"),
        ];
        let written = files.clone().map(|file| place.file(&file, ""));
        let [out, test, sample] = written;
        let (out, test, sample) = (out?, test?, sample?);
        let said = place.done(
            "adopt",
            &[
                "adopt",
                "--table",
                planted.table,
                "--out",
                &out,
                "--test",
                &test,
            ],
        )?;
        assert!(said.out.is_empty(), "{said:?}");
        let printed = place.done("adopt", &["adopt", "--table", planted.table])?;
        assert_eq!(printed.out, std::fs::read_to_string(&out)?);
        assert_eq!(printed.notes, said.notes);
        // The first line is the cost, which each engine counts in its own way.
        let (cost, summary) = said.notes.split_once('\n').ok_or("two lines")?;
        assert!(
            cost.starts_with("read ") && cost.ends_with(" read units"),
            "{cost}"
        );
        let summary = place.file("summary", summary)?;
        let mut wanted = files.to_vec();
        wanted.push(format!("{name}.notes"));
        for (file, path) in wanted.iter().zip([&out, &test, &sample, &summary]) {
            let (found, golden) = (std::fs::read_to_string(path)?, golden(file));
            if overwrites {
                std::fs::write(&golden, &found)?;
            }
            let kept = std::fs::read_to_string(&golden)
                .map_err(|error| format!("{}: {error}", golden.display()))?;
            assert_eq!(found, kept, "{file}: GOLDEN=overwrite writes it");
        }
    }
    Ok(())
}

pub fn what_cannot_be_adopted_is_explained(place: &Place) -> Outcome {
    plant(place, &PLANTED[0])?;
    let missing = ["adopt", "--table", "missing"];
    place.refused(
        "adopt",
        &missing,
        &["no table has the name `", "missing`", "--prefix"],
    )?;
    let alone = ["adopt", "--table", "electrodb", "--test", "x.rs"];
    place.refused("adopt", &alone, &["--out <FILE>"])?;
    let unwritable = ["adopt", "--table", "electrodb", "--out", "/missing/x.rs"];
    place.refused("adopt", &unwritable, &["/missing/x.rs"])?;

    // A smaller sample reads fewer items, from all parts of the table.
    let said = place.done("adopt", &["adopt", "--table", "electrodb", "--sample", "2"])?;
    assert!(said.notes.starts_with("read 2 items for "), "{said:?}");
    assert!(said.out.contains("guessed from 2 items.\n"), "{said:?}");
    Ok(())
}
