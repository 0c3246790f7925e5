//! Unique values: their look-ups, and the keys of their sentinels, built from known values.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::attribute::pk_role;
use super::tokens::{aliased, check, described, linked, of, plain_name};
use super::{known, template};
use crate::check::types::value_type;
use crate::model::{Entity, Format, TableRef, Unique};

/// The writers of the sentinels' keys, and the look-ups.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    if entity.uniques.is_empty() {
        return TokenStream::new();
    }
    let writers = entity.uniques.iter().map(|unique| {
        template::writer_in(
            entity,
            &writer_name(unique),
            &unique.template,
            &code!(__PK),
            &pk_role(entity),
            &code!(__d::Style::Escaped),
        )
    });
    let numbered = entity.uniques.iter().enumerate();
    let look_ups = numbered.map(|(number, unique)| look_up(entity, key_struct, number, unique));
    let ident = &entity.ident;
    code! {
        impl #key_struct { #(#writers)* }

        impl #ident { #(#look_ups)* }
    }
}

fn writer_name(unique: &Unique) -> Ident {
    format_ident!("write_unique_{}", plain_name(&unique.name))
}

/// `User::by_email(email)`
fn look_up(entity: &Entity, key_struct: &Ident, number: usize, unique: &Unique) -> TokenStream {
    let (ident, vis, name) = (&entity.ident, &entity.vis, &unique.name);
    let writer = writer_name(unique);
    let (mut arguments, mut values) = (Vec::new(), Vec::new());
    for (field, _) in &unique.fields {
        let field = &entity.fields[*field];
        let value = &field.ident;
        let part = aliased("UniquePart", &field.ty);
        arguments.push(code!(#value: impl __d::Arg<#part>));
        values.push(code!(let #value = __d::Arg::into_arg(#value);));
    }
    let writes = unique.template.parts().map(|(field, format)| {
        let field = &entity.fields[field];
        let value = &field.ident;
        let write = of(&field.ty, &template::index_contract(format), "write_part");
        code!(__d::PartOf::new(&#value, #write))
    });
    let filled = (unique.filling).then(|| code!(where for<'x> #ident: __d::FilledUnique<'x>));
    let doc = doc(entity, unique);
    code! {
        #[doc = #doc]
        #[inline]
        #vis fn #name(#(#arguments),*) -> __d::LookUp<#ident> #filled {
            #(#values)*
            __d::LookUp::of::<#number>(|writer| {
                #key_struct::#writer(__d::KeyTarget::attribute(writer) #(, #writes)*)
            })
        }
    }
}

/// The rustdoc of a look-up. It describes the arguments, because the signature does not show the type within an `Option`.
fn doc(entity: &Entity, unique: &Unique) -> String {
    let ident = plain_name(&entity.ident);
    let fields = unique
        .fields
        .iter()
        .map(|(field, _)| &entity.fields[*field]);
    let arguments = fields.clone().map(|field| {
        let (name, ty) = (plain_name(&field.ident), described(value_type(&field.ty)));
        format!("- `{name}`: {ty}\n")
    });
    let arguments: String = arguments.collect();
    let values: Vec<_> = fields.map(|field| plain_name(&field.ident)).collect();
    format!(
        "Finds the `{ident}` that has this unique value, or `None`, by strong reads. See {look_up}.\n\n{arguments}\n\
         ```text\nlet found: Option<{ident}> = {ident}::{name}({values}).send(&db).await?;\n```",
        look_up = linked(&entity.krate, "`LookUp`", "write::LookUp"),
        name = plain_name(&unique.name),
        values = values.join(", "),
    )
}

/// `UNIQUES`, as data.
pub(super) fn definitions(entity: &Entity) -> TokenStream {
    let uniques = entity.uniques.iter().map(|unique| {
        let name = plain_name(&unique.name);
        let fields = unique
            .fields
            .iter()
            .map(|(field, _)| plain_name(&entity.fields[*field].ident));
        let (stored, filling, front) = (&unique.stored, unique.filling, unique.front());
        code!(__d::UniqueDef { name: #name, stored: #stored, fields: &[#(#fields),*], front: #front, filling: #filling })
    });
    code!(&[#(#uniques),*])
}

/// The function that returns the sentinels of an item.
pub(super) fn sentinels(entity: &Entity) -> TokenStream {
    let ident = &entity.ident;
    match entity.uniques.is_empty() {
        true => code!(__d::no_sentinels),
        false => code!(__d::sentinels_of::<#ident>),
    }
}

/// The functions of the trait.
pub(super) fn functions(entity: &Entity, key_struct: &Ident) -> TokenStream {
    if entity.uniques.is_empty() {
        return TokenStream::new();
    }
    let numbered = || entity.uniques.iter().enumerate();
    let there = numbered().flat_map(|(number, unique)| {
        unique
            .fields
            .iter()
            .enumerate()
            .map(move |(at, (field, _))| {
                let is_there =
                    template::index_question(entity, (*field, Format::PLAIN), "is_there");
                let is_there = known::holds_of(entity, *field, &is_there);
                code!((#number, #at) => #is_there,)
            })
    });
    let writes = numbered().map(|(number, unique)| {
        let writer = writer_name(unique);
        let write = known::write(entity, key_struct, &writer, &unique.template);
        code!(#number => #write)
    });
    code! {
        #[inline]
        fn unique_part_is_there(
            unique: usize,
            part: usize,
            known: &__d::Known,
        ) -> ::core::result::Result<::core::option::Option<bool>, __d::CodecError> {
            match (unique, part) {
                #(#there)*
                _ => ::core::result::Result::Ok(::core::option::Option::None),
            }
        }

        #[inline]
        fn write_unique(
            unique: usize,
            known: &__d::Known,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            match unique {
                #(#writes)*
                _ => ::core::result::Result::Ok(()),
            }
        }
    }
}

/// Rules that need the other entities of the table: sentinels have keys that no entity can have.
pub(super) fn checks(entity: &Entity) -> Vec<TokenStream> {
    let Some(unique) = entity.uniques.first() else {
        return Vec::new();
    };
    let ident = &entity.ident;
    let span = unique.name.span();
    let def = code!(<#ident as __d::EntityContract>::ENTITY);
    let table = match &entity.table {
        TableRef::Shared(path) => of(path, &code!(DynamoTable), "ENTITIES"),
        TableRef::Own(_) => code!(<#ident as __d::DynamoTable>::ENTITIES),
    };
    vec![
        check(
            span,
            &code!(__d::has_text_partition(&#def)),
            "unique values are kept in items of the same table, whose partition key is a text then; \
             make it one: `key(pk = \"USER#{id}\")`",
        ),
        check(
            span,
            &code!(__d::leaves_room_for_uniques(#table, __STYLE)),
            "unique values are kept in items of the same table, and an entity of it could have their key, since \
             a bare field can hold any text; write its `pk` (or its `sk`) as a template: `key(pk = \"USER#{id}\")`",
        ),
    ]
}
