//! The checks of a write, as a type.

mod sealed {
    pub trait Sealed {}
}

/// The guard of a write. Only [`Unconditional`] writes fit into a batch.
pub trait Guard: sealed::Sealed + Send + Sync + 'static {
    /// Whether a loaded entity's version is checked.
    #[doc(hidden)]
    const CHECKED: bool;
}

/// The write takes effect whatever item is stored.
#[derive(Debug)]
pub struct Unconditional(());

/// The write takes effect whatever item is stored, together with the items that store its unique values: it is a
/// transaction, so it does not fit into a batch.
#[derive(Debug)]
pub struct Reserving(());

/// The write takes effect if no item has the key, or if the stored item belongs to the entity. The table has
/// `identify_by = type`, so the type of the stored item is checked. It is a conditional write, so it does not fit into a batch.
#[derive(Debug)]
pub struct TypeChecked(());

/// The write takes effect if the version is the one that was loaded.
#[derive(Debug)]
pub struct Versioned(());

/// The write takes effect if a condition holds.
#[derive(Debug)]
pub struct Conditional(());

/// The guard of an append-only entity: an existing item is never written again, so no `put` has this guard.
#[derive(Debug)]
pub struct AppendOnly(());

/// The guard of an entity whose items may be changed.
pub trait Changing: Guard {}

impl Changing for Unconditional {}

impl Changing for Reserving {}

impl Changing for TypeChecked {}

impl Changing for Versioned {}

/// A write that accepts a condition.
#[diagnostic::on_unimplemented(
    message = "this write has a condition already",
    label = "the write is `{Self}`",
    note = "a write of an entity with a version takes effect only if the version is the loaded one; write `.unchecked()` first to leave that out"
)]
pub trait Open: Guard {}

impl Open for Unconditional {}

impl Open for Reserving {}

impl Open for TypeChecked {}

/// A write that checks the version.
#[diagnostic::on_unimplemented(
    message = "this write checks no version",
    label = "the write is `{Self}`",
    note = "`unchecked` skips the check of an entity with a `#[dynamo(version)]` field; remove the call"
)]
pub trait Checked: Guard {}

impl Checked for Versioned {}

/// A write that has a condition.
#[diagnostic::on_unimplemented(
    message = "this write has no condition and is sent again anyway",
    label = "the write is `{Self}`",
    note = "remove `.retry_safe()`"
)]
pub trait Guarded: Guard {}

impl Guarded for Versioned {}

impl Guarded for Conditional {}

macro_rules! guards {
    ($($guard:ident $checked:literal;)*) => {$(
        impl sealed::Sealed for $guard {}

        impl Guard for $guard {
            const CHECKED: bool = $checked;
        }
    )*};
}

guards! {
    Unconditional false;
    Reserving false;
    TypeChecked false;
    Versioned true;
    Conditional false;
    AppendOnly false;
}
