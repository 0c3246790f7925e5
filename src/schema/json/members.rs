//! The members of each kind of object.

use super::form::{JsonForm, JsonMembers, JsonPlace, JsonRecord};
use super::word::EnumForm;
use crate::error::Result;
use crate::json::JsonTree;
use crate::schema::{
    AllowSchema, Billing, CollectionSchema, EntitySchema, ExpirySchema, FieldSchema, IndexSchema,
    KeyAttribute, KeyContent, KeySchema, PartSchema, PatternSchema, PieceSchema, ProjectionSchema,
    Replicas, ShapeSchema, TableSchema, TableSettings, UniqueSchema, ValueContent, ValueSchema,
    VariantSchema,
};

impl JsonRecord for TableSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.may("doc", &mut self.doc)?;
        members.must("pk", &mut self.pk)?;
        members.may("sk", &mut self.sk)?;
        members.may("type_attribute", &mut self.type_attribute)?;
        members.must("keys", &mut self.style)?;
        members.may("global_indexes", &mut self.global_indexes)?;
        members.may("local_indexes", &mut self.local_indexes)?;
        members.may("ttl", &mut self.ttl)?;
        members.may("stream", &mut self.stream)?;
        members.must("settings", &mut self.settings)?;
        members.may("entities", &mut self.entities)?;
        members.may("values", &mut self.values)?;
        members.may("collections", &mut self.collections)?;
        members.may("allows", &mut self.allows)
    }
}

impl JsonRecord for KeyAttribute {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.must("type", &mut self.ty)
    }
}

impl JsonRecord for IndexSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.may("pk", &mut self.pk)?;
        members.may("sk", &mut self.sk)?;
        members.must("projection", &mut self.projection)
    }
}

impl JsonForm for ProjectionSchema {
    fn tree(&self) -> JsonTree {
        match self {
            ProjectionSchema::All => "all".into(),
            ProjectionSchema::Keys => "keys".into(),
            ProjectionSchema::Include(names) => names.tree(),
        }
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        match place.as_text() {
            Some("all") => Ok(ProjectionSchema::All),
            Some("keys") => Ok(ProjectionSchema::Keys),
            _ => Vec::read(place).map(ProjectionSchema::Include),
        }
    }
}

impl JsonRecord for TableSettings {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.may("deletion_protection", &mut self.deletion_protection)?;
        members.may("point_in_time_recovery", &mut self.point_in_time_recovery)?;
        members.may("class", &mut self.class)?;
        members.may("billing", &mut self.billing)?;
        members.may("tags", &mut self.tags)?;
        members.may("replicas", &mut self.replicas)
    }
}

impl JsonForm for Billing {
    fn tree(&self) -> JsonTree {
        let Some((reads, writes)) = self.units() else {
            return "on_demand".into();
        };
        let is_scaled = matches!(self, Billing::Scaled { .. });
        JsonTree::object([
            ("reads", Some(reads.into())),
            ("writes", Some(writes.into())),
            ("scaled", is_scaled.then(|| true.into())),
        ])
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        if place.as_text() == Some("on_demand") {
            return Ok(Billing::OnDemand);
        }
        let (mut units, _) = place.object()?;
        let (mut reads, mut writes, mut is_scaled) = (0, 0, false);
        units.must("reads", &mut reads)?;
        units.must("writes", &mut writes)?;
        units.may("scaled", &mut is_scaled)?;
        Ok(match is_scaled {
            true => Billing::Scaled { reads, writes },
            false => Billing::Provisioned { reads, writes },
        })
    }
}

impl JsonRecord for Replicas {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        let mut regions: Vec<String> = self.regions.iter().cloned().collect();
        members.must("consistency", &mut self.consistency)?;
        members.must("regions", &mut regions)?;
        members.may("witness", &mut self.witness)?;
        self.regions = regions.into_iter().collect();
        Ok(())
    }
}

impl JsonRecord for EntitySchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.must("stored_name", &mut self.stored_name)?;
        members.may("doc", &mut self.doc)?;
        members.may("append_only", &mut self.append_only)?;
        members.may("shape", &mut self.shape)?;
        members.may("fields", &mut self.fields)?;
        members.must("pk", &mut self.pk)?;
        members.may("sk", &mut self.sk)?;
        members.may("patterns", &mut self.patterns)?;
        members.may("uniques", &mut self.uniques)?;
        members.may("allows", &mut self.allows)
    }
}

impl JsonRecord for ShapeSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("number", &mut self.number)?;
        members.must("writes", &mut self.writes)?;
        members.may("was", &mut self.was)
    }
}

impl JsonRecord for FieldSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.may("attribute", &mut self.attribute)?;
        members.must("rust_type", &mut self.rust_type)?;
        members.may("value_type", &mut self.value_type)?;
        members.may("stored", &mut self.stored)?;
        members.must("role", &mut self.role)?;
        members.may("required", &mut self.is_required)?;
        members.may("form", &mut self.form)?;
        members.may("default", &mut self.default)?;
        members.may("was", &mut self.former)?;
        members.may("was_use", &mut self.former_use)?;
        members.may("expiry", &mut self.expiry)?;
        members.may("doc", &mut self.doc)
    }
}

impl JsonRecord for ExpirySchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("source", &mut self.source)?;
        members.must("seconds", &mut self.seconds)
    }
}

impl JsonRecord for KeySchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        let (mut field, mut template) = match &self.content {
            KeyContent::Field(field) => (Some(field.clone()), None),
            KeyContent::Template(pieces) => (None, Some(pieces.clone())),
        };
        members.must("attribute", &mut self.attribute)?;
        members.must("type", &mut self.ty)?;
        members.may("field", &mut field)?;
        members.may("template", &mut template)?;
        self.content = match (field, template) {
            (Some(field), _) => KeyContent::Field(field),
            (None, Some(pieces)) => KeyContent::Template(pieces),
            (None, None) => return members.check_written("template"),
        };
        Ok(())
    }
}

impl JsonForm for PieceSchema {
    fn tree(&self) -> JsonTree {
        match self {
            PieceSchema::Text(text) => JsonTree::object([("text", Some(text.into()))]),
            PieceSchema::Shard(shards) => JsonTree::object([("shards", Some(shards.tree()))]),
            PieceSchema::Part(part) => part.tree(),
        }
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        let (mut members, _) = place.object()?;
        let (mut text, mut shards) = (None, None);
        members.may("text", &mut text)?;
        members.may("shards", &mut shards)?;
        match (text, shards) {
            (Some(text), _) => Ok(PieceSchema::Text(text)),
            (None, Some(shards)) => Ok(PieceSchema::Shard(shards)),
            (None, None) => PartSchema::read(place).map(PieceSchema::Part),
        }
    }
}

impl JsonRecord for PartSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("field", &mut self.field)?;
        members.may("format", &mut self.format)?;
        members.must("width", &mut self.width)?;
        members.must("presence", &mut self.presence)
    }
}

impl JsonRecord for PatternSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.must("index", &mut self.index)?;
        members.must("kind", &mut self.kind)?;
        members.may("pk", &mut self.pk)?;
        members.may("sk", &mut self.sk)?;
        members.may("read_shards", &mut self.read_shards)?;
        members.may("when", &mut self.when)?;
        members.may("when_fields", &mut self.when_fields)?;
        members.may("when_values", &mut self.when_values)?;
        members.may("whole_rows", &mut self.has_whole_rows)?;
        members.may("filling", &mut self.is_filling)
    }
}

impl JsonRecord for UniqueSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.must("stored", &mut self.stored)?;
        members.must("fields", &mut self.fields)?;
        members.may("parts", &mut self.parts)?;
        members.may("filling", &mut self.is_filling)
    }
}

impl JsonRecord for ValueSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        let (mut wraps, mut fields) = (None, None);
        let (mut stored_as, mut tag, mut variants) = (None, None, None);
        match &self.content {
            ValueContent::Struct(all) => fields = Some(all.clone()),
            ValueContent::Newtype(inner) => wraps = Some(inner.clone()),
            ValueContent::Names(all) => (stored_as, variants) = of_enum(EnumForm::Names, all),
            ValueContent::Numbers(all) => (stored_as, variants) = of_enum(EnumForm::Numbers, all),
            ValueContent::Tagged {
                tag: name,
                variants: all,
            } => {
                tag = Some(name.clone());
                (stored_as, variants) = of_enum(EnumForm::Tagged, all);
            }
        }
        members.must("name", &mut self.name)?;
        members.may("doc", &mut self.doc)?;
        members.may("wraps", &mut wraps)?;
        members.may("fields", &mut fields)?;
        members.may("stored_as", &mut stored_as)?;
        members.may("tag", &mut tag)?;
        members.may("variants", &mut variants)?;
        let variants = variants.unwrap_or_default();
        self.content = match (stored_as, tag, wraps) {
            (Some(EnumForm::Names), ..) => ValueContent::Names(variants),
            (Some(EnumForm::Numbers), ..) => ValueContent::Numbers(variants),
            (Some(EnumForm::Tagged), Some(tag), _) => ValueContent::Tagged { tag, variants },
            (Some(EnumForm::Tagged), None, _) => return members.check_written("tag"),
            (None, _, Some(inner)) => ValueContent::Newtype(inner),
            (None, _, None) => ValueContent::Struct(fields.unwrap_or_default()),
        };
        Ok(())
    }
}

fn of_enum(
    stored_as: EnumForm,
    variants: &[VariantSchema],
) -> (Option<EnumForm>, Option<Vec<VariantSchema>>) {
    (Some(stored_as), Some(variants.to_vec()))
}

impl JsonRecord for VariantSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.must("stored", &mut self.stored)?;
        members.may("fields", &mut self.fields)
    }
}

impl JsonRecord for AllowSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.may("of", &mut self.of)?;
        members.must("rule", &mut self.rule)
    }
}

impl JsonRecord for CollectionSchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        members.must("name", &mut self.name)?;
        members.may("doc", &mut self.doc)?;
        members.may("index", &mut self.index)?;
        members.may("partition", &mut self.partition)?;
        members.must("entities", &mut self.entities)
    }
}
