//! The columns of exported files: DuckDB makes Parquet of them, and its rows, counts and sums are those of the library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use dynamo_entity::export::{Athena, DuckDb, Html};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{EntitySchema, FieldRole, FieldSchema, KeyContent, TableSchema};
use dynamo_entity::transfer::RowFormat;
use dynamo_entity::{Number, Value};
use fastrand::Rng;
use serde_json::{Value as Json, json};

use super::goldens::check;
use super::tools::{PYTHON_TOOLS, tagged, tagged_item, tool};
use crate::schemas::all;
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;
use crate::*;

const FOLDER: &str = "AWSDynamoDB/01700000000000-a1b2c3d4/data";

/// Texts that mean something in SQL, in JSON, in keys or in patterns.
const TEXTS: [&str; 12] = [
    "a'b",
    "'; DROP TABLE x; --",
    "\"quoted\"",
    "line\nbreak\r\n",
    "back\\slash",
    "a#b%20+c",
    "$UNIQUE#x",
    "\u{1}\u{0}tab\t",
    "Ünïcödé 𝄞",
    "{\"S\":\"x\"}",
    "/*",
    "${x}*?[]",
];

fn athena_of_all() -> Result<Athena> {
    let schemas = all()?;
    let places: Vec<String> = schemas.iter().map(|table| table.name.clone()).collect();
    let athena = Athena::new(schemas).prefix("shop");
    Ok(places.iter().fold(athena, |athena, table| {
        athena.location(table, format!("s3://exports/{table}/{FOLDER}/"))
    }))
}

#[test]
fn statements_are_written_as_they_were() -> Outcome {
    check("tables.athena.sql", &athena_of_all()?.text()?)?;
    let schemas = all()?;
    let places: Vec<String> = schemas.iter().map(|table| table.name.clone()).collect();
    let duckdb = DuckDb::new(schemas).prefix("shop").folder("parquet/");
    let duckdb = places.iter().fold(duckdb, |duckdb, table| {
        duckdb.files(table, format!("exports/{table}/{FOLDER}/*.json.gz"))
    });
    check("tables.duckdb.sql", &duckdb.script()?)
}

#[test]
fn a_mistake_is_an_error_that_names_it() {
    let orders = || [orders::Order::schema()];
    let error = |made: Result<String>| made.unwrap_err().to_string();
    let athena = |table: &str, uri: &str| error(Athena::new(orders()).location(table, uri).text());
    let none = error(DuckDb::new(orders()).script());
    assert!(none.contains("no table has files"), "{none}");
    let other = athena("orderz", "s3://b/data/");
    assert!(other.contains("`location` names table `orderz`"), "{other}");
    for uri in [
        "s3://b/data",
        "b/data/",
        "s3:///data/",
        "s3://b/AWSDynamoDB/1/",
        "",
    ] {
        let refused = athena("order", uri);
        assert!(refused.contains("and no other folder"), "{refused}");
    }
    // Two tables whose names differ only in a character that Athena does not take.
    let mut twins = [orders(), orders()].concat();
    twins[0].name = "a.b".into();
    twins[1].name = "a-b".into();
    let twins = Athena::new(twins)
        .location("a.b", "s3://b/1/data/")
        .location("a-b", "s3://b/2/data/");
    let twins = error(twins.text());
    assert!(twins.contains("have the name `a_b_lines`"), "{twins}");
    // An entity may have the name that the text of the lines has otherwise.
    let mut table = orders::Order::schema();
    table.entities[0].name = "Lines".into();
    let athena = Athena::new([table]).location("order", "s3://b/data/");
    let statements = athena.statements().expect("statements");
    assert_eq!(statements[0], "DROP TABLE IF EXISTS `order_lines_2`");
    let view = "CREATE OR REPLACE VIEW \"order_lines\" AS";
    assert!(statements[2].starts_with(view), "{}", statements[2]);
}

/// A parser of the dialect of Athena knows the statements. It is not Athena itself.
#[test]
fn a_parser_knows_the_statements_of_athena() -> Outcome {
    let Some(python) = python("a_parser_knows_the_statements_of_athena") else {
        return Ok(());
    };
    let folder = new_folder("athena")?;
    let mut statements = athena_of_all()?.statements()?;
    let location = format!("s3://b/{FOLDER}/");
    let odd = Athena::new([Odd::schema(), Foreign::schema()]);
    let odd = odd.location("odd", &location).location("foreign", location);
    statements.extend(odd.statements()?);
    std::fs::write(
        folder.join("statements.json"),
        serde_json::to_string(&statements)?,
    )?;
    let kinds = run_python(&python, &folder, &["athena"])?;
    let kinds = kinds.as_array().expect("a list");
    assert_eq!(kinds.len(), statements.len());
    for (kind, statement) in kinds.iter().zip(&statements) {
        let expected = match statement.starts_with("CREATE EXTERNAL TABLE") {
            true => json!(["Create:TABLE"]),
            false if statement.starts_with("DROP TABLE") => json!(["Drop:TABLE"]),
            false => json!(["Create:VIEW"]),
        };
        assert_eq!(*kind, expected, "{statement}");
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

/// Files of tables, as the library exports them.
struct Files {
    folder: PathBuf,
    rng: Rng,
    tables: Vec<TableSchema>,
    /// The items of each entity, as the library reads them.
    items: BTreeMap<String, (TableSchema, EntitySchema, Vec<Item>)>,
}

impl Files {
    fn new(name: &str) -> std::io::Result<Self> {
        Ok(Files {
            folder: new_folder(name)?,
            rng: Rng::with_seed(37),
            tables: Vec::new(),
            items: BTreeMap::new(),
        })
    }

    /// Stores random items of an entity, made of the samples of its page.
    async fn fill<E: DynamoEntity>(&mut self, db: &Db) -> Outcome {
        let schema = <E::Table as DynamoTable>::schema();
        let name = E::ENTITY.type_name;
        let entity = schema.entity(name).expect("it is declared").clone();
        let samples = Html::new([schema.clone()]).samples();
        let samples: Vec<Item> = samples
            .into_iter()
            .filter(|sample| sample.entity == name && !sample.is_sentinel)
            .map(|sample| sample.item)
            .collect();
        let mut lines = Vec::new();
        for _ in 0..30 {
            let mut item = self.rng.choice(&samples).expect("a sample").clone();
            for field in &entity.fields {
                self.change(field, &mut item);
            }
            // An import derives the keys of the changed fields.
            for key in entity.all_keys() {
                if let KeyContent::Template(_) = key.content {
                    item.remove(&key.attribute);
                }
            }
            lines.extend(json!({"Item": tagged_item(&item)}).to_string().into_bytes());
            lines.push(b'\n');
        }
        let import = E::import(&lines[..])
            .format(RowFormat::DynamoJson)
            .replace();
        let report = import.send(db).await?;
        // Some keys have no room for a number, and some values are taken.
        assert!(report.written >= 5, "{name}: {report:?}");
        Ok(())
    }

    fn change(&mut self, field: &FieldSchema, item: &mut Item) {
        let (Some(attribute), Some(ty)) = (&field.attribute, field.value_type.as_deref()) else {
            return;
        };
        if field.role != FieldRole::Attribute {
            return;
        }
        let is_optional = field.rust_type.starts_with("Option<");
        if is_optional && self.rng.u8(..3) == 0 {
            item.remove(attribute);
            return;
        }
        let shift = self.rng.u32(..60);
        let mut number = |most: u64| Value::from(self.rng.u64(..=most >> shift));
        let value = match ty {
            "u8" => number(200),
            "u32" => number(u32::MAX.into()),
            "u64" => number(u64::MAX),
            "i64" => number(i64::MAX as u64),
            "String" => {
                let text = self.rng.choice(TEXTS).unwrap_or_default();
                Value::S(format!("{text}{}", self.rng.u8(..)))
            }
            "Set<String>" => Value::Ss(TEXTS.iter().map(|text| (*text).to_owned()).collect()),
            "Vec<String>" => Value::L(TEXTS.iter().map(|text| Value::S((*text).into())).collect()),
            _ => return,
        };
        item.insert(attribute.clone(), value);
    }

    /// Writes the lines of a table, and remembers what the library reads.
    async fn export<T: DynamoTable>(&mut self, db: &Db) -> Outcome {
        let schema = T::schema();
        let file = self.folder.join(format!("{}.jsonl", schema.name));
        let export = schema.scan_items()?.export(std::fs::File::create(file)?);
        let report = export.format(RowFormat::DynamoJson).send(db).await?;
        let _ = report.complete()?;
        for entity in &schema.entities {
            let scan = schema.dynamic(&entity.name)?.scan();
            let items = scan.include_expired().all(db).await?;
            let name = format!("{}.{}", schema.name, entity.name);
            let known = (schema.clone(), entity.clone(), items);
            self.items.insert(name, known);
        }
        self.tables.push(schema);
        Ok(())
    }

    /// Makes the Parquet files.
    fn convert(
        &self,
        python: &str,
        set: impl Fn(DuckDb) -> DuckDb,
    ) -> Result<Json, Box<dyn std::error::Error>> {
        let folder = self.folder.display();
        let mut duckdb = DuckDb::new(self.tables.clone()).folder(folder.to_string());
        for table in &self.tables {
            let files = format!("{folder}/{}/{FOLDER}/*.json.gz", table.name);
            duckdb = duckdb.files(&table.name, files);
        }
        let mut script = set(duckdb).script()?;
        for table in &self.tables {
            for entity in &table.entities {
                let view = format!("{}.{}.unread", table.name, entity.name);
                let file = format!("{folder}/{view}.parquet").replace('\'', "''");
                script.push_str(&format!(
                    "COPY (FROM \"{view}\") TO '{file}' (FORMAT parquet);\n"
                ));
            }
        }
        std::fs::write(self.folder.join("script.sql"), script)?;
        run_python(python, &self.folder, &[])
    }

    /// Writes the views of Athena, for a comparison with the Parquet files.
    fn write_views(&self) -> Outcome {
        let mut views = Vec::new();
        for table in &self.tables {
            let athena = Athena::new([table.clone()]).location(&table.name, "s3://exports/data/");
            let statements = athena.statements()?;
            let lines = statements[1].split('`').nth(1).expect("a name");
            for (entity, statement) in table.entities.iter().zip(&statements[2..]) {
                views.push(json!({
                    "name": format!("{}.{}", table.name, entity.name), "table": table.name, "lines": lines,
                    "statement": statement,
                }));
            }
            let unread = &statements[2 + table.entities.len()..];
            assert_eq!(unread.len(), table.entities.len());
            for (entity, statement) in table.entities.iter().zip(unread) {
                views.push(json!({
                    "name": format!("{}.{}.unread", table.name, entity.name), "table": table.name, "lines": lines,
                    "statement": statement,
                }));
            }
        }
        std::fs::write(self.folder.join("views.json"), json!(views).to_string())?;
        Ok(())
    }

    fn remove(self) -> Outcome {
        std::fs::remove_dir_all(self.folder)?;
        Ok(())
    }
}

/// Each of the ten systems, and a table with unique values: rows, counts and sums are equal.
#[tokio::test]
async fn parquet_files_of_all_systems_have_the_rows_of_the_library() -> Outcome {
    let Some(python) = python("parquet_files_of_all_systems_have_the_rows_of_the_library") else {
        return Ok(());
    };
    let db = Db::open(Mode::Raw).await?;
    let mut files = Files::new("systems")?;
    // Rows of another program have no type, and their keys tell whose they are.
    db.create_tables([app_users::AppUsers::schema()]).await?;
    let untyped = br#"{"Item":{"user_id":{"S":"018f3b6e-3c4a-7d2e-9a51-0f6b7c8d9eff"},"record":{"S":"REWARDS"},"points":{"N":"7"}}}"#;
    let import = app_users::AppUsers::schema().import(&untyped[..])?;
    let report = import.format(RowFormat::DynamoJson).send(&db).await?;
    assert_eq!(report.complete()?.written, 1);
    macro_rules! systems {
        ($($table:ty: $($entity:ty)+;)*) => {$(
            db.create_tables([<$table>::schema()]).await?;
            $(files.fill::<$entity>(&db).await?;)+
            files.export::<$table>(&db).await?;
        )*};
    }
    systems! {
        access_tokens::AccessToken: access_tokens::AccessToken;
        request_counts::RequestCount: request_counts::RequestCount;
        request_counts::BusyRequestCount: request_counts::BusyRequestCount;
        app_users::AppUsers: app_users::UserInfo app_users::Rewards app_users::HandOver;
        organisations::Employee: organisations::Employee;
        organisations::EmployeeOfMany: organisations::EmployeeOfMany;
        blog::Blog: blog::Post blog::Comment;
        orders::Order: orders::Order;
        iot_meters::Measurement: iot_meters::Measurement;
        iot_meters::MeterStatus: iot_meters::MeterStatus;
        iot_meters::Configuration: iot_meters::Configuration;
        message_delivery::Messages: message_delivery::Message message_delivery::Waiting;
        message_delivery::Mailbox: message_delivery::Mailbox;
        shop_directory::Shop: shop_directory::Shop;
        status_shards::Order: status_shards::Order;
        help_desk::model::HelpDesk: help_desk::model::Tenant help_desk::model::Agent help_desk::model::Customer
            help_desk::model::Ticket;
    }
    // The table has items that store unique values, and they are in its file.
    let lines = std::fs::read_to_string(files.folder.join("help-desk.jsonl"))?;
    assert!(lines.contains("$unique"));
    files.write_views()?;
    let found = files.convert(&python, |duckdb| duckdb)?;
    let (mut rows, mut sums) = (0, 0);
    for (name, (schema, entity, items)) in &files.items {
        let parquet = &found[name];
        assert_eq!(parquet["count"], json!(items.len()), "{name}");
        rows += items.len();
        let expected: Vec<Json> = items.iter().map(|item| row_of(entity, item)).collect();
        assert_eq!(
            sorted(&parquet["rows"]),
            sorted(&json!(expected)),
            "{name} of {}",
            schema.name
        );
        // A translation of the view of Athena, because Athena itself runs in no test.
        assert_eq!(sorted(&parquet["view"]), sorted(&parquet["rows"]), "{name}");
        // Every value fits its column.
        let unread = &found[&format!("{name}.unread")];
        assert_eq!(unread["view"], unread["rows"], "{name}");
        for (column, count) in unread["rows"][0].as_object().expect("counts") {
            assert_eq!(*count, json!("0"), "{name}.{column}");
        }
        for (column, sum) in parquet["sums"].as_object().expect("sums") {
            assert_eq!(*sum, sum_of(entity, column, items), "{name}.{column}");
            sums += 1;
        }
    }
    assert!(rows > 300 && sums > 15, "{rows} rows, {sums} sums");
    files.remove()
}

/// The sum of a column, by the library; null if no item has a value.
fn sum_of(entity: &EntitySchema, column: &str, items: &[Item]) -> Json {
    let field = entity.field(column).expect("a field");
    let attribute = field.attribute.as_deref().unwrap_or_default();
    let values = items
        .iter()
        .filter_map(|item| item.get(attribute)?.as_number());
    let values: Vec<i128> = values
        .map(|number| number.to_string().parse().expect("an integer"))
        .collect();
    match values.is_empty() {
        true => Json::Null,
        false => json!(values.iter().sum::<i128>().to_string()),
    }
}

/// The values of an item as a row has them.
fn row_of(entity: &EntitySchema, item: &Item) -> Json {
    let columns = entity.fields.iter().filter_map(|field| {
        let attribute = field
            .attribute
            .as_ref()
            .filter(|_| field.role != FieldRole::Rest)?;
        Some((field.name.clone(), value_of(field, item.get(attribute))))
    });
    Json::Object(columns.collect())
}

fn value_of(field: &FieldSchema, value: Option<&Value>) -> Json {
    let is_time = field.value_type.as_deref() == Some("timestamp") || field.role == FieldRole::Ttl;
    match value {
        None | Some(Value::Null) => Json::Null,
        // Parquet has microseconds.
        Some(Value::S(text)) if is_time => json!(&text[..26]),
        Some(Value::N(number)) if is_time => {
            let seconds = number.to_string().parse().expect("seconds");
            let time = chrono::DateTime::from_timestamp(seconds, 0).expect("a time");
            json!(time.format("%Y-%m-%dT%H:%M:%S%.6f").to_string())
        }
        Some(Value::S(text)) => json!(text),
        Some(Value::N(number)) => json!(number.to_string()),
        Some(Value::Bool(value)) => json!(value),
        Some(Value::Ss(set)) => json!(set),
        Some(Value::L(list)) if list.iter().all(|value| value.as_text().is_some()) => {
            json!(list.iter().map(Value::as_text).collect::<Vec<_>>())
        }
        // A column of JSON.
        Some(other) => json!(tagged(other).to_string()),
    }
}

fn sorted(rows: &Json) -> Vec<String> {
    let rows = rows.as_array().expect("rows").iter();
    let mut rows: Vec<String> = rows.map(Json::to_string).collect();
    rows.sort();
    rows
}

/// An entity whose attributes have names that mean something in SQL, with values of every kind.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "odd", key(pk = "ODD'#{place}#{number}", sk = "{signed:010}"))]
struct Odd {
    #[dynamo(skip)]
    place: String,
    #[dynamo(skip)]
    number: u64,
    #[dynamo(skip)]
    signed: i64,
    #[dynamo(rename = "a'b\";--\n/~.$[x]")]
    text: Option<String>,
    exact: Option<Number>,
    #[dynamo(rename = "Exact")]
    wide: Option<u128>,
    #[dynamo(rename = " ")]
    half: Option<f64>,
    bytes: Option<Vec<u8>>,
    at: Option<chrono::DateTime<chrono::Utc>>,
    #[dynamo(format = "epoch_ms")]
    millis: Option<chrono::DateTime<chrono::Utc>>,
    day: Option<chrono::NaiveDate>,
    sizes: BTreeSet<Number>,
    counts: Option<BTreeMap<String, i64>>,
    flags: Option<Vec<bool>>,
    any: Option<Value>,
    #[dynamo(null)]
    none: Option<u32>,
}

/// Rows of another program, without types and without escapes.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(
    table = "foreign",
    key(pk = "X|{id}|{rest}"),
    verbatim(delimiter = "|")
)]
struct Foreign {
    #[dynamo(skip)]
    id: String,
    #[dynamo(skip)]
    rest: String,
    #[dynamo(rename = "new", was = "old")]
    renamed: Option<String>,
}

fn odd(place: &str, number: u64, signed: i64) -> Odd {
    Odd {
        place: place.to_owned(),
        number,
        signed,
        text: None,
        exact: None,
        wide: None,
        half: None,
        bytes: None,
        at: None,
        millis: None,
        day: None,
        sizes: BTreeSet::new(),
        counts: None,
        flags: None,
        any: None,
        none: None,
    }
}

/// Names and values that could end a text or be rounded are exact, and missing values are NULL.
#[tokio::test]
async fn odd_names_and_values_are_exact_and_inert() -> Outcome {
    let Some(python) = python("odd_names_and_values_are_exact_and_inert") else {
        return Ok(());
    };
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([Odd::schema(), Foreign::schema()]).await?;
    let mut files = Files::new("it's odd; --")?;
    let digits = "12345678901234567890123456789012345678";
    let small = format!("{}e-100", &digits[..37]);
    let full = Odd {
        text: Some(TEXTS.concat()),
        exact: Some(small.parse()?),
        wide: Some(digits.parse()?),
        half: Some(0.1),
        bytes: Some(vec![0, 255, b'\'']),
        at: Some("0001-02-03T04:05:06.123456789Z".parse()?),
        millis: Some("2026-03-01T09:30:00.123Z".parse()?),
        day: "0004-02-29".parse().ok(),
        sizes: [digits.parse()?, "0.5".parse()?].into(),
        counts: Some(
            TEXTS
                .iter()
                .map(|text| ((*text).to_owned(), i64::MIN))
                .collect(),
        ),
        flags: Some(vec![true, false]),
        any: Some(Value::Ns(["7".parse()?].into())),
        none: Some(u32::MAX),
        ..odd(&TEXTS.concat(), u64::MAX, i64::from(i32::MIN))
    };
    for item in [
        full,
        odd("+", 0, 0),
        odd("%2B", 1, -1),
        odd("é", 2, 9_999_999_999),
    ] {
        item.create().send(&db).await?;
    }
    for id in ["a", "'b'"] {
        let rest = TEXTS.concat();
        let renamed = (id == "a").then(|| "new".to_owned());
        let id = id.to_owned();
        Foreign { id, rest, renamed }.create().send(&db).await?;
    }
    files.export::<Odd>(&db).await?;
    files.export::<Foreign>(&db).await?;
    // Values that no column can contain are NULL, and do not stop the others.
    let file = files.folder.join("odd.jsonl");
    let unusable = json!({
        "Exact": {"N": "3.4"}, "none": {"N": "1.5"}, "day": {"S": "yesterday"}, "exact": {"S": "7"},
        "at": {"S": "2016-12-31T23:59:60.500000000Z"}, "millis": {"N": "18446744073709551615"},
        "flags": {"S": "x"}, "counts": {"NULL": true},
    });
    let mut lines = String::new();
    for line in std::fs::read_to_string(&file)?.lines() {
        let mut line: Json = serde_json::from_str(line)?;
        let item = line["Item"].as_object_mut().expect("an item");
        if item["pk"]["S"]
            .as_str()
            .is_some_and(|key| key.contains("#+#"))
        {
            item.extend(unusable.as_object().expect("an object").clone());
        }
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(&file, lines)?;
    // Another program still writes the former name.
    let file = files.folder.join("foreign.jsonl");
    // A line of a manifest, or of an incremental export, is no item.
    let old = r#"{"Item":{"pk":{"S":"X|c|d"},"old":{"S":"former"},"new":{"S":"stale"}}}
{"Item":{"pk":{"S":"X|e|d"},"old":{"NULL":true},"new":{"S":"stale"}}}
{"Keys":{"pk":{"S":"X|f|d"}},"NewImage":{"pk":{"S":"X|f|d"}}}"#;
    std::fs::write(&file, std::fs::read_to_string(&file)? + old)?;
    let found = files.convert(&python, |duckdb| duckdb)?;
    let odd_rows = &found["odd.Odd"]["rows"];
    let row = |number: u64| {
        let rows = odd_rows.as_array().expect("rows").iter();
        let mut rows = rows.filter(|row| row["number"] == json!(number.to_string()));
        rows.next().expect("a row").clone()
    };
    assert_eq!(odd_rows.as_array().map(Vec::len), Some(4));
    let pairs: serde_json::Map<String, Json> = TEXTS
        .iter()
        .map(|text| ((*text).to_owned(), json!(i64::MIN.to_string())))
        .collect();
    let mut sizes = vec![digits, "0.5"];
    sizes.sort_unstable();
    let mut full = row(u64::MAX);
    full["sizes"]
        .as_array_mut()
        .expect("sizes")
        .sort_by_key(Json::to_string);
    let exact = small.parse::<Number>()?.to_string();
    let expected = json!({
        "place": TEXTS.concat(), "number": u64::MAX.to_string(), "signed": i32::MIN.to_string(),
        "text": TEXTS.concat(), "exact": exact, "wide": digits, "half": "0.1", "bytes": "AP8n",
        "at": "0001-02-03T04:05:06.123456", "millis": "2026-03-01T09:30:00.123000", "day": "0004-02-29",
        "sizes": sizes, "counts": pairs, "flags": [true, false], "any": "{\"NS\":[\"7\"]}",
        "none": u32::MAX.to_string(),
    });
    assert_eq!(full, expected);
    for (number, place, signed) in [(0, "+", "0"), (1, "%2B", "-1"), (2, "é", "9999999999")] {
        let row = row(number);
        assert_eq!(
            (&row["place"], &row["signed"]),
            (&json!(place), &json!(signed))
        );
        let nulls = row
            .as_object()
            .expect("a row")
            .values()
            .filter(|value| value.is_null());
        assert_eq!(
            nulls.count(),
            expected.as_object().map_or(0, |all| all.len() - 3)
        );
    }
    let unread = &found["odd.Odd.unread"]["rows"][0];
    for (column, count) in unread.as_object().expect("counts") {
        let is_unusable = unusable
            .get(column)
            .is_some_and(|value| value.get("NULL").is_none());
        let expected = u8::from(is_unusable || column == "wide").to_string();
        assert_eq!(*count, json!(expected), "{column}");
    }
    let rest = TEXTS.concat();
    let foreign = json!([
        {"id": "a", "rest": rest, "renamed": "new"},
        {"id": "'b'", "rest": rest, "renamed": null},
        {"id": "c", "rest": "d", "renamed": "former"},
        {"id": "e", "rest": "d", "renamed": null},
    ]);
    assert_eq!(sorted(&found["foreign.Foreign"]["rows"]), sorted(&foreign));
    assert_eq!(found["odd.Odd"]["types"]["number"], json!("DECIMAL(20,0)"));
    assert_eq!(found["odd.Odd"]["types"]["exact"], json!("VARCHAR"));
    files.remove()
}

/// The Python with DuckDB, which a script installs.
fn python(test: &str) -> Option<String> {
    tool("DUCKDB_PYTHON", test, PYTHON_TOOLS)
}

fn new_folder(name: &str) -> std::io::Result<PathBuf> {
    let name = format!("analytics {name} {}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn run_python(
    python: &str,
    folder: &Path,
    more: &[&str],
) -> Result<Json, Box<dyn std::error::Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples/exports/parquet.py");
    let output = Command::new(python)
        .arg(script)
        .arg(folder)
        .args(more)
        .output()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}
