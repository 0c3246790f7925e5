//! What a write is checked against, as a type.

mod sealed {
    pub trait Sealed {}
}

/// How a write is guarded. Only [`Unconditional`] writes fit into a batch.
pub trait Guard: sealed::Sealed + Send + Sync + 'static {
    /// Whether a loaded entity's version is checked.
    #[doc(hidden)]
    const CHECKED: bool;
}

/// Takes effect whatever is stored.
#[derive(Debug)]
pub struct Unconditional(());

/// Takes effect if the version is the one that was loaded.
#[derive(Debug)]
pub struct Versioned(());

/// Takes effect if a condition holds.
#[derive(Debug)]
pub struct Conditional(());

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
    Versioned true;
    Conditional false;
}
