//! The code that writes a field, reads it, and gives a missing one its value. Entities, values and variants share it.

use proc_macro2::{Ident, TokenStream};

use super::attribute::KeyUse;
use super::expiry;
use super::tokens::{call, local, name, of, option, plain_name};
use super::way::{Way, by_serde, compressing, time_form, way};
use crate::model::{DefaultValue, Field, FieldRole, FormerName, FormerUse};

/// The role of a field as a key, as tokens of an `Option`.
pub(super) fn key_role(key: Option<&KeyUse>) -> TokenStream {
    option(key.map(|key| match key {
        KeyUse::Primary(role) | KeyUse::Index(role) => role,
    }))
}

/// Writes a field, under its former name too if older programs read that one. `place` is an expression for a reference
/// to it.
pub(super) fn encode(field: &Field, key: Option<KeyUse>, place: &TokenStream) -> TokenStream {
    if !field.is_stored() {
        return TokenStream::new();
    }
    if let Some(expiry) = &field.expiry {
        return expiry::encode(field, expiry);
    }
    let mut written = encode_under(field, &field.stored, key, place);
    // As long as older programs read the former name, each write must keep it up to date.
    let kept = |former: &&FormerName| former.usage != FormerUse::Dropped;
    if let Some(former) = field.former.as_ref().filter(kept) {
        written.extend(encode_under(field, &former.name, None, place));
    }
    written
}

fn encode_under(
    field: &Field,
    stored: &str,
    key: Option<KeyUse>,
    place: &TokenStream,
) -> TokenStream {
    let name = name(stored);
    let way = way(field, key);
    let (item, how) = match &way {
        Way::Field => ("encode_field", TokenStream::new()),
        Way::Null => ("encode_null", TokenStream::new()),
        Way::Serde { writes_null } => (by_serde(*writes_null), TokenStream::new()),
        Way::Compressed { is_written } => (compressing(*is_written), TokenStream::new()),
        Way::Form(form) => ("encode_as", code!(#form,)),
        Way::Version => ("encode_version", code!(stamp,)),
        Way::Ttl => ("encode_ttl", TokenStream::new()),
        Way::Time { kind } => {
            let form = time_form(field);
            ("encode_stamp", code!(stamp, #kind, #form,))
        }
        Way::Actor { kind, key } => {
            let role = option(key.as_ref());
            ("encode_actor", code!(stamp, #kind, #role,))
        }
        Way::Key { role } => return encode_key(field, &way, "encode_key", place, role),
        Way::IndexKey { role } => return encode_key(field, &way, "encode_index_key", place, role),
    };
    let encode = of(&field.ty, &way.contract(), item);
    code!(__d::within(#stored, #encode(#place, #how &#name, writer))?;)
}

/// Writes a key, by a function that names the attribute in its errors itself.
fn encode_key(
    field: &Field,
    way: &Way,
    item: &str,
    place: &TokenStream,
    role: &TokenStream,
) -> TokenStream {
    let (encode, name) = (of(&field.ty, &way.contract(), item), name(&field.stored));
    code!(#encode(#place, &#name, #role, writer)?;)
}

/// A function that writes a field under a name that it is given.
pub(super) fn encode_named(field: &Field) -> Option<TokenStream> {
    let way = way(field, None);
    let (item, how) = match &way {
        Way::Field => ("encode_field", None),
        Way::Null => ("encode_null", None),
        Way::Serde { writes_null } => (by_serde(*writes_null), None),
        Way::Compressed { is_written } => (compressing(*is_written), None),
        Way::Ttl => ("encode_ttl", None),
        Way::Form(form) => ("encode_as", Some(form.clone())),
        Way::Time { .. } => ("encode_named", Some(time_form(field))),
        Way::Actor { .. } => ("encode_named", Some(code!(::core::option::Option::None))),
        _ => return None,
    };
    let encode = of(&field.ty, &way.contract(), item);
    Some(match how {
        None => encode,
        Some(how) => code!((|value, name, writer| #encode(value, #how, name, writer))),
    })
}

/// A function that reads the stored value of a field.
///
/// If the type's own function is sufficient, it is used, because each closure costs time of the compiler.
pub(super) fn reading(field: &Field, key: Option<KeyUse>) -> TokenStream {
    let way = way(field, key);
    let (item, form) = way.decode(field);
    match form {
        None => of(&field.ty, &way.contract(), item),
        Some(form) => {
            let decode = call(&field.ty, &way.contract(), item, code!(reader, #form));
            code!(|reader| #decode)
        }
    }
}

/// A function that returns the value of a missing field.
pub(super) fn absence(field: &Field, key: Option<KeyUse>) -> TokenStream {
    match &field.default {
        Some(default) => {
            let default = default_value(field, default);
            code!(|| ::core::option::Option::Some(#default))
        }
        None if field.role == FieldRole::Skip => code!(__d::never_absent),
        None => way(field, key).absent(field),
    }
}

/// The same function outside of the entity, whose defaults may be expressions that are only valid there.
pub(super) fn absence_of(field: &Field, key: Option<KeyUse>, owner: &Ident) -> TokenStream {
    let ident = &field.ident;
    match field.default {
        Some(_) => code!(|| ::core::option::Option::Some(<#owner as __Defaults>::#ident())),
        None => absence(field, key),
    }
}

/// The default of the attribute of this number, in DynamoDB JSON, as an arm.
pub(super) fn default_arm(
    number: usize,
    field: &Field,
    key: Option<KeyUse>,
) -> Option<TokenStream> {
    field.default.as_ref()?;
    let default = absence(field, key);
    let (encode, ty) = (encode_named(field)?, &field.ty);
    Some(code! {
        #number => match (#default)() {
            ::core::option::Option::Some(value) => {
                let value: #ty = value;
                __d::field_json(|name, writer| #encode(&value, name, writer))
            }
            ::core::option::Option::None => ::core::result::Result::Ok(::core::option::Option::None),
        },
    })
}

/// The value that a write leaves in a managed field, as an expression that may fail.
pub(super) fn stamped(field: &Field) -> Option<TokenStream> {
    let (stored, stamping) = (&field.stored, stamping(field)?);
    Some(code!(__d::within(#stored, #stamping)?))
}

/// The value that a write leaves in a managed field, as a `Result`.
pub(super) fn stamping(field: &Field) -> Option<TokenStream> {
    if let Some(expiry) = &field.expiry {
        return Some(expiry::stamping(field, expiry));
    }
    let way = way(field, None);
    let ident = &field.ident;
    let item = match way {
        Way::Ttl => "stored_ttl",
        Way::Time { .. } | Way::Actor { .. } => "stamped",
        _ => return None,
    };
    let stamped = of(&field.ty, &way.contract(), item);
    let args = match &way {
        Way::Time { kind } => {
            let form = time_form(field);
            code!(, stamp, #kind, #form)
        }
        Way::Actor { kind, .. } => code!(, stamp, #kind),
        _ => TokenStream::new(),
    };
    Some(code!(#stamped(&self.#ident #args)))
}

/// The variable that contains a field while an object is read.
pub(super) fn holder(field: &Field) -> Ident {
    local(&format!("field_{}", plain_name(&field.ident)))
}

/// Reads a field into its variable: the arm of a match on the name, which gives a `Result`. Errors leave the function
/// at one place, because each such place makes the compiler drop all variables.
fn decode_arm(field: &Field, key: Option<KeyUse>) -> Option<TokenStream> {
    if !field.is_stored() {
        return None;
    }
    let (stored, holder) = (&field.stored, holder(field));
    let way = way(field, key);
    let (item, form) = way.decode(field);
    let decode = of(&field.ty, &way.contract(), item);
    let form = form.map(|form| code!(, #form));
    Some(if field.default.is_some() {
        code!(#stored => __d::keep(
            &mut #holder,
            #stored,
            __d::or_null(reader, |reader| #decode(reader #form)),
        ),)
    } else {
        code!(#stored => __d::keep_value(&mut #holder, #stored, #decode(reader #form)),)
    })
}

/// Reads a field from the attribute of its former name.
fn former_arm(field: &Field) -> Option<(&String, TokenStream)> {
    let former = &field.former.as_ref()?.name;
    let holder = former_holder(field);
    let way = way(field, None);
    let (item, form) = way.decode(field);
    let decode = of(&field.ty, &way.contract(), item);
    let form = form.map(|form| code!(, #form));
    let read = match field.default {
        Some(_) => code!(__d::or_null(reader, |reader| #decode(reader #form))),
        None => code!(#decode(reader #form).map(::core::option::Option::Some)),
    };
    Some((
        former,
        code!(#former => __d::keep_former(&mut #holder, #former, #read),),
    ))
}

/// The variable that contains what was read under the former name of a field.
fn former_holder(field: &Field) -> Ident {
    local(&format!("former_{}", plain_name(&field.ident)))
}

/// Gives a field the value under its former name if the item has that name, whatever the order of the names.
pub(super) fn prefer_former(field: &Field) -> Option<TokenStream> {
    let usage = field.former.as_ref()?.usage;
    let (holder, former) = (holder(field), former_holder(field));
    Some(match usage {
        FormerUse::First | FormerUse::Dropped => code!(__d::prefer_former(&mut #holder, #former);),
        FormerUse::Alone => code!(#holder = ::core::option::Option::flatten(#former);),
    })
}

/// Up to this many names are compared one by one.
const FEW: usize = 16;

/// The approximate number of names in a bucket.
const TOGETHER: usize = 4;

/// Makes `match name { arms, others }`. Many arms are put into buckets by a hash of their names. Otherwise reading a
/// struct of n fields would compare n² names.
pub(super) fn match_name<'f>(
    fields: impl Iterator<Item = (&'f Field, Option<KeyUse>)>,
    others: &TokenStream,
) -> TokenStream {
    let arms = fields.flat_map(|(field, key)| {
        let arm = decode_arm(field, key).map(|arm| (&field.stored, arm));
        arm.into_iter().chain(former_arm(field))
    });
    let arms: Vec<_> = arms.collect();
    if arms.len() <= FEW {
        let arms = arms.iter().map(|(_, arm)| arm);
        return code!(match &*name { #(#arms)* #others });
    }
    let count = arms.len().div_ceil(TOGETHER);
    let mut buckets = vec![Vec::new(); count];
    for (stored, arm) in &arms {
        buckets[name_hash(stored) as usize % count].push(arm);
    }
    let buckets = buckets.iter().enumerate();
    let filled = buckets.filter(|(_, arms)| !arms.is_empty());
    let buckets = filled.map(|(number, arms)| {
        let number = number as u32;
        code! {
            #number => ::core::option::Option::Some(match &*name {
                #(#arms)*
                // Another name with the same hash.
                _ => break 'known ::core::option::Option::None,
            }),
        }
    });
    let count = count as u32;
    code! {{
        let known: ::core::option::Option<::core::result::Result<(), __d::CodecError>> = 'known: {
            match __d::name_hash(&name) % #count {
                #(#buckets)*
                _ => ::core::option::Option::None,
            }
        };
        match known {
            ::core::option::Option::Some(read) => read,
            ::core::option::Option::None => match &*name { #others },
        }
    }}
}

/// The hash of a name, FNV-1a. The library has the same function.
fn name_hash(name: &str) -> u32 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, hash)
}

/// Declares the variable of a field.
pub(super) fn declare(field: &Field) -> Option<TokenStream> {
    if !field.is_stored() {
        return None;
    }
    let (holder, ty) = (holder(field), &field.ty);
    let former = field.former.as_ref().map(|_| {
        let holder = former_holder(field);
        // The outer `Option` says whether the name was there, the inner one whether it had a value
        // other than NULL.
        code!(let mut #holder = ::core::option::Option::None::<::core::option::Option<#ty>>;)
    });
    Some(code!(let mut #holder = ::core::option::Option::None::<#ty>; #former))
}

/// The value of a field once the object is read: `ident: value`.
pub(super) fn finish(field: &Field) -> TokenStream {
    let ident = &field.ident;
    match field.role {
        FieldRole::Skip => {
            let value = value_when_absent(field);
            return code!(#ident: #value);
        }
        FieldRole::Flatten => {
            let (ty, holder) = (&field.ty, holder(field));
            return code!(#ident: #holder.finish::<#ty>()?);
        }
        FieldRole::Rest => {
            let from = of(&field.ty, &code!(RestField), "from_item");
            return code!(#ident: #from(rest));
        }
        _ => {}
    }
    let holder = holder(field);
    match &field.default {
        Some(default) => {
            let default = default_value(field, default);
            code!(#ident: #holder.unwrap_or_else(|| #default))
        }
        None => code!(#ident: #holder),
    }
}

/// Gives the fields that were not read and have no default their values; after it the variables are the values. It is
/// done for all fields at once, because each place for errors costs the compiler.
pub(super) fn complete<'f>(
    fields: impl Iterator<Item = (&'f Field, Option<KeyUse>)>,
) -> Option<TokenStream> {
    let mut fills = Vec::new();
    let mut holders = Vec::new();
    for (field, key) in fields.filter(|(field, _)| field.is_stored() && field.default.is_none()) {
        let (stored, holder) = (&field.stored, holder(field));
        let absent = way(field, key).absent(field);
        fills.push(code!(__d::fill(&mut #holder, #absent, #stored, &mut lacking);));
        holders.push(holder);
    }
    (!holders.is_empty()).then(|| {
        code! {
            let mut lacking = ::core::option::Option::None;
            #(#fills)*
            let (#(::core::option::Option::Some(#holders),)*) = (#(#holders,)*) else {
                return ::core::result::Result::Err(__d::incomplete(lacking));
            };
        }
    })
}

/// The default of a field, as an expression of its type.
pub(super) fn default_value(field: &Field, default: &DefaultValue) -> TokenStream {
    match default {
        DefaultValue::Trait => {
            let default = of(&field.ty, &code!(Default), "default");
            code!(#default())
        }
        DefaultValue::Text(text) => {
            let from = of(&field.ty, &code!(DefaultText), "from_text");
            code!(#from(#text))
        }
        DefaultValue::Expr(value) => code!(#value),
    }
}

/// The value of a field without an attribute.
pub(super) fn value_when_absent(field: &Field) -> TokenStream {
    let default = field.default.as_ref().unwrap_or(&DefaultValue::Trait);
    default_value(field, default)
}
