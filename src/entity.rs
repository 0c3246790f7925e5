//! Entities and tables: the traits that the derives implement.
//!
//! `#[derive(DynamoEntity)]` generates [`DynamoEntity`] for the struct, a struct of its typed key parts, and an
//! inherent `key(..)`. `#[derive(DynamoTable)]` generates [`DynamoTable`]. Everything else is here, once for all
//! entities.

mod actor;
mod changeable;
mod collection;
pub(crate) mod constant;
mod contract;
mod declaration;
pub(crate) mod defer;
mod expiry;
pub(crate) mod field;
pub(crate) mod flat;
mod given;
pub(crate) mod guard;
mod held;
pub(crate) mod in_error;
pub(crate) mod json;
mod key;
mod known;
mod managed;
pub(crate) mod other;
mod parts;
mod patterns;
mod place;
mod projection;
mod read;
pub(crate) mod second_key;
pub(crate) mod second_row;
pub(crate) mod sentinel;
pub(crate) mod shape;
mod shard;
mod table;
mod version;
mod version_field;
pub(crate) mod when;

#[doc(hidden)]
pub use actor::ManagedActor;
pub use changeable::ChangeableEntity;
#[doc(hidden)]
pub use changeable::{AllChangeable, AllChangeableIn, ChangeableIn, OneEntity};
#[doc(hidden)]
pub use collection::{CollectionContract, Variant, write_partition_in};
pub use collection::{CoversTable, DynamoCollection};
#[cfg(feature = "streams")]
pub(crate) use collection::{is_member, is_same_member, may_be_member_key, member_entity};
pub(crate) use collection::{read_collection, refused_member};
pub use contract::{DynamoEntity, EntityContract, KeyParts};
#[doc(hidden)]
pub use contract::{hash_of_key, hash_of_read, written_size};
pub(crate) use declaration::{EntityDeclaration, HasDeclaration, UntypedEntity, UntypedKey};
#[doc(hidden)]
pub use expiry::{ExpirySource, derived_ttl, derived_ttl_json, expiry_fits};
pub(crate) use given::{add_own_type, complete_given, older_shape_of, unread_names};
pub(crate) use held::HeldEntity;
pub use key::Key;
#[doc(hidden)]
pub use known::{Known, KnownValue};
pub(crate) use managed::{Author, Created};
#[doc(hidden)]
pub use managed::{ManagedTime, ManagedValues, StampKind, TtlTime};
#[doc(hidden)]
pub use patterns::pattern_at;
pub(crate) use patterns::{CollectionPatterns, IndexPattern, Patterns, UniquePattern};
pub use projection::DynamoProjection;
#[doc(hidden)]
pub use projection::{FieldNumbers, Projected, StoredField, key_with, stored_names};
#[cfg(feature = "streams")]
pub(crate) use read::is_same_entity;
pub(crate) use read::{
    decode_key, encode_as_is, encode_present, is_item_of, is_past, owner_of, projected, read,
    read_ahead, read_key, read_key_ahead, read_live, read_projection, refused_row,
};
pub(crate) use shard::hash_of_json;
pub use table::DynamoTable;
pub use version::Version;
pub(crate) use version::VersionState;
#[doc(hidden)]
pub use version_field::VersionField;
