//! `=`, `<` and the other comparisons.

/// The comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparison {
    pub(super) fn operator_symbol(self) -> &'static str {
        match self {
            Comparison::Eq => " = ",
            Comparison::Ne => " <> ",
            Comparison::Lt => " < ",
            Comparison::Le => " <= ",
            Comparison::Gt => " > ",
            Comparison::Ge => " >= ",
        }
    }

    /// The comparison that holds between two values if this one does not.
    pub(crate) fn swapped_sides(self) -> Self {
        match self {
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Lt => Comparison::Ge,
            Comparison::Ge => Comparison::Lt,
            Comparison::Gt => Comparison::Le,
            Comparison::Le => Comparison::Gt,
        }
    }

    /// Whether the comparison holds between these values.
    pub(crate) fn holds_for<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self {
            Comparison::Eq => left == right,
            Comparison::Ne => left != right,
            Comparison::Lt => left < right,
            Comparison::Le => left <= right,
            Comparison::Gt => left > right,
            Comparison::Ge => left >= right,
        }
    }
}
