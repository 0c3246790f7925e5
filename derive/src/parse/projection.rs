//! Reads `#[derive(DynamoProjection)]`.

use syn::{Data, DeriveInput, Fields, Ident};

use crate::diag::Diag;
use crate::model::{Projected, Projection};
use crate::parse::options::Options;
use crate::parse::{krate, option_place};

/// The model as far as it can be read; `None` if the entity or the fields are missing.
pub(crate) fn read(input: DeriveInput, diag: &Diag) -> Option<Projection> {
    let DeriveInput {
        attrs,
        ident,
        generics,
        data,
        ..
    } = input;
    if !generics.params.is_empty() {
        diag.over(
            &generics.params,
            "a projection takes no parameters; remove them",
        );
    }
    let mut options = Options::of_item(&attrs, &option_place::PROJECTION, diag);
    let message = format!("`{ident}` has no `entity`; write `#[dynamo(entity = Order)]`");
    let entity = options.required("entity", ident.span(), message, diag);
    let entity = entity.and_then(|opt| opt.path(diag));
    options.take("crate").and_then(|opt| opt.path(diag));
    let fields = fields(data, &ident, diag)?;
    Some(Projection {
        krate: krate::read(&attrs),
        ident,
        entity: entity?,
        fields,
    })
}

/// Rule: a projection has named fields, which are fields of the entity that it reads.
fn fields(data: Data, ident: &Ident, diag: &Diag) -> Option<Vec<Projected>> {
    if let Data::Struct(data) = data
        && let Fields::Named(fields) = data.fields
        && !fields.named.is_empty()
    {
        let one = |field: syn::Field| {
            Options::of_item(&field.attrs, &option_place::PROJECTED_FIELD, diag);
            Some(Projected {
                ident: field.ident?,
                ty: field.ty,
            })
        };
        return Some(fields.named.into_iter().filter_map(one).collect());
    }
    diag.at(
        ident.span(),
        format!("a projection is a struct with fields of its entity; write `struct {ident} {{ field: Type }}`"),
    );
    None
}
