//! The named fields of a struct or of a variant are the entries of a map.

use proc_macro2::TokenStream;

use crate::expand::codec;
use crate::expand::tokens::of;
use crate::model::{Field, FieldRole};

/// Writes the entries of a map.
pub(super) fn encode_fields<'f>(
    fields: impl Iterator<Item = (&'f Field, TokenStream)>,
) -> TokenStream {
    let fields: Vec<_> = fields.collect();
    let known = fields.iter().map(|(field, _)| &field.stored);
    let rest = fields
        .iter()
        .find(|(field, _)| field.role == FieldRole::Rest)
        .map(|(field, place)| {
            let item = of(&field.ty, &code!(RestField), "as_item");
            code!(__d::encode_nested_rest(#item(#place), &[#(#known),*], writer)?;)
        });
    let entries = fields
        .iter()
        .map(|(field, place)| codec::encode(field, None, place));
    code!(#(#entries)* #rest)
}

/// Reads a map into `constructor { fields }`. The tag of an enum is skipped, since it has been read.
pub(super) fn decode_fields(
    fields: &[Field],
    constructor: &TokenStream,
    tag: Option<&str>,
) -> TokenStream {
    let declared = fields.iter().filter_map(codec::declare);
    let complete = codec::complete(fields.iter().map(|field| (field, None)));
    let finished = fields.iter().map(codec::finish);
    let tag_arm = tag.map(|tag| code!(#tag => reader.skip(),));
    let has_rest = fields.iter().any(|field| field.role == FieldRole::Rest);
    let rest_holder = has_rest.then(|| code!(let mut rest = __d::Item::new();));
    let other = if has_rest {
        code!(#tag_arm other => __d::keep_rest(&mut rest, other, reader),)
    } else {
        code!(#tag_arm _ => reader.skip(),)
    };
    let read = codec::match_name(fields.iter().map(|field| (field, None)), &other);
    code! {
        #(#declared)*
        #rest_holder
        let mut first = true;
        reader.open_map()?;
        while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
            let read = #read;
            read?;
        }
        reader.close_map()?;
        #complete
        ::core::result::Result::Ok(#constructor { #(#finished),* })
    }
}
