//! An entity and a key without their types, for planning: it is compiled once, and not for each entity of a program.

use std::fmt;

use super::parts::{UntypedParts, key_json, told_by};
use super::second_row::SecondKey;
use super::{DynamoEntity, DynamoTable, Known, ManagedValues, Version};
use crate::error::Error;
use crate::json::{CodecError, Name, Writer};
use crate::schema::{EntityDef, KeyDef, TableDef, written_with};

/// Whether a part exists; `None` if that is not known.
type IsThere = Result<Option<bool>, CodecError>;

/// The derived expiry in DynamoDB JSON: `Some(None)` if the item does not expire, `None` if the source is not known.
type DerivedExpiry = Result<Option<Option<Vec<u8>>>, CodecError>;

/// The information about an entity for planning: its names, and the functions of its derive. They are documented in
/// [`EntityContract`](super::EntityContract).
pub(crate) struct EntityDeclaration {
    pub(crate) def: &'static EntityDef,
    pub(crate) table: &'static TableDef,
    /// All entities of the table.
    pub(crate) entities: &'static [&'static EntityDef],
    pub(crate) may_be_absent: fn(usize) -> bool,
    pub(crate) default_json: fn(usize) -> Result<Option<Vec<u8>>, CodecError>,
    pub(crate) encode_now: fn(&str, &ManagedValues, &Name, &mut Writer) -> Result<(), CodecError>,
    pub(crate) index_part_is_there: fn(usize, usize, &Known) -> IsThere,
    pub(crate) index_holds: fn(usize, &Known) -> IsThere,
    pub(crate) write_index_key: fn(usize, usize, &Known, &mut Writer) -> Result<(), CodecError>,
    pub(crate) derive_expiry: fn(&Known) -> DerivedExpiry,
    pub(crate) unique_part_is_there: fn(usize, usize, &Known) -> IsThere,
    pub(crate) write_unique: fn(usize, &Known, &mut Writer) -> Result<(), CodecError>,
    /// The functions to the rows under another primary key.
    pub(crate) second_key: Option<SecondKey>,
    /// The entity whose writes store these rows, if its items have them under another primary key.
    pub(crate) written_with: Option<&'static EntityDef>,
    /// Whether a put may affect other rows: those of unique values, or the row under another key. Most entities have
    /// neither, and their writes check nothing else.
    pub(crate) put_concerns_others: bool,
    /// The same for a delete.
    pub(crate) delete_concerns_others: bool,
}

/// Every entity has one.
pub(crate) trait HasDeclaration {
    const DECLARATION: &'static EntityDeclaration;
}

impl<E: DynamoEntity> HasDeclaration for E {
    const DECLARATION: &'static EntityDeclaration = &EntityDeclaration {
        def: &E::ENTITY,
        table: &<E::Table as DynamoTable>::TABLE,
        entities: <E::Table as DynamoTable>::ENTITIES,
        may_be_absent: E::may_be_absent,
        default_json: E::default_json,
        encode_now: E::encode_now,
        index_part_is_there: E::index_part_is_there,
        index_holds: E::index_holds,
        write_index_key: E::write_index_key,
        derive_expiry: E::derive_expiry,
        unique_part_is_there: E::unique_part_is_there,
        write_unique: E::write_unique,
        second_key: E::SECOND_KEY,
        written_with: written_with(&E::ENTITY, <E::Table as DynamoTable>::ENTITIES),
        put_concerns_others: !E::ENTITY.uniques.is_empty()
            || E::ENTITY.writes_second_row(false)
            || written_with(&E::ENTITY, <E::Table as DynamoTable>::ENTITIES).is_some(),
        delete_concerns_others: !E::ENTITY.uniques.is_empty() || E::ENTITY.writes_second_row(true),
    };
}

impl EntityDeclaration {
    /// Whether a write may not write the row alone, because items have another row.
    pub(crate) fn has_two_rows(&self, is_delete: bool) -> bool {
        match is_delete {
            true => self.delete_concerns_others && self.def.writes_second_row(true),
            false => {
                self.put_concerns_others
                    && (self.def.writes_second_row(false) || self.written_with.is_some())
            }
        }
    }

    /// Whether keys of indexes or unique values are built from fields.
    pub(crate) fn has_templates(&self) -> bool {
        self.def.index_keys().any(KeyDef::is_derived) || !self.def.uniques.is_empty()
    }

    /// The attribute of a derived expiry.
    pub(crate) fn derived_ttl(&self) -> Option<&'static str> {
        self.def.ttl.filter(|_| self.def.expiry.is_some())
    }

    /// The field that decides the value of a field: of a derived expiry, its source. An item that was written by an
    /// older program has another expiry, so it is not compared.
    pub(crate) fn deciding(&self, field: &'static str) -> &'static str {
        let (Some(expiry), Some(ttl)) = (self.def.expiry, self.def.ttl) else {
            return field;
        };
        let mut attributes = self.def.attributes.iter();
        let is_expiry = attributes.any(|known| known.field == field && known.stored == ttl);
        if is_expiry { expiry.source } else { field }
    }

    /// The error of a value that cannot be written.
    pub(crate) fn unwritten(&self, fault: CodecError) -> Error {
        Error::encode(self.def.type_name, fault)
    }
}

impl fmt::Debug for EntityDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntityDeclaration({})", self.def.type_name)
    }
}

/// An entity without its type.
pub(crate) trait UntypedEntity {
    fn declaration(&self) -> &'static EntityDeclaration;

    /// The version in the struct, if the entity has one.
    fn held_version(&self) -> Option<Version>;

    /// Writes the attributes into the open object.
    fn write(&self, stamp: &ManagedValues, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the attributes in the present shape.
    fn write_present(&self, stamp: &ManagedValues, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the creation time; false if it does not exist.
    fn write_created_at(&self, writer: &mut Writer) -> Result<bool, CodecError>;

    fn untyped_key(&self) -> Result<UntypedKey, CodecError>;
}

impl<E: DynamoEntity> UntypedEntity for E {
    fn declaration(&self) -> &'static EntityDeclaration {
        E::DECLARATION
    }

    fn held_version(&self) -> Option<Version> {
        self.version()
    }

    fn write(&self, stamp: &ManagedValues, writer: &mut Writer) -> Result<(), CodecError> {
        self.encode(stamp, writer)
    }

    fn write_present(&self, stamp: &ManagedValues, writer: &mut Writer) -> Result<(), CodecError> {
        self.encode_present(stamp, writer)
    }

    fn write_created_at(&self, writer: &mut Writer) -> Result<bool, CodecError> {
        self.encode_created_at(writer)
    }

    fn untyped_key(&self) -> Result<UntypedKey, CodecError> {
        UntypedKey::of(E::DECLARATION, &self.key_parts())
    }
}

/// The key of an item, written, and the field values that it contains.
#[derive(Clone)]
pub(crate) struct UntypedKey {
    pub(crate) declared: &'static EntityDeclaration,
    /// The key attributes as an object of DynamoDB JSON.
    json: Vec<u8>,
    told: Known,
}

impl UntypedKey {
    pub(super) fn of(
        declared: &'static EntityDeclaration,
        parts: &dyn UntypedParts,
    ) -> Result<Self, CodecError> {
        Ok(UntypedKey {
            declared,
            told: told_by(parts)?,
            json: key_json(parts)?,
        })
    }

    /// The key attributes as an object of DynamoDB JSON.
    pub(crate) fn json(&self) -> &[u8] {
        &self.json
    }

    /// The values known from the key: the fields that it contains whole, and the hash that determines shards.
    pub(crate) fn told(&self) -> &Known {
        &self.told
    }
}

impl fmt::Debug for UntypedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = String::from_utf8_lossy(&self.json);
        write!(f, "Key<{}>({json})", self.declared.def.type_name)
    }
}
