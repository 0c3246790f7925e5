//! Unique values: their look-ups, and the keys of their sentinels, built from known values.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::attribute::pk_role;
use super::tokens::{aliased, check, described, linked, of, plain_name, shown};
use super::{known, template};
use crate::check::types::value_type;
use crate::model::{Entity, KeySource, TableRef, Template, Unique, UniqueKept};

/// The writers of the sentinels' keys, and the look-ups.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    if entity.uniques.is_empty() {
        return TokenStream::new();
    }
    let writers = entity.uniques.iter().flat_map(|unique| {
        let keys = keys(entity, unique).into_iter();
        keys.map(|(name, template, attribute, role)| {
            let style = match unique.row() {
                None => code!(__d::Style::Escaped),
                Some(_) => code!(__STYLE),
            };
            template::writer_in(entity, &name, template, &attribute, &role, &style)
        })
    });
    let numbered = entity.uniques.iter().enumerate();
    let look_ups =
        numbered.filter_map(|(number, unique)| look_up(entity, key_struct, number, unique));
    let ident = &entity.ident;
    code! {
        impl #key_struct { #(#writers)* }

        impl #ident { #(#look_ups)* }
    }
}

fn writer_name(unique: &Unique) -> Ident {
    format_ident!("write_unique_{}", plain_name(&unique.name))
}

/// The key attributes that templates write: each with the name of its writer, the name of the attribute and its role. The sort
/// key of a sentinel is a constant.
fn keys<'u>(
    entity: &Entity,
    unique: &'u Unique,
) -> Vec<(Ident, &'u Template, TokenStream, TokenStream)> {
    let writer = writer_name(unique);
    let pk = |template| (writer.clone(), template, code!(__PK), pk_role(entity));
    match &unique.kept {
        UniqueKept::Sentinel(template) => vec![pk(template)],
        UniqueKept::Row(row) => {
            let sk = row.sk.as_ref().and_then(KeySource::template);
            let sk = sk.map(|template| {
                let name = format_ident!("{writer}_sk");
                (name, template, code!(__SK), code!(__d::Role::Sort))
            });
            row.pk.template().map(pk).into_iter().chain(sk).collect()
        }
    }
}

/// `User::by_email(email)`. A row of another program does not name its item, so it has no look-up.
fn look_up(
    entity: &Entity,
    key_struct: &Ident,
    number: usize,
    unique: &Unique,
) -> Option<TokenStream> {
    let UniqueKept::Sentinel(template) = &unique.kept else {
        return None;
    };
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
    let writes = template.parts().map(|(field, format)| {
        let field = &entity.fields[field];
        let value = &field.ident;
        let write = of(&field.ty, &template::index_contract(format), "write_part");
        code!(__d::PartOf::new(&#value, #write))
    });
    let filled = (unique.filling).then(|| code!(where for<'x> #ident: __d::FilledUnique<'x>));
    let doc = doc(entity, unique);
    Some(code! {
        #[doc = #doc]
        #[inline]
        #vis fn #name(#(#arguments),*) -> __d::LookUp<#ident> #filled {
            #(#values)*
            __d::LookUp::of::<#number>(|writer| {
                #key_struct::#writer(__d::KeyTarget::attribute(writer) #(, #writes)*)
            })
        }
    })
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
                let part = (*field, unique.format_of(*field));
                let is_there = template::index_question(entity, part, "is_there");
                let is_there = known::holds_of(entity, *field, &is_there);
                code!((#number, #at) => #is_there,)
            })
    });
    let writes = numbered().map(|(number, unique)| {
        let keys = keys(entity, unique).into_iter();
        let writes =
            keys.map(|(writer, template, ..)| known::write(entity, key_struct, &writer, template));
        code!(#number => {
            #(#writes?;)*
            ::core::result::Result::Ok(())
        })
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
    let mut checks = row_checks(entity);
    let mut sentinels = entity
        .uniques
        .iter()
        .filter(|unique| unique.row().is_none());
    let Some(unique) = sentinels.next() else {
        return checks;
    };
    let ident = &entity.ident;
    let span = unique.name.span();
    let def = code!(<#ident as __d::EntityContract>::ENTITY);
    let table = match &entity.table {
        TableRef::Shared(path) => of(path, &code!(DynamoTable), "ENTITIES"),
        TableRef::Own(_) => code!(<#ident as __d::DynamoTable>::ENTITIES),
    };
    checks.extend([
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
    ]);
    checks
}

/// Rules for the rows of other programs: they fill the keys of the table, no item can have their keys, and no row stores two
/// values.
fn row_checks(entity: &Entity) -> Vec<TokenStream> {
    let TableRef::Shared(path) = &entity.table else {
        return Vec::new();
    };
    let [table, entities] = ["TABLE", "ENTITIES"].map(|item| of(path, &code!(DynamoTable), item));
    let ident = &entity.ident;
    let def = code!(<#ident as __d::EntityContract>::ENTITY);
    let shown = shown(path);
    let numbered = entity.uniques.iter().enumerate();
    let rows = numbered.filter_map(|(number, unique)| Some((number, unique, unique.row()?)));
    let rules = rows.flat_map(|(number, unique, row)| {
        let (name, span) = (&unique.name, unique.name.span());
        let sort = match &row.sk {
            Some(_) => format!("the rows of `{name}` have a sort key, and the table `{shown}` has none: remove `sk` here"),
            None => format!(
                "the table `{shown}` has a sort key, and the rows of `{name}` have none: write `sk = \"..\"`, as in the rows of the other program"
            ),
        };
        let rules = [
            (
                code!(!__d::is_escaped(__STYLE)),
                format!(
                    "`{name}`: another program writes these rows, and keys of `{shown}` are escaped and padded; declare `{shown}` with `verbatim`"
                ),
            ),
            (code!(__d::row_fills_keys(&#table, &#def, #number)), sort),
            (
                code!(__d::row_is_no_item(#entities, &#def, #number, __STYLE)),
                format!(
                    "an item of `{shown}` could have the partition key of a row of `{name}`: begin the template with a text of its own, such as \"UNIQUE#{{..}}\", or the keys of the entities"
                ),
            ),
            (
                code!(__d::rows_differ(#entities, &#def, #number, __STYLE)),
                format!(
                    "a row of `{name}` could store a unique value of another declaration in `{shown}` too: begin one of the templates with a text of its own"
                ),
            ),
            (
                code!(__d::row_has_free_constants(&#table, &#def, #number)),
                format!("a constant of `{name}` has the name of a key of `{shown}`, which the row has already; remove it"),
            ),
            (
                code!(__d::row_has_own_type(&#table, #entities, &#def, #number)),
                format!("a constant of `{name}` is the type of an entity of `{shown}`, whose reads would return the rows; write the type that the other program gives the rows"),
            ),
            (
                code!(__d::row_never_expires(#entities, &#def, #number)),
                format!("a constant of `{name}` has the name of a TTL attribute of `{shown}`, by which DynamoDB would delete the rows; remove it"),
            ),
            (
                code!(__d::row_fits_indexes(#entities, &#def, #number)),
                format!("a constant of `{name}` has the name of an index key of `{shown}` and another type, so DynamoDB would reject the rows; write a text or a number, as the key is"),
            ),
        ];
        rules.map(|(condition, message)| check(span, &condition, &message))
    });
    rules.collect()
}
