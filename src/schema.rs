//! The declared form of a table, as plain data.
//!
//! There are two levels. The *definitions* ([`TableDef`], [`EntityDef`]) are constants that the derives write;
//! the compiler checks them against each other. A [`TableSchema`] is what follows from them for the
//! service: names, key types, indexes, TTL. [`Dynamo::create_tables`](crate::dynamo::Dynamo::create_tables)
//! takes schemas.

mod agree;
mod constant;
mod definition;
mod entity;
mod flat;
mod identify_by;
mod identity;
mod identity_text;
mod interleave;
mod json;
mod json_form;
mod json_word;
mod key_pair;
mod key_type;
mod large;
mod large_schema;
mod layout;
mod likeness;
mod model;
mod origin;
mod overlap;
mod pad;
mod partition;
mod pattern;
mod placement;
mod replicas;
mod reserved;
mod second_key;
mod settings;
mod shape;
mod stored_type;
mod table;
mod tenant;
mod unique;
mod value;
mod vector;

pub use crate::codec::model::{
    FieldModel, FieldRole, MomentForm, NamedType, ShapeModel, TypeModel, TypeOf, ValueKind,
    ValueModel, VariantModel,
};
pub use crate::path::FormerUse;
#[doc(hidden)]
pub use agree::{
    attributes_agree, ends, fills_sort_key, index_fits, is_escaped, is_free, is_free_of, is_key,
    is_number, is_table, may_be_renamed, name_or_empty, nth, shared_attributes_agree,
};
pub use constant::{ConstantDef, ConstantValue};
pub use definition::{
    AttributeDef, EntityDef, EntityIndexDef, ExpiryDef, IndexDef, IndexKind, KeyDef, KeySource,
    Piece, Presence, Projection, SecondKeyDef, SecondKeyUse, ShapeDef, Style, TableDef, UniqueDef,
    UniqueRowDef, WhenDef, Width,
};
#[doc(hidden)]
pub use definition::{IsAsWritten, SentinelKey, SentinelsOf};
pub(crate) use definition::{Separator, text_after};
pub(crate) use entity::DeclaredEntity;
pub use entity::{
    AllowSchema, CollectionSchema, ConstantSchema, EntitySchema, ExpirySchema, FieldSchema,
    KeyContent, KeySchema, PartSchema, PatternSchema, PieceSchema, SecondKeySchema, ShapeSchema,
    UniqueRowSchema, UniqueSchema, ValueContent, ValueSchema, VariantSchema,
};
#[doc(hidden)]
pub use flat::{
    count_flattened, flattened_fit, may_lack_flattened, with_flattened, with_flattened_fields,
};
pub use identify_by::IdentifyBy;
pub(crate) use identity::{
    FoundType, TypeMatch, may_be_key_of, may_have_null_type, share_type_attribute,
};
#[doc(hidden)]
pub use identity::{
    are_distinct, has_free_constants, has_free_type, is_identified_by_key, is_identified_by_type,
    same_constants, share_uniques,
};
pub(crate) use identity_text::without_keys;
pub(crate) use interleave::others_may_be_among;
pub(crate) use json_word::Word;
pub(crate) use key_pair::TimePrecision;
pub use key_pair::{FieldInKey, KeyPair};
pub use key_type::{KeyType, StreamView};
pub use large::{LargeDef, LargeModel};
pub use large_schema::LargeSchema;
pub(crate) use layout::{LISTED_ATTRIBUTES, Layout};
pub use model::{
    AllowModel, CollectionModel, EntityModel, PartModel, PartRanges, TableModel, UniqueModel,
    ranges_in,
};
#[doc(hidden)]
pub use model::{GivenOfText, NO_NAME, TextOf};
pub(crate) use origin::{Declaration, Origin};
#[doc(hidden)]
pub use overlap::{keys_may_meet, lists, same_key_types, same_text};
#[doc(hidden)]
pub use pad::Pad;
#[doc(hidden)]
pub use partition::{
    has_at_most, index_in, is_filled, is_global, is_in_index, is_part, part_number, same_entity,
    same_partition, same_read_shards,
};
pub use pattern::Pattern;
pub(crate) use pattern::{JointPatterns, PartitionName, PatternOwner, SEVERAL};
pub use placement::{IndexPlacement, NotIndexed, Placement};
pub use replicas::ReplicationGap;
#[doc(hidden)]
pub use reserved::SHAPE;
#[cfg(feature = "streams")]
pub(crate) use reserved::is_mark;
pub(crate) use reserved::{JOB, TOUCH, UNIQUE, is_of_fill, is_reserved};
pub(crate) use second_key::written_with;
#[doc(hidden)]
pub use second_key::{has_one_move, has_second_key, is_movable, rows_may_meet};
pub use settings::{
    Billing, Encryption, IndexSettings, OnDemandMaximum, ReplicaConsistency, Replicas, Safeguard,
    TableClass, TableSettings, WarmThroughput,
};
#[doc(hidden)]
pub use shape::{same_index_keys, same_managed, same_primary_key, shape_number};
pub(crate) use stored_type::StoredType;
pub use table::{
    IndexSchema, KeyAttribute, NamedTable, ProjectionSchema, TableSchema, VectorIndexSchema,
};
#[doc(hidden)]
pub use tenant::{
    begins_with_tenant, contains_tenant, tenant_fills_partitions, tenant_is_text,
    tenant_is_unambiguous,
};
#[cfg(feature = "streams")]
pub(crate) use unique::has_type_of_any;
#[doc(hidden)]
pub use unique::{
    has_no_ttl_of, has_text_partition, leaves_room_for_uniques, row_fills_keys, row_fits_indexes,
    row_has_free_constants, row_has_own_type, row_is_no_item, row_never_expires, rows_differ,
};
pub(crate) use unique::{has_unique_rows, has_uniques, is_unique_row};
pub use vector::{DistanceFunction, VectorDef, VectorKeyDef, VectorSearchSchema};
