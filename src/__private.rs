//! What the derives name, and nobody else. Not public API: any of it may change in any release.

mod collection;
mod defer;
mod fallback;
mod field;
mod json;
mod when;

pub use std::borrow::Cow;
pub use std::default::Default;
pub use std::vec::Vec;

pub use crate::codec::{
    DynamoField, DynamoValue, Fault, Form, FormField, Item, MapKey, Name, Reader, SerdeField,
    SetElement, Tag, Value, Writer,
};
pub use crate::entity::{
    CoversTable, DynamoCollection, DynamoEntity, DynamoProjection, DynamoTable, Found, Key,
    KeyParts, Known, ManagedActor, ManagedTime, Projected, Stamp, StampKind, StoredField, TtlTime,
    Variant, Version, VersionField, check_parts, stored_names,
};
pub use crate::error::Result;
pub use crate::expr::{
    AtPath, Contains, Defaulted, DefaultedPart, Fixed, Free, Given as GivenOperand, Json, Kept,
    Mode, Numeric, Operand, Part, Path, Place, RestPath, Room, Textual, Unsorted, Use,
    json as field_json,
};
pub use crate::key::{
    Arg, DATE, IndexField, IndexPart, KeyParser, KeyPart, KeyTarget, KeyText, KeyValue, MILLIS,
    MONTH, Millis, PADDED, PLAIN, Padded, ParsePart, PartOf, PartPlace, PartText, PartWriter, Role,
    SECONDS, Seconds, Shard, ToDate, ToMillis, ToMonth, ToSeconds, YearMonth, encode_key,
    hash_of_key, hash_of_read, key_text, read_key_text, read_key_texts, width_in,
};
pub use crate::request::query::{
    Bare, BareActor, BareTime, BareTtl, BareVersion, Chosen, Draft, Formatted, Given,
    InGlobalIndex, InLocalIndex, InTable, KeyArg, KnownUpTo, NextPart, ORDERED, OfCollection,
    OfEntity, One, Order, Ordered, PartKind, PartOfItem, PartitionArg, RowOf, RowOfEntity, Rows,
    RowsOf, Several, SortKeyIn, SortPart, Source, Stage, StoredRow, TakesRange, UNORDERED, Way,
    WriteFront, WriteTemplate, holds_all, in_partition, order_of, wrong_parts,
};
pub use crate::request::{
    LookUp, Query, Reserving, Unconditional, Versioned, no_sentinels, reread, sentinels_of,
};
pub use crate::schema::{
    AttributeDef, EntityDef, EntityIndexDef, IndexDef, IndexKind, KeyDef, KeySource, KeyType,
    Piece, Presence, Projection, StreamView, Style, TableDef, UniqueDef, WhenDef, Width,
    attributes_agree, ends, fills_sort_key, has_at_most, has_text_partition, index_fits,
    is_escaped, is_free, is_key, is_part, is_table, keys_may_meet, leaves_room_for_uniques, lists,
    name_or_empty, nth, same_entity, same_key_types, same_name, same_partition, same_text,
    shared_attributes_agree,
};
pub use collection::OtherVariant;
pub use defer::{
    ContainsIn, DynamoFieldIn, FormFieldIn, IndexPartIn, KeyPartIn, KeyValueIn, ManagedActorIn,
    ManagedTimeIn, MapKeyIn, NumericIn, PaddedIn, SerdeFieldIn, SetElementIn, Skipped, StoredIn,
    TextualIn, TtlTimeIn,
};
pub use fallback::{FALLBACK_ENTITY, FALLBACK_INDEX, FALLBACK_TABLE, Fallback, NoTable, fallback};
pub use field::{
    RestField, check_type, encode_nested_rest, encode_rest, end_of_tuple, fill, find_tag,
    incomplete, is_derived, keep, keep_rest, keep_unknown, keep_value, may_be_absent, missing,
    never_absent, next_of_tuple, or_null, unknown_part, unknown_variant, unless_absent, within,
    written_size,
};
pub use json::{as_stored, from_json, read_item_json, to_json};
pub use when::When;
