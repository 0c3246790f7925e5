//! Makes the struct of typed parts that a key consists of, and its implementations.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::attribute::pk_role;
use super::codec;
use super::key_field::{Held, KeyField, key_fields};
use super::template::{contract, parser, part_parsers, shard, writer};
use super::tokens::{local, name, of, plain_name};
use crate::model::{Entity, FieldRole, Format, KeySource, Template};

/// The struct of typed parts with all of its implementations.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let fields = key_fields(entity);
    let definition = definition(entity, key_struct, &fields);
    let pk_role = pk_role(entity);
    let pk = attribute_functions(entity, &entity.pk, "pk", &code!(__PK), &pk_role);
    let sk = entity
        .sk
        .as_ref()
        .map(|sk| attribute_functions(entity, sk, "sk", &code!(__SK), &code!(__d::Role::Sort)));
    let write_pk = write_from_key(entity, &fields, &entity.pk, "pk", &pk_role);
    let write_sk = entity
        .sk
        .as_ref()
        .map(|sk| write_from_key(entity, &fields, sk, "sk", &code!(__d::Role::Sort)));
    let read = read(entity, &fields);
    let tell = tell(entity, &fields);
    let ident = &entity.ident;
    code! {
        #definition

        impl #key_struct {
            #pk
            #sk
        }

        impl __d::KeyParts for #key_struct {
            type Entity = #ident;

            #tell

            fn write_in(
                &self,
                shard: __d::Shard,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                #write_pk
                #write_sk
                ::core::result::Result::Ok(())
            }

            #read
        }
    }
}

/// Records the fields that the key contains whole.
fn tell(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let told = fields.iter().filter(|key| !key.held.is_cut()).map(|key| {
        let ident = &entity.fields[key.field].ident;
        let (name, value) = (plain_name(ident), key.take(entity, &code!(&self.#ident)));
        code!(known.tell(#name, #value);)
    });
    let written = fields.iter().filter_map(|key| {
        let field = &entity.fields[key.field];
        let ident = &field.ident;
        let is_plain = matches!(key.held, Held::Whole(_)) && field.role == FieldRole::Attribute;
        is_plain.then(|| codec::encode(field, None, &code!(&self.#ident)))
    });
    code! {
        #[inline]
        fn tell(&self, known: &mut __d::Known) {
            #(#told)*
        }

        #[inline]
        fn write_fields(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
            #(#written)*
            ::core::result::Result::Ok(())
        }
    }
}

fn definition(entity: &Entity, key_struct: &Ident, fields: &[KeyField]) -> TokenStream {
    let vis = &entity.vis;
    let members = fields.iter().map(|key| {
        let field = &entity.fields[key.field];
        let (vis, ident, ty) = (&field.vis, &field.ident, key.ty(entity));
        let doc = format!("The part `{}` of the key.", plain_name(ident));
        code!(#[doc = #doc] #vis #ident: #ty)
    });
    let clones = fields.iter().map(|key| {
        let ident = &entity.fields[key.field].ident;
        let clone = key.copy(entity, &code!(&self.#ident));
        code!(#ident: #clone)
    });
    let doc = format!("The typed parts of the key of `{}`.", entity.ident);
    code! {
        #[doc = #doc]
        #vis struct #key_struct { #(#members),* }

        impl ::core::clone::Clone for #key_struct {
            fn clone(&self) -> Self {
                Self { #(#clones),* }
            }
        }
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
    );
    let parse = parser(entity, &format_ident!("parse_{which}"), template, attribute);
    code!(#write #parse)
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
        KeySource::Field { field, .. } | KeySource::Number { field, .. } => {
            let field = &entity.fields[*field];
            let (ident, name) = (&field.ident, name(&field.stored));
            let encode = of(&field.ty, &code!(KeyValue), "encode_key");
            code!(#encode(&self.#ident, &#name, #role, writer)?;)
        }
        KeySource::Template(template) => write_from_parts(
            entity,
            fields,
            (template, which),
            &code!(self),
            &code!(__d::KeyTarget::attribute(writer)),
            &code!(shard),
        ),
    }
}

/// Writes a key attribute from a variable with the key's struct.
fn write_from_parts(
    entity: &Entity,
    fields: &[KeyField],
    (template, which): (&Template, &str),
    holder: &TokenStream,
    target: &TokenStream,
    shard_of: &TokenStream,
) -> TokenStream {
    let function = format_ident!("write_{which}");
    let parts = template
        .parts()
        .map(|part| part_of(entity, part, holder, is_cut(fields, part.0)));
    let shard = shard(template, shard_of);
    code!(Self::#function(#target #shard #(, #parts)*)?;)
}

/// Compares the texts that were read with those that the parts give, if these may differ: a part was put, a field
/// that is in the key more than once was read at one place, or the parts determine a shard.
fn compare_with_parts(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let compared = templates(entity).map(|(template, which)| {
        let is_repeated = template.parts().any(|(field, _)| uses(entity, field) > 1);
        let is_asked = match is_repeated || template.shards.is_some() {
            true => code!(true),
            false => code!(is_put),
        };
        let (text, parts) = (local(&format!("read_{which}")), code!(parts));
        let target = code!(__d::KeyTarget::stored(text));
        let hash = code!(__d::Shard::Of(__d::hash_of_read(&parts)?));
        let write = write_from_parts(entity, fields, (template, which), &parts, &target, &hash);
        code! {
            if let ::core::option::Option::Some(text) = __d::text_if(#is_asked, &#text) {
                #write
            }
        }
    });
    compared.collect()
}

/// The templates of the primary key.
pub(super) fn templates(entity: &Entity) -> impl Iterator<Item = (&Template, &'static str)> {
    let keys = [(Some(&entity.pk), "pk"), (entity.sk.as_ref(), "sk")];
    keys.into_iter()
        .filter_map(|(source, which)| Some((source?.template()?, which)))
}

/// The number of uses of a field in the primary key.
pub(super) fn uses(entity: &Entity, field: usize) -> usize {
    let uses = entity.primary().map(|source| match source {
        KeySource::Field { field: bare, .. } | KeySource::Number { field: bare, .. } => {
            usize::from(*bare == field)
        }
        KeySource::Template(template) => template.parts().filter(|part| part.0 == field).count(),
    });
    uses.sum()
}

/// Returns whether the key's struct contains only the truncated value of a field.
fn is_cut(fields: &[KeyField], field: usize) -> bool {
    let mut keys = fields.iter();
    keys.any(|key| key.field == field && key.held.is_cut())
}

/// The part of a field of `holder`, for a writer. If `cut`, the holder has the part itself.
fn part_of(
    entity: &Entity,
    (field, format): (usize, Format),
    holder: &TokenStream,
    cut: bool,
) -> TokenStream {
    let (ident, ty) = (&entity.fields[field].ident, &entity.fields[field].ty);
    let item = if cut { "write_held" } else { "write" };
    let write = of(ty, &contract(format), item);
    code!(__d::PartOf::new(&#holder.#ident, #write))
}

/// Creates the call that writes a key attribute from a variable with the fields of the entity.
pub(super) fn write_from(
    entity: &Entity,
    template: &Template,
    which: &str,
    holder: &TokenStream,
    target: &TokenStream,
) -> TokenStream {
    let function = format_ident!("write_{which}");
    let parts = template
        .parts()
        .map(|part| part_of(entity, part, holder, false));
    let shard = shard(template, &code!(__d::Shard::Of(hash)));
    code!(#function(#target #shard #(, #parts)*)?;)
}

/// The code that reads a key attribute into a variable. The attributes of an item may come in any order.
struct AttributeReading {
    attribute: TokenStream,
    holder: Ident,
    /// The expression that reads the value; it is a `Result`.
    value: TokenStream,
    /// The statements that take the parts from the variable.
    unpack: TokenStream,
}

impl AttributeReading {
    /// Reads a bare field, which is the attribute itself.
    fn of_field(entity: &Entity, field: usize, which: &str, attribute: TokenStream) -> Self {
        let holder = local(&format!("read_{which}"));
        let part = key_part(entity, field);
        let decode = of(&entity.fields[field].ty, &code!(KeyValue), "decode_primary");
        AttributeReading {
            value: code!(__d::keep_value(&mut #holder, #attribute, #decode(reader))),
            unpack: code! {
                let #part = #holder.ok_or_else(|| __d::missing(#attribute))?;
            },
            attribute,
            holder,
        }
    }

    /// Parses the parts of a template from the text.
    fn of_template(
        entity: &Entity,
        fields: &[KeyField],
        (template, which): (&Template, &str),
        attribute: TokenStream,
    ) -> Self {
        let holder = local(&format!("read_{which}"));
        let parse = format_ident!("parse_{which}");
        let parsers = part_parsers(entity, template);
        // A part that the struct contains whole is not read from a key that contains only a cut of it.
        let names = template.parts().map(|(field, format)| {
            if format.is_lossy() && !is_cut(fields, field) {
                code!(_)
            } else {
                let part = key_part(entity, field);
                code!(#part)
            }
        });
        AttributeReading {
            value: code!(__d::read_key_text(reader, #attribute, &mut #holder)),
            unpack: code! {
                let (#(#names,)*) =
                    Self::#parse(__d::key_text(&#holder, #attribute)? #(, #parsers)*)?;
            },
            attribute,
            holder,
        }
    }
}

/// Returns how the key attributes are read, the partition key first.
fn attribute_readings(entity: &Entity, fields: &[KeyField]) -> Vec<AttributeReading> {
    let sources = [
        (Some(&entity.pk), "pk", code!(__PK)),
        (entity.sk.as_ref(), "sk", code!(__SK)),
    ];
    let readings = sources
        .into_iter()
        .filter_map(|(source, which, attribute)| {
            Some(match source? {
                KeySource::Field { field, .. } | KeySource::Number { field, .. } => {
                    AttributeReading::of_field(entity, *field, which, attribute)
                }
                KeySource::Template(template) => {
                    AttributeReading::of_template(entity, fields, (template, which), attribute)
                }
            })
        });
    readings.collect()
}

/// Makes the function that reads the parts from an item.
fn read(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let readings = attribute_readings(entity, fields);
    let read = read_attributes(entity, &readings);
    let unpack = readings.iter().map(|reading| &reading.unpack);
    let members = fields.iter().map(|key| {
        let (ident, part) = (&entity.fields[key.field].ident, key_part(entity, key.field));
        code!(#ident: #part)
    });
    let compared = compare_with_parts(entity, fields);
    code! {
        #[inline]
        fn read_with(
            reader: &mut __d::Reader<'_>,
            put: ::core::option::Option<&mut dyn ::core::ops::FnMut(&mut Self)>,
        ) -> ::core::result::Result<Self, __d::CodecError> {
            #read
            #(#unpack)*
            let mut parts = Self { #(#members),* };
            let is_put = ::core::option::Option::is_some(&put);
            if let ::core::option::Option::Some(put) = put {
                put(&mut parts);
            }
            #compared
            ::core::result::Result::Ok(parts)
        }
    }
}

/// Reads the key attributes into their variables. If all of them are texts, the library's own loop does it.
fn read_attributes(entity: &Entity, readings: &[AttributeReading]) -> TokenStream {
    let holders: Vec<_> = readings.iter().map(|reading| &reading.holder).collect();
    let attributes = readings.iter().map(|reading| &reading.attribute);
    if entity.primary().all(|source| source.template().is_some()) {
        return code!(let [#(#holders),*] = __d::read_key_texts(reader, [#(#attributes),*])?;);
    }
    let arms = readings.iter().map(|reading| {
        let AttributeReading {
            attribute, value, ..
        } = reading;
        code! {
            if name == #attribute {
                #value?;
                continue;
            }
        }
    });
    code! {
        #(let mut #holders = ::core::option::Option::None;)*
        let mut first = true;
        reader.open_object()?;
        while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
            #(#arms)*
            reader.skip()?;
        }
    }
}

/// The variable of a part that was read.
fn key_part(entity: &Entity, field: usize) -> Ident {
    local(&format!("part_{}", plain_name(&entity.fields[field].ident)))
}
