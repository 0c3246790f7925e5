//! A key attribute whose parts are given as texts: written piece by piece, like the derive's functions.

use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;
use crate::key::{GivenPart, KeyTarget, KeyText, LOWER, PLAIN, Role, Shard, UPPER, wrong_parts};
use crate::schema::{
    DeclaredEntity, KeyDef, KeySource, PartModel, PartRanges, Piece, Presence, Style, TextOf,
    Width, text_after,
};

/// A key attribute with the models of its parts.
#[derive(Clone, Copy)]
pub(super) struct DynamicKey {
    pub(super) def: &'static KeyDef,
    models: &'static [PartModel],
    style: Style,
}

/// A part of a key, or a field that is a key by itself.
#[derive(Clone, Copy)]
pub(super) struct DynamicPart {
    pub(crate) field: &'static str,
    pub(super) model: &'static PartModel,
    /// None for a field that is a key by itself.
    piece: Option<(Width, Presence)>,
}

/// Provides the models of parts, which are in one list, key by key.
pub(super) struct PartModels {
    left: &'static [PartModel],
    style: Style,
}

impl PartModels {
    pub(crate) fn of(declared: &DeclaredEntity) -> Self {
        PartModels {
            left: declared.model.parts,
            style: declared.table.style,
        }
    }

    /// Those of the next key.
    pub(crate) fn take(&mut self, def: &'static KeyDef) -> DynamicKey {
        let count = match def.source {
            KeySource::Field(_) | KeySource::Number { .. } => 1,
            KeySource::Template(pieces) => pieces.iter().filter(|piece| is_part(piece)).count(),
        };
        // The models of all keys are one list in the order of the declaration. Therefore keys must
        // be taken in that order, also those that are not needed.
        let (models, left) = self.left.split_at_checked(count).unwrap_or_default();
        self.left = left;
        DynamicKey {
            def,
            models,
            style: self.style,
        }
    }
}

fn is_part(piece: &Piece) -> bool {
    matches!(piece, Piece::Part { .. })
}

impl DynamicKey {
    pub(super) fn is_template(&self) -> bool {
        matches!(self.def.source, KeySource::Template(_))
    }

    pub(crate) fn parts(&self) -> Vec<DynamicPart> {
        let fields: Vec<_> = match self.def.source {
            KeySource::Field(field) | KeySource::Number { field, .. } => vec![(field, None)],
            KeySource::Template(pieces) => {
                let parts = pieces.iter().filter_map(|piece| match piece {
                    Piece::Part {
                        field,
                        width,
                        presence,
                        ..
                    } => Some((*field, Some((*width, *presence)))),
                    Piece::Literal(_) | Piece::Shard(_) => None,
                });
                parts.collect()
            }
        };
        let parts = fields.into_iter().zip(self.models);
        let part = |((field, piece), model)| DynamicPart {
            field,
            model,
            piece,
        };
        parts.map(part).collect()
    }

    /// Writes the attribute, or the part of it that the target needs. A part that is None is not written.
    pub(crate) fn write(
        &self,
        parts: &[Option<&GivenPart>],
        shard: Shard,
        role: Role,
        target: KeyTarget<'_>,
    ) -> Result<(), CodecError> {
        if let (false, [Some(part)], [model]) = (self.is_template(), parts, self.models) {
            return match role {
                Role::Partition => part.write_value(target, &model.name),
                Role::Sort => part.write_sort_value(target, &model.name),
            };
        }
        self.write_pieces(shard, role, target, |at, place| {
            parts
                .get(at)
                .copied()
                .flatten()
                .map_or(Ok(()), |part| part.write(place))
        })
    }

    /// Writes one part of a sort key, or the text before all parts.
    pub(super) fn write_one(
        &self,
        at: usize,
        part: Option<&GivenPart>,
        target: KeyTarget<'_>,
    ) -> Result<(), CodecError> {
        let mut parts = vec![None; self.models.len()];
        if let Some(place) = parts.get_mut(at) {
            *place = part;
        }
        self.write(&parts, Shard::Without, Role::Sort, target)
    }

    /// Writes the text of a None in a sort key.
    pub(crate) fn write_none(
        &self,
        none: usize,
        presence: Presence,
        target: KeyTarget<'_>,
    ) -> Result<(), CodecError> {
        self.write_pieces(Shard::Without, Role::Sort, target, |at, place| {
            if at == none {
                place.write_none(presence);
            }
            Ok(())
        })
    }

    fn write_pieces(
        &self,
        shard: Shard,
        role: Role,
        target: KeyTarget<'_>,
        write: impl Fn(usize, crate::key::PartPlace<'_, '_>) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        let KeySource::Template(pieces) = self.def.source else {
            return Err(wrong_parts());
        };
        let mut key = KeyText::open(target, self.def.attribute, role, self.style)?;
        let mut parts = self.models.iter().enumerate();
        for (at_piece, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Literal(text) => key.literal(text),
                Piece::Shard(shards) => key.shard(shard, *shards)?,
                Piece::Part { field, .. } => {
                    let (at, model) = parts.next().ok_or_else(wrong_parts)?;
                    write(
                        at,
                        key.part(field, model.pad(), text_after(pieces, at_piece)),
                    )?;
                }
            }
        }
        key.close()
    }

    /// Whether the keys sort by the values of a part; those of other libraries may not.
    pub(super) fn is_sorted_by(&self, part: &DynamicPart) -> bool {
        // `Fixed` has an order in some templates only, and `ranges_in` has replaced it in those.
        if matches!(part.model.ranges, PartRanges::Nothing | PartRanges::Fixed) {
            return false;
        }
        let KeySource::Template(pieces) = self.def.source else {
            return true;
        };
        let ends = |piece: Option<&Piece>| matches!(piece, Some(Piece::Part { field, .. }) if *field == part.field);
        self.style == Style::Escaped
            || !part.has_any_width()
            || part.model.ranges == PartRanges::PrefixFree
            || part.model.ranges == PartRanges::Text && ends(pieces.last())
    }
}

impl DynamicPart {
    /// The part of this text, if it is valid.
    pub(crate) fn read(&self, text: &str, of: TextOf) -> Option<GivenPart> {
        let part = (self.model.given)(text, of)?;
        part.downcast().ok().map(|part| *part)
    }

    /// Whether its texts differ in width.
    pub(super) fn has_any_width(&self) -> bool {
        let width = self.piece.map(|(width, _)| width);
        matches!(width, None | Some(Width::Variable))
    }

    /// The position of a None in the key, if it is kept.
    pub(super) fn place_of_none(&self) -> Option<Presence> {
        let presence = self.piece.map(|(_, presence)| presence)?;
        matches!(presence, Presence::First | Presence::Last).then_some(presence)
    }

    /// The format, if it determines the case of a text.
    pub(super) fn case(&self) -> u8 {
        match self.model.format.split(':').next() {
            Some("lower") => LOWER,
            Some("upper") => UPPER,
            _ => PLAIN,
        }
    }
}

/// Reads one part of a key of this entity.
pub(super) fn read_part(
    entity: &DeclaredEntity,
    part: &DynamicPart,
    text: &str,
    of: TextOf,
) -> Result<GivenPart> {
    part.read(text, of).ok_or_else(|| {
        let (field, name) = (part.field, entity.entity.type_name);
        let mut fields = entity.model.fields.iter();
        let declared = fields.find(|known| known.name == field);
        let ty = declared.map_or("value of its type", |declared| declared.rust_type);
        let format = match part.model.format {
            "" => String::new(),
            format => format!(", in the key as `{{{field}:{format}}}`"),
        };
        let message = format!(
            "`{field}` of `{name}` is a `{ty}`{format}, and the given text is not a value \
             of it: `TableSchema::dynamic` describes how each type is written"
        );
        let error = Error::new(ErrorKind::InvalidKey, Stage::Key, message);
        error.of(name).at(field)
    })
}
