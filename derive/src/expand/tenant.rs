//! Lets the compiler check that keys begin with the tenant of their table.

use proc_macro2::{Ident, Span, TokenStream};
use syn::Path;

use super::tokens::{assertion, of, plain_name, shown};
use crate::model::{Entity, Format, IndexKind, KeySource, Piece, TableRef, Template};

/// The checks of an entity: each partition key begins with the tenant, and each unique value contains it. They share one
/// constant, because each constant costs time of the compiler.
pub(super) fn entity(entity: &Entity) -> Option<TokenStream> {
    let ident = &entity.ident;
    let (table, shown) = match &entity.table {
        TableRef::Shared(path) => (of(path, &code!(DynamoTable), "TABLE"), shown(path)),
        TableRef::Own(own) => {
            own.tenant.as_ref()?;
            let table = code!(<#ident as __d::DynamoTable>::TABLE);
            (table, plain_name(ident))
        }
    };
    let key = |what: String, source: &KeySource| {
        let first = first_field(entity, source).unwrap_or_default();
        assertion(
            span_of(source),
            &code!(__d::begins_with_tenant(&#table, #first)),
            &format!(
                "every partition key of `{shown}` begins with its `tenant`, and {what} does not: write that field as the first part of the \
                 template, without a format and followed by `#`, such as \"{}#{{org}}#..\"",
                plain_name(ident).to_uppercase()
            ),
        )
    };
    let mut checks = vec![key(format!("that of `{ident}`"), &entity.pk)];
    for index in &entity.indexes {
        if let (IndexKind::Global, Some(source)) = (index.kind, index.pk.first()) {
            checks.push(key(format!("that of the index `{}`", index.name), source));
        }
    }
    for unique in &entity.uniques {
        let fields = unique.fields.iter();
        let fields = fields.map(|(field, _)| plain_name(&entity.fields[*field].ident));
        let name = &unique.name;
        checks.push(assertion(
            name.span(),
            &code!(__d::contains_tenant(&#table, &[#(#fields),*])),
            &format!(
                "every unique value of `{shown}` contains its `tenant`, and `{name}` would be unique over all tenants: add that field to it, as \
                 in `unique({name}, org, ..)`, or declare the value on an entity of a table without a tenant"
            ),
        ));
    }
    if let (KeySource::Field { span, .. }, [_, ..]) = (&entity.pk, entity.uniques.as_slice()) {
        checks.push(assertion(
            *span,
            &code!(__d::begins_with_tenant(&#table, "")),
            &format!(
                "a tenant could have the name of an item that stores a unique value of `{ident}`: write a template, such as \"{}#{{org}}\"",
                plain_name(ident).to_uppercase()
            ),
        ));
    }
    let whole = entity.own_table().and_then(|own| own.tenant.as_ref());
    checks.extend(
        whole
            .into_iter()
            .flat_map(|tenant| whole_table(ident, tenant)),
    );
    Some(code!(const _: () = { #(#checks)* };))
}

/// The checks over all entities of a table.
pub(super) fn table(table: &Ident, tenant: Option<&Ident>) -> Option<TokenStream> {
    let checks = whole_table(table, tenant?);
    Some(code!(const _: () = { #(#checks)* };))
}

fn whole_table(table: &Ident, tenant: &Ident) -> [TokenStream; 3] {
    let [definition, entities] =
        ["TABLE", "ENTITIES"].map(|item| of(&Path::from(table.clone()), &code!(DynamoTable), item));
    let rules = [
        (
            "tenant_fills_partitions",
            format!(
                "an entity of `{table}` stores another field in the attribute of a partition key, so its items would be in an index by that \
                 field: begin every key in this attribute with `{tenant}`, and store the field in another attribute"
            ),
        ),
        (
            "tenant_is_text",
            format!(
                "a partition key of `{table}` is no text, so `{tenant}` cannot be compared in it: write a template, such as \"{{{tenant}}}\""
            ),
        ),
        (
            "tenant_is_unambiguous",
            format!(
                "in one partition key attribute of `{table}`, the text before `{tenant}` in one key is the beginning of another key, so a key \
                 could belong to two tenants: begin both with the same text, or with texts that differ, such as \"USER#{{{tenant}}}\" and \
                 \"ORDER#{{{tenant}}}\""
            ),
        ),
    ];
    rules.map(|(rule, message)| {
        let rule = super::tokens::local(rule);
        let condition = code!(__d::#rule(&#definition, #entities));
        assertion(tenant.span(), &condition, &message)
    })
}

fn span_of(source: &KeySource) -> Span {
    match source {
        KeySource::Field { span, .. } | KeySource::Number { span, .. } => *span,
        KeySource::Template(Template { span, .. }) => *span,
    }
}

/// The field with which a key begins, if its end is at the end of the key or at `#`.
fn first_field(entity: &Entity, source: &KeySource) -> Option<String> {
    let name = |field: usize| plain_name(&entity.fields[field].ident);
    let template = match source {
        KeySource::Field { field, .. } => return Some(name(*field)),
        KeySource::Number { .. } => return None,
        KeySource::Template(template) => template,
    };
    let pieces = match template.pieces.as_slice() {
        [Piece::Literal(_), rest @ ..] | rest => rest,
    };
    match pieces {
        // With a format, the tenant would have another text in each key.
        [Piece::Part { field, format }, rest @ ..] if *format == Format::PLAIN => match rest {
            [] => Some(name(*field)),
            [Piece::Literal(text), ..] if text.starts_with('#') => Some(name(*field)),
            _ => None,
        },
        _ => None,
    }
}
