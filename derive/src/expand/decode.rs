//! Reads an entity straight from the body of a response, whatever the order of its attributes.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::attribute::key_use;
use super::tokens::local;
use super::{codec, flat, key, shape, stored, template};
use crate::model::{Entity, Field, FieldRole, Format, KeySource, TableRef, Template};

/// Makes the function that reads an item. At the end it compares the item's keys with its fields.
pub(super) fn decode(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let variables = variables(entity);
    let numbered = entity.fields.iter().enumerate();
    let numbered = numbered.map(|(at, field)| (field, key_use(entity, at)));
    let read = codec::match_name(numbered, &others(entity));
    let former = entity.fields.iter().filter_map(codec::prefer_former);
    let unpack = key::templates(entity)
        .filter(|(source, _)| holds_whole(source))
        .map(|(source, which)| unpack(entity, key_struct, source, which));
    let fields = entity.fields.iter().enumerate();
    let complete = codec::complete(
        fields
            .clone()
            .map(|(at, field)| (field, key_use(entity, at))),
    );
    let finished = fields.map(|(at, field)| finish(entity, at, field));
    let compared = key::templates(entity)
        .filter(|(template, _)| may_differ(entity, template))
        .map(|(template, which)| compare(entity, key_struct, template, which));
    let told = (!entity.constants.is_empty())
        .then(|| code!(constants.check(&<Self as __d::EntityContract>::ENTITY)?;));
    let body = code! {
        #variables
        let mut first = true;
        reader.open_object()?;
        while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
            let read = #read;
            read?;
        }
        #told
        #(#former)*
        #(#unpack)*
        #complete
        let entity = Self { #(#finished),* };
        #(#compared)*
        ::core::result::Result::Ok(entity)
    };
    let steps = shape::decode(entity);
    code! {
        fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
            #steps
            #body
        }
    }
}

/// Declares the variables that an item is read into: for fields, for parts that only a key contains, and for texts of
/// keys.
fn variables(entity: &Entity) -> TokenStream {
    let declared = entity.fields.iter().filter_map(codec::declare);
    let skipped = entity.fields.iter().enumerate().filter_map(|(at, field)| {
        let holder = codec::holder(field);
        is_in_key_only(entity, at, field)
            .then(|| code!(let mut #holder = ::core::option::Option::None;))
    });
    let texts = key::templates(entity).map(|(_, which)| {
        let holder = local(&format!("text_{which}"));
        code!(let mut #holder = ::core::option::Option::None;)
    });
    let rest = entity.field_of(FieldRole::Rest);
    let rest = rest.map(|_| code!(let mut rest = __d::Item::new();));
    let flattened = flat::declare(entity);
    let constants = (!entity.constants.is_empty())
        .then(|| code!(let mut constants = __d::ReadConstants::default();));
    code! {
        #constants
        #(#declared)*
        #(#skipped)*
        #(#texts)*
        #(#flattened)*
        #rest
    }
}

/// Creates the arms for names that are not fields, which handle such an attribute.
fn others(entity: &Entity) -> TokenStream {
    let texts = key::templates(entity).map(|(_, which)| {
        let (holder, attribute) = (local(&format!("text_{which}")), attribute_of(which));
        code!(other if other == #attribute => __d::read_key_text(reader, #attribute, &mut #holder),)
    });
    let type_attribute = matches!(entity.table, TableRef::Shared(_)).then(|| {
        let name = &entity.name;
        if !entity.constants.is_empty() {
            let constants = entity.constants.iter().map(|constant| {
                let attribute = &constant.attribute;
                code!(other if other == #attribute => constants.read(
                    reader,
                    #attribute,
                    &<Self as __d::EntityContract>::ENTITY,
                ),)
            });
            return code! {
                other if other == __TYPE => constants.read_type(
                    reader,
                    __TYPE,
                    #name,
                    <<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::ENTITIES,
                ),
                #(#constants)*
            };
        }
        code!(other if other == __TYPE => __d::check_type(
            reader,
            __TYPE,
            #name,
            <<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::ENTITIES,
        ),)
    });
    let rest = entity.field_of(FieldRole::Rest).map(|_| {
        code! {
            other if !__d::is_derived(
                &<Self as __d::EntityContract>::ENTITY,
                &<<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE,
                other,
            ) => __d::keep_unknown(&mut rest, other, reader),
        }
    });
    let shape = shape::arm(entity);
    let flattened = flat::arms(entity);
    code! {
        #(#texts)*
        #type_attribute
        #shape
        #(#flattened)*
        #rest
        other => __d::skip_unknown(other, reader),
    }
}

/// Makes `ident: value` for a field once the item is read.
fn finish(entity: &Entity, at: usize, field: &Field) -> TokenStream {
    if !is_in_key_only(entity, at, field) {
        return codec::finish(field);
    }
    // Such a field has no attribute of its own, so an error names the attribute of its key.
    let (ident, holder) = (&field.ident, codec::holder(field));
    let in_pk = matches!(&entity.pk, KeySource::Template(template) if holds(template, at));
    let attribute = attribute_of(if in_pk { "pk" } else { "sk" });
    code!(#ident: #holder.ok_or_else(|| __d::missing(#attribute))?)
}

/// Tells whether a field has no attribute of its own, but is a part of the key, from which it is parsed.
fn is_in_key_only(entity: &Entity, at: usize, field: &Field) -> bool {
    field.role == FieldRole::Skip && is_whole_part(entity, at)
}

/// Names the constant with the name of a key attribute.
fn attribute_of(which: &str) -> Ident {
    format_ident!("__{}", which.to_uppercase())
}

/// Returns whether a template of the primary key contains the whole field.
fn is_whole_part(entity: &Entity, at: usize) -> bool {
    let mut templates = entity.primary().filter_map(KeySource::template);
    templates.any(|template| holds(template, at))
}

/// Returns whether a template contains the whole field.
fn holds(template: &Template, at: usize) -> bool {
    template
        .parts()
        .any(|(field, format)| field == at && !format.is_lossy())
}

/// Returns whether the text of a template may differ from the text that the fields of its item give. It cannot if
/// everything in it comes from itself: a field without an attribute is parsed from the first place in the key that
/// contains it whole, and parsing accepts only the text that would be written.
fn may_differ(entity: &Entity, template: &Template) -> bool {
    let is_own = |(field, format): (usize, Format)| {
        let has_attribute = entity.fields[field].role != FieldRole::Skip;
        !has_attribute && !format.is_lossy() && key::uses(entity, field) == 1
    };
    let mut parts = template.parts().peekable();
    template.shards.is_some() || parts.peek().is_none() || !parts.all(is_own)
}

/// Compares the text of a key with the text that the fields of the entity give.
fn compare(entity: &Entity, key_struct: &Ident, template: &Template, which: &str) -> TokenStream {
    let (text, target) = (
        local(&format!("text_{which}")),
        code!(__d::KeyTarget::stored(text)),
    );
    let write = key::write_from(entity, template, which, &code!(entity), &target);
    let hash = template.shards.map(
        |_| code!(let hash = __d::hash_of_read(&<Self as __d::EntityContract>::key_parts(&entity))?;),
    );
    code! {
        if let ::core::option::Option::Some(text) = #text.as_deref() {
            #hash
            #key_struct::#write
        }
    }
}

/// Returns whether a template contains any whole field, so that it is worth parsing.
fn holds_whole(template: &Template) -> bool {
    template.parts().any(|(_, format)| !format.is_lossy())
}

/// Parses a key for the fields that have no value yet; the partition key comes first.
fn unpack(entity: &Entity, key_struct: &Ident, template: &Template, which: &str) -> TokenStream {
    let text = local(&format!("text_{which}"));
    let parse = format_ident!("parse_{which}");
    let parsers = template::part_parsers(entity, template);
    let mut names = Vec::new();
    let mut holders = Vec::new();
    for (at, (field, format)) in template.parts().enumerate() {
        if format.is_lossy() {
            names.push(code!(_));
            continue;
        }
        let part = local(&format!("part_{at}"));
        names.push(code!(#part));
        holders.push((codec::holder(&entity.fields[field]), part));
    }
    let lacking = holders.iter().map(|(holder, _)| code!(#holder.is_none()));
    let fill = holders.iter().map(|(holder, part)| {
        code! {
            if #holder.is_none() {
                #holder = ::core::option::Option::Some(#part);
            }
        }
    });
    // Nothing else gives a field without an attribute its value.
    let is_needed = template
        .parts()
        .any(|(field, format)| entity.fields[field].role == FieldRole::Skip && !format.is_lossy());
    let attribute = attribute_of(which);
    let found = if is_needed {
        code!(::core::option::Option::Some(__d::key_text(&#text, #attribute)?))
    } else {
        code!(#text.as_deref())
    };
    code! {
        if #(#lacking)||* {
            if let ::core::option::Option::Some(text) = #found {
                let (#(#names,)*) = #key_struct::#parse(text #(, #parsers)*)?;
                #(#fill)*
            }
        }
    }
}

/// Makes what is read back after a write out of the fields. It makes nothing if a field is in the key only, since a key
/// is parsed.
pub(super) fn as_stored(entity: &Entity) -> Option<TokenStream> {
    // The older shape may not hold all of the fields, so what was written is read.
    if entity
        .shape
        .as_ref()
        .is_some_and(|shape| shape.written_as().is_some())
    {
        return None;
    }
    let fields = entity.fields.iter().enumerate();
    if fields
        .clone()
        .any(|(at, field)| is_in_key_only(entity, at, field))
    {
        return None;
    }
    let copies = stored::fields(fields.map(|(at, field)| {
        let ident = &field.ident;
        (field, key_use(entity, at), code!(&self.#ident))
    }))?;
    Some(code! {
        #[inline]
        fn as_stored(&self, stamp: &__d::ManagedValues) -> ::core::option::Option<Self> {
            ::core::option::Option::Some(Self { #(#copies),* })
        }
    })
}
