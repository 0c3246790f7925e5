//! Reads what `to_json` writes, and what later versions of it write in the same format.

use super::FORMAT;
use super::word::Word;
use crate::codec::{Item, Value};
use crate::error::{Error, Result};
use crate::schema::{
    AllowSchema, Billing, CollectionSchema, EntitySchema, FieldSchema, IndexSchema, KeyAttribute,
    KeyContent, KeySchema, Origin, PartSchema, PatternSchema, PieceSchema, ProjectionSchema,
    ReplicaConsistency, Replicas, TableSchema, TableSettings, UniqueSchema, ValueContent,
    ValueSchema, VariantSchema,
};

impl TableSchema {
    /// The schema that [`to_json`](TableSchema::to_json) wrote, of this version of the library or another one. It equals
    /// the one that was written; members that this version does not know are passed over. A format that is newer than
    /// this version is an error of kind [`Config`](crate::error::ErrorKind::Config), and so is anything else, with the
    /// member that is wrong.
    pub fn from_json(json: &str) -> Result<TableSchema> {
        let root =
            Item::from_json(json).map_err(|error| refused("it is not JSON").with_source(error))?;
        let root = Object {
            item: &root,
            path: String::new(),
        };
        let format: u64 = root.number("format")?;
        if format > FORMAT {
            let message = format!(
                "it has format {format}, and this version reads up to {FORMAT}: take a newer version of dynamo-entity"
            );
            return Err(refused(&message));
        }
        Ok(TableSchema {
            name: root.text("name")?,
            doc: root.text_or_empty("doc")?,
            pk: root.read("pk", attribute)?,
            sk: root.may("sk", |sk| attribute(&sk.object()?))?,
            type_attribute: root.may("type_attribute", |name| name.text())?,
            style: root.word("keys")?,
            global_indexes: root.list("global_indexes", index)?,
            local_indexes: root.list("local_indexes", index)?,
            ttl: root.may("ttl", |ttl| ttl.text())?,
            stream: root.may("stream", |stream| stream.word())?,
            settings: root.read("settings", settings)?,
            allows: root.list("allows", allow)?,
            entities: root.list("entities", entity)?,
            values: root.list("values", value)?,
            collections: root.list("collections", collection)?,
            origin: Origin(None),
        })
    }
}

#[cold]
fn refused(what: &str) -> Error {
    Error::config(format!("this is no schema of a table: {what}"))
}

/// An object, and where it stands.
struct Object<'j> {
    item: &'j Item,
    path: String,
}

/// A value, and where it stands.
struct Member<'j> {
    value: &'j Value,
    path: String,
}

impl<'j> Object<'j> {
    fn may<T>(&self, name: &str, read: impl FnOnce(Member<'j>) -> Result<T>) -> Result<Option<T>> {
        let path = match self.path.is_empty() {
            true => name.to_owned(),
            false => format!("{}.{name}", self.path),
        };
        let value = self.item.get(name);
        value.map(|value| read(Member { value, path })).transpose()
    }

    fn must<T>(&self, name: &str, read: impl FnOnce(Member<'j>) -> Result<T>) -> Result<T> {
        self.may(name, read)?.ok_or_else(|| {
            let place = match self.path.is_empty() {
                true => "it".to_owned(),
                false => format!("`{}`", self.path),
            };
            refused(&format!("{place} lacks `{name}`"))
        })
    }

    fn read<T>(&self, name: &str, read: impl FnOnce(&Object<'j>) -> Result<T>) -> Result<T> {
        self.must(name, |member| read(&member.object()?))
    }

    fn text(&self, name: &str) -> Result<String> {
        self.must(name, |member| member.text())
    }

    fn text_or_empty(&self, name: &str) -> Result<String> {
        Ok(self.may(name, |member| member.text())?.unwrap_or_default())
    }

    fn flag(&self, name: &str) -> Result<bool> {
        Ok(self.may(name, |member| member.flag())?.unwrap_or_default())
    }

    fn number<N: TryFrom<u64>>(&self, name: &str) -> Result<N> {
        self.must(name, |member| member.number())
    }

    fn word<W: Word>(&self, name: &str) -> Result<W> {
        self.must(name, |member| member.word())
    }

    /// A list that may be left out.
    fn list<T>(&self, name: &str, read: impl Fn(&Object<'j>) -> Result<T>) -> Result<Vec<T>> {
        let list = self.may(name, |member| {
            member.each(|element| read(&element.object()?))
        })?;
        Ok(list.unwrap_or_default())
    }
}

impl<'j> Member<'j> {
    fn wrong(&self, expected: &str) -> Error {
        refused(&format!("`{}` is not {expected}", self.path))
    }

    fn object(&self) -> Result<Object<'j>> {
        match self.value {
            Value::M(item) => Ok(Object {
                item,
                path: self.path.clone(),
            }),
            _ => Err(self.wrong("an object")),
        }
    }

    fn text(&self) -> Result<String> {
        let text = self.value.as_text();
        text.map(str::to_owned).ok_or_else(|| self.wrong("a text"))
    }

    fn flag(&self) -> Result<bool> {
        match self.value {
            Value::Bool(value) => Ok(*value),
            _ => Err(self.wrong("`true` or `false`")),
        }
    }

    fn number<N: TryFrom<u64>>(&self) -> Result<N> {
        let number = self.value.as_number();
        let number = number.and_then(|number| number.to_string().parse::<u64>().ok());
        let number = number.and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| self.wrong("a number of its range"))
    }

    fn word<W: Word>(&self) -> Result<W> {
        let word = W::of_word(&self.text()?);
        word.ok_or_else(|| self.wrong("a word that this version of dynamo-entity knows"))
    }

    fn each<T>(&self, read: impl Fn(Member<'j>) -> Result<T>) -> Result<Vec<T>> {
        let Value::L(values) = self.value else {
            return Err(self.wrong("a list"));
        };
        let elements = values.iter().enumerate().map(|(at, value)| Member {
            value,
            path: format!("{}[{at}]", self.path),
        });
        elements.map(read).collect()
    }

    fn texts(&self) -> Result<Vec<String>> {
        self.each(|element| element.text())
    }
}

fn attribute(object: &Object<'_>) -> Result<KeyAttribute> {
    Ok(KeyAttribute {
        name: object.text("name")?,
        ty: object.word("type")?,
    })
}

fn index(object: &Object<'_>) -> Result<IndexSchema> {
    Ok(IndexSchema {
        name: object.text("name")?,
        pk: object.list("pk", attribute)?,
        sk: object.list("sk", attribute)?,
        projection: object.must("projection", |member| match member.value.as_text() {
            Some("all") => Ok(ProjectionSchema::All),
            Some("keys") => Ok(ProjectionSchema::Keys),
            _ => member.texts().map(ProjectionSchema::Include),
        })?,
    })
}

fn settings(object: &Object<'_>) -> Result<TableSettings> {
    let billing = object.may("billing", |member| match member.value.as_text() {
        Some("on_demand") => Ok(Billing::OnDemand),
        _ => {
            let units = member.object()?;
            let (reads, writes) = (units.number("reads")?, units.number("writes")?);
            let is_scaled = units.may("scaled", |member| member.flag())?;
            Ok(match is_scaled {
                Some(true) => Billing::Scaled { reads, writes },
                _ => Billing::Provisioned { reads, writes },
            })
        }
    })?;
    let tags = object.may("tags", |member| {
        let tags = member.object()?;
        let names = tags.item.iter().map(|(name, _)| name);
        names
            .map(|name| Ok((name.clone(), tags.text(name)?)))
            .collect()
    })?;
    Ok(TableSettings {
        deletion_protection: object.may("deletion_protection", |member| member.flag())?,
        point_in_time_recovery: object.may("point_in_time_recovery", |days| days.number())?,
        class: object.may("class", |class| class.word())?,
        billing,
        tags: tags.unwrap_or_default(),
        replicas: object.may("replicas", |member| replicas(&member.object()?))?,
    })
}

fn replicas(object: &Object<'_>) -> Result<Replicas> {
    let consistency: ReplicaConsistency = object.must("consistency", |member| member.word())?;
    let regions = object.must("regions", |member| member.texts())?;
    let replicas = match consistency {
        ReplicaConsistency::Eventual => Replicas::eventual(regions),
        ReplicaConsistency::Strong => Replicas::strong(regions),
    };
    Ok(match object.may("witness", |member| member.text())? {
        Some(region) => replicas.with_witness(region),
        None => replicas,
    })
}

fn entity(object: &Object<'_>) -> Result<EntitySchema> {
    Ok(EntitySchema {
        name: object.text("name")?,
        stored_name: object.text("stored_name")?,
        doc: object.text_or_empty("doc")?,
        append_only: object.flag("append_only")?,
        fields: object.list("fields", field)?,
        pk: object.read("pk", key)?,
        sk: object.may("sk", |sk| key(&sk.object()?))?,
        patterns: object.list("patterns", pattern)?,
        uniques: object.list("uniques", unique)?,
        allows: object.list("allows", allow)?,
        origin: Origin(None),
    })
}

fn field(object: &Object<'_>) -> Result<FieldSchema> {
    Ok(FieldSchema {
        name: object.text("name")?,
        attribute: object.may("attribute", |name| name.text())?,
        rust_type: object.text("rust_type")?,
        value_type: object.may("value_type", |ty| ty.text())?,
        stored: object.may("stored", |stored| stored.word())?,
        role: object.word("role")?,
        is_required: object.flag("required")?,
        form: object.may("form", |form| form.text())?,
        default: object.may("default", |default| default.text())?,
        doc: object.text_or_empty("doc")?,
    })
}

fn key(object: &Object<'_>) -> Result<KeySchema> {
    let field = object.may("field", |field| field.text())?;
    let content = match field {
        Some(field) => KeyContent::Field(field),
        None => KeyContent::Template(object.must("template", |member| {
            member.each(|element| piece(&element.object()?))
        })?),
    };
    Ok(KeySchema {
        attribute: object.text("attribute")?,
        ty: object.word("type")?,
        content,
    })
}

fn piece(object: &Object<'_>) -> Result<PieceSchema> {
    if let Some(text) = object.may("text", |text| text.text())? {
        return Ok(PieceSchema::Text(text));
    }
    if let Some(shards) = object.may("shards", |shards| shards.number())? {
        return Ok(PieceSchema::Shard(shards));
    }
    part(object).map(PieceSchema::Part)
}

fn part(object: &Object<'_>) -> Result<PartSchema> {
    Ok(PartSchema {
        field: object.text("field")?,
        format: object.may("format", |format| format.text())?,
        width: object.word("width")?,
        presence: object.word("presence")?,
    })
}

fn pattern(object: &Object<'_>) -> Result<PatternSchema> {
    Ok(PatternSchema {
        name: object.text("name")?,
        index: object.text("index")?,
        kind: object.word("kind")?,
        pk: object.list("pk", key)?,
        sk: object.list("sk", key)?,
        read_shards: object.may("read_shards", |shards| shards.number())?,
        when: object.may("when", |when| when.text())?,
        when_fields: texts_or_none(object, "when_fields")?,
        when_values: texts_or_none(object, "when_values")?,
        has_whole_rows: object.flag("whole_rows")?,
    })
}

fn unique(object: &Object<'_>) -> Result<UniqueSchema> {
    Ok(UniqueSchema {
        name: object.text("name")?,
        stored: object.text("stored")?,
        fields: object.must("fields", |fields| fields.texts())?,
        parts: object.list("parts", part)?,
    })
}

fn texts_or_none(object: &Object<'_>, name: &str) -> Result<Vec<String>> {
    Ok(object.may(name, |texts| texts.texts())?.unwrap_or_default())
}

fn value(object: &Object<'_>) -> Result<ValueSchema> {
    let stored_as = object.may("stored_as", |word| word.text())?;
    let content = match stored_as.as_deref() {
        Some("names") => ValueContent::Names(object.list("variants", variant)?),
        Some("numbers") => ValueContent::Numbers(object.list("variants", variant)?),
        Some("tagged") => ValueContent::Tagged {
            tag: object.text("tag")?,
            variants: object.list("variants", variant)?,
        },
        Some(_) => {
            return Err(object.must("stored_as", |member| {
                Ok(member.wrong("a word that this version of dynamo-entity knows"))
            })?);
        }
        None => match object.may("wraps", |inner| inner.text())? {
            Some(inner) => ValueContent::Newtype(inner),
            None => ValueContent::Struct(object.list("fields", field)?),
        },
    };
    Ok(ValueSchema {
        name: object.text("name")?,
        doc: object.text_or_empty("doc")?,
        content,
    })
}

fn variant(object: &Object<'_>) -> Result<VariantSchema> {
    Ok(VariantSchema {
        name: object.text("name")?,
        stored: object.text("stored")?,
        fields: object.list("fields", field)?,
    })
}

fn allow(object: &Object<'_>) -> Result<AllowSchema> {
    Ok(AllowSchema {
        of: object.may("of", |of| of.text())?,
        rule: object.text("rule")?,
    })
}

fn collection(object: &Object<'_>) -> Result<CollectionSchema> {
    Ok(CollectionSchema {
        name: object.text("name")?,
        doc: object.text_or_empty("doc")?,
        index: object.may("index", |index| index.text())?,
        partition: object.may("partition", |parts| parts.texts())?,
        entities: object.must("entities", |entities| entities.texts())?,
    })
}
