//! Variants of mistakes that the transcripts leave out: each breaks a known rule with another type or role.

use syn::parse_quote;

use super::entity_says;

#[test]
fn a_time_is_no_integer() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = "{at:date}"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
            }
        },
        &[
            r#""{at:date}": this format is for timestamps and dates, and `at` is a `u64`; write "{at}""#,
        ],
    );
}

#[test]
fn actor_form() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(created_by, serde)]
                pub author: String,
                #[dynamo(updated_by, format = "epoch")]
                pub editor: String,
                #[dynamo(updated_by)]
                pub other: String,
            }
        },
        &[
            "the field `editor` already has `updated_by`; only one field can have it",
            "a `created_by` field has a stored form of its own; remove `serde`",
            "a `updated_by` field has a stored form of its own; remove `format`",
        ],
    );
}
