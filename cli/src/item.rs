//! `item`: any item of a table by its stored key, with its size, and the indexes that contain it.

use clap::{ArgMatches, Command};
use dynamo_entity::items::GetItem;
use dynamo_entity::schema::{IndexPlacement, KeyAttribute, KeyType, TableSchema};
use dynamo_entity::{Item, Operation, Value};

use crate::arguments::{self, texts};
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kind::ItemKind;
use crate::model::Model;
use crate::render::{cell, json_line, measured};
use crate::text::{visible, visible_lines};

/// The command.
pub(crate) fn item_command(model: &Model) -> Command {
    let item = Command::new("item")
        .about("Shows any item by its stored key, with sizes and the indexes that contain it");
    arguments::for_tables(item, model, arguments::stored_key)
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let schema = context.model.table(name)?;
    let request = request(schema, matches)?;
    let db = context.connect().await?;
    let Some(item) = request.send(&db).await? else {
        return Err(Failure::said(format!(
            "no item with this key is in table `{name}`"
        )));
    };
    let text = match context.json {
        true => json_line(&item)?,
        false => measured(&item)? + &described_place(&item, schema)?,
    };
    context.write(&text)?;
    Ok(Exit::Done)
}

/// The read of the item.
fn request(schema: &TableSchema, matches: &ArgMatches) -> Result<GetItem, Failure> {
    let attributes: Vec<&KeyAttribute> = [&schema.pk].into_iter().chain(&schema.sk).collect();
    let mut key = Item::new();
    for (attribute, text) in attributes.iter().zip(texts(matches, attributes.len())) {
        key.insert(&attribute.name, key_value(attribute, text)?);
    }
    let get = Item::in_table(&schema.name).get(key);
    Ok(match matches.get_flag("strong") {
        true => get.consistent(),
        false => get,
    })
}

fn key_value(attribute: &KeyAttribute, text: &str) -> Result<Value, Failure> {
    let unfit = |what: &str| Failure::said(format!("{}: `{text}` is no {what}", attribute.name));
    match attribute.ty {
        KeyType::N => text
            .parse()
            .map(Value::N)
            .map_err(|_| unfit("number, such as 7")),
        KeyType::B => from_hex(text)
            .map(Value::B)
            .ok_or_else(|| unfit("binary value in hexadecimal digits, such as 00ff")),
        KeyType::S => Ok(Value::S(text.to_owned())),
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        })
        .collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}

/// The entity of the item, its size, and the indexes with and without it.
fn described_place(item: &Item, schema: &TableSchema) -> Result<String, Failure> {
    let size = item.size();
    let units = |bytes: usize| match size.div_ceil(bytes).max(1) {
        1 => "1 unit".to_owned(),
        units => format!("{units} units"),
    };
    let (write, read) = (units(1024), units(4096));
    let mut text = format!(
        "\nentity  {}\nsize    {size} bytes: a write costs {write}, a strong read {read}\n",
        ItemKind::of(item, schema)
    );
    for IndexPlacement { index, place, .. } in schema.place_item(item)?.indexes {
        text += &match place {
            Ok(key) => format!("index   {index}{}\n", key_text(&key)?),
            Err(reason) => {
                visible_lines(&format!("index   {index} does not contain it: {reason}\n"))
            }
        };
    }
    Ok(text)
}

/// The key of an item in an index, of which it has one attribute or several.
fn key_text(key: &Item) -> Result<String, Failure> {
    let mut text = String::new();
    for (name, value) in key.iter() {
        text += &format!("  {} {}", visible(name), cell(value)?);
    }
    Ok(text)
}
