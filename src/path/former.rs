//! The former name of an attribute that is being renamed.

/// The name under which older programs store an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Former {
    /// The name.
    pub name: &'static str,
    /// Its role beside the new one.
    pub usage: FormerUse,
}

/// The role of a former name beside the new one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FormerUse {
    /// `was = ".."`: writes keep both names equal, and reads prefer the former one.
    #[default]
    First,
    /// `was("..", keep)`: writes keep both names equal, and reads use only the former one. If it is missing, an older
    /// program has removed the value, even if the new one exists.
    Alone,
    /// `was("..", drop)`: writes remove the former name, and reads prefer it.
    Dropped,
}
