//! Rules of `unique`.

use syn::parse_quote;

use super::entity_says;
use crate::diag::Diag;
use crate::model::Piece;

const USAGE: &str = "`unique` takes a name and fields; write `unique(by_email, email)`";

#[test]
fn name_and_fields() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_email))]
            #[dynamo(unique(by_name, name = "name"))]
            #[dynamo(unique(by_team, team, "name"))]
            pub struct User {
                pub id: u32,
                pub email: String,
                pub name: String,
                pub team: String,
            }
        },
        &[
            USAGE,
            USAGE,
            "an option starts with its name, as in `name`, `name = ..` or `name(..)`",
        ],
    );
}

#[test]
fn field_of_the_struct() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_email, e_mail))]
            pub struct User {
                pub id: u32,
                pub email: String,
            }
        },
        &["`e_mail`: no such field; did you mean `email`?"],
    );
}

#[test]
fn names_are_free() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(gsi(by_team, pk = "TEAM#{team}"))]
            #[dynamo(unique(key, id), unique(by_team, team), unique(by_email, email))]
            #[dynamo(unique(by_email, team, email))]
            pub struct User {
                pub id: u32,
                pub email: String,
                pub team: String,
            }
        },
        &[
            "`key` is a function of every entity; choose another name, as in `by_key`",
            "`by_team` names an access pattern already; choose another name",
            "`by_email` names an access pattern already; choose another name",
        ],
    );
}

#[test]
fn fields_are_the_users() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(a, version), unique(b, until), unique(c, code), unique(d, rest), unique(e, id, shown))]
            pub struct User {
                pub id: u32,
                #[dynamo(version)]
                pub version: Version,
                #[dynamo(ttl)]
                pub until: Option<i64>,
                #[dynamo(default)]
                pub code: u32,
                #[dynamo(skip)]
                pub shown: bool,
                #[dynamo(rest)]
                pub rest: Item,
            }
        },
        &[
            "`version` is kept by the library and cannot be unique; name fields of your own",
            "`until` is kept by the library and cannot be unique; name fields of your own",
            "`code` has a default, which many items may have; make it an `Option`",
            "`rest` has no attribute of its own and cannot be unique",
            "`shown` has no attribute of its own and cannot be unique",
        ],
    );
}

#[test]
fn fields_differ() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_handle, team, handle, team))]
            pub struct User {
                pub id: u32,
                pub team: String,
                pub handle: String,
            }
        },
        &["`team` is named twice; keep one"],
    );
}

fn front(input: syn::DeriveInput) -> String {
    let entity = crate::read_entity(input, &Diag::new()).expect("an entity");
    match &entity.uniques[0].template.pieces[0] {
        Piece::Literal(text) => text.clone(),
        Piece::Part { .. } => panic!("no front"),
    }
}

/// Stored names alone are parts of the key, and no two of them give one.
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

/// In whatever order they are named.
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

/// The names that they were sorted by once are not known any more.
#[test]
fn the_values_of_a_declared_name_stand_as_they_are_given() {
    let input = parse_quote! {
        #[dynamo(table = "t", key(pk = "A#{id}"), unique(by_pair, first, last, rename = "first,last"))]
        pub struct User { pub id: u32, #[dynamo(rename = "zname")] pub first: String, pub last: String }
    };
    let entity = crate::read_entity(input, &Diag::new()).expect("an entity");
    let pieces = &entity.uniques[0].template.pieces;
    let parts = pieces.iter().filter_map(|piece| match piece {
        Piece::Part { field, .. } => Some(*field),
        Piece::Literal(_) => None,
    });
    assert_eq!(parts.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn stored_names_differ() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "users", key(pk = "USER#{id}"))]
            #[dynamo(unique(by_email, email), unique(by_mail, email))]
            #[dynamo(unique(by_name, name, rename = "name,email"), unique(both, name, email))]
            #[dynamo(unique(either, email, name, rename = "either"), unique(none, name, rename = ""))]
            #[dynamo(unique(twice, name, rename = "name,email"), unique(bare, rename), unique(no, rename = "x"))]
            pub struct User {
                pub id: u32,
                pub email: String,
                pub name: String,
                pub rename: String,
            }
        },
        &[
            "`rename` is empty; a stored name has at least one letter",
            USAGE,
            "`email` is the stored name of `by_email` already; keep one of them, or give `by_mail` another by `rename = \"..\"`",
            "`name,email` is the stored name of `by_name` already; keep one of them, or give `twice` another by `rename = \"..\"`",
        ],
    );
}
