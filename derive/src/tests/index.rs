//! Rules for the access patterns of an entity.

use syn::parse_quote;

use super::entity_says;

#[test]
fn gsi_without_pk() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, sk = total))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[r#"`by_status` lacks its `pk`; write `pk = field` or `pk = "TEXT#{field}"`"#],
    );
}

#[test]
fn list_beside_template() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = [status, total], sk = "AT#{at}"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["the keys of an index with a list are bare fields; write the field's name"],
    );
}

#[test]
fn list_empty() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = []))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["the list of `pk` is empty; write `pk = [field, ..]`"],
    );
}

#[test]
fn list_on_lsi() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(lsi(by_status, sk = [status, total]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`by_status` is an lsi, which takes one field or one template; lists are for a gsi"],
    );
}

#[test]
fn list_too_long() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_all, pk = [a, b, c, d, e]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub a: u8,
                pub b: u8,
                pub c: u8,
                pub d: u8,
                pub e: u8,
            }
        },
        &["a list holds at most 4 fields, this one has 5"],
    );
}

#[test]
fn list_with_string() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = [status, "T#{total}"]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "a list holds bare fields only; write the field's name, or one template without the list",
        ],
    );
}

#[test]
fn lsi_with_pk() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(lsi(by_status, pk = status, sk = total))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`by_status` is an lsi, whose partition key is that of the table; remove `pk`, or write `gsi`",
        ],
    );
}

#[test]
fn lsi_without_sk() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(lsi(by_status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            r#"`by_status` lacks its `sk`; an lsi orders the partition anew: write `sk = field` or `sk = "{field}"`"#,
        ],
    );
}

#[test]
fn lsi_without_sort_key() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(lsi(by_total, sk = total))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`by_total` is an lsi, which needs a primary key with a sort key; add `sk` to `key(..)`, or write `gsi`",
        ],
    );
}

#[test]
fn name_characters() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status, rename = "by status"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            r#"`by status`: the name of an index holds letters, digits, `_`, `.` and `-` only, not ` `; give it another by `rename = ".."`"#,
        ],
    );
}

#[test]
fn name_is_string() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi("by_status", pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["the name of a gsi is a bare word; write `gsi(by_status, pk = .., sk = ..)`"],
    );
}

#[test]
fn name_too_short() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(ab, pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            r#"`ab`: the name of an index has 3 to 255 characters; give it another by `rename = ".."`"#,
        ],
    );
}

#[test]
fn on_is_string() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, on = "gsi1", pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`on` takes the bare name of an index; write `on = gsi1`"],
    );
}

#[test]
fn on_with_other_keys() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, on = gsi1, pk = status))]
            #[dynamo(gsi(by_total, on = gsi1, pk = total))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`by_status` fills the index `gsi1` with other keys; give this pattern an index of its own by `on = ..`",
        ],
    );
}

#[test]
fn pattern_keyword() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(type, pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`type` is a keyword; choose another name"],
    );
}

#[test]
fn pattern_name_taken() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(scan, pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`scan` is a function of every entity; choose another name, as in `by_scan`"],
    );
}

#[test]
fn pattern_on_shared_with_other_keys() {
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, on = gsi1, pk = "S#{status}"))]
            #[dynamo(gsi(by_total, on = gsi1, pk = "T#{total}"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`by_status` fills the index `gsi1` with other keys; give this pattern an index of its own by `on = ..`",
        ],
    );
}

#[test]
fn pattern_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status))]
            #[dynamo(gsi(by_status, on = other, pk = total))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`by_status` names an access pattern already; choose another name and keep the index by `on = ..`",
        ],
    );
}

#[test]
fn project_on_shared() {
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, on = gsi1, pk = status, project = keys, rename = "g"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`project`: the table declares this index; write `project` there",
            "`rename`: the table declares this index; write `rename` there",
        ],
    );
}

#[test]
fn project_rest() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status, project = [total, rest]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
                #[dynamo(rest)]
                pub rest: Item,
            }
        },
        &["`rest` has no attribute of its own and cannot be projected; remove it from the list"],
    );
}

#[test]
fn project_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status, project = [total, total]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`total` is projected twice; keep one"],
    );
}

#[test]
fn project_unknown_field() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status, project = [totl]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`totl`: no such field; did you mean `total`?"],
    );
}

#[test]
fn project_word() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status, project = key))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`project` takes `all`, `keys` or a list of fields `[field, ..]`; did you mean `keys`?"],
    );
}

#[test]
fn projections_differ() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, on = gsi1, pk = status, project = keys))]
            #[dynamo(gsi(of_status, on = gsi1, pk = status, project = [total], rename = "other"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`by_status` projects the index `gsi1` differently; write `project` once"],
    );
}

#[test]
fn stored_name_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = status))]
            #[dynamo(gsi(by_total, pk = total, rename = "by_status"))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`by_status` is the stored name of the index `by_status` already; choose another"],
    );
}

#[test]
fn too_many_gsi() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_00, pk = status))]
            #[dynamo(gsi(by_01, pk = status))]
            #[dynamo(gsi(by_02, pk = status))]
            #[dynamo(gsi(by_03, pk = status))]
            #[dynamo(gsi(by_04, pk = status))]
            #[dynamo(gsi(by_05, pk = status))]
            #[dynamo(gsi(by_06, pk = status))]
            #[dynamo(gsi(by_07, pk = status))]
            #[dynamo(gsi(by_08, pk = status))]
            #[dynamo(gsi(by_09, pk = status))]
            #[dynamo(gsi(by_10, pk = status))]
            #[dynamo(gsi(by_11, pk = status))]
            #[dynamo(gsi(by_12, pk = status))]
            #[dynamo(gsi(by_13, pk = status))]
            #[dynamo(gsi(by_14, pk = status))]
            #[dynamo(gsi(by_15, pk = status))]
            #[dynamo(gsi(by_16, pk = status))]
            #[dynamo(gsi(by_17, pk = status))]
            #[dynamo(gsi(by_18, pk = status))]
            #[dynamo(gsi(by_19, pk = status))]
            #[dynamo(gsi(by_20, pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "a table has at most 20 gsi, this one has 21; let several patterns share one by `on = ..`",
        ],
    );
}

#[test]
fn too_many_lsi() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(lsi(by_00, sk = total))]
            #[dynamo(lsi(by_01, sk = total))]
            #[dynamo(lsi(by_02, sk = total))]
            #[dynamo(lsi(by_03, sk = total))]
            #[dynamo(lsi(by_04, sk = total))]
            #[dynamo(lsi(by_05, sk = total))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["a table has at most 5 lsi, this one has 6; let several patterns share one by `on = ..`"],
    );
}

#[test]
fn when_bare_key() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = "S#{status}", sk = total, when(status = "open")))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            r#"this index has a `when`, and every key of such an index is a template; write `"{field}"`"#,
        ],
    );
}

#[test]
fn when_list() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = [status, total], when(status = "open")))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`when` and a list exclude each other; every key of such an index is a template"],
    );
}

#[test]
fn when_shape() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = "S#{status}", when(status)))]
            #[dynamo(gsi(by_total, pk = "T#{total}", when = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &[
            "`when` takes one field and its value; write `when(status = Status::Open)`",
            "`when` is written `when(field = value)`",
        ],
    );
}

#[test]
fn when_skipped() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = "S#{status}", when(note = "open")))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
                #[dynamo(skip)]
                pub note: String,
            }
        },
        &["`note` has no attribute of its own; `when` needs a stored field"],
    );
}

#[test]
fn when_unknown_field() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(by_status, pk = "S#{status}", when(statu = "open")))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`statu`: no such field; did you mean `status`?"],
    );
}

#[test]
fn without_name() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            #[dynamo(gsi(pk = status))]
            pub struct Order {
                pub id: String,
                pub at: u64,
                pub status: String,
                pub total: u64,
            }
        },
        &["`gsi` lacks its name; write `gsi(by_status, pk = .., sk = ..)`"],
    );
}
