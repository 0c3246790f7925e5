//! Rules for shared tables.

use syn::parse_quote;

use super::table_says;

#[test]
fn attribute_too_long() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp", entities(Order))]
            pub struct Shop;
        },
        &[
            "the name of a key attribute has at most 255 bytes, this one has 256; choose a shorter one",
        ],
    );
}

#[test]
fn attribute_unknown() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(entitys(User), typ_attribute = "t", gsi(gsi1, pk = "a", projct = all))]
            pub struct Shop;
        },
        &[
            "`entitys` is no option of a table; did you mean `entities`?",
            "`typ_attribute` is no option of a table; did you mean `type_attribute`?",
            "`projct` is no option of a gsi of a table; did you mean `project`?",
        ],
    );
}

#[test]
fn empty_entities() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", entities())]
            pub struct Shop;
        },
        &["`Shop` lists no entities; write `#[dynamo(entities(User, Order))]`"],
    );
}

#[test]
fn entities_are_strings() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", entities("Order"))]
            pub struct Shop;
        },
        &["this list holds the names of types; write `User`"],
    );
}

#[test]
fn entity_twice() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", entities(Order, Order))]
            pub struct Shop;
        },
        &["`Order` is listed twice; keep one"],
    );
}

#[test]
fn generic() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            pub struct Shop<T>;
        },
        &["a table takes no parameters; remove them"],
    );
}

#[test]
fn gsi_without_pk() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, sk = "a"))]
            pub struct Shop;
        },
        &[r#"`gsi1` lacks its `pk`; write `pk = "attribute"`"#],
    );
}

#[test]
fn index_attribute_is_word() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, pk = gsi1pk))]
            pub struct Shop;
        },
        &[r#"`gsi1pk`: a table names attributes by strings; write `"gsi1pk"`"#],
    );
}

#[test]
fn index_attributes_equal() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, pk = "g", sk = "g"))]
            #[dynamo(lsi(lsi1, sk = "pk"))]
            pub struct Shop;
        },
        &[
            "`g` is part of the key of `gsi1` already; name another attribute",
            "`pk` is part of the key of `lsi1` already; name another attribute",
        ],
    );
}

#[test]
fn index_twice() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, pk = "a"))]
            #[dynamo(gsi(gsi1, pk = "b"))]
            #[dynamo(gsi(gsi2, pk = "c", rename = "gsi1"))]
            pub struct Shop;
        },
        &[
            "`gsi1` names an index already; choose another name",
            "`gsi1` is the stored name of the index `gsi1` already; choose another",
        ],
    );
}

#[test]
fn is_no_unit_struct() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            pub struct Shop {
                pub name: String,
            }
        },
        &["a table is a struct without fields; write `struct Shop;`"],
    );
}

#[test]
fn key_is_type_attribute() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "_type", entities(Order))]
            pub struct Shop;
        },
        &[
            r#"`_type` is the type attribute and cannot be a key; name another attribute, or set `type_attribute = ".."`"#,
        ],
    );
}

#[test]
fn list_too_long() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, pk = ["a", "b", "c", "d", "e"], sk = []))]
            pub struct Shop;
        },
        &[
            r#"the list of `sk` is empty; write `sk = ["attribute", ..]`"#,
            "a list of `gsi1` holds at most 4 attributes, this one has 5",
        ],
    );
}

#[test]
fn lsi_without_sk() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(lsi(lsi1, pk = "a"))]
            pub struct Shop;
        },
        &["`lsi1` is an lsi, whose partition key is that of the table; write `sk`, or write `gsi`"],
    );
}

#[test]
fn lsi_without_sort_key() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", entities(Order))]
            #[dynamo(lsi(lsi1, sk = "a"))]
            pub struct Shop;
        },
        &[
            r#"`lsi1` is an lsi, which needs a table with a sort key; add `sk = "sk"`, or write `gsi`"#,
        ],
    );
}

#[test]
fn missing_name() {
    table_says(
        parse_quote! {
            #[dynamo(pk = "pk", entities(Order))]
            pub struct Shop;
        },
        &[r#"`Shop` lacks its `name`; write `#[dynamo(name = "shop")]`"#],
    );
}

#[test]
fn missing_pk() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", entities(Order))]
            pub struct Shop;
        },
        &[r#"`Shop` lacks its `pk`; write `#[dynamo(pk = "pk")]`"#],
    );
}

#[test]
fn name_characters() {
    table_says(
        parse_quote! {
            #[dynamo(name = "my shop", pk = "pk", entities(Order))]
            pub struct Shop;
        },
        &[
            "`my shop`: the name of a table holds letters, digits, `_`, `.` and `-` only, not ` `; choose another",
        ],
    );
}

#[test]
fn name_empty() {
    table_says(
        parse_quote! {
            #[dynamo(name = "", pk = "pk", entities(Order), type_attribute = "")]
            pub struct Shop;
        },
        &[
            "`name` is empty; a stored name has at least one letter",
            "`type_attribute` is empty; a stored name has at least one letter",
        ],
    );
}

#[test]
fn pk_is_sk() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "key", sk = "key", entities(Order))]
            pub struct Shop;
        },
        &["`key` is the partition key already; name another attribute"],
    );
}

#[test]
fn project_words() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, pk = "a", project = [total, "b", "b"]))]
            pub struct Shop;
        },
        &[
            r#"`total`: a table names attributes by strings; write `"total"`"#,
            "`b` is projected twice; keep one",
        ],
    );
}

#[test]
fn too_many_gsi() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi00, pk = "g0"))]
            #[dynamo(gsi(gsi01, pk = "g1"))]
            #[dynamo(gsi(gsi02, pk = "g2"))]
            #[dynamo(gsi(gsi03, pk = "g3"))]
            #[dynamo(gsi(gsi04, pk = "g4"))]
            #[dynamo(gsi(gsi05, pk = "g5"))]
            #[dynamo(gsi(gsi06, pk = "g6"))]
            #[dynamo(gsi(gsi07, pk = "g7"))]
            #[dynamo(gsi(gsi08, pk = "g8"))]
            #[dynamo(gsi(gsi09, pk = "g9"))]
            #[dynamo(gsi(gsi10, pk = "g10"))]
            #[dynamo(gsi(gsi11, pk = "g11"))]
            #[dynamo(gsi(gsi12, pk = "g12"))]
            #[dynamo(gsi(gsi13, pk = "g13"))]
            #[dynamo(gsi(gsi14, pk = "g14"))]
            #[dynamo(gsi(gsi15, pk = "g15"))]
            #[dynamo(gsi(gsi16, pk = "g16"))]
            #[dynamo(gsi(gsi17, pk = "g17"))]
            #[dynamo(gsi(gsi18, pk = "g18"))]
            #[dynamo(gsi(gsi19, pk = "g19"))]
            #[dynamo(gsi(gsi20, pk = "g20"))]
            pub struct Shop;
        },
        &["a table has at most 20 gsi, this one has 21"],
    );
}

#[test]
fn too_many_lsi() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(lsi(lsi0, sk = "l0"))]
            #[dynamo(lsi(lsi1, sk = "l1"))]
            #[dynamo(lsi(lsi2, sk = "l2"))]
            #[dynamo(lsi(lsi3, sk = "l3"))]
            #[dynamo(lsi(lsi4, sk = "l4"))]
            #[dynamo(lsi(lsi5, sk = "l5"))]
            pub struct Shop;
        },
        &["a table has at most 5 lsi, this one has 6"],
    );
}

#[test]
fn without_entities() {
    table_says(
        parse_quote! {
            #[dynamo(name = "shop", pk = "pk")]
            pub struct Shop;
        },
        &["`Shop` lists no entities; write `#[dynamo(entities(User, Order))]`"],
    );
}
