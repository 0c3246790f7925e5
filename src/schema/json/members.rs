//! The members of objects that are not structs of plain fields.

use crate::error::Result;
use crate::json::JsonTree;
use crate::schema::json_form::{JsonForm, JsonMembers, JsonPlace, JsonRecord};
use crate::schema::json_word::EnumForm;
use crate::schema::{
    Billing, Encryption, KeyContent, KeySchema, OnDemandMaximum, PartSchema, PieceSchema,
    ProjectionSchema, ValueContent, ValueSchema, VariantSchema,
};

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

impl JsonForm for Billing {
    fn tree(&self) -> JsonTree {
        let Some((reads, writes)) = self.units() else {
            return "on_demand".into();
        };
        let is_scaled = matches!(self, Billing::Scaled { .. });
        JsonTree::object_of([
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

impl JsonForm for OnDemandMaximum {
    fn tree(&self) -> JsonTree {
        match self {
            OnDemandMaximum::Unlimited => "unlimited".into(),
            OnDemandMaximum::Units { reads, writes } => JsonTree::object_of([
                ("reads", Some((*reads).into())),
                ("writes", Some((*writes).into())),
            ]),
        }
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        if place.as_text() == Some("unlimited") {
            return Ok(OnDemandMaximum::Unlimited);
        }
        let (mut units, _) = place.object()?;
        let (mut reads, mut writes) = (0, 0);
        units.must("reads", &mut reads)?;
        units.must("writes", &mut writes)?;
        Ok(OnDemandMaximum::Units { reads, writes })
    }
}

impl JsonForm for Encryption {
    fn tree(&self) -> JsonTree {
        match self {
            Encryption::AwsOwned => "aws_owned".into(),
            Encryption::AwsManaged => "aws_managed".into(),
            Encryption::Key(arn) => JsonTree::object_of([("key", Some(arn.into()))]),
        }
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        match place.as_text() {
            Some("aws_owned") => return Ok(Encryption::AwsOwned),
            Some("aws_managed") => return Ok(Encryption::AwsManaged),
            _ => {}
        }
        let mut arn = String::new();
        place.object()?.0.must("key", &mut arn)?;
        Ok(Encryption::Key(arn))
    }
}

impl JsonRecord for KeySchema {
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()> {
        let (mut field, mut template, mut number) = match self.content.clone() {
            KeyContent::Field(field) => (Some(field), None, None),
            KeyContent::Template(pieces) => (None, Some(pieces), None),
            KeyContent::Number(field) => (None, None, Some(field)),
        };
        members.must("attribute", &mut self.attribute)?;
        members.must("type", &mut self.ty)?;
        members.may("field", &mut field)?;
        members.may("template", &mut template)?;
        members.may("number", &mut number)?;
        self.content = match (field, template, number) {
            (Some(field), ..) => KeyContent::Field(field),
            (None, Some(pieces), _) => KeyContent::Template(pieces),
            (None, None, Some(field)) => KeyContent::Number(field),
            (None, None, None) => return members.check_written("template"),
        };
        Ok(())
    }
}

impl JsonForm for PieceSchema {
    fn tree(&self) -> JsonTree {
        match self {
            PieceSchema::Text(text) => JsonTree::object_of([("text", Some(text.into()))]),
            PieceSchema::Shard(shards) => JsonTree::object_of([("shards", Some(shards.tree()))]),
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
