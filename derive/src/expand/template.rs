//! Templates become the functions that write and parse a key attribute, and checks of their parts.
//!
//! One function writes a key attribute from its parts. The entity, the key and the queries all call it. For a query it
//! writes only the front of the text.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident};

use super::library::format_constant;
use super::tokens::{local, of, option, plain_name};
use crate::model::{DerivedPart, Entity, Format, Piece, Template, TextFormat};

/// Names the trait that a field of the primary key must implement for a format.
pub(super) fn contract(format: Format) -> TokenStream {
    // A primary key has no position for a None. A part with one has been reported before.
    let contract = match format.text {
        TextFormat::Plain | TextFormat::Pad(_) | TextFormat::Fixed { .. } => "KeyPart".to_owned(),
        text => format!("To{text:?}"),
    };
    local(&contract).to_token_stream()
}

/// Names the trait for a format in the key of an index, in which the field may be missing.
pub(super) fn index_contract(format: Format) -> TokenStream {
    let format = format_constant(format);
    code!(IndexField<{ #format }>)
}

/// Names the use of a part of a template in a query, which determines its arguments.
pub(super) fn kind(format: Format) -> TokenStream {
    let format = format_constant(format);
    code!(__d::Formatted<{ #format }>)
}

/// Returns the width and the decimals that a format sets, if it does.
pub(super) fn pad(format: Format) -> TokenStream {
    option(match format.text {
        TextFormat::Pad(width) => {
            let width = usize::from(width);
            Some(code!(__d::Pad::to_width(#width)))
        }
        TextFormat::Fixed { width, decimals } => {
            let (width, decimals) = (usize::from(width), usize::from(decimals));
            Some(code!(__d::Pad::with_decimals(#width, #decimals)))
        }
        _ => None,
    })
}

/// Computes the width of a part, because a part of fixed width needs no delimiter after it.
pub(super) fn width(entity: &Entity, field: usize, format: Format, sparse: bool) -> TokenStream {
    fact(entity, (field, format), sparse, "WIDTH")
}

/// Computes the queries that a part supports, because texts that are no beginnings of others sort in every place.
pub(super) fn ranges(entity: &Entity, field: usize, format: Format, sparse: bool) -> TokenStream {
    fact(entity, (field, format), sparse, "RANGES")
}

/// Names a constant of a part, in the primary key or in that of an index.
fn fact(entity: &Entity, part: (usize, Format), sparse: bool, constant: &str) -> TokenStream {
    let (field, format) = part;
    let contract = if sparse {
        index_contract(format)
    } else {
        contract(format)
    };
    of(&entity.fields[field].ty, &contract, constant)
}

/// Names the punctuation in the texts of a part.
pub(super) fn holds(entity: &Entity, part: (usize, Format), sparse: bool) -> TokenStream {
    let (field, format) = part;
    let ty = &entity.fields[field].ty;
    let ty = match sparse {
        true => of(ty, &index_contract(format), "Part"),
        false => code!(#ty),
    };
    of(&ty, &code!(KeyPart), "HOLDS")
}

/// Checks whether a part of an index key may be missing, since an item without it is not in the index.
pub(super) fn presence(entity: &Entity, field: usize, format: Format) -> TokenStream {
    of(
        &entity.fields[field].ty,
        &index_contract(format),
        "PRESENCE",
    )
}

/// Names the variable of a part by its number, since a field may be called `key` or `target`.
pub(super) fn part_name(at: usize) -> Ident {
    local(&format!("part_{at}"))
}

/// Returns the functions that read the parts, since the parser of a template does not know their types.
pub(super) fn part_parsers(entity: &Entity, template: &Template) -> Vec<TokenStream> {
    let parser =
        |(field, format): (usize, Format)| of(&entity.fields[field].ty, &contract(format), "parse");
    template.parts().map(parser).collect()
}

/// Creates a part of an index key from a reference to its value, for a writer.
pub(super) fn index_part_of(
    entity: &Entity,
    part: (usize, Format),
    value: &TokenStream,
) -> TokenStream {
    let write = index_question(entity, part, "write");
    code!(__d::PartOf::new(#value, #write))
}

/// Returns the function for a part of an index key, `is_there` or `write`.
pub(super) fn index_question(
    entity: &Entity,
    (field, format): (usize, Format),
    item: &str,
) -> TokenStream {
    of(&entity.fields[field].ty, &index_contract(format), item)
}

/// Returns an item of the trait for a part of a derived index key, such as `is_there`.
pub(super) fn derived_item(
    entity: &Entity,
    (field, format): DerivedPart,
    item: &str,
) -> TokenStream {
    match format {
        Some(format) => index_question(entity, (field, format), item),
        None => of(&entity.fields[field].ty, &code!(IndexPart), item),
    }
}

/// Creates the call that writes the number of a field as a key attribute; it is a `Result`.
pub(super) fn write_number(
    entity: &Entity,
    field: usize,
    value: &TokenStream,
    attribute: &TokenStream,
) -> TokenStream {
    let field = &entity.fields[field];
    let (write, name) = (
        of(&field.ty, &code!(IndexPart), "write_number"),
        plain_name(&field.ident),
    );
    code!(#write(#value, #name, #attribute, writer))
}

/// Returns the additional argument of a writer if the template has shards.
pub(super) fn shard(template: &Template, shard: &TokenStream) -> Option<TokenStream> {
    template.shards.map(|_| code!(, #shard))
}

/// Creates the function that writes one key attribute from a template. It contains the positions of the parts; the
/// arguments are their values.
pub(super) fn writer(
    entity: &Entity,
    function: &Ident,
    template: &Template,
    attribute: &TokenStream,
    role: &TokenStream,
) -> TokenStream {
    writer_in(entity, function, template, attribute, role, &code!(__STYLE))
}

/// Makes such a function in a style that may differ from the table's: sentinels are always escaped.
pub(super) fn writer_in(
    entity: &Entity,
    function: &Ident,
    template: &Template,
    attribute: &TokenStream,
    role: &TokenStream,
    style: &TokenStream,
) -> TokenStream {
    let (mut arguments, mut types) = (Vec::new(), Vec::new());
    let mut steps = Vec::new();
    for (index, piece) in template.pieces.iter().enumerate() {
        let after = text_after(template, index);
        match piece {
            Piece::Literal(text) => steps.push(code!(__d::KeyText::literal(&mut key, #text);)),
            Piece::Part { field, format } => {
                let ident = &entity.fields[*field].ident;
                let argument = part_name(arguments.len());
                let text = plain_name(ident);
                let pad = pad(*format);
                let ty = format_ident!("__Part{}", arguments.len());
                arguments.push(code!(#argument: __d::PartOf<'_, #ty>));
                types.push(code!(#ty: ?::core::marker::Sized));
                steps.push(
                    code!(#argument.write(__d::KeyText::part(&mut key, #text, #pad, #after))?;),
                );
            }
        }
    }
    let shard = template.shards.map(|shards| {
        steps.push(code!(__d::KeyText::shard(&mut key, shard, #shards)?;));
        code!(, shard: __d::Shard)
    });
    code! {
        fn #function<#(#types),*>(
            target: __d::KeyTarget<'_>
            #shard
            #(, #arguments)*
        ) -> ::core::result::Result<(), __d::CodecError> {
            let mut key = __d::KeyText::open(target, #attribute, #role, #style)?;
            #(#steps)*
            key.close()
        }
    }
}

/// The literal text after a piece, which ends a part: empty if a part or a shard follows, none if nothing does.
fn text_after(template: &Template, piece: usize) -> TokenStream {
    option(match template.pieces.get(piece + 1) {
        Some(Piece::Literal(text)) => Some(text.as_str()),
        Some(Piece::Part { .. }) => Some(""),
        None => template.shards.map(|_| ""),
    })
}

/// Creates the function that parses a key attribute into a tuple of its parts. The types of the parts are parameters,
/// as for the writer. Therefore a type that is not a key part is reported where the parts are used, and not at each
/// place of a signature.
pub(super) fn parser(
    entity: &Entity,
    function: &Ident,
    template: &Template,
    attribute: &TokenStream,
) -> TokenStream {
    let mut types = Vec::new();
    let mut names = Vec::new();
    let mut steps = Vec::new();
    for (index, piece) in template.pieces.iter().enumerate() {
        let after = text_after(template, index);
        match piece {
            Piece::Literal(text) => steps.push(code!(__d::KeyParser::literal(&mut key, #text)?;)),
            Piece::Part { field, format } => {
                let name = part_name(names.len());
                let text = plain_name(&entity.fields[*field].ident);
                let pad = pad(*format);
                steps.push(code!(let #name = #name(&mut key, #text, #pad, #after)?;));
                types.push(format_ident!("__Part{}", names.len()));
                names.push(name);
            }
        }
    }
    steps.extend(
        template
            .shards
            .map(|shards| code!(__d::KeyParser::shard(&mut key, #shards)?;)),
    );
    code! {
        fn #function<#(#types),*>(
            text: &str
            #(, #names: __d::ParsePart<#types>)*
        ) -> ::core::result::Result<(#(#types,)*), __d::CodecError> {
            let mut key = __d::KeyParser::new(text, #attribute, __STYLE);
            #(#steps)*
            key.end()?;
            ::core::result::Result::Ok((#(#names,)*))
        }
    }
}
