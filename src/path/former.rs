//! The former name of an attribute that is being renamed.

/// The name under which older programs store an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Former {
    /// The name.
    pub name: &'static str,
    /// The part that it plays beside the new one.
    pub usage: FormerUse,
}

/// The part that a former name plays beside the new one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FormerUse {
    /// `was = ".."`: writes keep both names equal, and reads prefer the former one.
    #[default]
    First,
    /// `was("..", keep)`: writes keep both names equal, and reads know the former one alone. If it is missing, an older
    /// program has removed the value, whatever the new one says.
    Alone,
    /// `was("..", drop)`: writes remove the former name, and reads prefer it.
    Dropped,
}
