//! Rules for key templates.

use syn::parse_quote;

use super::entity_says;

#[test]
fn braces() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#{{id}}", sk = "{id"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[
            "`{{`: a key holds no braces; write `{field}`",
            r#""{id": the `}` is missing; write `{field}`"#,
        ],
    );
}

#[test]
fn control_character() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#\n{id}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[r#""ORDER#\n": a key holds no control characters; remove it"#],
    );
}

#[test]
fn empty() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = ""))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &["the template is empty; write a text, a `{field}` or both"],
    );
}

#[test]
fn field_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{id}#{id}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[r#""{id}": this field is part of the template already; name it once"#],
    );
}

#[test]
fn format_unknown() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{placed_at:day}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[
            r#""{placed_at:day}": `day` is no format; there are `s`, `ms`, `date`, `month` and a width such as `08`"#,
        ],
    );
}

#[test]
fn literal() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER {id}", sk = "50%"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[
            r#""ORDER ": ` ` cannot stand in a key; write letters, digits, `#` or marks such as `-`, `_`, `.` and `:`"#,
            r#""50%": `%` cannot stand in a key; write letters, digits, `#` or marks such as `-`, `_`, `.` and `:`"#,
        ],
    );
}

#[test]
fn pad_too_wide() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{placed_at:040}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[
            r#""{placed_at:040}": `040` is no width; write `0` and a number from 1 to 39, as in `{placed_at:08}`"#,
        ],
    );
}

#[test]
fn pad_without_zero() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{placed_at:8}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[r#""{placed_at:8}": a width starts with one zero; write `{placed_at:08}`"#],
    );
}

#[test]
fn placeholder() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#{}", sk = "{ id }#{a-b}#{placed_at.day}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[
            r#""{}": the field's name is missing; write `{field}`"#,
            r#""{ id }": spaces have no meaning here; write `{id}`"#,
            r#""{a-b}": this is no field's name; write `{field}`"#,
            r#""{placed_at.day}": only top-level fields can be key parts"#,
        ],
    );
}

#[test]
fn several_mistakes() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{type}", sk = "{1a}#{id:D}#{id"))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            r#""{type}": no such field"#,
            r#""{id": the `}` is missing; write `{field}`"#,
            r#""{1a}": this is no field's name; write `{field}`"#,
            r#""{id:D}": `D` is no format; there are `s`, `ms`, `date`, `month` and a width such as `08`"#,
        ],
    );
}

#[test]
fn stray_brace() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#id}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &["a `}` without its `{`; braces stand around a field's name only"],
    );
}

#[test]
fn text_without_delimiter() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{id}:{placed_at}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[r#""{id}" has no fixed width, so nothing tells where it ends; write `#` behind it"#],
    );
}

#[test]
fn unknown_field() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#{placed_a}"))]
            pub struct Order {
                pub id: String,
                pub placed_at: u64,
            }
        },
        &[r#""{placed_a}": no such field; did you mean `placed_at`?"#],
    );
}

#[test]
fn verbatim_delimiter() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{id}#{at}"), verbatim(delimiter = ":"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
            }
        },
        &[r#""{id}" has no fixed width, so nothing tells where it ends; write `:` behind it"#],
    );
}
