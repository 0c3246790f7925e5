//! Keys: the struct of typed parts, and the functions that write and parse each key attribute.
//!
//! One function writes a key attribute from its parts. The entity, the key and later the queries all
//! call that one.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::{Entity, Format, KeySource, Piece, Template};

/// The const that stands for a format.
pub(super) fn format_const(format: Format) -> TokenStream {
    match format {
        Format::Plain => quote!({ __d::PLAIN }),
        Format::Pad(_) => quote!({ __d::PADDED }),
        Format::Seconds => quote!({ __d::SECONDS }),
        Format::Millis => quote!({ __d::MILLIS }),
        Format::Date => quote!({ __d::DATE }),
        Format::Month => quote!({ __d::MONTH }),
    }
}

pub(super) fn pad(format: Format) -> TokenStream {
    match format {
        Format::Pad(digits) => {
            let digits = usize::from(digits);
            quote!(::core::option::Option::Some(#digits))
        }
        _ => quote!(::core::option::Option::None),
    }
}

/// The type of a part: the field's own, or what a lossy format makes of it.
pub(super) fn part_type(
    entity: &Entity,
    field: usize,
    format: Format,
    sparse: bool,
) -> TokenStream {
    let ty = &entity.fields[field].ty;
    let format = format_const(format);
    let which = if sparse {
        quote!(IndexField)
    } else {
        quote!(PartAs)
    };
    quote_spanned!(ty.span()=> <#ty as __d::#which<#format>>::Part)
}

/// The parts of a template, in order.
pub(super) fn parts(template: &Template) -> impl Iterator<Item = (usize, Format)> {
    template.pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(_) => None,
        Piece::Part { field, format } => Some((*field, *format)),
    })
}

/// A function that writes one key attribute from a template, the parts as arguments.
pub(super) fn writer(
    entity: &Entity,
    function: &Ident,
    template: &Template,
    attribute: &TokenStream,
    role: &TokenStream,
    sparse: bool,
) -> TokenStream {
    let mut arguments = Vec::new();
    let mut steps = Vec::new();
    for (index, piece) in template.pieces.iter().enumerate() {
        let last = index + 1 == template.pieces.len();
        match piece {
            Piece::Literal(text) => steps.push(quote!(key.literal(#text);)),
            Piece::Part { field, format } => {
                let ident = &entity.fields[*field].ident;
                let argument = format_ident!("part_{}", arguments.len());
                let ty = part_type(entity, *field, *format, sparse);
                let text = plain_name(ident);
                let pad = pad(*format);
                arguments.push(quote!(#argument: &#ty));
                steps.push(quote!(key.part(#text, #argument, #pad, #last)?;));
            }
        }
    }
    quote! {
        fn #function(
            writer: &mut __d::Writer
            #(, #arguments)*
        ) -> ::core::result::Result<(), __d::Fault> {
            let mut key = __d::KeyText::open(writer, #attribute, #role, STYLE);
            #(#steps)*
            key.close()
        }
    }
}

/// A function that parses a key attribute into a tuple of its parts.
fn parser(
    entity: &Entity,
    function: &Ident,
    template: &Template,
    attribute: &TokenStream,
) -> TokenStream {
    let mut types = Vec::new();
    let mut names = Vec::new();
    let mut steps = Vec::new();
    for (index, piece) in template.pieces.iter().enumerate() {
        let last = index + 1 == template.pieces.len();
        match piece {
            Piece::Literal(text) => steps.push(quote!(key.literal(#text)?;)),
            Piece::Part { field, format } => {
                let name = format_ident!("part_{}", names.len());
                let ty = part_type(entity, *field, *format, false);
                let text = plain_name(&entity.fields[*field].ident);
                let pad = pad(*format);
                steps.push(quote!(let #name = key.part::<#ty>(#text, #pad, #last)?;));
                names.push(name);
                types.push(ty);
            }
        }
    }
    quote! {
        fn #function(text: &str) -> ::core::result::Result<(#(#types,)*), __d::Fault> {
            let mut key = __d::KeyParser::new(text, #attribute, STYLE);
            #(#steps)*
            key.end()?;
            ::core::result::Result::Ok((#(#names,)*))
        }
    }
}

/// The name of a field without `r#`.
pub(super) fn plain_name(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// A part of the primary key, as the key's struct holds it.
pub(super) struct KeyField {
    pub(super) field: usize,
    /// `None`: the field's own type, of a bare key or a format that loses nothing.
    pub(super) lossy: Option<Format>,
}

/// The fields of the key's struct: each field once, whole if any place has it whole.
pub(super) fn key_fields(entity: &Entity) -> Vec<KeyField> {
    let mut fields: Vec<KeyField> = Vec::new();
    let mut add = |field: usize, lossy: Option<Format>| match fields
        .iter_mut()
        .find(|known| known.field == field)
    {
        Some(known) if lossy.is_none() => known.lossy = None,
        Some(_) => {}
        None => fields.push(KeyField { field, lossy }),
    };
    for source in std::iter::once(&entity.pk).chain(&entity.sk) {
        match source {
            KeySource::Field { field, .. } => add(*field, None),
            KeySource::Template(template) => {
                for (field, format) in parts(template) {
                    add(field, format.is_lossy().then_some(format));
                }
            }
        }
    }
    fields
}

impl KeyField {
    pub(super) fn ty(&self, entity: &Entity) -> TokenStream {
        match self.lossy {
            Some(format) => part_type(entity, self.field, format, false),
            None => {
                let ty = &entity.fields[self.field].ty;
                quote!(#ty)
            }
        }
    }
}

/// The struct of typed parts with everything it can do.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let fields = key_fields(entity);
    let definition = definition(entity, key_struct, &fields);
    let pk = attribute_functions(
        entity,
        &entity.pk,
        "pk",
        &quote!(PK),
        &quote!(__d::Role::Partition),
    );
    let sk = entity
        .sk
        .as_ref()
        .map(|sk| attribute_functions(entity, sk, "sk", &quote!(SK), &quote!(__d::Role::Sort)));
    let write_pk = write_from_key(
        entity,
        &fields,
        &entity.pk,
        "pk",
        &quote!(__d::Role::Partition),
    );
    let write_sk = entity
        .sk
        .as_ref()
        .map(|sk| write_from_key(entity, &fields, sk, "sk", &quote!(__d::Role::Sort)));
    let read = read(entity, &fields);
    let ident = &entity.ident;
    quote! {
        #definition

        impl #key_struct {
            #pk
            #sk
        }

        impl __d::KeyParts for #key_struct {
            type Entity = #ident;

            fn write(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
                #write_pk
                #write_sk
                ::core::result::Result::Ok(())
            }

            #read
        }
    }
}

fn definition(entity: &Entity, key_struct: &Ident, fields: &[KeyField]) -> TokenStream {
    let vis = &entity.vis;
    let members = fields.iter().map(|key| {
        let field = &entity.fields[key.field];
        let (vis, ident, ty) = (&field.vis, &field.ident, key.ty(entity));
        let doc = format!("The part `{}` of the key.", plain_name(ident));
        quote!(#[doc = #doc] #vis #ident: #ty)
    });
    let doc = format!("The typed parts of the key of `{}`.", entity.ident);
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone)]
        #vis struct #key_struct { #(#members),* }
    }
}

fn attribute_functions(
    entity: &Entity,
    source: &KeySource,
    which: &str,
    attribute: &TokenStream,
    role: &TokenStream,
) -> TokenStream {
    let KeySource::Template(template) = source else {
        return TokenStream::new();
    };
    let write = writer(
        entity,
        &format_ident!("write_{which}"),
        template,
        attribute,
        role,
        false,
    );
    let parse = parser(entity, &format_ident!("parse_{which}"), template, attribute);
    quote!(#write #parse)
}

/// Writes a key attribute out of the key's struct.
fn write_from_key(
    entity: &Entity,
    fields: &[KeyField],
    source: &KeySource,
    which: &str,
    role: &TokenStream,
) -> TokenStream {
    match source {
        KeySource::Field { field, .. } => {
            let field = &entity.fields[*field];
            let (ident, name) = (&field.ident, super::name(&field.stored));
            quote!(__d::encode_key_value(&self.#ident, &#name, #role, writer)?;)
        }
        KeySource::Template(template) => {
            let function = format_ident!("write_{which}");
            let parts = parts(template).map(|(field, format)| {
                let held = fields
                    .iter()
                    .find(|key| key.field == field)
                    .and_then(|key| key.lossy);
                part_of(entity, field, format, held.is_some())
            });
            quote!(Self::#function(writer #(, #parts)*)?;)
        }
    }
}

/// The part of `self.field` for a template; `cut` if `self` holds the part itself.
pub(super) fn part_of(entity: &Entity, field: usize, format: Format, cut: bool) -> TokenStream {
    let (ident, ty) = (&entity.fields[field].ident, &entity.fields[field].ty);
    if cut || !format.is_lossy() {
        return quote!(&self.#ident);
    }
    let format = format_const(format);
    quote!(&*<#ty as __d::PartAs<#format>>::part(&self.#ident))
}

/// Reads the parts from an item.
fn read(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let mut arms = Vec::new();
    let mut holders = Vec::new();
    let mut unpack = Vec::new();
    let sources = [
        (Some(&entity.pk), "pk", quote!(PK)),
        (entity.sk.as_ref(), "sk", quote!(SK)),
    ];
    for (source, which, attribute) in sources {
        let Some(source) = source else { continue };
        let holder = format_ident!("read_{which}");
        match source {
            KeySource::Field { field, .. } => {
                let field = &entity.fields[*field];
                let (ident, ty) = (&field.ident, &field.ty);
                holders.push(quote!(let mut #holder = ::core::option::Option::None::<#ty>;));
                arms.push(quote! {
                    if name == #attribute {
                        #holder = ::core::option::Option::Some(__d::decode_field(reader, #attribute)?);
                        continue;
                    }
                });
                unpack.push(quote! {
                    let #ident = #holder.ok_or_else(|| __d::missing(#attribute))?;
                });
            }
            KeySource::Template(template) => {
                let parse = format_ident!("parse_{which}");
                holders.push(quote!(let mut #holder = ::core::option::Option::None;));
                arms.push(quote! {
                    if name == #attribute {
                        #holder = ::core::option::Option::Some(__d::read_key_text(reader, #attribute)?);
                        continue;
                    }
                });
                // A part that the struct holds whole is not taken from a lossy place.
                let names = parts(template).map(|(field, format)| {
                    let whole = fields
                        .iter()
                        .any(|key| key.field == field && key.lossy.is_none());
                    let ident = &entity.fields[field].ident;
                    if whole && format.is_lossy() {
                        quote!(_)
                    } else {
                        quote!(#ident)
                    }
                });
                unpack.push(quote! {
                    let (#(#names,)*) = Self::#parse(__d::key_text(&#holder, #attribute)?)?;
                });
            }
        }
    }
    let idents = fields.iter().map(|key| &entity.fields[key.field].ident);
    quote! {
        fn read(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
            #(#holders)*
            let mut first = true;
            reader.open_object()?;
            while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
                #(#arms)*
                reader.skip()?;
            }
            #(#unpack)*
            ::core::result::Result::Ok(Self { #(#idents),* })
        }
    }
}
