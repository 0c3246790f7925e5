//! The information in the tokens of a type. A derive sees no types: an alias or a newtype hides its inner type, and
//! the traits of the library check those.

use syn::{GenericArgument, Ident, PathArguments, PathSegment, Type};

/// `Option<..>`, under whatever path.
pub(super) fn is_option(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Option")
}

/// `f32`, `f64`, or an option of one.
pub(crate) fn is_float(ty: &Type) -> bool {
    named(ty, &["f32", "f64"]).is_some()
}

/// `String`, or an option of it.
pub(super) fn is_text(ty: &Type) -> bool {
    named(ty, &["String"]).is_some()
}

/// A point in time whose name is its own, or an option of one.
pub(super) fn is_time(ty: &Type) -> bool {
    named(ty, &["DateTime", "SystemTime"]).is_some()
}

/// The type of a value: of an `Option`, that of its `Some`.
pub(crate) fn value_type(ty: &Type) -> &Type {
    let option = last_segment(ty).filter(|segment| segment.ident == "Option");
    option.and_then(argument).unwrap_or(ty)
}

/// A type of the language that can be any attribute, or an option of one.
pub(crate) fn is_basic(ty: &Type) -> bool {
    let held = value_type(ty);
    // An option within an option is no attribute, whatever it contains.
    !is_option(held) && (no_time(held).is_some() || is_float(held))
}

/// The name of `ty`, or of the type in its `Option`, if that name shows that it is no time.
pub(super) fn no_time(ty: &Type) -> Option<&Ident> {
    const NAMES: [&str; 14] = [
        "String", "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128",
    ];
    named(ty, &NAMES)
}

/// The name of `ty`, or of the type in its `Option`, if that name shows that it has no fraction.
pub(super) fn no_fraction(ty: &Type) -> Option<&Ident> {
    no_time(ty).or_else(|| no_number(ty))
}

/// Whether the type may be a number with a fraction, so that the traits of the library must decide. The names of the language
/// are reliable, but a `DateTime` may be a newtype of a float.
pub(crate) fn may_have_fraction(ty: &Type) -> bool {
    no_time(value_type(ty)).is_none()
}

/// The name of `ty`, or of the type in its `Option`, if that name shows that it is no number.
pub(super) fn no_number(ty: &Type) -> Option<&Ident> {
    const NAMES: [&str; 6] = [
        "String",
        "bool",
        "char",
        "DateTime",
        "NaiveDate",
        "SystemTime",
    ];
    named(ty, &NAMES)
}

/// The name of `ty`, or of the type in its `Option`, if that name shows that it is no text.
pub(super) fn no_text(ty: &Type) -> Option<&Ident> {
    const NAMES: [&str; 17] = [
        "bool",
        "char",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "DateTime",
        "NaiveDate",
        "SystemTime",
        "Uuid",
    ];
    named(ty, &NAMES)
}

fn named<'t>(ty: &'t Type, names: &[&str]) -> Option<&'t Ident> {
    let segment = last_segment(ty)?;
    if segment.ident == "Option" {
        return argument(segment).and_then(|inner| named(inner, names));
    }
    let known = names.iter().any(|name| segment.ident == name);
    known.then_some(&segment.ident)
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        // A type from another macro is wrapped in an invisible group.
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

fn argument(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return None;
    };
    match list.args.first() {
        Some(GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}
