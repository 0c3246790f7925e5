//! Declarations of collections that are accepted, and mistakes that the transcripts leave out.

use syn::parse_quote;

use super::collection_says;
use crate::diag::Diag;

#[test]
fn valid_declarations_are_accepted() {
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
fn union() {
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            union Account { user: u8 }
        },
        &[
            "`Account` is a union; a collection is an enum with a variant for each entity, such as `Order(Order)`",
        ],
    );
}

#[test]
fn misspelt_table_is_not_missing() {
    collection_says(
        parse_quote! {
            #[dynamo(tabel = Shop)]
            enum Account { User(User) }
        },
        &["`tabel` is no option of a collection; did you mean `table`?"],
    );
}

#[test]
fn partition_lists_fields() {
    let usage = "`partition` lists fields of the partition key; write `partition(user_id)`";
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop, partition(id, type, _, day = 3))]
            enum Account { User(User) }
        },
        &[usage; 3],
    );
}

#[test]
fn other_stands_alone_on_its_variant() {
    collection_says(
        parse_quote! {
            #[dynamo(table = Shop)]
            enum Account {
                User(User),
                Order(#[dynamo(other)] Order),
                #[dynamo(other = true)]
                Rest(Note),
            }
        },
        &[
            "`other`: an unnamed field takes no options",
            "`other` takes no value; write the name alone",
        ],
    );
}
