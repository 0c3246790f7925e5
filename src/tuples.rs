//! Impls for tuples of each length.

/// Gives a macro the members of each tuple: `each_tuple!(changes: A B C)` is `changes!(A)`, `changes!(A B)` and
/// `changes!(A B C)`.
macro_rules! each_tuple {
    ($impls:ident: $($member:tt)+) => {
        $crate::tuples::each_tuple!(@ $impls [] $($member)+);
    };
    (@ $impls:ident [$($shorter:tt)*] $member:tt $($longer:tt)*) => {
        $impls!($($shorter)* $member);
        $crate::tuples::each_tuple!(@ $impls [$($shorter)* $member] $($longer)*);
    };
    (@ $impls:ident [$($longest:tt)*]) => {};
}

pub(crate) use each_tuple;
