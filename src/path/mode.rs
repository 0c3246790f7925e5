//! The operations at a path, as types.

use std::marker::PhantomData;

/// How a field is used in keys; this decides what may be written to it.
pub trait KeyUsage {
    /// The mode of a field that always has a value.
    type Required: Mode;
    /// The mode of a field that may be absent.
    type Optional: Mode;
}

/// The operations at a path.
pub trait Mode {
    /// Whether the value may be absent, or NULL, which other programs write for that.
    #[doc(hidden)]
    const MAY_BE_ABSENT: bool;
}

macro_rules! uses {
    ($($(#[$doc:meta])* $use:ident: $required:ident, $optional:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $use(());

        impl KeyUsage for $use {
            type Required = $required;
            type Optional = $optional;
        }
    )*};
}

uses! {
    /// The field is in no template.
    Free: Mandatory, Optional;
    /// The field is in no template, and a missing attribute means a default.
    Defaulted: Optional, Optional;
    /// The field is in the template of an index key.
    Part: PartOfIndex, MaybePartOfIndex;
    /// The field is in the template of an index key, and a missing attribute means a default.
    DefaultedPart: MaybePartOfIndex, MaybePartOfIndex;
    /// The field is in the primary key.
    Fixed: PrimaryKey, PrimaryKey;
    /// The library sets the field.
    Kept: Managed, Managed;
}

macro_rules! modes {
    ($($(#[$doc:meta])* $mode:ident($absent:literal): $($can:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $mode(());

        impl Mode for $mode {
            const MAY_BE_ABSENT: bool = $absent;
        }

        #[diagnostic::do_not_recommend]
        impl Comparable for $mode {}

        #[diagnostic::do_not_recommend]
        impl Sorted for $mode {}

        $(
            #[diagnostic::do_not_recommend]
            impl $can for $mode {}
        )*
    )*};
}

modes! {
    /// A value that is always there.
    Mandatory(false): CanSet CanCompute;
    /// A value that may be absent.
    Optional(true): CanSet CanCompute CanRemove;
    /// A part of an index key.
    PartOfIndex(false): CanSet;
    /// A part of an index key that may be absent.
    MaybePartOfIndex(true): CanSet CanRemove;
    /// A part of the primary key.
    PrimaryKey(false):;
    /// A version or timestamp.
    Managed(true):;
}

/// The mode of a flattened struct, which has no attribute: only its fields are compared and changed.
#[derive(Debug)]
pub struct Flattened(());

impl Mode for Flattened {
    const MAY_BE_ABSENT: bool = false;
}

/// The mode of a field that is stored in a form whose order is not that of the values.
#[derive(Debug)]
pub struct Unsorted<M>(PhantomData<M>);

impl<M: Mode> Mode for Unsorted<M> {
    const MAY_BE_ABSENT: bool = M::MAY_BE_ABSENT;
}

#[diagnostic::do_not_recommend]
impl<M: Comparable> Comparable for Unsorted<M> {}
#[diagnostic::do_not_recommend]
impl<M: CanSet> CanSet for Unsorted<M> {}
#[diagnostic::do_not_recommend]
impl<M: CanCompute> CanCompute for Unsorted<M> {}
#[diagnostic::do_not_recommend]
impl<M: CanRemove> CanRemove for Unsorted<M> {}

/// The mode of a field whose values may be compressed. DynamoDB can neither compare such values nor compute with them.
#[derive(Debug)]
pub struct Compressed<M>(PhantomData<M>);

impl<M: Mode> Mode for Compressed<M> {
    const MAY_BE_ABSENT: bool = M::MAY_BE_ABSENT;
}

#[diagnostic::do_not_recommend]
impl<M: CanSet> CanSet for Compressed<M> {}
#[diagnostic::do_not_recommend]
impl<M: CanRemove> CanRemove for Compressed<M> {}

/// A path to one attribute whose content DynamoDB can read. It cannot read compressed values, and a flattened struct has no
/// attribute of its own.
#[diagnostic::on_unimplemented(
    message = "DynamoDB cannot read the value of this field",
    label = "this operation needs the content of the value",
    note = "values of a field with `compress` or `decompress` may be compressed: use `exists`, `is_some`, `is_none` or `missing`, or store the part that you compare in another field",
    note = "a field with `flatten` has no attribute of its own: use the fields of its struct"
)]
pub trait Comparable: Mode {}

/// A path to a field that is stored in the order of its values.
#[diagnostic::on_unimplemented(
    message = "the stored form of this field has another order than its values",
    label = "it is kept as `{Self}`",
    note = "`format = \"rfc3339\"` writes a fraction of 0, 3, 6 or 9 digits, so `12:00:00Z` comes after `12:00:00.5Z`, and the output of `serde` is unknown: use `eq`, `ne` and `is_in`",
    note = "DynamoDB cannot compare fields with `compress` or `decompress`: store the part that you compare in another field",
    note = "for ranges store the time without `format`, as `\"epoch\"` or as `\"epoch_ms\"`, or make it a part of a key template"
)]
pub trait Sorted {}

/// A path that can be given a value.
#[diagnostic::on_unimplemented(
    message = "this field cannot be changed by an update",
    label = "it is kept as `{Self}`",
    note = "a part of the primary key names the item: delete the item and create another one",
    note = "versions, timestamps and actors are kept by the library: `touch` renews them"
)]
pub trait CanSet: Mode {}

/// A path whose new value DynamoDB may compute from the old one.
#[diagnostic::on_unimplemented(
    message = "the new value of this field has to be known before the update",
    label = "it is kept as `{Self}`",
    note = "keys of an index, or the expiry, are made of this field: write `set` with the new value, or `modify`, which reads the old one first",
    note = "DynamoDB cannot change a part of a field with `compress` or `decompress`: use `set` or `modify`, which write the whole value",
    note = "parts of the primary key, versions, timestamps and actors cannot be changed by an update at all"
)]
pub trait CanCompute: CanSet {}

/// A path whose value may be removed.
#[diagnostic::on_unimplemented(
    message = "this field cannot be removed: the entity could not be read without it",
    label = "it is kept as `{Self}`",
    note = "make the field an `Option`, or give it a `#[dynamo(default)]`; an element of a list goes by `remove_at`",
    note = "parts of the primary key, versions, timestamps and actors cannot be changed by an update at all"
)]
pub trait CanRemove: CanSet {}
