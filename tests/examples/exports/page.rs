//! The page of a model: its views are the engine's, its texts are inert, and a browser shows it without a complaint.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use dynamo_entity::export::{ExportFormat, Html, SampleItem};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{KeyAttribute, TableSchema};
use dynamo_entity::{Item, Value};

use super::tools::tool;
use crate::schemas::all;
use crate::support::db::{Db, Mode};
use crate::support::suite::Outcome;

/// The largest page, in bytes.
const LARGEST: usize = 400_000;
const BROWSER: &str = "scripts/browser cargo test --test examples exports::page";

/// A view of a page, as the numbers of the items in its rows, partition by partition.
type Rows = Vec<Vec<usize>>;

/// The views in a page with one table: the table first, then its indexes.
fn views(page: &str) -> Vec<Rows> {
    let blocks = page.split("<div class=\"block\">").skip(1);
    let blocks = blocks.filter(|block| {
        let title = block.trim_start_matches("<h3>");
        ["Items of the table", "Index ", "Local index "]
            .iter()
            .any(|front| title.starts_with(front))
    });
    let rows = |block: &str| {
        let mut rows = Rows::new();
        for row in block.split("<tr").skip(1) {
            let Some((_, number)) = row.split_once("data-row=\"") else {
                continue;
            };
            let number = number.split('"').next().and_then(|text| text.parse().ok());
            let number: usize = number.expect("a number");
            match rows.last_mut() {
                Some(partition) if !row.starts_with(" class=\"first\"") => partition.push(number),
                _ => rows.push(vec![number]),
            }
        }
        rows
    };
    blocks.map(rows).collect()
}

fn page_of(schema: &TableSchema) -> Result<(String, Vec<SampleItem>)> {
    let page = Html::new([schema.clone()]);
    Ok((page.document()?, page.samples()))
}

#[test]
fn every_entity_has_samples() -> Outcome {
    for schema in all()? {
        let (_, samples) = page_of(&schema)?;
        for entity in &schema.entities {
            let mut own = samples.iter().filter(|of| of.entity == entity.name);
            assert!(own.next().is_some(), "{} of {}", entity.name, schema.name);
        }
        let without = ["parked-changes", "once-effects"];
        let is_indexed = |index: &str| {
            let (mut pk, mut sk) = (Vec::new(), Vec::new());
            let found = schema.index(index).expect("an index");
            pk.extend(found.pk.iter().map(|key| key.name.as_str()));
            sk.extend(found.sk.iter().map(|key| key.name.as_str()));
            samples
                .iter()
                .any(|of| pk.iter().chain(&sk).all(|key| of.item.contains(key)))
        };
        for pattern in schema.entities.iter().flat_map(|entity| &entity.patterns) {
            let index = &pattern.index;
            assert!(
                is_indexed(index) || without.contains(&&*schema.name),
                "no sample of {} is in {index}",
                schema.name
            );
        }
    }
    Ok(())
}

#[test]
fn every_access_pattern_has_its_request() -> Outcome {
    for schema in all()? {
        let (page, _) = page_of(&schema)?;
        let entities = schema.entities.iter();
        let patterns = entities.map(|entity| {
            let filling = entity
                .patterns
                .iter()
                .filter(|pattern| pattern.is_filling)
                .count();
            1 + usize::from(entity.sk.is_some()) + entity.patterns.len() - filling
        });
        let requests = page.matches("<summary>").count();
        assert_eq!(requests, patterns.sum::<usize>(), "{}", schema.name);
        let name = format!("&quot;TableName&quot;: &quot;{}&quot;", schema.name);
        assert!(page.matches(&name).count() >= requests, "{}", schema.name);
    }
    Ok(())
}

#[test]
fn pages_are_small_and_need_nothing() -> Outcome {
    let page = ExportFormat::Html.write(all()?, "shop")?;
    assert!(page.len() <= LARGEST, "{} bytes", page.len());
    for foreign in [
        "http://", "https://", "src=", "url(", "@import", " style=", " on",
    ] {
        let tags = page.split('<').filter_map(|tag| tag.split_once('>'));
        let mut tags = tags.map(|(tag, _)| tag);
        assert_eq!(tags.find(|tag| tag.contains(foreign)), None);
    }
    assert_eq!(page, ExportFormat::Html.write(all()?, "shop")?);
    Ok(())
}

/// Queries each partition of the table or of an index, as the page lists them.
async fn queried(
    db: &Db,
    schema: &TableSchema,
    index: Option<&str>,
    keys: (&[&KeyAttribute], &[&KeyAttribute]),
    stored: &[Item],
    shown: &Rows,
) -> std::result::Result<Rows, Box<dyn std::error::Error>> {
    let (partition, sort) = keys;
    let mut found = Rows::new();
    for rows in shown {
        let first = rows
            .first()
            .and_then(|row| stored.get(*row))
            .ok_or("no such row")?;
        let mut query = db.client().query();
        query = query.table_name(format!("{}-{}", db.prefix(), schema.name));
        query = query.set_index_name(index.map(str::to_owned));
        let mut condition = Vec::new();
        for (at, key) in partition.iter().enumerate() {
            let value = first.get(&key.name).ok_or("no key")?.clone();
            query = query
                .expression_attribute_names(format!("#k{at}"), &key.name)
                .expression_attribute_values(format!(":k{at}"), value.into());
            condition.push(format!("#k{at} = :k{at}"));
        }
        let answer = query
            .key_condition_expression(condition.join(" AND "))
            .send()
            .await?;
        let numbers = answer.items().iter().map(|item| {
            let item = Item::from(item.clone());
            let is_it = |known: &&Item| {
                let own = [&schema.pk].into_iter().chain(&schema.sk);
                own.chain(sort.iter().copied())
                    .all(|key| known.get(&key.name) == item.get(&key.name))
            };
            let number = stored.iter().position(|known| is_it(&known));
            number.expect("an item of the page")
        });
        found.push(numbers.collect());
    }
    Ok(found)
}

/// Compares all views of a page with the engine, and returns how many rows were compared.
async fn compare(
    db: &Db,
    schema: &TableSchema,
    page: &Html,
) -> std::result::Result<usize, Box<dyn std::error::Error>> {
    // A protected table could not be deleted after the test.
    let unprotected = schema.clone().deletion_protection(false);
    db.create_tables([unprotected]).await?;
    let samples = page.samples();
    let stored: Vec<Item> = samples.iter().map(|sample| sample.item.clone()).collect();
    for item in &stored {
        Item::in_table(&schema.name)
            .put(item.clone())
            .send(db)
            .await?;
    }
    let document = page.document()?;
    let shown = views(&document);
    let indexes: Vec<_> = schema
        .global_indexes
        .iter()
        .chain(&schema.local_indexes)
        .collect();
    assert_eq!(shown.len(), 1 + indexes.len(), "{}", schema.name);
    let mut compared = 0;
    for (at, rows) in shown.iter().enumerate() {
        let index = at.checked_sub(1).and_then(|at| indexes.get(at));
        let (partition, sort): (Vec<_>, Vec<_>) = match index {
            None => (vec![&schema.pk], schema.sk.iter().collect()),
            Some(index) => (index.pk.iter().collect(), index.sk.iter().collect()),
        };
        let name = index.map(|index| index.name.as_str());
        let mut found = queried(db, schema, name, (&partition, &sort), &stored, rows).await?;
        // Rows with the same keys of an index have no order.
        let keys = |row: &usize| -> Vec<Option<Value>> {
            let item = stored.get(*row);
            let values = partition.iter().chain(&sort);
            values
                .map(|key| item.and_then(|item| item.get(&key.name)).cloned())
                .collect()
        };
        for (found, shown) in found.iter_mut().zip(rows) {
            for at in 1..found.len() {
                let mut here = at;
                while here > 0
                    && keys(&found[here - 1]) == keys(&found[here])
                    && shown.iter().position(|row| row == &found[here - 1])
                        > shown.iter().position(|row| row == &found[here])
                {
                    found.swap(here - 1, here);
                    here -= 1;
                }
            }
        }
        assert_eq!(rows, &found, "{name:?} of {}", schema.name);
        // Each item with all keys of the index is in it, and no other one.
        let is_there = |item: &&Item| {
            partition
                .iter()
                .chain(&sort)
                .all(|key| item.contains(&key.name))
        };
        let there = stored.iter().filter(is_there).count();
        assert_eq!(
            rows.iter().map(Vec::len).sum::<usize>(),
            there,
            "{name:?} of {}",
            schema.name
        );
        compared += there;
    }
    db.truncate([schema.clone()]).even_on_aws().await?;
    Ok(compared)
}

#[tokio::test]
async fn views_are_those_of_the_engine() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    let mut compared = 0;
    for schema in all()? {
        compared += compare(&db, &schema, &Html::new([schema.clone()])).await?;
    }
    assert!(compared > 150, "{compared}");
    db.close().await
}

/// A kettle. </script><script>document.title = "doc"</script> <img src=x onerror="document.title='img'">
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "kettles", key(pk = "<i>#{id}", sk = "{number:04}"))]
#[dynamo(gsi(by_level, pk = "{level}", sk = "<s>{number}"))]
struct Kettle {
    id: String,
    number: u16,
    level: i32,
    /// "'><svg onload=alert(1)>
    #[dynamo(rename = "<b onclick=1>")]
    note: String,
}

const NASTY: [&str; 9] = [
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "\"'><svg/onload=document.title=1>",
    "javascript:document.title=1",
    "<!--",
    "]]>",
    "<style>*{display:none}</style>",
    "\u{202e}txet\u{0}\u{1b}[2J\u{feff}",
    "</textarea></title><iframe src=//example.invalid>",
];

fn nasty() -> Result<Html> {
    let page = Html::new([Kettle::schema()]).title("<script>alert(1)</script>");
    let mut texts = NASTY.iter().enumerate();
    texts.try_fold(page, |page, (number, text)| {
        page.sample(&Kettle {
            id: (*text).to_owned(),
            number: number as u16,
            level: 5 - (number as i32) % 3 * 4,
            note: format!("{text}{}", "long ".repeat(300)),
        })
    })
}

#[tokio::test]
async fn nasty_texts_are_inert() -> Outcome {
    let page = nasty()?;
    let document = page.document()?;
    assert_eq!(document.matches("<script").count(), 1);
    assert_eq!(document.matches("<style").count(), 1);
    for tag in [
        "<img",
        "<svg",
        "<iframe",
        "<!--",
        "<b onclick",
        "<i>",
        "<s>",
        "</textarea",
    ] {
        assert!(!document.contains(tag), "{tag}");
    }
    let hidden = |character: &char| matches!(character, '\0' | '\u{1b}' | '\u{202e}' | '\u{feff}');
    assert_eq!(document.chars().find(hidden), None);
    assert!(document.contains("\\u{202e}txet\\u{0}\\u{1b}[2J\\u{feff}"));
    let db = Db::open(Mode::Raw).await?;
    assert!(compare(&db, &Kettle::schema(), &page).await? >= 2 * NASTY.len());
    db.close().await
}

#[test]
fn a_sample_is_of_a_table() {
    let refused = Html::new(all().unwrap_or_default()).sample(&Kettle {
        id: "1".into(),
        number: 1,
        level: 1,
        note: String::new(),
    });
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("`Kettle` is in none of the tables"),
        "{refused}"
    );
}

/// A browser loads each page at the widths of a telephone and of a desk, in both colours.
#[test]
fn a_browser_shows_them() -> Outcome {
    let Some(browser) = tool("PAGE_BROWSER", "a_browser_shows_them", BROWSER) else {
        return Ok(());
    };
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for schema in all()? {
        pages.insert(schema.name.clone(), page_of(&schema)?.0);
    }
    pages.insert("all".into(), ExportFormat::Html.write(all()?, "shop")?);
    pages.insert("nasty".into(), nasty()?.document()?);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder)?;
    let mut files: Vec<PathBuf> = Vec::new();
    for (name, page) in pages {
        let file = folder.join(format!("{name}.html"));
        std::fs::write(&file, page)?;
        files.push(file);
    }
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples/exports/page.mjs");
    let output = Command::new("node")
        .arg(check)
        .arg(browser)
        .args(files)
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    eprintln!("{said}");
    Ok(())
}
