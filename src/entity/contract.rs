//! The traits of an entity and of its key: `DynamoEntity` and `KeyParts` for programs, and `EntityContract`, which only
//! the derive implements.

use crate::entity::guard::{Guard, Open};
use crate::entity::parts::{UntypedParts, hash_of_parts, write_parts};
use crate::entity::second_row::SecondKey;
use crate::entity::{DynamoTable, Known, ManagedValues, Version};
use crate::error::Result;
use crate::json::{CodecError, Name, Reader, Writer};
use crate::key::{GivenPart, KeyHash, Shard, wrong_parts};
use crate::schema::{EntityDef, EntityModel};

/// A struct that is stored as an item. Derive it; its operations are in [`EntityExt`](crate::EntityExt).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "not an entity",
    note = "write `#[derive(DynamoEntity)]` and `#[dynamo(table = .., key(..))]` on the struct"
)]
pub trait DynamoEntity: EntityContract<Held = <Self as DynamoEntity>::KeyParts> {
    /// The table of the entity: a `#[derive(DynamoTable)]`, or the entity itself.
    type Table: DynamoTable;

    /// Its typed key parts, with their names.
    type KeyParts: KeyParts<Entity = Self>;

    /// The paths of its fields, for conditions and changes.
    type Paths: Copy + Default;

    /// `Versioned` if it has a version, `AppendOnly` if it is `append_only`, else the same as
    /// [`Unguarded`](Self::Unguarded).
    type Guard: Guard;

    /// `Reserving` if it has unique values, `TypeChecked` if its table has `identify_by = type`, else `Unconditional`.
    type Unguarded: Guard + Open;

    /// The identity of its table.
    #[doc(hidden)]
    const __TABLE_ID: &'static str = <Self::Table as DynamoTable>::TABLE.id;

    /// The stored name of its table.
    #[doc(hidden)]
    const __TABLE_NAME: &'static str = <Self::Table as DynamoTable>::TABLE.name;
}

/// The contract that a derive implements for an entity. Only the library calls it, and the prelude does not contain
/// it, so programs may use its names on their structs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "not an entity",
    note = "write `#[derive(DynamoEntity)]` and `#[dynamo(table = .., key(..))]` on the struct"
)]
pub trait EntityContract: Sized + Send + Sync + 'static {
    /// Its typed key parts.
    type Held: KeyParts;

    /// The entity itself. Generated code uses this, so that another type in its place gives only one error.
    type This: DynamoEntity;

    /// The fields that projections know.
    type Fields: Default;

    /// The names of the parts of its sort keys, for the message if a program uses one that is not allowed there.
    type SortParts: 'static;

    /// The value with those names.
    const SORT_PARTS: &'static Self::SortParts;

    /// Names and templates.
    const ENTITY: EntityDef;

    /// The rest of the declaration.
    const MODEL: EntityModel = EntityModel::EMPTY;

    /// The functions from its items to their rows under another primary key, and back.
    const SECOND_KEY: Option<SecondKey> = None;

    /// The parts of its key.
    fn key_parts(&self) -> Self::Held;

    /// Writes all attributes into the open object: derived ones first, then the fields'.
    fn encode(&self, stamp: &ManagedValues, writer: &mut Writer) -> Result<(), CodecError>;

    /// Writes the attributes in the shape of this declaration, which [`encode`](Self::encode) may write in the one before.
    fn encode_present(&self, stamp: &ManagedValues, writer: &mut Writer) -> Result<(), CodecError> {
        self.encode(stamp, writer)
    }

    /// Reads an object of attributes.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The result of [`decode`](Self::decode) on the output of [`encode`](Self::encode), if it is known without
    /// decoding.
    fn as_stored(&self, _stamp: &ManagedValues) -> Option<Self> {
        None
    }

    /// The reason why an item's key is not a key of this entity, if it is not.
    fn key_fault(json: &[u8]) -> Option<CodecError> {
        Self::Held::read(&mut Reader::new(json)).err()
    }

    /// The version in the struct.
    fn version(&self) -> Option<Version> {
        None
    }

    /// Writes the creation time and returns whether it exists.
    fn encode_created_at(&self, _writer: &mut Writer) -> Result<bool, CodecError> {
        Ok(false)
    }

    /// Writes the partition key of these parts, for an entity in a shared table.
    fn write_partition(
        _parts: &[&GivenPart],
        _shard: Shard,
        _writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Err(wrong_parts())
    }

    /// Writes the partition key of the index of an access pattern, likewise.
    fn write_index_partition(
        _pattern: &str,
        _parts: &[&GivenPart],
        _shard: Shard,
        _writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Err(wrong_parts())
    }

    /// Whether it can be read without this attribute, by its number in [`EntityDef::attributes`].
    fn may_be_absent(_attribute: usize) -> bool {
        true
    }

    /// The default of this attribute in DynamoDB JSON, if it has one.
    fn default_json(_attribute: usize) -> Result<Option<Vec<u8>>, CodecError> {
        Ok(None)
    }

    /// Writes the value of a managed attribute in a write at this moment.
    fn encode_now(
        _attribute: &str,
        _stamp: &ManagedValues,
        _name: &Name,
        _writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Ok(())
    }

    /// Whether a part of an index key is present; `None` if that is not known. Parts are counted over all
    /// templates of the index.
    fn index_part_is_there(
        _index: usize,
        _part: usize,
        _known: &Known,
    ) -> Result<Option<bool>, CodecError> {
        Ok(None)
    }

    /// Whether the `when` of an index holds; `None` if that is not known.
    fn index_holds(_index: usize, _known: &Known) -> Result<Option<bool>, CodecError> {
        Ok(Some(true))
    }

    /// Writes a derived key of an index from the known values.
    fn write_index_key(
        _index: usize,
        _key: usize,
        _known: &Known,
        _writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Ok(())
    }

    /// The derived expiry of an item with these known values, in DynamoDB JSON: `Some(None)` if it does not expire,
    /// `None` if the source is not known.
    fn derive_expiry(_known: &Known) -> Result<Option<Option<Vec<u8>>>, CodecError> {
        Ok(None)
    }

    /// Whether a part of a unique value is present; `None` if that is not known.
    fn unique_part_is_there(
        _unique: usize,
        _part: usize,
        _known: &Known,
    ) -> Result<Option<bool>, CodecError> {
        Ok(None)
    }

    /// Writes the partition key of the item that stores a unique value.
    fn write_unique(
        _unique: usize,
        _known: &Known,
        _writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Ok(())
    }

    /// The expiry time of the item, in epoch seconds.
    fn expires_at(&self) -> Option<i64> {
        None
    }
}

/// The typed parts of a key, such as `user_id` and `order_no`. The derive of the entity generates this type.
pub trait KeyParts: Clone + Send + Sync + 'static {
    /// The entity of the key.
    type Entity: DynamoEntity;

    /// Writes the key attributes into the open object.
    #[doc(hidden)]
    fn write(&self, writer: &mut Writer) -> Result<(), CodecError> {
        write_parts(self, writer)
    }

    /// Writes the key attributes with this shard, if the partition key has shards.
    #[doc(hidden)]
    fn write_in(&self, shard: Shard, writer: &mut Writer) -> Result<(), CodecError>;

    /// Records the values of the fields that the key contains whole.
    #[doc(hidden)]
    fn tell(&self, _known: &mut Known) {}

    /// Writes the attributes of the fields that the key contains whole, without the key attributes.
    #[doc(hidden)]
    fn write_fields(&self, _writer: &mut Writer) -> Result<(), CodecError> {
        Ok(())
    }

    /// Reads the parts from an object that contains the key attributes and perhaps others.
    #[doc(hidden)]
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        Self::read_with(reader, None)
    }

    /// Reads the parts and lets `put` replace some; the stored key must be the one of the resulting parts (law K8).
    #[doc(hidden)]
    fn read_with(
        reader: &mut Reader<'_>,
        put: Option<&mut dyn FnMut(&mut Self)>,
    ) -> Result<Self, CodecError>;
}

impl<P: KeyParts> UntypedParts for P {
    fn entity_def(&self) -> &'static EntityDef {
        &<P::Entity as EntityContract>::ENTITY
    }

    fn write_key(&self, shard: Shard, writer: &mut Writer) -> Result<(), CodecError> {
        self.write_in(shard, writer)
    }

    fn tell_fields(&self, known: &mut Known) {
        self.tell(known);
    }

    fn write_whole_fields(&self, writer: &mut Writer) -> Result<(), CodecError> {
        self.write_fields(writer)
    }
}

/// The hash of a key, from its parts.
pub fn hash_of_key<P: KeyParts>(parts: &P) -> Result<KeyHash, CodecError> {
    hash_of_parts(parts)
}

/// The hash of the key of an item that was read. Parts that cannot be written are not those of its key.
pub fn hash_of_read<P: KeyParts>(parts: &P) -> Result<KeyHash, CodecError> {
    hash_of_key(parts).map_err(|_| CodecError::key_differs())
}

/// The size of an entity as its writer counts it, for tests.
pub fn written_size<E: DynamoEntity>(entity: &E) -> Result<usize, CodecError> {
    let mut writer = Writer::default();
    writer.push_raw("{");
    entity.encode(&ManagedValues::as_is(), &mut writer)?;
    Ok(writer.stored_size())
}
