//! The facts of tables and entities, each with its words: the list by which they are written and read.

use super::facts::{FactLine, Facts};
use super::stored::{condition_text, keeps_rest, rest_field, sorted_indexes};
use super::words::is_plain;
use crate::json::Tag;
use crate::schema::{
    ConstantSchema, EntitySchema, ExpirySchema, FieldRole, FieldSchema, FormerUse, IdentifyBy,
    IndexKind, IndexSchema, KeyAttribute, KeyContent, KeySchema, LargeSchema, PartSchema,
    PatternSchema, PieceSchema, ProjectionSchema, SecondKeySchema, ShapeSchema, StreamView,
    TableSchema, UniqueRowSchema, UniqueSchema, ValueContent, ValueSchema, VariantSchema,
    VectorIndexSchema, Word,
};

pub(super) fn table(table: &mut TableSchema, facts: &mut Facts) {
    facts.must("pk", &mut table.pk, key_attribute);
    facts.may("sk", &mut table.sk, key_attribute);
    facts.may("type", &mut table.type_attribute, FactLine::name);
    let mut identify_by = table.identify_by.map(|by| by.word());
    facts.may("identify_by", &mut identify_by, FactLine::name);
    table.identify_by = identify_by.and_then(|word| IdentifyBy::of_word(&word));
    facts.must("keys", &mut table.style, FactLine::word);
    facts.may("ttl", &mut table.ttl, FactLine::name);
    let mut stream = table.stream.map(|view| view.word());
    facts.may("stream", &mut stream, FactLine::name);
    table.stream = stream.and_then(|word| StreamView::of_word(&word));
    indexes(table, facts);
    facts.all("vector", &mut table.vector_indexes, vector_index);
}

/// Indexes of both kinds are sorted by their names.
fn indexes(table: &mut TableSchema, facts: &mut Facts) {
    // Both kinds are in one list, ordered by name: an index that changes its kind then differs in
    // one line.
    let known: Vec<(IndexKind, IndexSchema)> = sorted_indexes(table)
        .into_values()
        .map(|(kind, index)| (kind, index.clone()))
        .collect();
    let mut known = known.into_iter();
    (table.global_indexes, table.local_indexes) = (Vec::new(), Vec::new());
    loop {
        let (kind, mut found) = known.next().unzip();
        let mut local = found.take_if(|_| kind == Some(IndexKind::Local));
        facts.may("global", &mut found, index);
        facts.may("local", &mut local, index);
        if found.is_none() && local.is_none() {
            return;
        }
        table.global_indexes.extend(found);
        table.local_indexes.extend(local);
    }
}

fn index(line: &mut FactLine, index: &mut IndexSchema) {
    line.name(&mut index.name);
    line.below(|facts| {
        facts.all("pk", &mut index.pk, key_attribute);
        facts.all("sk", &mut index.sk, key_attribute);
        facts.must("holds", &mut index.projection, projection);
    });
}

/// `vector similar embedding 768 cosine`: the name, the attribute, the length and the distance.
fn vector_index(line: &mut FactLine, index: &mut VectorIndexSchema) {
    line.name(&mut index.name);
    line.name(&mut index.attribute);
    line.word(&mut index.dimensions);
    line.word(&mut index.distance);
    line.below(|facts| {
        facts.may("within", &mut index.within, key_attribute);
        facts.all("filter", &mut index.filters, key_attribute);
        facts.must("holds", &mut index.projection, projection);
    });
}

fn projection(line: &mut FactLine, projection: &mut ProjectionSchema) {
    let (kind, mut held) = match projection {
        ProjectionSchema::All => ("all", Vec::new()),
        ProjectionSchema::Keys => ("keys", Vec::new()),
        ProjectionSchema::Include(names) => ("some", std::mem::take(names)),
    };
    let mut kind = kind.to_owned();
    line.name(&mut kind);
    line.below(|facts| facts.all("attribute", &mut held, FactLine::name));
    *projection = match kind.as_str() {
        "all" => ProjectionSchema::All,
        "keys" => ProjectionSchema::Keys,
        _ => ProjectionSchema::Include(held),
    };
}

pub(super) fn entity(entity: &mut EntitySchema, facts: &mut Facts) {
    facts.may("type", &mut entity.type_attribute, FactLine::name);
    facts.all("constant", &mut entity.constants, constant);
    facts.flag("append_only", &mut entity.append_only);
    facts.may("shape", &mut entity.shape, shape);
    facts.may("second_key", &mut entity.second_key, second_key);
    fields(&mut entity.fields, facts, |facts| {
        facts.must("pk", &mut entity.pk, key);
        facts.may("sk", &mut entity.sk, key);
    });
    facts.all("pattern", &mut entity.patterns, pattern);
    facts.all("unique", &mut entity.uniques, unique);
    facts.all("large", &mut entity.large, large_value);
    facts.all("value", &mut entity.values, value);
}

/// `constant __edb_v__ S "1"`
fn constant(line: &mut FactLine, constant: &mut ConstantSchema) {
    line.name(&mut constant.attribute);
    line.word(&mut constant.ty);
    line.text(&mut constant.value);
}

/// The fields of an entity or of a value, with the keys of an entity among them.
fn fields(fields: &mut Vec<FieldSchema>, facts: &mut Facts, keys: impl FnOnce(&mut Facts)) {
    let mut has_rest = keeps_rest(fields);
    let known = std::mem::take(fields).into_iter();
    let known = known.filter(|field| field.role != FieldRole::Rest);
    let (mut attributes, mut only_in_keys): (Vec<_>, Vec<_>) =
        known.partition(|field| field.attribute.is_some());
    facts.flag("rest", &mut has_rest);
    keys(facts);
    facts.all("attribute", &mut attributes, attribute);
    facts.all("key_only", &mut only_in_keys, key_only);
    fields.extend(attributes);
    fields.extend(only_in_keys);
    fields.extend(has_rest.then(rest_field));
}

/// `shape 2 reads 1 writes 1`: the number, and the former one if the program reads it or writes it.
fn shape(line: &mut FactLine, shape: &mut ShapeSchema) {
    line.word(&mut shape.number);
    // The numbers are redundant. They help readers of a diff.
    let before = shape.number.saturating_sub(1);
    let mut reads = shape.was.is_some().then_some(before);
    let mut writes = (shape.writes < shape.number).then_some(before);
    line.labelled("reads", &mut reads, FactLine::word);
    line.labelled("writes", &mut writes, FactLine::word);
    shape.was = reads.map(|_| String::new());
    shape.writes = writes.unwrap_or(shape.number);
}

/// `second_key next CustomerOrder`: the step, and the type of the other rows.
fn second_key(line: &mut FactLine, second: &mut SecondKeySchema) {
    line.word(&mut second.usage);
    line.name(&mut second.other);
}

/// `pk id N = id`, `sk gsi1sk N number score`, or `pk pk S "USER#{user}"` and a line for each part.
fn key(line: &mut FactLine, key: &mut KeySchema) {
    line.name(&mut key.attribute);
    line.word(&mut key.ty);
    // A bare field and a template of that one part may store different values, so the file has to tell them apart.
    let mut field = key.field().map(str::to_owned);
    line.labelled("=", &mut field, FactLine::name);
    if let Some(field) = field {
        key.content = KeyContent::Field(field);
        return;
    }
    let mut number = match &key.content {
        KeyContent::Number(field) => Some(field.clone()),
        _ => None,
    };
    line.labelled("number", &mut number, FactLine::name);
    if let Some(field) = number {
        key.content = KeyContent::Number(field);
        return;
    }
    // The text is for people; what it cannot hold, as widths and presences, is in the lines of the
    // parts below.
    let mut text = template_text(key);
    let mut parts: Vec<PartSchema> = key.parts().cloned().collect();
    let mut shards = key.shards();
    line.text(&mut text);
    line.below(|facts| {
        facts.all("part", &mut parts, part);
        facts.may("shards", &mut shards, FactLine::word);
    });
    let mut pieces = template_pieces(&text, parts);
    pieces.extend(shards.map(PieceSchema::Shard));
    key.content = KeyContent::Template(pieces);
}

/// The template of a key as it is declared, but for the names of attributes: `USER#{user_id}`.
pub(super) fn template_text(key: &KeySchema) -> String {
    let texts = key.pieces().iter().map(|piece| match piece {
        PieceSchema::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        PieceSchema::Part(part) => format!("{{{}}}", part_text(part)),
        PieceSchema::Shard(_) => String::new(),
    });
    texts.collect()
}

/// A part as it is in a template; the line of the part has names that are no words.
fn part_text(part: &PartSchema) -> String {
    match &part.format {
        // A name with a brace or a colon in it would make the template ambiguous; the line of the
        // part has the name.
        _ if !is_plain(&part.field) => "?".to_owned(),
        // The first closing brace ends the part.
        Some(format) if !format.contains('}') => format!("{}:{format}", part.field),
        _ => part.field.clone(),
    }
}

/// The pieces of a template; the parts say what is behind a single `{`.
fn template_pieces(text: &str, parts: Vec<PartSchema>) -> Vec<PieceSchema> {
    let (mut pieces, mut literal) = (Vec::new(), String::new());
    let (mut parts, mut rest) = (parts.into_iter(), text);
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match (character, rest.strip_prefix(character)) {
            ('{' | '}', Some(after)) => {
                literal.push(character);
                rest = after;
            }
            ('{', None) => {
                if !literal.is_empty() {
                    pieces.push(PieceSchema::Text(std::mem::take(&mut literal)));
                }
                pieces.extend(parts.next().map(PieceSchema::Part));
                rest = rest.split_once('}').map_or("", |(_, after)| after);
            }
            _ => literal.push(character),
        }
    }
    if !literal.is_empty() {
        pieces.push(PieceSchema::Text(literal));
    }
    pieces
}

/// `due fixed:10 format date:last last`
fn part(line: &mut FactLine, part: &mut PartSchema) {
    line.name(&mut part.field);
    line.word(&mut part.width);
    line.labelled("format", &mut part.format, FactLine::name);
    line.unusual(&mut part.presence);
}

/// `attribute note S optional "String"`
fn attribute(line: &mut FactLine, field: &mut FieldSchema) {
    let mut attribute = field.attribute.take().unwrap_or_default();
    line.name(&mut attribute);
    let mut stored = field
        .stored
        .map_or_else(|| "any".to_owned(), |tag| tag.word());
    line.name(&mut stored);
    field.stored = Tag::of_word(&stored);
    line.either(&mut field.is_required, ["required", "optional"]);
    line.text(field.value_type.get_or_insert_default());
    // Usual values are not written. So a new kind of fact changes no line of a model that does not
    // use it.
    let mut role = Some(field.role).filter(|role| *role != Default::default());
    line.labelled("role", &mut role, FactLine::word);
    field.role = role.unwrap_or_default();
    line.labelled("form", &mut field.form, FactLine::name);
    line.labelled("default", &mut field.default, FactLine::text);
    former(line, field);
    line.labelled("from", &mut field.expiry, expiry);
    let mut called = Some(field.name.clone()).filter(|called| *called != attribute);
    line.labelled("called", &mut called, FactLine::name);
    field.name = called.unwrap_or_else(|| attribute.clone());
    field.attribute = Some(attribute);
}

/// `first note`, `keep note` or `drop note`: the former name after the part that it plays.
fn former(line: &mut FactLine, field: &mut FieldSchema) {
    let (known, known_use) = (field.former.take(), std::mem::take(&mut field.former_use));
    // The use is the label itself, so each one is looked for; the library never writes a line with two of them.
    for usage in [FormerUse::First, FormerUse::Alone, FormerUse::Dropped] {
        let mut former = known.clone().filter(|_| usage == known_use);
        line.labelled(&usage.word(), &mut former, FactLine::name);
        if former.is_some() {
            (field.former, field.former_use) = (former, usage);
        }
    }
}

/// `created_at after 90d`, behind the word `from`.
fn expiry(line: &mut FactLine, expiry: &mut ExpirySchema) {
    line.name(&mut expiry.source);
    line.literal("after");
    let mut lifetime = expiry.lifetime();
    line.name(&mut lifetime);
    expiry.seconds = ExpirySchema::seconds_of(&lifetime).unwrap_or_default();
}

fn key_only(line: &mut FactLine, field: &mut FieldSchema) {
    line.name(&mut field.name);
    line.text(field.value_type.get_or_insert_default());
}

fn pattern(line: &mut FactLine, pattern: &mut PatternSchema) {
    line.name(&mut pattern.name);
    line.literal("in");
    line.name(&mut pattern.index);
    line.below(|facts| {
        facts.all("pk", &mut pattern.pk, key);
        facts.all("sk", &mut pattern.sk, key);
        facts.may("read_shards", &mut pattern.read_shards, FactLine::word);
        condition(pattern, facts);
        facts.flag("filling", &mut pattern.is_filling);
    });
    // Only patterns of local indexes have no partition key of their own: it is that of the table.
    pattern.kind = match pattern.pk.is_empty() {
        true => IndexKind::Local,
        false => IndexKind::Global,
    };
}

/// The values of a field, or a function.
fn condition(pattern: &mut PatternSchema, facts: &mut Facts) {
    // A condition is either a list of values, which can be compared, or the text of an expression,
    // which cannot. The words differ, so that reading finds out which.
    let mut function = pattern.when.take_if(|_| pattern.when_fields.is_empty());
    facts.may("when_function", &mut function, FactLine::text);
    let values = std::mem::take(&mut pattern.when_values);
    let mut pinned = pattern.when_fields.pop().map(|field| (field, values));
    facts.may(
        "when",
        &mut pinned,
        |line, (field, values): &mut (String, Vec<String>)| {
            line.name(field);
            line.below(|facts| facts.all("value", values, FactLine::text));
        },
    );
    pattern.when = function;
    if let Some((field, values)) = pinned {
        pattern.when = Some(condition_text(&field, &values));
        (pattern.when_fields, pattern.when_values) = (vec![field], values);
    }
}

fn unique(line: &mut FactLine, unique: &mut UniqueSchema) {
    line.name(&mut unique.stored);
    line.literal("by");
    line.name(&mut unique.name);
    line.below(|facts| {
        facts.all("part", &mut unique.parts, part);
        facts.flag("filling", &mut unique.is_filling);
        facts.may("row", &mut unique.row, unique_row);
    });
}

/// `row`, and the keys and constants of the rows on the lines below.
fn unique_row(line: &mut FactLine, row: &mut UniqueRowSchema) {
    line.below(|facts| {
        facts.must("pk", &mut row.pk, key);
        facts.may("sk", &mut row.sk, key);
        facts.all("constant", &mut row.constants, constant);
    });
}

/// `large seats of "Seat"`, or `large plan` for a blob, and `outside` on the line below.
fn large_value(line: &mut FactLine, value: &mut LargeSchema) {
    line.name(&mut value.stored);
    line.labelled("of", &mut value.element, FactLine::text);
    line.below(|facts| facts.flag("outside", &mut value.outside));
}

/// `value Payment tagged kind`, and what it holds on the lines below.
fn value(line: &mut FactLine, value: &mut ValueSchema) {
    line.name(&mut value.name);
    let (kind, mut inner, mut held, mut variants) = match std::mem::take(&mut value.content) {
        ValueContent::Struct(fields) => ("struct", String::new(), fields, Vec::new()),
        ValueContent::Newtype(inner) => ("wraps", inner, Vec::new(), Vec::new()),
        ValueContent::Names(variants) => ("names", String::new(), Vec::new(), variants),
        ValueContent::Numbers(variants) => ("numbers", String::new(), Vec::new(), variants),
        ValueContent::Tagged { tag, variants } => ("tagged", tag, Vec::new(), variants),
    };
    let mut kind = kind.to_owned();
    line.name(&mut kind);
    match kind.as_str() {
        "wraps" => line.text(&mut inner),
        "tagged" => line.name(&mut inner),
        _ => {}
    }
    line.below(|facts| {
        fields(&mut held, facts, |_| {});
        facts.all("variant", &mut variants, variant);
    });
    value.content = match kind.as_str() {
        "wraps" => ValueContent::Newtype(inner),
        "names" => ValueContent::Names(variants),
        "numbers" => ValueContent::Numbers(variants),
        "tagged" => ValueContent::Tagged {
            tag: inner,
            variants,
        },
        _ => ValueContent::Struct(held),
    };
}

fn variant(line: &mut FactLine, variant: &mut VariantSchema) {
    line.name(&mut variant.stored);
    let mut called = Some(variant.name.clone()).filter(|called| *called != variant.stored);
    line.labelled("called", &mut called, FactLine::name);
    variant.name = called.unwrap_or_else(|| variant.stored.clone());
    line.below(|facts| fields(&mut variant.fields, facts, |_| {}));
}

fn key_attribute(line: &mut FactLine, key: &mut KeyAttribute) {
    line.name(&mut key.name);
    line.word(&mut key.ty);
}
