//! `unique`: the keys of sentinels, and variants of mistakes that the transcripts leave out.

use syn::parse_quote;

use super::entity_says;
use crate::diag::Diag;
use crate::model::UniqueKept;

const USAGE: &str = "`unique` takes a name and fields; write `unique(by_email, email)`";

#[test]
fn names_are_free() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_email, email), unique(by_email, team, email))]
            pub struct User {
                pub id: u32,
                pub email: String,
                pub team: String,
            }
        },
        &["`by_email` names an access pattern already; choose another name"],
    );
}

#[test]
fn fields_are_the_users() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_end, until), unique(by_rest, rest), unique(by_both, id, shown))]
            pub struct User {
                pub id: u32,
                #[dynamo(ttl)]
                pub until: Option<i64>,
                #[dynamo(skip)]
                pub shown: bool,
                #[dynamo(rest)]
                pub rest: Item,
            }
        },
        &[
            "`until` is kept by the library and cannot be unique; name fields of your own",
            "`rest` has no attribute of its own and cannot be unique",
            "`shown` has no attribute of its own and cannot be unique",
        ],
    );
}

fn front(input: syn::DeriveInput) -> String {
    let entity = crate::read_entity(input, &Diag::new()).expect("an entity");
    entity.uniques[0].front().to_owned()
}

/// The key consists of stored names only, and different names give different keys.
#[test]
fn keys_of_sentinels_differ() {
    let own = front(parse_quote! {
        #[dynamo(table = "t", key(pk = "A#{id}"), rename = "nobody", unique(by_email, mail))]
        pub struct User { pub id: u32, #[dynamo(rename = "email")] pub mail: String }
    });
    assert_eq!(own, "$UNIQUE#email#");
    let shared = front(parse_quote! {
        #[dynamo(table = Shop, key(pk = "A#{id}", sk = "B"), unique(by_email, email))]
        pub struct r#User { pub id: u32, pub email: String }
    });
    assert_eq!(shared, "$UNIQUE#User#email#");
    let escaped = front(parse_quote! {
        #[dynamo(table = Shop, key(pk = "A#{id}", sk = "B"), rename = "User#email")]
        #[dynamo(unique(by, email, rename = "a#b"))]
        pub struct Other { pub id: u32, pub email: String }
    });
    assert_eq!(escaped, "$UNIQUE#User%23email#a%23b#");
}

/// The values are stored in the order of their attribute names, however the fields are named.
#[test]
fn several_fields_are_stored_in_the_order_of_their_attributes() {
    for input in [
        parse_quote! {
            #[dynamo(table = "t", key(pk = "A#{id}"), unique(by_handle, team, handle))]
            pub struct User { pub id: u32, pub team: String, pub handle: String }
        },
        parse_quote! {
            #[dynamo(table = "t", key(pk = "A#{id}"), unique(by, a, b))]
            pub struct User {
                pub id: u32,
                #[dynamo(rename = "handle")] pub a: String,
                #[dynamo(rename = "team")] pub b: String,
            }
        },
    ] {
        assert_eq!(front(input), "$UNIQUE#handle,team#");
    }
}

/// The values are stored in the order of the declared names, whatever order names and fields have in the
/// declaration.
#[test]
fn the_values_of_declared_names_stand_in_their_order() {
    let orders: [syn::DeriveInput; 3] = [
        parse_quote! {
            #[dynamo(table = "t", key(pk = "A#{id}"), unique(by_pair, first, last, rename = "first,last"))]
            pub struct User { pub id: u32, #[dynamo(rename = "zname")] pub first: String, pub last: String }
        },
        parse_quote! {
            #[dynamo(table = "t", key(pk = "A#{id}"), unique(by_pair, last, first, rename = "last,first"))]
            pub struct User { pub id: u32, #[dynamo(rename = "zname")] pub first: String, pub last: String }
        },
        parse_quote! {
            #[dynamo(table = "t", key(pk = "A#{id}"), unique(by_pair, last, other, rename = "last,first"))]
            pub struct User { pub id: u32, pub other: String, pub last: String }
        },
    ];
    for input in orders {
        let entity = crate::read_entity(input, &Diag::new()).expect("an entity");
        let unique = &entity.uniques[0];
        let UniqueKept::Sentinel(template) = &unique.kept else {
            panic!("a row of another program");
        };
        let parts = template.parts().map(|(field, _)| field);
        assert_eq!(parts.collect::<Vec<_>>(), [1, 2]);
        assert_eq!(unique.stored, "first,last");
    }
}

#[test]
fn stored_names_differ() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_email, email), unique(by_mail, email))]
            #[dynamo(unique(by_name, name, rename = "label"), unique(both, name, email))]
            #[dynamo(unique(either, email, name, rename = "either"), unique(none, name, rename = ""))]
            #[dynamo(unique(twice, name, rename = "label"), unique(bare, rename), unique(no, rename = "x"))]
            pub struct User {
                pub id: u32,
                pub email: String,
                pub name: String,
                pub rename: String,
            }
        },
        &[
            "`rename` has 1 of the old names and the value 2 fields; give one for each field, in their order, as in \
             `unique(by_handle, team, handle, rename = \"circle,handle\")`",
            "`rename` is empty; a stored name has at least one letter",
            USAGE,
            "`email` is the stored name of `by_email` already; keep one of them, or give `by_mail` another by `rename = \"..\"`",
            "`label` is the stored name of `by_name` already; keep one of them, or give `twice` another by `rename = \"..\"`",
        ],
    );
}
