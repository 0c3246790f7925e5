//! What the derives name, and nobody else. Not public API: any of it may change in any release.

mod defer;
mod fallback;
mod field;
mod json;
mod when;

pub use std::borrow::Cow;

pub use crate::codec::{
    DynamoField, DynamoValue, Fault, Form, FormField, Item, MapKey, Name, Reader, SetElement, Tag,
    Value, Writer, absent_serde, decode_serde, encode_serde,
};
pub use crate::entity::{
    DynamoEntity, DynamoTable, Key, KeyParts, ManagedTime, Stamp, StampKind, TtlTime, Version,
    absent_ttl, decode_ttl, encode_stamp, encode_ttl, expires_at,
};
pub use crate::key::{
    Arg, DATE, IndexField, IndexPart, KeyParser, KeyPart, KeyText, KeyValue, MILLIS, MONTH, PADDED,
    PLAIN, PartAs, PartText, PartWriter, Role, SECONDS, encode_key_value, key_text, read_key_text,
    width_in,
};
pub use crate::request::{Unconditional, Versioned};
pub use crate::schema::{
    AttributeDef, EntityDef, EntityIndexDef, IndexDef, IndexKind, KeyDef, KeySource, KeyType,
    Piece, Projection, StreamView, Style, TableDef, WhenDef, Width, attributes_agree, index_fits,
    is_delimited, keys_may_meet, lists, name_or_empty, nth, same_key_types, same_text,
    shared_attributes_agree,
};
pub use defer::{CloneIn, KeyPartIn, KeyValueIn, MapKeyIn, PartAsIn, SetElementIn};
pub use fallback::{FALLBACK_ENTITY, FALLBACK_TABLE, Fallback, fallback};
pub use field::{
    check_type, decode_field, decode_form, decode_form_or_null, decode_or_null,
    decode_serde_or_null, encode_field, encode_nested_rest, encode_rest, find_tag, is_derived,
    missing, or_absent, unknown_variant, written_size,
};
pub use json::{from_json, read_item_json, to_json};
pub use when::{When, holds};
