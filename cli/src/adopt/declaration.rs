//! The text of declarations.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::entity::{AdoptedEntity, AdoptedKey, AdoptedPattern};
use super::field::{AdoptedField, AdoptedRole, FieldKind, NestedStruct, Nulls, Presence};
use super::names::{field_name, method_name, unique_name};
use super::sample::{SampleColumn, SampleIndex, SampleProjection, TableSample};
use super::table::AdoptedTable;
use super::template::{KeyPiece, KeyTemplate, PartForm};
use super::time_text::TimeForm;
use super::vocabulary::constant_text;

/// Gives every nested struct a name of its own.
pub(crate) fn name_structs(table: &mut AdoptedTable) {
    let mut taken: BTreeSet<String> = table
        .entities
        .iter()
        .map(|entity| entity.name.clone())
        .collect();
    taken.extend(table.name.clone());
    for entity in &mut table.entities {
        let owner = entity.name.clone();
        for field in &mut entity.fields {
            name_nested(&mut field.kind, &owner, &mut taken);
        }
    }
}

fn name_nested(kind: &mut FieldKind, owner: &str, taken: &mut BTreeSet<String>) {
    match kind {
        FieldKind::List(kind, _) | FieldKind::Map(kind, _) => name_nested(kind, owner, taken),
        FieldKind::Struct(nested) => {
            let name = format!("{owner}{}", nested.name.trim_end_matches("Row"));
            nested.name = unique_name(name, taken);
            let owner = nested.name.clone();
            for field in &mut nested.fields {
                name_nested(&mut field.kind, &owner, taken);
            }
        }
        _ => {}
    }
}

/// The declarations, as a file of Rust.
pub(crate) fn declarations(table: &AdoptedTable, sample: &TableSample) -> String {
    let mut body = String::new();
    let index_names = index_names(sample);
    if let Some(name) = &table.name {
        body += &shared_table(name, table, sample, &index_names);
    }
    for entity in &table.entities {
        body += &entity_text(entity, table, sample, &index_names);
    }
    header(table, sample) + &imports(&body) + &body
}

/// The names of indexes in Rust.
fn index_names(sample: &TableSample) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let names = sample
        .indexes
        .iter()
        .map(|index| unique_name(method_name(&field_name(&index.name)), &mut taken));
    names.collect()
}

fn header(table: &AdoptedTable, sample: &TableSample) -> String {
    let (count, whole) = (
        sample.rows.len(),
        if sample.is_whole {
            ", which are all"
        } else {
            ""
        },
    );
    let mut text = format!(
        "//! Declarations for the table `{}`, guessed from {count} items{whole}.\n//!\n\
         //! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an\n\
         //! `Option` if it may.\n",
        sample.name.escape_debug()
    );
    for (reason, count) in &table.others {
        let _ = writeln!(
            text,
            "//!\n//! Not declared, of these items: {count} {reason}."
        );
    }
    text + "\n"
}

/// The imports of the names that the text contains.
fn imports(body: &str) -> String {
    // A comment may name a type that no field has.
    let code = || {
        body.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let has = |name: &str| code().any(|line| line.split(|c| !is_part(c)).any(|word| word == name));
    let list = |path: &str, names: &[&str]| {
        let used: Vec<&str> = names.iter().copied().filter(|name| has(name)).collect();
        match used.as_slice() {
            [] => String::new(),
            [name] => format!("use {path}::{name};\n"),
            names => format!("use {path}::{{{}}};\n", names.join(", ")),
        }
    };
    list("std::collections", &["BTreeMap", "BTreeSet"])
        + &list("dynamo_entity::codec", &["Nullable"])
        + &list(
            "dynamo_entity::key",
            &[
                "EpochMillis",
                "EpochSeconds",
                "JavaScriptTime",
                "PynamoTime",
                "PythonTime",
                "Rfc3339Seconds",
            ],
        )
        + "use dynamo_entity::prelude::*;\n"
        + &list("dynamo_entity", &["Number", "Timestamp", "Value"])
}

fn unsure(text: &mut String, indent: &str, notes: &[String]) {
    for note in notes {
        let _ = writeln!(text, "{indent}// unsure: {note}");
    }
}

fn shared_table(
    name: &str,
    table: &AdoptedTable,
    sample: &TableSample,
    index_names: &[String],
) -> String {
    let mut text = String::from("\n");
    match &table.type_attribute {
        Some(typed) if !typed.is_known => unsure(&mut text, "", &[format!("`{}` is taken for the type", typed.name.escape_debug())]),
        Some(_) => {}
        None => unsure(
            &mut text,
            "",
            &["the items have no type, so their keys identify their entities; `put` adds the attribute `_type`".to_owned()],
        ),
    }
    let entities: Vec<&str> = table
        .entities
        .iter()
        .map(|entity| entity.name.as_str())
        .collect();
    let sk = sample
        .sk
        .as_ref()
        .map(|sk| format!(", sk = {:?}", sk.name))
        .unwrap_or_default();
    let typed = table
        .type_attribute
        .as_ref()
        .map(|typed| format!(", type_attribute = {:?}", typed.name))
        .unwrap_or_default();
    let by_key = match (table.needs_keys(sample), table.needs_types()) {
        (true, _) => ", identify_by = key",
        (false, true) => ", identify_by = type",
        (false, false) => "",
    };
    let _ = writeln!(
        text,
        "#[derive(DynamoTable)]\n#[dynamo(name = {:?}, pk = {:?}{sk}, verbatim{typed}{by_key}, entities({}))]",
        sample.name,
        sample.pk.name,
        entities.join(", ")
    );
    for (index, name) in sample.indexes.iter().zip(index_names) {
        let names = |columns: &[SampleColumn]| {
            let names: Vec<String> = columns
                .iter()
                .map(|column| format!("{:?}", column.name))
                .collect();
            listed(&names)
        };
        let mut options = vec![name.clone()];
        if *name != index.name {
            options.push(format!("rename = {:?}", index.name));
        }
        if !index.pk.is_empty() && !index.is_local {
            options.push(format!("pk = {}", names(&index.pk)));
        }
        if !index.sk.is_empty() {
            options.push(format!("sk = {}", names(&index.sk)));
        }
        match &index.project {
            SampleProjection::All => {}
            SampleProjection::Keys => options.push("project = keys".to_owned()),
            SampleProjection::Only(attributes) => {
                options.push(format!(
                    "project = [{}]",
                    attributes
                        .iter()
                        .map(|name| format!("{name:?}"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ));
            }
        }
        let _ = writeln!(
            text,
            "#[dynamo({}({}))]",
            index_word(index),
            options.join(", ")
        );
    }
    let _ = writeln!(text, "pub struct {name};");
    text
}

fn index_word(index: &SampleIndex) -> &'static str {
    match index.is_local {
        true => "lsi",
        false => "gsi",
    }
}

/// One name, or a list of several.
fn listed(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        names => format!("[{}]", names.join(", ")),
    }
}

fn entity_text(
    entity: &AdoptedEntity,
    table: &AdoptedTable,
    sample: &TableSample,
    index_names: &[String],
) -> String {
    let mut text = String::from("\n");
    let count = entity.rows.len();
    // Almost every template fits one or two items.
    if count < 3 {
        unsure(
            &mut text,
            "",
            &[format!(
                "guessed from {count} item{}",
                if count == 1 { "" } else { "s" }
            )],
        );
    }
    unsure(&mut text, "", &entity.unsure);
    let key = |key: &AdoptedKey| key_text(key, entity);
    let mut options = match &table.name {
        Some(name) => vec![format!("table = {name}")],
        None => vec![format!("table = {:?}", sample.name)],
    };
    // A shared table declares the format of keys itself.
    let patterns = entity.patterns.iter().flat_map(AdoptedPattern::keys);
    if table.name.is_none()
        && entity
            .primary()
            .chain(patterns)
            .any(|key| key.template().is_some())
    {
        options.push("verbatim".to_owned());
    }
    if let Some(value) = entity
        .type_value
        .as_ref()
        .filter(|value| **value != entity.name)
    {
        options.push(format!("rename = {value:?}"));
    }
    if let Some(name) = &entity.type_attribute {
        options.push(format!("type_attribute = {name:?}"));
    }
    let items = entity.rows.iter().filter_map(|row| sample.rows.get(*row));
    let constants = entity
        .fields
        .iter()
        .filter(|field| field.role == AdoptedRole::Constant);
    for constant in constants {
        // All items have the same text, so that of any item is the constant.
        let mut texts = items
            .clone()
            .filter_map(|item| constant_text(item, &constant.attribute));
        if let Some(text) = texts.next() {
            // `{:?}` writes a text as a literal of Rust.
            options.push(format!("constant({:?} = {text:?})", constant.attribute));
        }
    }
    let sk = entity
        .sk
        .as_ref()
        .map(|sk| format!(", sk = {}", key(sk)))
        .unwrap_or_default();
    options.push(format!("key(pk = {}{sk})", key(&entity.pk)));
    let _ = writeln!(
        text,
        "#[derive(Debug, Clone, PartialEq, DynamoEntity)]\n#[dynamo({})]",
        options.join(", ")
    );
    for pattern in &entity.patterns {
        if let (Some(index), Some(name)) = (
            sample.indexes.get(pattern.index),
            index_names.get(pattern.index),
        ) {
            let _ = writeln!(
                text,
                "#[dynamo({}({}))]",
                index_word(index),
                pattern_options(pattern, entity, table, index, name).join(", ")
            );
        }
    }
    for unique in &entity.uniques {
        let name = |attribute: &str| {
            let field = entity.field(attribute);
            field.map_or("missing", |field| field.name.as_str())
        };
        let mut options = vec![
            unique.name.clone(),
            format!("pk = {:?}", template_text(&unique.pk, &name)),
        ];
        options.extend(unique.sk.iter().map(|sk| format!("sk = {sk:?}")));
        let constant = unique.constant.as_ref();
        options.extend(constant.map(|(name, value)| format!("constant({name:?} = {value:?})")));
        let _ = writeln!(text, "#[dynamo(unique({}))]", options.join(", "));
    }
    let _ = writeln!(text, "pub struct {} {{", entity.name);
    fields_text(&mut text, &entity.fields);
    text +=
        "    /// Attributes that are not declared.\n    #[dynamo(rest)]\n    pub rest: Item,\n}\n";
    for field in &entity.fields {
        nested_text(&mut text, &field.kind);
    }
    text
}

fn pattern_options(
    pattern: &AdoptedPattern,
    entity: &AdoptedEntity,
    table: &AdoptedTable,
    index: &SampleIndex,
    name: &str,
) -> Vec<String> {
    let mut options = vec![pattern.name.clone()];
    match &table.name {
        Some(_) if pattern.name == name => {}
        Some(_) => options.push(format!("on = {name}")),
        None if pattern.name == index.name => {}
        None => options.push(format!("rename = {:?}", index.name)),
    }
    let keys = |keys: &[AdoptedKey]| {
        listed(
            &keys
                .iter()
                .map(|key| key_text(key, entity))
                .collect::<Vec<_>>(),
        )
    };
    if !pattern.pk.is_empty() && !index.is_local {
        options.push(format!("pk = {}", keys(&pattern.pk)));
    }
    if !pattern.sk.is_empty() {
        options.push(format!("sk = {}", keys(&pattern.sk)));
    }
    // A shared table declares what its indexes contain.
    match &index.project {
        _ if table.name.is_some() => {}
        SampleProjection::All => {}
        SampleProjection::Keys => options.push("project = keys".to_owned()),
        SampleProjection::Only(attributes) => {
            let fields = attributes
                .iter()
                .filter_map(|attribute| entity.field(attribute));
            let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
            options.push(format!("project = [{}]", names.join(", ")));
        }
    }
    options
}

fn key_text(key: &AdoptedKey, entity: &AdoptedEntity) -> String {
    let name = |attribute: &str| {
        entity
            .field(attribute)
            .map_or("missing", |field| field.name.as_str())
    };
    match key {
        AdoptedKey::Field(attribute) => name(attribute).to_owned(),
        AdoptedKey::Number(attribute) => format!("number({})", name(attribute)),
        AdoptedKey::Template(template) => format!("{:?}", template_text(template, &name)),
    }
}

fn template_text<'n>(template: &KeyTemplate, name: &dyn Fn(&str) -> &'n str) -> String {
    let pieces = template.pieces.iter().map(|piece| match piece {
        KeyPiece::Literal(text) => text.clone(),
        KeyPiece::Part(attribute, form) => {
            let name = name(attribute);
            match form {
                PartForm::Plain => format!("{{{name}}}"),
                PartForm::Lower => format!("{{{name}:lower}}"),
                PartForm::Upper => format!("{{{name}:upper}}"),
                PartForm::Width(width) => format!("{{{name}:0{width}}}"),
                PartForm::Decimals { width: 0, decimals } => format!("{{{name}:.{decimals}}}"),
                PartForm::Decimals { width, decimals } => format!("{{{name}:0{width}.{decimals}}}"),
                PartForm::Time(part) => format!("{{{name}:{}}}", part.word()),
            }
        }
    });
    pieces.collect()
}

fn fields_text(text: &mut String, fields: &[AdoptedField]) {
    for field in fields {
        if field.role == AdoptedRole::Constant {
            continue;
        }
        unsure(text, "    ", &field.unsure);
        let options = field_options(field);
        if !options.is_empty() {
            let _ = writeln!(text, "    #[dynamo({})]", options.join(", "));
        }
        let _ = writeln!(text, "    pub {}: {},", field.name, field_type(field));
    }
}

fn field_options(field: &AdoptedField) -> Vec<String> {
    let mut options = Vec::new();
    options.extend(match field.role {
        AdoptedRole::KeyOnly => return vec!["skip".to_owned()],
        AdoptedRole::Attribute | AdoptedRole::Constant => None,
        AdoptedRole::CreatedAt => Some("created_at".to_owned()),
        AdoptedRole::UpdatedAt => Some("updated_at".to_owned()),
        AdoptedRole::Version => Some("version".to_owned()),
        AdoptedRole::Ttl => Some("ttl".to_owned()),
    });
    if field.name != field.attribute {
        options.push(format!("rename = {:?}", field.attribute));
    }
    let format = match field.kind {
        FieldKind::Time(TimeForm::Millis) => Some("rfc3339_ms"),
        FieldKind::Time(TimeForm::Shortest) => Some("rfc3339"),
        FieldKind::Time(TimeForm::EpochSeconds) if field.role != AdoptedRole::Ttl => Some("epoch"),
        FieldKind::Time(TimeForm::EpochMillis) => Some("epoch_ms"),
        _ => None,
    };
    options.extend(format.map(|format| format!("format = {format:?}")));
    if field.presence == Presence::Null {
        options.push("null".to_owned());
    }
    options
}

fn field_type(field: &AdoptedField) -> String {
    let ty = match field.role {
        AdoptedRole::Version => "Version".to_owned(),
        _ => kind_type(&field.kind),
    };
    match field.presence {
        Presence::Always => ty,
        // An absent set is an empty one, and `Option` of a set does not compile.
        _ if field.kind.is_set() => ty,
        Presence::Optional | Presence::Null => format!("Option<{ty}>"),
        Presence::NullOrAbsent => format!("Option<Nullable<{ty}>>"),
    }
}

fn kind_type(kind: &FieldKind) -> String {
    let element = |kind: &FieldKind, nulls: Nulls| match nulls {
        Nulls::None => kind_type(kind),
        Nulls::Some => format!("Nullable<{}>", kind_type(kind)),
    };
    let key_time = |name: &str| format!("{name}<Timestamp>");
    match kind {
        FieldKind::Text => "String".to_owned(),
        FieldKind::Unsigned => "u64".to_owned(),
        FieldKind::Signed => "i64".to_owned(),
        FieldKind::Float => "f64".to_owned(),
        FieldKind::Exact => "Number".to_owned(),
        FieldKind::Bool => "bool".to_owned(),
        FieldKind::Bytes => "Vec<u8>".to_owned(),
        FieldKind::Time(_) | FieldKind::KeyTime(TimeForm::Nanos) => "Timestamp".to_owned(),
        FieldKind::KeyTime(TimeForm::Millis) => key_time("JavaScriptTime"),
        FieldKind::KeyTime(TimeForm::Shortest) => key_time("Rfc3339Seconds"),
        FieldKind::KeyTime(TimeForm::EpochSeconds) => key_time("EpochSeconds"),
        FieldKind::KeyTime(TimeForm::EpochMillis) => key_time("EpochMillis"),
        FieldKind::KeyTime(TimeForm::Python) => key_time("PythonTime"),
        FieldKind::KeyTime(TimeForm::Pynamo) => key_time("PynamoTime"),
        FieldKind::TextSet => "BTreeSet<String>".to_owned(),
        FieldKind::UnsignedSet => "BTreeSet<u64>".to_owned(),
        FieldKind::SignedSet => "BTreeSet<i64>".to_owned(),
        FieldKind::NumberSet => "BTreeSet<Number>".to_owned(),
        FieldKind::BytesSet => "BTreeSet<Vec<u8>>".to_owned(),
        FieldKind::List(kind, nulls) => format!("Vec<{}>", element(kind, *nulls)),
        FieldKind::Map(kind, nulls) => format!("BTreeMap<String, {}>", element(kind, *nulls)),
        FieldKind::Struct(nested) => nested.name.clone(),
        FieldKind::Any => "Value".to_owned(),
    }
}

/// The structs of a type and of its members.
fn nested_text(text: &mut String, kind: &FieldKind) {
    match kind {
        FieldKind::List(kind, _) | FieldKind::Map(kind, _) => nested_text(text, kind),
        FieldKind::Struct(NestedStruct { name, fields }) => {
            let _ = writeln!(
                text,
                "\n#[derive(Debug, Clone, PartialEq, DynamoValue)]\npub struct {name} {{"
            );
            fields_text(text, fields);
            *text += "    /// Members that are not declared.\n    #[dynamo(rest)]\n    pub rest: Item,\n}\n";
            for field in fields {
                nested_text(text, &field.kind);
            }
        }
        _ => {}
    }
}
