//! The names that only the derives use. Not public API: any of it may change in any release.

pub use std::borrow::Cow;
pub use std::default::Default;
pub use std::vec::Vec;

pub use crate::clock::Timestamp;
pub use crate::codec::type_probe::{TypeProbe, UnseenType};
pub use crate::codec::{
    CompressedField, DynamoField, DynamoValue, FlatValue, Form, FormField, Item, MapKey, NullField,
    SerdeField, SetElement, Value, VectorField, VectorOf,
};
pub use crate::entity::constant::{ReadConstants, write_constants};
pub use crate::entity::defer::{
    CompressedFieldIn, ContainsIn, DynamoFieldIn, FixedDecimalsIn, FormFieldIn, IndexPartIn,
    KeyPartIn, KeyValueIn, ManagedActorIn, ManagedTimeIn, MapKeyIn, NullFieldIn, NumericIn,
    OrderedIn, PaddedIn, SerdeFieldIn, SetElementIn, Skipped, StoredIn, TextualIn, TtlTimeIn,
};
pub use crate::entity::field::{
    DefaultText, RestField, check_type, encode_nested_rest, encode_rest, end_of_tuple, fill,
    find_tag, incomplete, is_derived, keep, keep_former, keep_rest, keep_unknown, keep_value,
    may_be_absent, missing, name_hash, never_absent, next_of_tuple, or_null, prefer_former,
    skip_unknown, unknown_part, unknown_rank, unknown_variant, unless_absent, within,
};
pub use crate::entity::flat::{FlatReader, flattened_default, is_flattened};
pub use crate::entity::guard::{AppendOnly, Reserving, TypeChecked, Unconditional, Versioned};
pub use crate::entity::json::{as_stored, from_json, read_item_json, to_item, to_json};
pub use crate::entity::other::OtherVariant;
pub use crate::entity::second_key::second_key_of;
pub use crate::entity::second_row::SecondKey;
pub use crate::entity::shape::{read_older, refuse_older, write_older, write_shape};
pub use crate::entity::when::{When, WhenAbsent, WhenAnswer, WhenArgument, WhenValue};
pub use crate::entity::{
    AllChangeable, AllChangeableIn, ChangeableIn, CollectionContract, CoversTable,
    DynamoCollection, DynamoEntity, DynamoProjection, DynamoTable, EntityContract, ExpirySource,
    FieldNumbers, Key, KeyParts, Known, KnownValue, ManagedActor, ManagedTime, ManagedValues,
    Projected, StampKind, StoredField, TtlTime, Variant, Version, VersionField, derived_ttl,
    derived_ttl_json, expiry_fits, hash_of_key, hash_of_read, key_with, pattern_at, stored_names,
    write_partition_in, written_size,
};
pub use crate::error::Result;
pub use crate::expr::{
    Contains, Json, Needle, Numeric, Operand, OperandValue as GivenOperand, RestPath, SumBound,
    SumRange, Textual,
};
pub use crate::fallback::{
    FALLBACK_ENTITY, FALLBACK_INDEX, FALLBACK_TABLE, Fallback, FallbackDistance, FallbackPart,
    FallbackSearch, FallbackSimilarity, NoTable, fallback, fallback_content, fallback_value,
};
pub use crate::json::{CodecError, Name, Reader, Tag, Writer};
pub use crate::key::{
    Arg, DATE, ENDS, EPOCH, EPOCH_MILLIS, FIRST, FIXED, FixedDecimals, GivenPart, IndexField,
    IndexPart, KeyParser, KeyPart, KeyTarget, KeyText, KeyValue, LAST, LOWER, LOWER_MILLIS,
    LOWER_SECONDS, Lowercase, MILLIS, MONTH, Millis, Ordered, PADDED, PLAIN, Padded, ParsePart,
    PartOf, PartPlace, PartText, PartWriter, Role, SECONDS, Seconds, Shard, ToDate, ToEpoch,
    ToEpochMillis, ToLower, ToLowerMillis, ToLowerSeconds, ToMillis, ToMonth, ToSeconds, ToUpper,
    ToYear, UPPER, UniquePart, Uppercase, YEAR, Year, YearMonth, encode_key, key_text,
    number_format, read_key_text, read_key_texts, text_if, width_in, wrong_parts,
};
pub use crate::large::{Blob, Chunked, Sweep};
pub use crate::path::{
    AtPath, Comparable, Compressed, Defaulted, DefaultedPart, Fixed, Flattened, Former, FormerUse,
    Free, Kept, KeyUsage, Mode, Part, Path, Place, Unsorted, json as field_json,
};
pub use crate::plan::reread;
pub use crate::query::Query;
pub use crate::query::{
    Bare, BareActor, BareTime, BareTtl, BareVersion, Chosen, FilledIndex, FilledUnique, Formatted,
    InGlobalIndex, InLocalIndex, InTable, IndexIsGlobal, KeyArg, KeyDraft, KnownUpTo, NextPart,
    NotNext, ORDERED, OfCollection, OfEntity, One, OrderedPart, PartFollows, PartForm, PartKind,
    PartOfItem, PartOrder, PartitionArg, QuerySource, QueryStage, ReachOfIndex, RowOf, RowOfEntity,
    RowsHold, RowsOf, Several, SortKeyIn, SortPart, StoredRow, TakesRange, UNORDERED, WriteFront,
    WriteTemplate, holds_all, in_partition, order_of,
};
pub use crate::schema::{
    AllowModel, AttributeDef, CollectionModel, ConstantDef, ConstantValue, DistanceFunction,
    EntityDef, EntityIndexDef, EntityModel, ExpiryDef, FieldModel, FieldRole, IdentifyBy, IndexDef,
    IndexKind, KeyDef, KeySource, KeyType, LargeDef, LargeModel, NO_NAME, Pad, PartModel,
    PartRanges, Piece, Presence, Projection, SHAPE, SecondKeyDef, SecondKeyUse, ShapeDef,
    ShapeModel, StreamView, Style, TableDef, TableModel, TypeModel, TypeOf, UniqueDef, UniqueModel,
    UniqueRowDef, ValueModel, VariantModel, VectorDef, VectorKeyDef, WhenDef, Width, are_distinct,
    attributes_agree, begins_with_tenant, contains_tenant, count_flattened, ends, fills_sort_key,
    flattened_fit, has_at_most, has_free_constants, has_free_type, has_no_ttl_of, has_one_move,
    has_second_key, has_text_partition, index_fits, index_in, is_escaped, is_filled, is_free,
    is_free_of, is_global, is_identified_by_key, is_identified_by_type, is_in_index, is_key,
    is_movable, is_number, is_part, is_table, keys_may_meet, leaves_room_for_uniques, lists,
    may_be_renamed, may_lack_flattened, name_or_empty, nth, part_number, ranges_in, row_fills_keys,
    row_fits_indexes, row_has_free_constants, row_has_own_type, row_is_no_item, row_never_expires,
    rows_differ, rows_may_meet, same_constants, same_entity, same_index_keys, same_key_types,
    same_managed, same_partition, same_primary_key, same_read_shards, same_text, shape_number,
    share_uniques, shared_attributes_agree, tenant_fills_partitions, tenant_is_text,
    tenant_is_unambiguous, with_flattened, with_flattened_fields,
};
#[cfg(feature = "vectors")]
pub use crate::search::{
    Distance, FilteredBy, IndexSearch, NoPartition, OutsideIndex, PartitionedIndex, Search,
    SearchField, SearchKey, Similarity, VectorIndex, WholeIndex,
};
pub use crate::write::{LookUp, no_sentinels, sentinels_of};

/// Rejects a declaration that needs a feature that is not enabled.
#[cfg(not(feature = "vectors"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __needs_vectors {
    () => {
        ::core::compile_error!(
            "`vector(..)` needs the feature `vectors` of dynamo-entity: add it to `features` in Cargo.toml"
        );
    };
}

/// The feature is enabled, so nothing is reported.
#[cfg(feature = "vectors")]
#[doc(hidden)]
#[macro_export]
macro_rules! __needs_vectors {
    () => {};
}
