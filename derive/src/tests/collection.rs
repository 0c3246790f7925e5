//! Rules for collections.

use syn::parse_quote;

use super::{collection_says, says};
use crate::diag::Diag;

#[test]
fn what_is_right() {
    let input = parse_quote! {
        #[dynamo(table = shop::Shop, partition(tenant, r#type))]
        #[dynamo(crate = path::to)]
        pub enum Account {
            User(User),
            Order(orders::Order),
            #[dynamo(other)]
            Other(Item),
        }
    };
    let diag = Diag::new();
    let collection = crate::read_collection(input, &diag);
    assert_eq!(diag.messages(), [""; 0]);
    let Some(collection) = collection else {
        unreachable!("no message and no model")
    };
    let text = |tokens: &dyn quote::ToTokens| tokens.to_token_stream().to_string();
    assert_eq!(text(&collection.krate), "path :: to");
    assert_eq!(text(&collection.table), "shop :: Shop");
    let partition = collection.partition.map(|partition| partition.parts);
    let names: Vec<String> = partition.iter().flatten().map(|part| text(part)).collect();
    assert_eq!(names, ["tenant", "r#type"]);
    let variants = collection.variants.iter();
    let variants: Vec<_> = variants
        .map(|variant| {
            (
                text(&variant.ident),
                text(&variant.ty),
                variant.other.is_some(),
            )
        })
        .collect();
    let expected = [
        ("User", "User", false),
        ("Order", "orders :: Order", false),
        ("Other", "Item", true),
    ];
    let expected = expected.map(|(name, ty, other)| (name.to_owned(), ty.to_owned(), other));
    assert_eq!(variants, expected);
}

#[test]
fn no_partition_is_the_whole_table() {
    let input = parse_quote! {
        #[dynamo(table = Shop)]
        enum All { User(User) }
    };
    let all = crate::read_collection(input, &Diag::new());
    assert!(all.is_some_and(|all| all.partition.is_none()));
    let input = parse_quote! {
        #[dynamo(table = Shop, partition())]
        enum Top { User(User) }
    };
    let top = crate::read_collection(input, &Diag::new());
    assert!(top.is_some_and(|top| top.partition.is_some_and(|all| all.parts.is_empty())));
}

#[test]
fn no_enum() {
    let struct_says = "`Account` is a struct; a collection is an enum with a variant for each entity, such as `Order(Order)`";
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            struct Account { user: User }
        },
        &[struct_says],
    );
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            union Account { user: u8 }
        },
        &[&struct_says.replace("a struct", "a union")],
    );
}

#[test]
fn generic() {
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            enum Account<T> { User(T) }
        },
        &["a collection takes no parameters; remove them"],
    );
}

#[test]
fn table() {
    collection_says(
        parse_quote! {
            #[dynamo(partition(id))]
            enum Account { User(User) }
        },
        &["`Account` lacks the table of its entities; write `#[dynamo(table = Shop)]`"],
    );
    collection_says(
        parse_quote! {
            #[dynamo(tabel = Shop, table = "shop")]
            enum Account { User(User) }
        },
        &[
            "`tabel` is no option of a collection; did you mean `table`?",
            "`table` is written `table = Shop`",
        ],
    );
}

#[test]
fn partition() {
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop, partition(id, id, type, _, day = 3))]
            enum Account { User(User) }
        },
        &[
            "`partition` lists fields of the partition key; write `partition(user_id)`",
            "`partition` lists fields of the partition key; write `partition(user_id)`",
            "`partition` lists fields of the partition key; write `partition(user_id)`",
            "`id` is a parameter already; keep one",
        ],
    );
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop, partition = id)]
            enum Account { User(User) }
        },
        &["`partition` is written `partition(user_id)`"],
    );
}

#[test]
fn variants() {
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            enum Account {
                User { user: User },
                Both(User, Order),
                Order(#[dynamo(other)] Order),
                #[dynamo(other)]
                Nothing,
            }
        },
        &[
            "`User` holds named fields; a variant of a collection holds one entity: write `User(User)`",
            "`Both` holds 2 values; a variant of a collection holds one entity: write `Both(Both)`",
            "`other`: an unnamed field takes no options",
            "`Nothing` holds nothing; a variant of a collection holds one entity: write `Nothing(Item)`",
        ],
    );
}

#[test]
fn entities() {
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            enum Account { #[dynamo(other)] Other(Item) }
        },
        &["`Account` holds no entity; add a variant such as `Order(Order)`"],
    );
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            enum Account {
                User(User),
                Again(User),
                #[dynamo(other)]
                Other(Item),
                #[dynamo(other = true)]
                Rest(Order),
                #[dynamo(other)]
                Third(Item),
            }
        },
        &[
            "`other` stands alone; it takes no value",
            "`Other` is `other` already; keep one",
            "`User` is the variant `User` already; keep one",
        ],
    );
}

#[test]
fn options_stand_where_they_belong() {
    says(
        crate::read_collection,
        parse_quote! {
            #[dynamo(table = Shop, entities(User))]
            enum Account {
                #[dynamo(rename = "u")]
                User(User),
            }
        },
        &[
            "`entities` is no option of a collection; it belongs to a table",
            "`rename` is no option of a variant of a collection; it belongs to an entity",
        ],
    );
}
