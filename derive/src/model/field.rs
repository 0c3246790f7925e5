//! A field, its role, and the form in which it is stored.

use syn::{Expr, Ident, LitStr, Type, Visibility};

use super::words::Words;

/// A named field of an entity, of a value struct or of a struct variant.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    /// The attribute's name: `rename`, otherwise by `rename_all`, otherwise the field's name without `r#`.
    pub(crate) stored: String,
    pub(crate) role: FieldRole,
    pub(crate) form: Form,
    /// The doc comment.
    pub(crate) doc: String,
    /// `default`: what a missing or NULL attribute means.
    pub(crate) default: Option<DefaultValue>,
    /// `was`: the name under which older programs store it.
    pub(crate) former: Option<FormerName>,
    /// `ttl = created_at + "90d"`: the source of the expiry.
    pub(crate) expiry: Option<Expiry>,
    /// `personal`: whether masked copies replace its value by a pseudonym.
    pub(crate) is_personal: bool,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

/// The source of a derived expiry.
pub(crate) struct Expiry {
    /// The word that names the field it is derived from.
    pub(crate) from: Ident,
    /// The lifetime of an item, in seconds.
    pub(crate) seconds: u64,
    /// The field that it is derived from.
    pub(crate) source: ExpirySource,
}

pub(crate) struct ExpirySource {
    /// Index into the fields.
    pub(crate) field: usize,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) role: FieldRole,
    pub(crate) form: Form,
}

impl Field {
    /// Whether it has an attribute of its own.
    pub(crate) fn is_stored(&self) -> bool {
        !matches!(
            self.role,
            FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest
        )
    }

    /// Whether the library writes it.
    pub(crate) fn is_managed(&self) -> bool {
        self.is_stored() && self.role != FieldRole::Attribute
    }
}

/// `was = ".."`, `was("..", keep)` or `was("..", drop)`
pub(crate) struct FormerName {
    pub(crate) name: String,
    pub(crate) usage: FormerUse,
}

/// The part that a former name plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormerUse {
    /// It is read first.
    First,
    /// It is read alone.
    Alone,
    /// Writes remove it.
    Dropped,
}

impl FormerUse {
    /// The words after the name.
    pub(crate) const WORDS: Words<FormerUse> =
        Words(&[("keep", FormerUse::Alone), ("drop", FormerUse::Dropped)]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRole {
    Attribute,
    /// The field has no attribute of its own: it is parsed from the key that it is part of, otherwise it is `Default`.
    Skip,
    /// A struct whose fields are attributes of the item.
    Flatten,
    /// Collects unknown attributes.
    Rest,
    Version,
    Ttl,
    CreatedAt,
    UpdatedAt,
    CreatedBy,
    UpdatedBy,
}

impl FieldRole {
    pub(crate) const WORDS: Words<FieldRole> = Words(&[
        ("skip", FieldRole::Skip),
        ("flatten", FieldRole::Flatten),
        ("rest", FieldRole::Rest),
        ("version", FieldRole::Version),
        ("ttl", FieldRole::Ttl),
        ("created_at", FieldRole::CreatedAt),
        ("updated_at", FieldRole::UpdatedAt),
        ("created_by", FieldRole::CreatedBy),
        ("updated_by", FieldRole::UpdatedBy),
    ]);
}

/// The stored form of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The type's own `DynamoValue` stores it.
    Own,
    /// Through serde.
    Serde,
    /// `serde, null`: through serde, and a null of serde is written as NULL.
    SerdeNull,
    /// `null`: like `Own`, but None is written as NULL.
    Null,
    /// `compress`: like `Own`, but compressed if that saves bytes.
    Compress,
    /// `decompress`: like `Own`, but compressed values are read too.
    Decompress,
    /// `format = ".."`: a foreign stored time form.
    Epoch,
    EpochMillis,
    Rfc3339,
    Rfc3339Millis,
}

impl Form {
    /// The words of `format = ".."`.
    pub(crate) const FOREIGN: Words<Form> = Words(&[
        ("epoch", Form::Epoch),
        ("epoch_ms", Form::EpochMillis),
        ("rfc3339", Form::Rfc3339),
        ("rfc3339_ms", Form::Rfc3339Millis),
    ]);
}

pub(crate) enum DefaultValue {
    /// `default`
    Trait,
    /// `default = ".."`
    Text(LitStr),
    /// `default = expr`
    Expr(Expr),
}
