//! The facts of tables and entities, each with its words: the list by which they are written and read.

use super::facts::{FactLine, Facts};
use super::stored::{FieldGroups, StoredEntity, condition_text, sorted_indexes};
use super::words::is_plain;
use crate::error::Result;
use crate::json::Tag;
use crate::schema::{
    ExpirySchema, FieldRole, FieldSchema, FormerUse, IndexKind, IndexSchema, KeyAttribute,
    KeyContent, KeySchema, PartSchema, PatternSchema, PieceSchema, ProjectionSchema,
    SecondKeySchema, ShapeSchema, StreamView, TableSchema, UniqueSchema, ValueContent, ValueSchema,
    VariantSchema, Word,
};

pub(super) fn table(table: &mut TableSchema, facts: &mut Facts) -> Result<()> {
    facts.must("pk", &mut table.pk, key_attribute)?;
    facts.may("sk", &mut table.sk, key_attribute)?;
    facts.may("type", &mut table.type_attribute, name)?;
    facts.must("keys", &mut table.style, word)?;
    facts.may("ttl", &mut table.ttl, name)?;
    let mut stream = table.stream.map(|view| view.word());
    facts.may("stream", &mut stream, name)?;
    table.stream = stream.and_then(|word| StreamView::of_word(&word));
    indexes(table, facts)
}

/// Indexes of both kinds are sorted by their names.
fn indexes(table: &mut TableSchema, facts: &mut Facts) -> Result<()> {
    // Both kinds are in one list, ordered by name: an index that changes its kind then differs in
    // one line.
    let known: Vec<(IndexKind, IndexSchema)> = sorted_indexes(table)
        .into_iter()
        .map(|(_, (kind, index))| (kind, index.clone()))
        .collect();
    let mut known = known.into_iter();
    (table.global_indexes, table.local_indexes) = (Vec::new(), Vec::new());
    loop {
        let (kind, mut found) = known.next().unzip();
        let mut local = found.take_if(|_| kind == Some(IndexKind::Local));
        facts.may("global", &mut found, index)?;
        facts.may("local", &mut local, index)?;
        if found.is_none() && local.is_none() {
            return Ok(());
        }
        table.global_indexes.extend(found);
        table.local_indexes.extend(local);
    }
}

fn index(index: &mut IndexSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut index.name)?;
    line.below(|facts| {
        facts.all("pk", &mut index.pk, key_attribute)?;
        facts.all("sk", &mut index.sk, key_attribute)?;
        facts.must("holds", &mut index.projection, projection)
    })
}

fn projection(projection: &mut ProjectionSchema, line: &mut FactLine) -> Result<()> {
    let (kind, mut held) = match projection {
        ProjectionSchema::All => ("all", Vec::new()),
        ProjectionSchema::Keys => ("keys", Vec::new()),
        ProjectionSchema::Include(names) => ("some", std::mem::take(names)),
    };
    let mut kind = kind.to_owned();
    line.name(&mut kind)?;
    *projection = match kind.as_str() {
        "all" => ProjectionSchema::All,
        "keys" => ProjectionSchema::Keys,
        "some" => {
            line.below(|facts| facts.all("attribute", &mut held, name))?;
            ProjectionSchema::Include(held)
        }
        _ => return Err(line.wrong()),
    };
    Ok(())
}

pub(super) fn entity(stored: &mut StoredEntity, facts: &mut Facts) -> Result<()> {
    let entity = &mut stored.entity;
    let mut fields = FieldGroups::of(std::mem::take(&mut entity.fields));
    facts.flag("append_only", &mut entity.append_only)?;
    facts.may("shape", &mut entity.shape, shape)?;
    facts.may("second_key", &mut entity.second_key, second_key)?;
    facts.flag("rest", &mut fields.keeps_rest)?;
    facts.must("pk", &mut entity.pk, key)?;
    facts.may("sk", &mut entity.sk, key)?;
    facts.all("attribute", &mut fields.attributes, attribute)?;
    facts.all("key_only", &mut fields.key_only, key_only)?;
    entity.fields = fields.into_fields();
    facts.all("pattern", &mut entity.patterns, pattern)?;
    facts.all("unique", &mut entity.uniques, unique)?;
    facts.all("value", &mut stored.values, value)
}

/// `shape 2 reads 1 writes 1`: the number, the one before if it is read, and the one that is written if it is that.
fn shape(shape: &mut ShapeSchema, line: &mut FactLine) -> Result<()> {
    line.number(&mut shape.number)?;
    let before = shape.number.saturating_sub(1);
    // The numbers are redundant, and written for the reader of a difference. So reading only
    // accepts the one value that they can have.
    let mut reads = shape.was.is_some().then_some(before);
    let mut writes = (shape.writes < shape.number).then_some(before);
    line.labelled("reads", &mut reads, FactLine::number)?;
    line.labelled("writes", &mut writes, FactLine::number)?;
    if [reads, writes]
        .into_iter()
        .flatten()
        .any(|number| number != before)
    {
        return Err(line.wrong());
    }
    shape.was = reads.map(|_| String::new());
    shape.writes = writes.unwrap_or(shape.number);
    Ok(())
}

/// `second_key next CustomerOrder`: the step, and the type of the other rows.
fn second_key(second: &mut SecondKeySchema, line: &mut FactLine) -> Result<()> {
    line.word(&mut second.usage)?;
    line.name(&mut second.other)
}

/// `pk id N = id`, or `pk pk S "USER#{user}"` and a line for each part.
fn key(key: &mut KeySchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut key.attribute)?;
    line.word(&mut key.ty)?;
    // A bare field and a template of that one part may store different values, so the file has to tell them apart.
    let mut field = match &key.content {
        KeyContent::Field(field) => Some(field.clone()),
        KeyContent::Template(_) => None,
    };
    line.labelled("=", &mut field, FactLine::name)?;
    if let Some(field) = field {
        key.content = KeyContent::Field(field);
        return Ok(());
    }
    // The text is for people; what it cannot hold, as widths and presences, is in the lines of the
    // parts below.
    let mut text = template_text(key);
    let mut parts: Vec<PartSchema> = key.parts().cloned().collect();
    let mut shards = key.shards();
    line.text(&mut text)?;
    line.below(|facts| {
        facts.all("part", &mut parts, part)?;
        facts.may("shards", &mut shards, number)
    })?;
    let mut pieces = template_pieces(&text, parts).ok_or_else(|| line.wrong())?;
    pieces.extend(shards.map(PieceSchema::Shard));
    key.content = KeyContent::Template(pieces);
    Ok(())
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
fn template_pieces(text: &str, parts: Vec<PartSchema>) -> Option<Vec<PieceSchema>> {
    let (mut pieces, mut literal) = (Vec::new(), String::new());
    let (mut parts, mut rest) = (parts.into_iter(), text);
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match (character, rest.strip_prefix(character)) {
            ('{' | '}', Some(behind)) => {
                literal.push(character);
                rest = behind;
            }
            ('{', None) => {
                let part = parts.next()?;
                // Text and parts are both in the file, and have to agree; then the text needs no
                // parser of its own.
                rest = rest.strip_prefix(&part_text(&part))?.strip_prefix('}')?;
                if !literal.is_empty() {
                    pieces.push(PieceSchema::Text(std::mem::take(&mut literal)));
                }
                pieces.push(PieceSchema::Part(part));
            }
            _ => literal.push(character),
        }
    }
    if !literal.is_empty() {
        pieces.push(PieceSchema::Text(literal));
    }
    parts.next().is_none().then_some(pieces)
}

/// `due fixed:10 format date:last last`
fn part(part: &mut PartSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut part.field)?;
    line.word(&mut part.width)?;
    line.labelled("format", &mut part.format, FactLine::name)?;
    line.unusual(&mut part.presence)
}

/// `attribute note S optional "String"`
fn attribute(field: &mut FieldSchema, line: &mut FactLine) -> Result<()> {
    let mut attribute = field.attribute.take().unwrap_or_default();
    line.name(&mut attribute)?;
    stored(&mut field.stored, line)?;
    line.either(&mut field.is_required, ["required", "optional"])?;
    line.text(field.value_type.get_or_insert_default())?;
    // Usual values are not written. So a new kind of fact changes no line of a model that does not
    // use it.
    let mut role = Some(field.role).filter(|role| *role != FieldRole::Attribute);
    line.labelled("role", &mut role, FactLine::word)?;
    field.role = role.unwrap_or_default();
    line.labelled("form", &mut field.form, FactLine::name)?;
    line.labelled("default", &mut field.default, FactLine::text)?;
    former(field, line)?;
    line.labelled("from", &mut field.expiry, expiry)?;
    let mut called = Some(field.name.clone()).filter(|called| *called != attribute);
    line.labelled("called", &mut called, FactLine::name)?;
    field.name = called.unwrap_or_else(|| attribute.clone());
    field.attribute = Some(attribute);
    Ok(())
}

/// `first note`, `keep note` or `drop note`: the former name after the part that it plays.
fn former(field: &mut FieldSchema, line: &mut FactLine) -> Result<()> {
    let mut found = None;
    // The use is the label itself, so each one is looked for; the library never writes a line with two of them.
    for usage in [FormerUse::First, FormerUse::Alone, FormerUse::Dropped] {
        let mut former = field.former.clone().filter(|_| usage == field.former_use);
        line.labelled(&usage.word(), &mut former, FactLine::name)?;
        match (former, &found) {
            (None, _) => {}
            (Some(former), None) => found = Some((former, usage)),
            (Some(_), Some(_)) => return Err(line.wrong()),
        }
    }
    (field.former, field.former_use) = match found {
        Some((former, usage)) => (Some(former), usage),
        None => (None, FormerUse::default()),
    };
    Ok(())
}

/// `created_at after 90d`, behind the word `from`.
fn expiry(line: &mut FactLine, expiry: &mut ExpirySchema) -> Result<()> {
    line.name(&mut expiry.source)?;
    line.literal("after")?;
    let mut lifetime = expiry.lifetime();
    line.name(&mut lifetime)?;
    expiry.seconds = ExpirySchema::seconds_of(&lifetime).ok_or_else(|| line.wrong())?;
    Ok(())
}

fn stored(stored: &mut Option<Tag>, line: &mut FactLine) -> Result<()> {
    let mut word = stored.map_or_else(|| "any".to_owned(), |tag| tag.word());
    line.name(&mut word)?;
    *stored = Tag::of_word(&word);
    match stored.is_some() || word == "any" {
        true => Ok(()),
        false => Err(line.wrong()),
    }
}

fn key_only(field: &mut FieldSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut field.name)?;
    line.text(field.value_type.get_or_insert_default())
}

fn pattern(pattern: &mut PatternSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut pattern.name)?;
    line.literal("in")?;
    line.name(&mut pattern.index)?;
    line.below(|facts| {
        facts.all("pk", &mut pattern.pk, key)?;
        facts.all("sk", &mut pattern.sk, key)?;
        facts.may("read_shards", &mut pattern.read_shards, number)?;
        condition(pattern, facts)?;
        facts.flag("filling", &mut pattern.is_filling)
    })?;
    // Only patterns of local indexes have no partition key of their own: it is that of the table.
    pattern.kind = match pattern.pk.is_empty() {
        true => IndexKind::Local,
        false => IndexKind::Global,
    };
    Ok(())
}

/// The values of a field, or a function.
fn condition(pattern: &mut PatternSchema, facts: &mut Facts) -> Result<()> {
    // A condition is either a list of values, which can be compared, or the text of an expression,
    // which cannot. The words differ, so that reading finds out which.
    let mut function = pattern.when.take_if(|_| pattern.when_fields.is_empty());
    facts.may("when_function", &mut function, text)?;
    let mut pinned = pattern
        .when_fields
        .pop()
        .map(|field| (field, std::mem::take(&mut pattern.when_values)));
    if function.is_none() {
        facts.may(
            "when",
            &mut pinned,
            |(field, values): &mut (String, Vec<String>), line| {
                line.name(field)?;
                line.below(|facts| facts.all("value", values, text))
            },
        )?;
    }
    pattern.when = function;
    if let Some((field, values)) = pinned {
        pattern.when = Some(condition_text(&field, &values));
        (pattern.when_fields, pattern.when_values) = (vec![field], values);
    }
    Ok(())
}

fn unique(unique: &mut UniqueSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut unique.stored)?;
    line.literal("by")?;
    line.name(&mut unique.name)?;
    line.below(|facts| {
        facts.all("part", &mut unique.parts, part)?;
        facts.flag("filling", &mut unique.is_filling)
    })
}

/// `value Payment tagged kind`, and what it holds on the lines below.
fn value(value: &mut ValueSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut value.name)?;
    let (kind, mut inner, mut fields, mut variants) = match std::mem::take(&mut value.content) {
        ValueContent::Struct(fields) => ("struct", String::new(), fields, Vec::new()),
        ValueContent::Newtype(inner) => ("wraps", inner, Vec::new(), Vec::new()),
        ValueContent::Names(variants) => ("names", String::new(), Vec::new(), variants),
        ValueContent::Numbers(variants) => ("numbers", String::new(), Vec::new(), variants),
        ValueContent::Tagged { tag, variants } => ("tagged", tag, Vec::new(), variants),
    };
    let mut kind = kind.to_owned();
    line.name(&mut kind)?;
    match kind.as_str() {
        "wraps" => line.text(&mut inner)?,
        "tagged" => line.name(&mut inner)?,
        _ => {}
    }
    line.below(|facts| match kind.as_str() {
        "struct" => held(&mut fields, facts),
        "wraps" => Ok(()),
        _ => facts.all("variant", &mut variants, variant),
    })?;
    value.content = match kind.as_str() {
        "struct" => ValueContent::Struct(fields),
        "wraps" => ValueContent::Newtype(inner),
        "names" => ValueContent::Names(variants),
        "numbers" => ValueContent::Numbers(variants),
        "tagged" => ValueContent::Tagged {
            tag: inner,
            variants,
        },
        _ => return Err(line.wrong()),
    };
    Ok(())
}

fn variant(variant: &mut VariantSchema, line: &mut FactLine) -> Result<()> {
    line.name(&mut variant.stored)?;
    let mut called = Some(variant.name.clone()).filter(|called| *called != variant.stored);
    line.labelled("called", &mut called, FactLine::name)?;
    variant.name = called.unwrap_or_else(|| variant.stored.clone());
    line.below(|facts| held(&mut variant.fields, facts))
}

/// The fields of a value.
fn held(fields: &mut Vec<FieldSchema>, facts: &mut Facts) -> Result<()> {
    let mut groups = FieldGroups::of(std::mem::take(fields));
    facts.flag("rest", &mut groups.keeps_rest)?;
    facts.all("attribute", &mut groups.attributes, attribute)?;
    *fields = groups.into_fields();
    Ok(())
}

fn key_attribute(key: &mut KeyAttribute, line: &mut FactLine) -> Result<()> {
    line.name(&mut key.name)?;
    line.word(&mut key.ty)
}

fn name(text: &mut String, line: &mut FactLine) -> Result<()> {
    line.name(text)
}

fn text(text: &mut String, line: &mut FactLine) -> Result<()> {
    line.text(text)
}

fn number(number: &mut u16, line: &mut FactLine) -> Result<()> {
    line.number(number)
}

fn word<W: Word>(word: &mut W, line: &mut FactLine) -> Result<()> {
    line.word(word)
}
