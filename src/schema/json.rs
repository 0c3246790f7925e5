//! Schemas as JSON: [`TableSchema::to_json`] and [`TableSchema::from_json`].

mod read;
#[cfg(test)]
mod tests;
mod word;

use super::{
    AllowSchema, Billing, CollectionSchema, EntitySchema, FieldSchema, IndexSchema, KeyAttribute,
    KeyContent, KeySchema, PartSchema, PatternSchema, PieceSchema, ProjectionSchema, Replicas,
    TableSchema, TableSettings, UniqueSchema, ValueContent, ValueSchema, VariantSchema,
};
use crate::json::JsonTree;
pub(crate) use word::Word;

/// The number of the format. A member that readers may pass over does not raise it.
const FORMAT: u64 = 1;

impl TableSchema {
    /// The schema as JSON, one member a line and always in the same order, for tools in other languages and for diffs.
    ///
    /// | member | what it holds |
    /// |---|---|
    /// | `format` | `1`; a reader rejects a greater one. Members may be added without raising it |
    /// | `name`, `doc` | the table's name without prefix, its doc comment |
    /// | `pk`, `sk` | `name` and `type` (`S`, `N`, `B`) of the key attributes |
    /// | `type_attribute`, `keys` | the attribute that names the entity; `escaped`, or `verbatim:` and the delimiter |
    /// | `global_indexes`, `local_indexes` | `name`; `pk` and `sk`, lists of attributes; `projection`: `all`, `keys` or a list |
    /// | `ttl`, `stream` | the attribute; `keys_only`, `new_image`, `old_image` or `new_and_old_images` |
    /// | `settings` | `deletion_protection`, `point_in_time_recovery` (days), `class`, `billing` (`on_demand`, or an object of `reads`, `writes` and whether others change them, `scaled`), `tags`, `replicas` (`consistency`, `regions`, `witness`) |
    /// | `entities` | `name`, `stored_name`, `doc`, `append_only`, `fields`, `pk`, `sk`, `patterns`, `uniques`, `allows` |
    /// | `values` | the types with `#[derive(DynamoValue)]` that fields hold, each once: `name`, `doc`, and `fields` of a struct, `wraps` (the type that a newtype is stored as), or `stored_as` (`names`, `numbers` or `tagged`), `tag` and `variants` of an enum |
    /// | a variant | `name`, `stored` (the name or number that is stored), `fields` |
    /// | a field | `name`, `attribute`, `rust_type` (as it is written), `value_type` (by what it stores, with the names of `values`), `stored` (a type of DynamoDB), `role`, `required`, `form`, `default`, `doc` |
    /// | a key of an entity | `attribute`, `type`, and `field`, or `template`: a list of `text`, of `field` with `format`, `width` and `presence`, of `shards` |
    /// | a pattern | `name`, `index`, `kind`, `pk`, `sk`, `read_shards`, `when`, `when_fields`, `when_values`, `whole_rows` |
    /// | a unique value | `name`, `stored`, `fields`, `parts` (of its keys, as in a template) |
    /// | `allows` | of a table or an entity: `rule`, the lint that is silent, and `of`, the part of the declaration where it is |
    /// | `collections` | `name`, `doc`, `index`, `partition`, `entities` |
    ///
    /// Missing and empty values are omitted.
    pub fn to_json(&self) -> String {
        let style = self.style.word();
        JsonTree::object([
            ("format", Some(FORMAT.into())),
            ("name", Some((&self.name).into())),
            ("doc", text(&self.doc)),
            ("pk", Some(attribute(&self.pk))),
            ("sk", self.sk.as_ref().map(attribute)),
            (
                "type_attribute",
                self.type_attribute.as_ref().map(Into::into),
            ),
            ("keys", Some((&style).into())),
            ("global_indexes", list(&self.global_indexes, index)),
            ("local_indexes", list(&self.local_indexes, index)),
            ("ttl", self.ttl.as_ref().map(Into::into)),
            ("stream", self.stream.as_ref().map(word)),
            ("settings", Some(settings(&self.settings))),
            ("entities", list(&self.entities, entity)),
            ("values", list(&self.values, value)),
            ("collections", list(&self.collections, collection)),
            ("allows", list(&self.allows, allow)),
        ])
        .to_text()
    }
}

fn text(text: &str) -> Option<JsonTree> {
    (!text.is_empty()).then(|| text.into())
}

fn word(word: &impl Word) -> JsonTree {
    JsonTree::Text(word.word())
}

fn list<T>(values: &[T], tree: impl Fn(&T) -> JsonTree) -> Option<JsonTree> {
    (!values.is_empty()).then(|| JsonTree::list(values, tree))
}

fn texts(texts: &[String]) -> JsonTree {
    JsonTree::list(texts, |text| text.into())
}

fn attribute(attribute: &KeyAttribute) -> JsonTree {
    JsonTree::object([
        ("name", Some((&attribute.name).into())),
        ("type", Some(word(&attribute.ty))),
    ])
}

fn index(index: &IndexSchema) -> JsonTree {
    let projection = match &index.projection {
        ProjectionSchema::All => "all".into(),
        ProjectionSchema::Keys => "keys".into(),
        ProjectionSchema::Include(names) => texts(names),
    };
    JsonTree::object([
        ("name", Some((&index.name).into())),
        ("pk", list(&index.pk, attribute)),
        ("sk", list(&index.sk, attribute)),
        ("projection", Some(projection)),
    ])
}

fn settings(settings: &TableSettings) -> JsonTree {
    let billing = |billing: Billing| match billing.units() {
        None => "on_demand".into(),
        Some((reads, writes)) => JsonTree::object([
            ("reads", Some(reads.into())),
            ("writes", Some(writes.into())),
            (
                "scaled",
                matches!(billing, Billing::Scaled { .. }).then(|| true.into()),
            ),
        ]),
    };
    let tags = settings.tags.iter();
    let tags = JsonTree::object(tags.map(|(name, value)| (name.as_str(), Some(value.into()))));
    let recovery = settings.point_in_time_recovery;
    JsonTree::object([
        (
            "deletion_protection",
            settings.deletion_protection.map(Into::into),
        ),
        (
            "point_in_time_recovery",
            recovery.map(|days| u64::from(days).into()),
        ),
        ("class", settings.class.as_ref().map(word)),
        ("billing", settings.billing.map(billing)),
        ("tags", (!settings.tags.is_empty()).then_some(tags)),
        ("replicas", settings.replicas.as_ref().map(replicas)),
    ])
}

fn replicas(replicas: &Replicas) -> JsonTree {
    let regions = replicas.regions.iter().cloned().collect::<Vec<_>>();
    JsonTree::object([
        ("consistency", Some(word(&replicas.consistency))),
        ("regions", Some(texts(&regions))),
        ("witness", replicas.witness.as_ref().map(Into::into)),
    ])
}

fn entity(entity: &EntitySchema) -> JsonTree {
    JsonTree::object([
        ("name", Some((&entity.name).into())),
        ("stored_name", Some((&entity.stored_name).into())),
        ("doc", text(&entity.doc)),
        ("append_only", entity.append_only.then(|| true.into())),
        ("fields", list(&entity.fields, field)),
        ("pk", Some(key(&entity.pk))),
        ("sk", entity.sk.as_ref().map(key)),
        ("patterns", list(&entity.patterns, pattern)),
        ("uniques", list(&entity.uniques, unique)),
        ("allows", list(&entity.allows, allow)),
    ])
}

fn field(field: &FieldSchema) -> JsonTree {
    JsonTree::object([
        ("name", Some((&field.name).into())),
        ("attribute", field.attribute.as_ref().map(Into::into)),
        ("rust_type", Some((&field.rust_type).into())),
        ("value_type", field.value_type.as_ref().map(Into::into)),
        ("stored", field.stored.as_ref().map(word)),
        ("role", Some(word(&field.role))),
        ("required", field.is_required.then(|| true.into())),
        ("form", field.form.as_ref().map(Into::into)),
        ("default", field.default.as_ref().map(Into::into)),
        ("doc", text(&field.doc)),
    ])
}

fn key(key: &KeySchema) -> JsonTree {
    let (field, template) = match &key.content {
        KeyContent::Field(field) => (Some(field.into()), None),
        KeyContent::Template(pieces) => (None, Some(JsonTree::list(pieces, piece))),
    };
    JsonTree::object([
        ("attribute", Some((&key.attribute).into())),
        ("type", Some(word(&key.ty))),
        ("field", field),
        ("template", template),
    ])
}

fn piece(piece: &PieceSchema) -> JsonTree {
    match piece {
        PieceSchema::Text(text) => JsonTree::object([("text", Some(text.into()))]),
        PieceSchema::Shard(shards) => {
            JsonTree::object([("shards", Some(u64::from(*shards).into()))])
        }
        PieceSchema::Part(part) => self::part(part),
    }
}

fn part(part: &PartSchema) -> JsonTree {
    JsonTree::object([
        ("field", Some((&part.field).into())),
        ("format", part.format.as_ref().map(Into::into)),
        ("width", Some(word(&part.width))),
        ("presence", Some(word(&part.presence))),
    ])
}

fn pattern(pattern: &PatternSchema) -> JsonTree {
    JsonTree::object([
        ("name", Some((&pattern.name).into())),
        ("index", Some((&pattern.index).into())),
        ("kind", Some(word(&pattern.kind))),
        ("pk", list(&pattern.pk, key)),
        ("sk", list(&pattern.sk, key)),
        (
            "read_shards",
            pattern.read_shards.map(|shards| u64::from(shards).into()),
        ),
        ("when", pattern.when.as_ref().map(Into::into)),
        (
            "when_fields",
            list(&pattern.when_fields, |name| name.into()),
        ),
        (
            "when_values",
            list(&pattern.when_values, |value| value.into()),
        ),
        ("whole_rows", pattern.has_whole_rows.then(|| true.into())),
    ])
}

fn unique(unique: &UniqueSchema) -> JsonTree {
    JsonTree::object([
        ("name", Some((&unique.name).into())),
        ("stored", Some((&unique.stored).into())),
        ("fields", Some(texts(&unique.fields))),
        ("parts", list(&unique.parts, part)),
    ])
}

fn value(value: &ValueSchema) -> JsonTree {
    let (stored_as, tag, variants) = match &value.content {
        ValueContent::Struct(_) | ValueContent::Newtype(_) => (None, None, None),
        ValueContent::Names(variants) => (Some("names"), None, Some(variants)),
        ValueContent::Numbers(variants) => (Some("numbers"), None, Some(variants)),
        ValueContent::Tagged { tag, variants } => (Some("tagged"), Some(tag), Some(variants)),
    };
    let fields = match &value.content {
        ValueContent::Struct(fields) => Some(JsonTree::list(fields, field)),
        _ => None,
    };
    let wraps = match &value.content {
        ValueContent::Newtype(inner) => Some(inner.into()),
        _ => None,
    };
    JsonTree::object([
        ("name", Some((&value.name).into())),
        ("doc", text(&value.doc)),
        ("wraps", wraps),
        ("fields", fields),
        ("stored_as", stored_as.map(Into::into)),
        ("tag", tag.map(Into::into)),
        (
            "variants",
            variants.map(|variants| JsonTree::list(variants, variant)),
        ),
    ])
}

fn variant(variant: &VariantSchema) -> JsonTree {
    JsonTree::object([
        ("name", Some((&variant.name).into())),
        ("stored", Some((&variant.stored).into())),
        ("fields", list(&variant.fields, field)),
    ])
}

fn allow(allow: &AllowSchema) -> JsonTree {
    JsonTree::object([
        ("of", allow.of.as_ref().map(Into::into)),
        ("rule", Some((&allow.rule).into())),
    ])
}

fn collection(collection: &CollectionSchema) -> JsonTree {
    JsonTree::object([
        ("name", Some((&collection.name).into())),
        ("doc", text(&collection.doc)),
        ("index", collection.index.as_ref().map(Into::into)),
        (
            "partition",
            collection.partition.as_ref().map(|parts| texts(parts)),
        ),
        ("entities", Some(texts(&collection.entities))),
    ])
}
