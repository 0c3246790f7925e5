//! Keys: the struct of typed parts, and the functions that write and parse each key attribute.
//!
//! One function writes a key attribute from its parts. The entity, the key and the queries all call
//! that one; a query has it write the front of the text only.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::{call, local, of};
use crate::model::{Entity, Field, Format, KeySource, Piece, Role, Template};

/// The trait that a field of the primary key has for a format.
fn contract(format: Format) -> TokenStream {
    match format {
        Format::Plain | Format::Pad(_) => code!(KeyPart),
        Format::Seconds => code!(ToSeconds),
        Format::Millis => code!(ToMillis),
        Format::Date => code!(ToDate),
        Format::Month => code!(ToMonth),
    }
}

/// The trait that a field of an index key has for a format, where the field may be missing.
pub(super) fn index_contract(format: Format) -> TokenStream {
    let format = format_constant(format);
    code!(IndexField<{ __d::#format }>)
}

/// What a part of a template is to a query.
pub(super) fn kind(format: Format) -> TokenStream {
    let format = format_constant(format);
    code!(__d::Formatted<{ __d::#format }>)
}

fn format_constant(format: Format) -> TokenStream {
    match format {
        Format::Plain => code!(PLAIN),
        Format::Pad(_) => code!(PADDED),
        Format::Seconds => code!(SECONDS),
        Format::Millis => code!(MILLIS),
        Format::Date => code!(DATE),
        Format::Month => code!(MONTH),
    }
}

pub(super) fn pad(format: Format) -> TokenStream {
    match format {
        Format::Pad(digits) => {
            let digits = usize::from(digits);
            code!(::core::option::Option::Some(#digits))
        }
        _ => code!(::core::option::Option::None),
    }
}

/// How wide a part is.
pub(super) fn width(entity: &Entity, field: usize, format: Format, sparse: bool) -> TokenStream {
    let contract = if sparse {
        index_contract(format)
    } else {
        contract(format)
    };
    of(&entity.fields[field].ty, &contract, "WIDTH")
}

/// Whether a part of an index key may be missing.
pub(super) fn presence(entity: &Entity, field: usize, format: Format) -> TokenStream {
    of(
        &entity.fields[field].ty,
        &index_contract(format),
        "PRESENCE",
    )
}

/// The functions that read the parts of a template.
pub(super) fn part_parsers(entity: &Entity, template: &Template) -> Vec<TokenStream> {
    let parser =
        |(field, format): (usize, Format)| of(&entity.fields[field].ty, &contract(format), "parse");
    parts(template).map(parser).collect()
}

/// A part of an index key out of a reference to its value, for a writer.
pub(super) fn index_part_of(
    entity: &Entity,
    part: (usize, Format),
    value: &TokenStream,
) -> TokenStream {
    let write = index_question(entity, part, "write");
    code!(__d::PartOf::new(#value, #write))
}

/// A question to a part of an index key, `is_there` or `write`: a function.
pub(super) fn index_question(
    entity: &Entity,
    (field, format): (usize, Format),
    item: &str,
) -> TokenStream {
    of(&entity.fields[field].ty, &index_contract(format), item)
}

/// Where the value of a field stands that a write leaves. Of a managed field that is a variable.
pub(super) fn stored(field: &Field) -> TokenStream {
    let ident = &field.ident;
    match field.role {
        Role::Ttl | Role::CreatedAt | Role::UpdatedAt | Role::CreatedBy | Role::UpdatedBy => {
            let stamped = local(&format!("stamped_{}", plain_name(ident)));
            code!(#stamped)
        }
        Role::Attribute | Role::Skip | Role::Rest | Role::Version => code!(self.#ident),
    }
}

/// The parts of a template, in order.
pub(super) fn parts(template: &Template) -> impl Iterator<Item = (usize, Format)> {
    template.pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(_) => None,
        Piece::Part { field, format } => Some((*field, *format)),
    })
}

/// The variable of a part.
pub(super) fn part_name(at: usize) -> Ident {
    local(&format!("part_{at}"))
}

/// A function that writes one key attribute from a template. It knows the places of the parts; the
/// arguments say what stands there.
pub(super) fn writer(
    entity: &Entity,
    function: &Ident,
    template: &Template,
    attribute: &TokenStream,
    role: &TokenStream,
) -> TokenStream {
    writer_in(entity, function, template, attribute, role, &code!(__STYLE))
}

/// The same in a style that need not be the table's.
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
        let last = is_last(template, index);
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
                    code!(#argument.write(__d::KeyText::part(&mut key, #text, #pad, #last))?;),
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
        ) -> ::core::result::Result<(), __d::Fault> {
            let mut key = __d::KeyText::open(target, #attribute, #role, #style)?;
            #(#steps)*
            key.close()
        }
    }
}

/// Whether nothing follows a piece, so that no delimiter has to end it.
fn is_last(template: &Template, piece: usize) -> bool {
    template.shards.is_none() && piece + 1 == template.pieces.len()
}

/// A function that parses a key attribute into a tuple of its parts. The types of the parts are
/// parameters, as they are for the writer: a type that is no key part is then said to be none where
/// the parts are asked for, and not for each place of a signature.
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
        let last = is_last(template, index);
        match piece {
            Piece::Literal(text) => steps.push(code!(__d::KeyParser::literal(&mut key, #text)?;)),
            Piece::Part { field, format } => {
                let name = part_name(names.len());
                let text = plain_name(&entity.fields[*field].ident);
                let pad = pad(*format);
                steps.push(code!(let #name = #name(&mut key, #text, #pad, #last)?;));
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
        ) -> ::core::result::Result<(#(#types,)*), __d::Fault> {
            let mut key = __d::KeyParser::new(text, #attribute, __STYLE);
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
    pub(super) held: Held,
}

/// What the key's struct holds of a field.
#[derive(Clone, Copy)]
pub(super) enum Held {
    /// The field is a key attribute itself.
    Bare,
    /// All of it, by a format that loses nothing.
    Whole(Format),
    /// What a lossy format leaves of it.
    Cut(Format),
}

impl Held {
    fn of(format: Format) -> Self {
        if format.is_lossy() {
            Held::Cut(format)
        } else {
            Held::Whole(format)
        }
    }

    pub(super) fn is_cut(self) -> bool {
        matches!(self, Held::Cut(_))
    }
}

/// The fields of the key's struct: each field once, whole if any place has it whole.
pub(super) fn key_fields(entity: &Entity) -> Vec<KeyField> {
    let mut fields: Vec<KeyField> = Vec::new();
    let mut add = |field: usize, held: Held| match fields.iter_mut().find(|key| key.field == field)
    {
        Some(known) if known.held.is_cut() => known.held = held,
        Some(_) => {}
        None => fields.push(KeyField { field, held }),
    };
    for source in std::iter::once(&entity.pk).chain(&entity.sk) {
        match source {
            KeySource::Field { field, .. } => add(*field, Held::Bare),
            KeySource::Template(template) => {
                for (field, format) in parts(template) {
                    add(field, Held::of(format));
                }
            }
        }
    }
    fields
}

impl KeyField {
    pub(super) fn ty(&self, entity: &Entity) -> TokenStream {
        let ty = &entity.fields[self.field].ty;
        match self.held {
            Held::Cut(Format::Seconds) => code!(__d::Seconds<#ty>),
            Held::Cut(Format::Millis) => code!(__d::Millis<#ty>),
            Held::Cut(Format::Month) => code!(__d::YearMonth),
            Held::Cut(Format::Date) => of(ty, &code!(ToDate), "Date"),
            Held::Cut(Format::Plain | Format::Pad(_)) | Held::Bare | Held::Whole(_) => code!(#ty),
        }
    }

    /// What the key's struct holds, out of a reference to the field.
    pub(super) fn take(&self, entity: &Entity, place: &TokenStream) -> TokenStream {
        let ty = &entity.fields[self.field].ty;
        match self.held {
            Held::Bare => {
                let copy = of(ty, &code!(KeyValue), "to_key");
                code!(#copy(#place))
            }
            Held::Whole(format) | Held::Cut(format) => {
                call(ty, &contract(format), "to_part", place.clone())
            }
        }
    }

    /// The same, out of another key.
    fn copy(&self, entity: &Entity, place: &TokenStream) -> TokenStream {
        if self.held.is_cut() {
            code!(::core::clone::Clone::clone(#place))
        } else {
            self.take(entity, place)
        }
    }
}

/// A field out of the key's struct, if that holds all of it.
pub(super) fn whole_of_key(
    entity: &Entity,
    field: usize,
    place: &TokenStream,
) -> Option<TokenStream> {
    let keys = key_fields(entity);
    let key = keys.iter().find(|key| key.field == field)?;
    (!key.held.is_cut()).then(|| key.copy(entity, place))
}

/// What the key's struct holds of a field that a template is made of, out of a reference to its value.
pub(super) fn put_in_key(
    entity: &Entity,
    field: usize,
    value: &TokenStream,
) -> Option<TokenStream> {
    let keys = key_fields(entity);
    let key = keys.iter().find(|key| key.field == field)?;
    (!matches!(key.held, Held::Bare)).then(|| key.take(entity, value))
}

/// The struct of typed parts with everything it can do.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let fields = key_fields(entity);
    let definition = definition(entity, key_struct, &fields);
    let pk_role = super::definition::pk_role(entity);
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
            ) -> ::core::result::Result<(), __d::Fault> {
                #write_pk
                #write_sk
                ::core::result::Result::Ok(())
            }

            #read
        }
    }
}

/// Tells the fields that the key holds whole.
fn tell(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let told = fields.iter().filter(|key| !key.held.is_cut()).map(|key| {
        let ident = &entity.fields[key.field].ident;
        let (name, value) = (plain_name(ident), key.take(entity, &code!(&self.#ident)));
        code!(known.tell(#name, #value);)
    });
    let written = fields.iter().filter_map(|key| {
        let field = &entity.fields[key.field];
        let ident = &field.ident;
        let is_plain = matches!(key.held, Held::Whole(_)) && field.role == Role::Attribute;
        is_plain.then(|| super::codec::encode(field, None, &code!(&self.#ident)))
    });
    code! {
        #[inline]
        fn tell(&self, known: &mut __d::Known) {
            #(#told)*
        }

        #[inline]
        fn write_fields(&self, writer: &mut __d::Writer) -> ::core::result::Result<(), __d::Fault> {
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
        KeySource::Field { field, .. } => {
            let field = &entity.fields[*field];
            let (ident, name) = (&field.ident, super::name(&field.stored));
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

/// The same out of a variable that holds the key's struct.
fn write_from_parts(
    entity: &Entity,
    fields: &[KeyField],
    (template, which): (&Template, &str),
    holder: &TokenStream,
    target: &TokenStream,
    shard_of: &TokenStream,
) -> TokenStream {
    let function = format_ident!("write_{which}");
    let parts = parts(template).map(|part| {
        let cut = fields
            .iter()
            .any(|key| key.field == part.0 && key.held.is_cut());
        part_of(entity, part, holder, cut)
    });
    let shard = shard(template, shard_of);
    code!(Self::#function(#target #shard #(, #parts)*)?;)
}

/// Compares the texts that were read with those that the parts give, where these may be others: a field that stands
/// in the key more than once was read at one place, and a shard follows from the parts.
fn compare_with_parts(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let compared = templates(entity).filter_map(|(template, which)| {
        let is_repeated = parts(template).any(|(field, _)| uses(entity, field) > 1);
        (is_repeated || template.shards.is_some()).then(|| {
            let (text, parts) = (local(&format!("read_{which}")), code!(parts));
            let target = code!(__d::KeyTarget::stored(text));
            let hash = code!(__d::Shard::Of(__d::hash_of_read(&parts)?));
            let write = write_from_parts(entity, fields, (template, which), &parts, &target, &hash);
            code! {
                if let ::core::option::Option::Some(text) = #text.as_deref() {
                    #write
                }
            }
        })
    });
    compared.collect()
}

/// The templates of the primary key.
pub(super) fn templates(entity: &Entity) -> impl Iterator<Item = (&Template, &'static str)> {
    let keys = [(Some(&entity.pk), "pk"), (entity.sk.as_ref(), "sk")];
    keys.into_iter()
        .filter_map(|(source, which)| match source? {
            KeySource::Template(template) => Some((template, which)),
            KeySource::Field { .. } => None,
        })
}

/// How often a field stands in the primary key.
pub(super) fn uses(entity: &Entity, field: usize) -> usize {
    let sources = std::iter::once(&entity.pk).chain(&entity.sk);
    let uses = sources.map(|source| match source {
        KeySource::Field { field: bare, .. } => usize::from(*bare == field),
        KeySource::Template(template) => parts(template).filter(|part| part.0 == field).count(),
    });
    uses.sum()
}

/// The argument that a writer takes beside the parts, if the template has shards.
pub(super) fn shard(template: &Template, shard: &TokenStream) -> Option<TokenStream> {
    template.shards.map(|_| code!(, #shard))
}

/// The part of a field of `holder`, for a writer; `cut` if that holds the part itself.
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

/// Has a key attribute written out of a variable that holds the fields of the entity.
pub(super) fn write_from(
    entity: &Entity,
    template: &Template,
    which: &str,
    holder: &TokenStream,
    target: &TokenStream,
) -> TokenStream {
    let function = format_ident!("write_{which}");
    let parts = parts(template).map(|part| part_of(entity, part, holder, false));
    let shard = shard(template, &code!(__d::Shard::Of(hash)));
    code!(#function(#target #shard #(, #parts)*)?;)
}

/// Reads the parts from an item.
fn read(entity: &Entity, fields: &[KeyField]) -> TokenStream {
    let mut arms = Vec::new();
    let mut holders = Vec::new();
    let mut attributes = Vec::new();
    let mut unpack = Vec::new();
    let sources = [
        (Some(&entity.pk), "pk", code!(__PK)),
        (entity.sk.as_ref(), "sk", code!(__SK)),
    ];
    for (source, which, attribute) in sources {
        let Some(source) = source else { continue };
        let holder = local(&format!("read_{which}"));
        let value = match source {
            KeySource::Field { field, .. } => {
                let (part, ty) = (key_part(entity, *field), &entity.fields[*field].ty);
                let decode = of(ty, &code!(KeyValue), "decode_primary");
                unpack.push(code! {
                    let #part = #holder.ok_or_else(|| __d::missing(#attribute))?;
                });
                code!(__d::keep_value(&mut #holder, #attribute, #decode(reader)))
            }
            KeySource::Template(template) => {
                let parse = format_ident!("parse_{which}");
                let parsers = part_parsers(entity, template);
                // A part that the struct holds whole is not taken from a place that cuts it.
                let names = parts(template).map(|(field, format)| {
                    let cut = fields
                        .iter()
                        .any(|key| key.field == field && key.held.is_cut());
                    if format.is_lossy() && !cut {
                        code!(_)
                    } else {
                        let part = key_part(entity, field);
                        code!(#part)
                    }
                });
                unpack.push(code! {
                    let (#(#names,)*) =
                        Self::#parse(__d::key_text(&#holder, #attribute)? #(, #parsers)*)?;
                });
                code!(__d::read_key_text(reader, #attribute, &mut #holder))
            }
        };
        arms.push(code! {
            if name == #attribute {
                #value?;
                continue;
            }
        });
        holders.push(holder);
        attributes.push(attribute);
    }
    let members = fields.iter().map(|key| {
        let (ident, part) = (&entity.fields[key.field].ident, key_part(entity, key.field));
        code!(#ident: #part)
    });
    let compared = compare_with_parts(entity, fields);
    let is_text = [Some(&entity.pk), entity.sk.as_ref()]
        .into_iter()
        .flatten()
        .all(|source| matches!(source, KeySource::Template(_)));
    let read = if is_text {
        code!(let [#(#holders),*] = __d::read_key_texts(reader, [#(#attributes),*])?;)
    } else {
        code! {
            #(let mut #holders = ::core::option::Option::None;)*
            let mut first = true;
            reader.open_object()?;
            while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
                #(#arms)*
                reader.skip()?;
            }
        }
    };
    code! {
        #[inline]
        fn read(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
            #read
            #(#unpack)*
            let parts = Self { #(#members),* };
            #compared
            ::core::result::Result::Ok(parts)
        }
    }
}

/// The variable of a part that was read.
fn key_part(entity: &Entity, field: usize) -> Ident {
    local(&format!("part_{}", plain_name(&entity.fields[field].ident)))
}
