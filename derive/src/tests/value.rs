//! Rules for values.

use syn::parse_quote;

use super::value_says;

#[test]
fn const_parameter() {
    value_says(
        parse_quote! {
            pub struct Grid<const N: usize> {
                pub cells: Vec<u8>,
            }
        },
        &["`N`: a value takes no const parameters; write a newtype for each number"],
    );
}

#[test]
fn empty_enum() {
    value_says(
        parse_quote! {
            pub enum Status {}
        },
        &["`Status` has no variants, so there is nothing to store; add one"],
    );
}

#[test]
fn empty_tuple_variant() {
    value_says(
        parse_quote! {
            pub enum Payment {
                Card(String),
                Cash(),
            }
        },
        &["`Cash()` holds nothing; write `Cash`"],
    );
}

#[test]
fn field_name_twice() {
    value_says(
        parse_quote! {
            #[dynamo(rename_all = "camelCase")]
            pub struct Line {
                pub line_no: u32,
                #[dynamo(rename = "lineNo")]
                pub number: u32,
            }
        },
        &["`lineNo` is the stored name of `line_no` already; give `number` another by `rename`"],
    );
}

#[test]
fn lifetime() {
    value_says(
        parse_quote! {
            pub struct Line<'a> {
                pub sku: &'a str,
            }
        },
        &["`'a`: a value owns what it holds; write `String` for `&str` and `Vec` for a slice"],
    );
}

#[test]
fn managed_field() {
    value_says(
        parse_quote! {
            pub struct Line {
                #[dynamo(version)]
                pub version: u64,
            }
        },
        &["`version` is no option of a field of a value; it belongs to a field of an entity"],
    );
}

#[test]
fn rename_all_on_newtype() {
    value_says(
        parse_quote! {
            #[dynamo(rename_all = "camelCase")]
            pub struct Id(pub String);
        },
        &["`Id` has no named fields for `rename_all`; remove it"],
    );
}

#[test]
fn tag_is_content() {
    value_says(
        parse_quote! {
            #[dynamo(tag = "value")]
            pub enum Payment {
                Card(String),
                Cash,
            }
        },
        &["`value` holds the content of `Card`; choose another `tag`"],
    );
}

#[test]
fn tag_is_field() {
    value_says(
        parse_quote! {
            #[dynamo(tag = "kind")]
            pub enum Payment {
                Card { kind: String },
                Cash,
            }
        },
        &[
            "`kind` is the tag of this enum and a field of `Card`; choose another `tag`, or `rename` the field",
        ],
    );
}

#[test]
fn tag_on_struct() {
    value_says(
        parse_quote! {
            #[dynamo(tag = "kind")]
            pub struct Line {
                pub sku: String,
            }
        },
        &["`tag` is for enums whose variants hold data; remove it"],
    );
}

#[test]
fn tag_on_unit_enum() {
    value_says(
        parse_quote! {
            #[dynamo(tag = "kind")]
            pub enum Status {
                Open,
            }
        },
        &["`tag` is for enums whose variants hold data; remove it"],
    );
}

#[test]
fn tuple() {
    value_says(
        parse_quote! {
            pub struct Point(pub i32, pub i32);
        },
        &["`Point` is a tuple struct of 2 fields; write named fields, or one unnamed field"],
    );
}

#[test]
fn union() {
    value_says(
        parse_quote! {
            pub union Bits {
                a: u32,
                b: f32,
            }
        },
        &["`Bits` is a union; a value is a struct or an enum"],
    );
}

#[test]
fn unit() {
    value_says(
        parse_quote! {
            pub struct Nothing;
        },
        &["`Nothing` is a struct without fields; write named fields, or one unnamed field"],
    );
}

#[test]
fn unnamed_field_option() {
    value_says(
        parse_quote! {
            pub struct Id(#[dynamo(rename = "id")] pub String);
        },
        &["`rename`: an unnamed field takes no options"],
    );
}

#[test]
fn variant_attribute_unknown() {
    value_says(
        parse_quote! {
            pub enum Status {
                #[dynamo(renme = "open")]
                Open,
                #[dynamo(rename_all = "camelCase")]
                Closed,
            }
        },
        &[
            "`renme` is no option of a variant; did you mean `rename`?",
            r#"`Closed` has no named fields for `rename_all`; write `rename = ".."` for the variant itself"#,
        ],
    );
}

#[test]
fn variants_one_name() {
    value_says(
        parse_quote! {
            pub enum Status {
                Open,
                #[dynamo(rename = "Open")]
                Opened,
            }
        },
        &["`Open` is the stored name of `Open` already; give `Opened` another by `rename`"],
    );
}
