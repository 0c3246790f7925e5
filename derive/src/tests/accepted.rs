//! Declarations that are accepted, and what they mean.

use proc_macro2::{Delimiter, Group};
use quote::{ToTokens as _, quote};
use syn::{DeriveInput, parse_quote};

use crate::diag::Diag;
use crate::model::{
    DefaultValue, Entity, FieldRole, Form, Format, IdentifyBy, IndexKind, IndexProjection,
    KeySource, Piece, Style, Table, TableRef, TextFormat, Value, ValueShape, VariantShape,
};

fn read<M>(from: fn(DeriveInput, &Diag) -> Option<M>, input: DeriveInput, test: impl FnOnce(M)) {
    let diag = Diag::new();
    let model = from(input, &diag);
    assert_eq!(diag.messages(), [""; 0]);
    match model {
        Some(model) => test(model),
        None => unreachable!("no message and no model"),
    }
}

/// Writes a key as text: a bare field by its name, a template by its pieces.
fn key(entity: &Entity, source: &KeySource) -> String {
    let name = |field: &usize| entity.fields[*field].ident.to_string();
    match source {
        KeySource::Field { field, .. } => name(field),
        KeySource::Number { field, .. } => format!("number {}", name(field)),
        KeySource::Template(template) => {
            let piece = |piece: &Piece| match piece {
                Piece::Literal(text) => format!("'{text}'"),
                Piece::Part {
                    field,
                    format: Format::PLAIN,
                } => format!("<{}>", name(field)),
                Piece::Part {
                    field,
                    format:
                        Format {
                            text: TextFormat::Pad(width),
                            none: None,
                        },
                } => format!("<{} {width}>", name(field)),
                Piece::Part { field, format } => {
                    format!(
                        "<{} {}>",
                        name(field),
                        if format.is_lossy() { "lossy" } else { "?" }
                    )
                }
            };
            template.pieces.iter().map(piece).collect()
        }
    }
}

fn keys(entity: &Entity, sources: &[KeySource]) -> String {
    sources
        .iter()
        .map(|source| key(entity, source))
        .collect::<Vec<_>>()
        .join(",")
}

#[test]
fn an_entity_with_its_own_table() {
    let input = parse_quote! {
        #[serde(rename_all = "camelCase")]
        #[dynamo(table = "request-count", key(pk = request_name, sk = day), stream = keys_only)]
        #[dynamo(verbatim(delimiter = ":"), rename = "rc", rename_all = "camelCase")]
        pub struct RequestCount {
            pub request_name: String,
            pub day: NaiveDate,
            #[dynamo(default, rename = "n")]
            count: u64,
            #[dynamo(default = [1, 2].len())]
            #[dynamo(format = "epoch_ms")]
            pub seen: u64,
            #[dynamo(rest)]
            rest: Item,
        }
    };
    read(crate::read_entity, input, |entity: Entity| {
        assert_eq!(
            entity.krate.to_token_stream().to_string(),
            ":: dynamo_entity"
        );
        assert_eq!(entity.name, "rc");
        let stored: Vec<_> = entity
            .fields
            .iter()
            .map(|field| field.stored.as_str())
            .collect();
        assert_eq!(stored, ["requestName", "day", "n", "seen", "rest"]);
        assert_eq!(key(&entity, &entity.pk), "request_name");
        assert!(
            entity.fields[4].role == FieldRole::Rest && entity.fields[3].form == Form::EpochMillis
        );
        assert!(matches!(
            entity.fields[2].default,
            Some(DefaultValue::Trait)
        ));
        assert!(matches!(
            entity.fields[3].default,
            Some(DefaultValue::Expr(_))
        ));
        assert!(
            matches!(&entity.table, TableRef::Own(own) if own.name.value() == "request-count"
            && own.style == (Style::Verbatim { delimiter: ':' }) && own.stream.is_some())
        );
    });
}

#[test]
fn an_entity_of_a_shared_table() {
    let input = parse_quote! {
        #[dynamo(table = shop::Shop, crate = renamed::entity)]
        #[dynamo(key(pk = "USER#{user_id}", sk = "ORDER#{placed_at}#{order_no:08}"))]
        #[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{placed_at:date}", when(status = Status::Open)))]
        #[dynamo(lsi(by_total, on = lsi1, sk = total,))]
        pub struct Order {
            pub user_id: UserId,
            #[dynamo(skip)]
            pub placed_at: DateTime<Utc>,
            pub order_no: u32,
            pub status: Status,
            pub total: u64,
            #[dynamo(version)]
            pub version: Version,
            #[dynamo(created_at, format = "epoch")]
            pub created_at: Option<DateTime<Utc>>,
        }
    };
    read(crate::read_entity, input, |entity: Entity| {
        assert_eq!(
            entity.krate.to_token_stream().to_string(),
            "renamed :: entity"
        );
        assert!(matches!(&entity.table, TableRef::Shared(path) if path.segments.len() == 2));
        assert_eq!(key(&entity, &entity.pk), "'USER#'<user_id>");
        assert_eq!(
            keys(&entity, entity.sk.as_slice()),
            "'ORDER#'<placed_at>'#'<order_no 8>"
        );
        let [status, total] = entity.indexes.as_slice() else {
            unreachable!("two indexes")
        };
        assert!(status.on == "gsi1" && status.name == "by_status" && status.when.is_some());
        assert_eq!(keys(&entity, &status.sk), "<placed_at lossy>");
        assert!(total.kind == IndexKind::Local && total.pk.is_empty());
        assert_eq!(keys(&entity, &total.sk), "total");
    });
}

#[test]
fn a_condition_of_an_index_with_a_number() {
    let input = parse_quote! {
        #[dynamo(table = "players", verbatim, key(pk = id))]
        #[dynamo(gsi(best, pk = "team#{team:ends}", sk = number(score), when(hidden = false)))]
        struct Player {
            id: String,
            team: Option<String>,
            score: Option<i64>,
            hidden: bool,
        }
    };
    read(crate::read_entity, input, |entity: Entity| {
        assert!(entity.indexes[0].when.is_some());
    });
}

#[test]
fn patterns_that_share_an_index() {
    let input = parse_quote! {
        #[dynamo(table = "orders", key(pk = id))]
        #[dynamo(gsi(by_city, on = places, pk = [country, state], sk = [city]))]
        #[dynamo(gsi(of_city, on = places, pk = [country, state], sk = city, project = [total], rename = "p-l"))]
        struct Order { id: String, country: String, state: String, city: String, total: u64 }
    };
    read(crate::read_entity, input, |entity: Entity| {
        for index in &entity.indexes {
            assert_eq!(index.stored, "p-l");
            assert_eq!(keys(&entity, &index.pk), "country,state");
            assert_eq!(keys(&entity, &index.sk), "city");
            assert!(matches!(&index.project, IndexProjection::Only(fields) if *fields == [4]));
        }
    });
}

#[test]
fn raw_identifiers_are_named_without_their_prefix() {
    let input = parse_quote! {
        #[dynamo(table = "events", key(pk = type, sk = "{match}#{r#loop}"))]
        #[dynamo(gsi(r#use, pk = r#type))]
        struct Event { r#type: String, r#match: u8, r#loop: u8 }
    };
    read(crate::read_entity, input, |entity: Entity| {
        assert_eq!(key(&entity, &entity.pk), "r#type");
        assert_eq!(entity.fields[0].stored, "type");
        assert_eq!(entity.indexes[0].stored, "use");
        assert_eq!(keys(&entity, entity.sk.as_slice()), "<r#match>'#'<r#loop>");
    });
}

#[test]
fn literals_of_both_styles() {
    let escaped = parse_quote! {
        #[dynamo(table = "orders", key(pk = "GRÖSSE&(x)#{id}", sk = "INFO"))]
        struct Order { id: String }
    };
    read(crate::read_entity, escaped, |entity: Entity| {
        assert_eq!(key(&entity, &entity.pk), "'GRÖSSE&(x)#'<id>");
    });
    let verbatim = parse_quote! {
        #[dynamo(table = "orders", key(pk = "user $ %:{id}"), verbatim(delimiter = ":"))]
        struct Order { id: String }
    };
    read(crate::read_entity, verbatim, |entity: Entity| {
        assert_eq!(key(&entity, &entity.pk), "'user $ %:'<id>");
    });
    let shared = parse_quote! {
        #[dynamo(table = Shop, key(pk = "user {id}/"))]
        struct Order { id: String }
    };
    read(crate::read_entity, shared, |_: Entity| {});
}

/// Fragments of a `macro_rules!` arrive in invisible groups.
#[test]
fn tokens_from_another_macro() {
    let invisible = |tokens| Group::new(Delimiter::None, tokens);
    let table = invisible(quote!("orders"));
    let field = invisible(quote!(id));
    let ty = invisible(quote!(Option<String>));
    let value = invisible(quote!(1 + 1));
    let input = parse_quote! {
        #[dynamo(table = #table, key(pk = #field))]
        struct Order { id: String, #[dynamo(default = #value)] note: #ty }
    };
    read(crate::read_entity, input, |entity: Entity| {
        assert_eq!(key(&entity, &entity.pk), "id")
    });
    let option = parse_quote! {
        #[dynamo(table = #table, key(pk = note))]
        struct Order { note: #ty }
    };
    super::entity_says(
        option,
        &["`note` is an `Option`, but a primary key part is never missing; remove the `Option`"],
    );
}

#[test]
fn a_table() {
    let input = parse_quote! {
        #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, crate::order::Order))]
        #[dynamo(gsi(gsi1, pk = ["a", "b"], sk = "c", project = ["total"], rename = "gsi-1"))]
        #[dynamo(lsi(lsi1, sk = "l", project = keys), type_attribute = "t", verbatim, identify_by = key)]
        pub struct Shop;
    };
    read(crate::read_table, input, |table: Table| {
        assert_eq!(
            (table.name.value(), table.pk.value()),
            ("shop".into(), "pk".into())
        );
        assert_eq!(
            (table.type_attribute(), table.sk.map(|sk| sk.value())),
            ("t".into(), Some("sk".into()))
        );
        assert_eq!(table.identify_by, Some(IdentifyBy::Key));
        assert!(table.style == Style::Verbatim { delimiter: '#' } && table.entities.len() == 2);
        let [global, local] = table.indexes.as_slice() else {
            unreachable!("two indexes")
        };
        assert_eq!(
            (
                global.stored.value().as_str(),
                global.pk.len(),
                global.sk.len()
            ),
            ("gsi-1", 2, 1)
        );
        assert!(
            matches!(&global.project, IndexProjection::Only(names) if names[0].value() == "total" && names.len() == 1)
        );
        assert!(matches!(&local.project, IndexProjection::Keys) && local.pk.is_empty());
    });
}

#[test]
fn a_tenant_is_read() {
    let table = parse_quote! {
        #[dynamo(name = "shop", pk = "pk", tenant = r#type, entities(User))]
        pub struct Shop;
    };
    read(crate::read_table, table, |table: Table| {
        assert_eq!(
            table.tenant.map(|it| it.to_string()).as_deref(),
            Some("r#type")
        );
    });
}

#[test]
fn values() {
    let structure = parse_quote! {
        #[dynamo(rename_all = "kebab-case")]
        struct Line<T> { sku_code: String, #[dynamo(skip)] cache: T }
    };
    read(crate::read_value, structure, |value: Value| {
        assert_eq!(value.generics.params.len(), 1);
        assert!(
            matches!(value.shape, ValueShape::Struct(fields) if fields[0].stored == "sku-code")
        );
    });
    read(
        crate::read_value,
        parse_quote!(
            struct UserId(String);
        ),
        |value: Value| {
            assert!(matches!(value.shape, ValueShape::Newtype(_)));
        },
    );
    let unit = parse_quote! {
        #[dynamo(rename_all = "SCREAMING_SNAKE_CASE")]
        enum Status { InTransit, #[dynamo(rename = "done")] Done }
    };
    read(crate::read_value, unit, |value: Value| {
        let ValueShape::UnitEnum(variants) = value.shape else {
            unreachable!("a unit enum")
        };
        let stored: Vec<_> = variants
            .iter()
            .map(|variant| variant.stored.as_str())
            .collect();
        assert_eq!(stored, ["IN_TRANSIT", "done"]);
    });
    let data = parse_quote! {
        #[dynamo(rename_all = "lowercase")]
        enum Payment { Cash, Card(String), #[dynamo(rename_all = "camelCase")] Bank { account_no: u64 } }
    };
    read(crate::read_value, data, |value: Value| {
        let ValueShape::DataEnum { tag, variants } = value.shape else {
            unreachable!("has data")
        };
        assert_eq!(tag, "type");
        let stored: Vec<_> = variants
            .iter()
            .map(|variant| variant.stored.as_str())
            .collect();
        assert_eq!(stored, ["cash", "card", "bank"]);
        assert!(
            matches!(&variants[2].shape, VariantShape::Struct(fields) if fields[0].stored == "accountNo")
        );
    });
}

/// The names are the same as those of serde, so that a table can follow an API.
#[test]
fn cases() {
    let names = |case: &str| {
        let input = parse_quote! {
            #[dynamo(rename_all = #case)]
            struct Line { line_no: u8 }
        };
        let mut stored = String::new();
        read(crate::read_value, input, |value: Value| {
            if let ValueShape::Struct(fields) = value.shape {
                stored.clone_from(&fields[0].stored);
            }
        });
        let input = parse_quote! {
            #[dynamo(rename_all = #case)]
            enum Kind { LineNo }
        };
        read(crate::read_value, input, |value: Value| {
            if let ValueShape::UnitEnum(variants) = value.shape {
                stored = format!("{stored} {}", variants[0].stored);
            }
        });
        stored
    };
    assert_eq!(names("lowercase"), "line_no lineno");
    assert_eq!(names("UPPERCASE"), "LINE_NO LINENO");
    assert_eq!(names("PascalCase"), "LineNo LineNo");
    assert_eq!(names("camelCase"), "lineNo lineNo");
    assert_eq!(names("snake_case"), "line_no line_no");
    assert_eq!(names("SCREAMING_SNAKE_CASE"), "LINE_NO LINE_NO");
    assert_eq!(names("kebab-case"), "line-no line-no");
    assert_eq!(names("SCREAMING-KEBAB-CASE"), "LINE-NO LINE-NO");
}
