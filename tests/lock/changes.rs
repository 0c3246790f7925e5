//! A table of changes: what was declared, what is, how grave that is, and words of what is said about it.

use dynamo_entity::lock::{self, ChangeClass, LockComparison};
use dynamo_entity::schema::TableSchema;

fn compared(old: TableSchema, new: TableSchema) -> LockComparison {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dynamo.lock");
    assert!(lock::write(&path, [old]).unwrap());
    lock::compare(&path, [new]).unwrap()
}

/// Each change has to be there with its class and its words, and none may be graver.
fn assert_change(found: &LockComparison, class: ChangeClass, place: &str, words: &[&str]) {
    assert_eq!(found.class(), Some(class), "{found}");
    let mut changes = found.changes().iter();
    let is_it = |change: &&lock::StoredChange| {
        change.class() == class && change.place().unwrap_or_default() == place
    };
    let change = changes.find(is_it);
    let change = change.unwrap_or_else(|| panic!("nothing of `{place}`:\n{found}"));
    let text = change.to_string();
    for word in words {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    assert!(text.contains(&class.to_string()) && !change.steps().is_empty());
}

/// A module with a schema: `a_declaration: Type { items }`.
macro_rules! module {
    ($name:ident $type:ident { $($items:tt)* }) => {
        #[allow(dead_code, unused_imports)]
        pub mod $name {
            use std::collections::{BTreeSet, HashSet};
            use chrono::{DateTime, Utc};
            use dynamo_entity::prelude::*;
            $crate::declared::declared! { $($items)* }
            pub fn schema() -> dynamo_entity::schema::TableSchema { $type::schema() }
        }
    };
    ($name:ident $type:ident $shared:ident) => {
        use super::shared::$shared as $name;
    };
}

/// `name: Class at "place" ["words"] of Type { before } => { after }`, where a declaration of [`shared`] goes by its name.
macro_rules! changes {
    ($($name:ident: $class:ident at $place:literal [$($word:literal),*] of $type:ident $old:tt => $new:tt)*) => {$(
        mod $name {
            use super::*;
            module! { before $type $old }
            module! { after $type $new }

            #[test]
            fn is_classed() {
                let found = compared(before::schema(), after::schema());
                assert_change(&found, ChangeClass::$class, $place, &[$($word),*]);
                // The way back is a change too, and the model itself is none.
                let back = compared(after::schema(), before::schema());
                assert!(!back.is_same());
                assert!(![found, back].iter().any(|found| found.to_string().contains("cannot describe")));
                assert!(compared(before::schema(), before::schema()).is_same());
            }
        }
    )*};
}

/// The declarations that several changes begin or end with.
mod shared {
    module! { bare Order { entity Order { id: u32 } } }
    module! { total Order { entity Order { id: u32, total: u32 } } }
    module! { shop Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } }
    module! { note Order { entity Order { id: u32, note: Option<String> } } }
    module! { rest Order { entity Order { id: u32, #[dynamo(rest)] rest: Item } } }
    module! { ttl Order { entity Order { id: u32, #[dynamo(ttl)] until: Option<DateTime<Utc>> } } }
    module! { owner Order { entity Order { id: u32, owner: String } } }
    module! { four_shards Order { entity Order(table = "orders", key(pk = id), gsi(all, pk = "ALL", sk = "{id}", shards = 4)) { id: u32 } } }
    module! { eight_shards Order { entity Order(table = "orders", key(pk = id), gsi(all, pk = "ALL", sk = "{id}", shards = 8)) { id: u32 } } }
    module! { by_owner Order { entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = id)) { id: u32, owner: String } } }
    module! { by_email User { entity User(table = "users", key(pk = "USER#{id}"), unique(by_email, email)) { id: u32, email: String } } }
    module! { state Order {
        #[derive(DynamoValue)] pub enum State { Open, Paid }
        entity Order { id: u32, state: State }
    } }
    module! { lines Order {
        #[derive(DynamoValue)] pub struct Line { count: u32 }
        entity Order { id: u32, lines: Vec<Line> }
    } }
}

// --- lists and blobs
changes! {
    list_appears: BreaksRunning at "Hall.seats" ["the list is new", "delete items without it"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}")) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: String)) { id: u32 } }
    blob_is_gone: BreaksRunning at "Hall.plan" ["the blob `plan` is no longer declared", "sweep_large_values"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}"), blob(plan)) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "HALL#{id}")) { id: u32 } }
    list_of_another_type: BreaksRunning at "Hall.seats" ["its elements were `String` and are `u32`"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: String)) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: u32)) { id: u32 } }
    list_becomes_a_blob: BreaksRunning at "Hall.seats" ["it was a list and is a blob"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: String)) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "HALL#{id}"), blob(seats)) { id: u32 } }
    list_moves_outside: BreaksRunning at "Hall.seats" ["outside of DynamoDB from now on", "with_object_storage"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: String)) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: String, outside)) { id: u32 } }
    blob_moves_into_the_table: Free at "Hall.plan" ["what was written before remains outside", "each value was written again"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}"), blob(plan, outside)) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "HALL#{id}"), blob(plan)) { id: u32 } }
    key_of_an_entity_with_lists: NeedsMove at "Hall.key" ["copy the lists of each item by `all` and `append`"] of Hall
        { entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: String)) { id: u32 } }
        => { entity Hall(table = "halls", key(pk = "ROOM#{id}"), chunked(seats: String)) { id: u32 } }
    table_with_lists_becomes_shared: BreaksRunning at "" ["has a type attribute `_type` now, and its lists and blobs", "declare a second table"] of Shop {
        entity User(table = "shop", key(pk = "USER#{user}", sk = "INFO"), chunked(seats: String)) { user: String }
        type Shop = User;
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), chunked(seats: String)) { user: String }
    }
    elements_with_another_field: BreaksRunning at "Hall.Seat.row" [] of Hall
        {
            #[derive(DynamoValue)] pub struct Seat { number: u32 }
            entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Seat)) { id: u32 }
        }
        => {
            #[derive(DynamoValue)] pub struct Seat { number: u32, row: u32 }
            entity Hall(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Seat)) { id: u32 }
        }
}

// --- vector indexes
changes! {
    vector_index_of_a_new_field: Free at "similar" ["existing items have no vector"] of Order
        bare => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine)) { id: u32, at: Option<Vector<3>> } }
    vector_index_of_a_field: FillFirst at "similar" ["not a list of 3 numbers"] of Order
        { entity Order(table = "orders", key(pk = id)) { id: u32, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine)) { id: u32, at: Option<Vector<3>> } }
    vector_index_by_another_distance: BreaksRunning at "similar" ["(3 numbers, cosine)", "(3 numbers, euclidean)", "declare a second one"] of Order
        { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine)) { id: u32, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = euclidean)) { id: u32, at: Option<Vector<3>> } }
    vector_index_by_another_projection: BreaksRunning at "similar" ["holding all attributes", "holding keys alone"] of Order
        { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine)) { id: u32, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine, project = keys)) { id: u32, at: Option<Vector<3>> } }
    vector_index_within_a_text: FillFirst at "similar" ["not a list of 3 numbers", "an empty `owner`"] of Order
        { entity Order(table = "orders", key(pk = id)) { id: u32, owner: String, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine, within = owner)) { id: u32, owner: String, at: Option<Vector<3>> } }
    vector_index_by_a_text: FillFirst at "similar" ["not a list of 3 numbers, also"] of Order
        { entity Order(table = "orders", key(pk = id)) { id: u32, color: String, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine, filter = color)) { id: u32, color: String, at: Option<Vector<3>> } }
    vector_index_by_another_type: BreaksRunning at "similar" ["`color` is N", "stores another type there"] of Order
        { entity Order(table = "orders", key(pk = id)) { id: u32, color: String, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine, filter = color)) { id: u32, color: u8, at: Option<Vector<3>> } }
    vector_index_within_a_known_key: Free at "similar" ["existing items have no vector"] of Order
        { entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner)) { id: u32, owner: String } }
        => { entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner), vector(similar, field = at, distance = cosine, within = owner)) { id: u32, owner: String, at: Option<Vector<3>> } }
    vector_index_within: BreaksRunning at "similar" ["within owner (S)"] of Order
        { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine)) { id: u32, owner: String, at: Option<Vector<3>> } }
        => { entity Order(table = "orders", key(pk = id), vector(similar, field = at, distance = cosine, within = owner)) { id: u32, owner: String, at: Option<Vector<3>> } }
}

// --- attributes
changes! {
    optional_field: Free at "Order.note" ["new and may be missing", "their `put` removes it"] of Order
        total => { entity Order { id: u32, total: u32, note: Option<String> } }
    field_with_default: Free at "Order.express" ["new and may be missing"] of Order
        bare => { entity Order { id: u32, #[dynamo(default)] express: bool } }
    field_that_a_rest_keeps: Free at "Order.note" ["running programs keep it"] of Order
        rest => { entity Order { id: u32, note: Option<String>, #[dynamo(rest)] rest: Item } }
    required_field: BreaksRunning at "Order.currency" ["new and required", "1. declare it as an `Option`", "3. then let it be required"] of Order
        bare => { entity Order { id: u32, currency: String } }
    required_field_removed: BreaksRunning at "Order.total" ["cannot read items without it", "1. keep it declared"] of Order
        total => bare
    optional_field_removed: BreaksRunning at "Order.note" ["each `put` of a new program removes it"] of Order
        note => bare
    optional_field_goes_into_the_rest: Free at "Order.note" ["goes into the `rest`"] of Order
        note => rest
    field_renamed: BreaksRunning at "Order.total" ["`#[dynamo(rename = \"total\")]` on the field", "`sum`"] of Order
        total => { entity Order { id: u32, sum: u32 } }
    name_of_a_field: Free at "Order.total" ["was called `total`", "is stored nowhere"] of Order
        total => { entity Order { id: u32, #[dynamo(rename = "total")] sum: u32 } }
    field_becomes_optional: BreaksRunning at "Order.note" ["cannot read items that are written without it", "then omit it"] of Order
        { entity Order { id: u32, note: String } } => note
    field_gets_a_default: Free at "Order.count" ["still written always"] of Order
        { entity Order { id: u32, count: u32 } } => { entity Order { id: u32, #[dynamo(default)] count: u32 } }
    field_becomes_required: BreaksRunning at "Order.note" ["required now", "until every item has it"] of Order
        note => { entity Order { id: u32, note: String } }
    default_goes: BreaksRunning at "Order.count" ["required now"] of Order
        { entity Order { id: u32, #[dynamo(default)] count: u32 } } => { entity Order { id: u32, count: u32 } }
    default_changes: FillFirst at "Order.count" ["`1`", "`2`", "write the old default into all items"] of Order
        { entity Order { id: u32, #[dynamo(default = 1)] count: u32 } }
        => { entity Order { id: u32, #[dynamo(default = 2)] count: u32 } }
    option_becomes_default: FillFirst at "Order.count" ["means `0` now", "read such items differently", "then declare the default"] of Order
        { entity Order { id: u32, count: Option<u32> } }
        => { entity Order { id: u32, #[dynamo(default = 0)] count: u32 } }
    option_in_a_key_becomes_default: FillFirst at "Order.level" ["do not find them in the index `by_level`"] of Order
        { entity Order(table = "orders", key(pk = id), gsi(by_level, pk = level)) { id: u32, level: Option<u32> } }
        => { entity Order(table = "orders", key(pk = id), gsi(by_level, pk = level)) { id: u32, #[dynamo(default)] level: u32 } }
    default_becomes_option: FillFirst at "Order.credit" ["meant `100`", "write the old default into all items"] of Order
        { entity Order { id: u32, #[dynamo(default = 100)] credit: u32 } }
        => { entity Order { id: u32, credit: Option<u32> } }
    wider_number: Free at "Order.total" ["a wider one", "store values beyond the old type then"] of Order
        total => { entity Order { id: u32, total: u64 } }
    wider_bare_key: Free at "Order.id" ["a wider one"] of Order
        bare => { entity Order { id: u64 } }
    narrower_number: BreaksRunning at "Order.total" ["a narrower one", "cannot be read"] of Order
        { entity Order { id: u32, total: i64 } } => { entity Order { id: u32, total: i32 } }
    unknown_type: BreaksRunning at "Order.customer" ["the check cannot know", "this is safe"] of Order {
        entity Order { id: u32, customer: Vec<u32> }
    } => {
        #[derive(DynamoValue)] pub struct Customer(Vec<String>);
        entity Order { id: u32, customer: Customer }
    }
    unknown_type_in_the_key: NeedsMove at "Order.id" ["the check cannot know"] of Order
        { entity Order(table = "orders", key(pk = "ORDER#{id}")) { id: DateTime<Utc> } }
        => { entity Order(table = "orders", key(pk = "ORDER#{id}")) { id: chrono::NaiveDate } }
    stored_type: BreaksRunning at "Order.total" ["was stored as N", "is stored as S", "under another name"] of Order
        total => { entity Order { id: u32, total: String } }
    stored_form: BreaksRunning at "Order.at" ["`epoch`", "`epoch_ms`", "misreads or rejects"] of Order
        { entity Order { id: u32, #[dynamo(format = "epoch")] at: DateTime<Utc> } }
        => { entity Order { id: u32, #[dynamo(format = "epoch_ms")] at: DateTime<Utc> } }
    compression_begins: Free at "Order.note" ["none are written yet", "into `compress`"] of Order
        { entity Order { id: u32, note: String } }
        => { entity Order { id: u32, #[dynamo(decompress)] note: String } }
    compression_follows: Free at "Order.note" ["written compressed", "every program has `decompress`"] of Order
        { entity Order { id: u32, #[dynamo(decompress)] note: String } }
        => { entity Order { id: u32, #[dynamo(compress)] note: String } }
    compression_at_once: BreaksRunning at "Order.note" ["running programs cannot read", "`decompress` first"] of Order
        { entity Order { id: u32, note: String } }
        => { entity Order { id: u32, #[dynamo(compress)] note: String } }
    compression_ends: Free at "Order.note" ["no longer written compressed"] of Order
        { entity Order { id: u32, #[dynamo(compress)] note: String } }
        => { entity Order { id: u32, #[dynamo(decompress)] note: String } }
    compression_is_gone: FillFirst at "Order.note" ["become unreadable", "write all items"] of Order
        { entity Order { id: u32, #[dynamo(decompress)] note: String } }
        => { entity Order { id: u32, note: String } }
    compression_is_dropped: BreaksRunning at "Order.note" ["still write them"] of Order
        { entity Order { id: u32, #[dynamo(compress)] note: String } }
        => { entity Order { id: u32, note: String } }
    none_becomes_null: Free at "Order.note" ["written as NULL now", "reads as None"] of Order
        { entity Order { id: u32, note: Option<u32> } }
        => { entity Order { id: u32, #[dynamo(null)] note: Option<u32> } }
    null_becomes_absent: Free at "Order.note" ["a missing attribute now", "may require the NULL"] of Order
        { entity Order { id: u32, #[dynamo(null)] note: Option<u32> } }
        => { entity Order { id: u32, note: Option<u32> } }
    enum_gets_an_order: BreaksRunning at "Order.state" ["was stored as S", "is stored as N"] of Order {
        #[derive(DynamoValue)] pub enum State { Open, Done }
        entity Order { id: u32, state: State }
    } => {
        #[derive(Clone, Copy, PartialEq, PartialOrd, DynamoValue)] #[dynamo(order)] pub enum State { Open = 1, Done = 2 }
        entity Order { id: u32, state: State }
    }
    version: FillFirst at "Order.version" ["without raising it", "only then rely on it"] of Order
        bare => { entity Order { id: u32, #[dynamo(version)] version: Version } }
    version_removed: BreaksRunning at "Order.version" ["do not notice writes of new ones"] of Order
        { entity Order { id: u32, #[dynamo(version)] version: Version } } => bare
    role: BreaksRunning at "Order.at" ["an attribute like any other", "`created_at`"] of Order
        { entity Order { id: u32, at: Option<DateTime<Utc>> } }
        => { entity Order { id: u32, #[dynamo(created_at)] at: Option<DateTime<Utc>> } }
    attribute_that_the_key_has: Free at "Order.user" ["the key holds the same value"] of Order
        { entity Order(table = "orders", key(pk = "USER#{user}")) { user: String } }
        => { entity Order(table = "orders", key(pk = "USER#{user}")) { #[dynamo(skip)] user: String } }
    rest_removed: BreaksRunning at "Order" ["removes attributes that it does not know"] of Order
        rest => bare
    no_longer_append_only: BreaksRunning at "Order" ["may be changed now"] of Order
        { entity Order(table = "orders", key(pk = id), append_only) { id: u32 } } => bare
}

// --- keys and tables
changes! {
    template_of_the_key: NeedsMove at "Order.key" ["\"USER#{user}\"", "\"U#{user}\"", "declare another one beside it"] of Order
        { entity Order(table = "orders", key(pk = "USER#{user}")) { user: String } }
        => { entity Order(table = "orders", key(pk = "U#{user}")) { user: String } }
    wider_part_of_the_key: NeedsMove at "Order.key" ["another width", "`{number:010}`"] of Order
        { entity Order(table = "orders", key(pk = "ORDER#{number}")) { number: u32 } }
        => { entity Order(table = "orders", key(pk = "ORDER#{number}")) { number: u64 } }
    wider_part_with_a_width: Free at "Order.number" ["a wider one"] of Order
        { entity Order(table = "orders", key(pk = "ORDER#{number:08}")) { number: u32 } }
        => { entity Order(table = "orders", key(pk = "ORDER#{number:08}")) { number: u64 } }
    part_written_otherwise: Free at "Order.key" ["the keys are the same"] of Order
        { entity Order(table = "orders", key(pk = "ORDER#{number}")) { number: u32 } }
        => { entity Order(table = "orders", key(pk = "ORDER#{number:010}")) { number: u32 } }
    other_decimals: NeedsMove at "Price.key" ["{price:09.2}", "{price:09.3}"] of Price
        { entity Price(table = "prices", key(pk = "P#{price:09.2}")) { price: f64 } }
        => { entity Price(table = "prices", key(pk = "P#{price:09.3}")) { price: f64 } }
    decimals_of_a_width: NeedsMove at "Price.key" ["{price:09}", "{price:09.2}"] of Price
        { entity Price(table = "prices", key(pk = "P#{price:09}")) { price: f64 } }
        => { entity Price(table = "prices", key(pk = "P#{price:09.2}")) { price: f64 } }
    decimals_without_a_width: NeedsMove at "Price.key" ["{price}", "{price:.2}"] of Price
        { entity Price(table = "prices", key(pk = "P#{price}")) { price: f64 } }
        => { entity Price(table = "prices", key(pk = "P#{price:.2}")) { price: f64 } }
    wider_decimals: NeedsMove at "Price.key" ["{price:09.2}", "{price:010.2}"] of Price
        { entity Price(table = "prices", key(pk = "P#{price:09.2}")) { price: f64 } }
        => { entity Price(table = "prices", key(pk = "P#{price:010.2}")) { price: f64 } }
    part_cut: NeedsMove at "Order.key" ["{at:date}"] of Order
        { entity Order(table = "orders", key(pk = "ALL", sk = "{at}#{id}")) { id: u32, at: DateTime<Utc> } }
        => { entity Order(table = "orders", key(pk = "ALL", sk = "{at:date}#{id}")) { id: u32, at: DateTime<Utc> } }
    part_in_lower_case: NeedsMove at "Order.key" ["{at:ms:lower}"] of Order
        { entity Order(table = "orders", key(pk = "ALL", sk = "{at:ms}#{id}")) { id: u32, at: DateTime<Utc> } }
        => { entity Order(table = "orders", key(pk = "ALL", sk = "{at:ms:lower}#{id}")) { id: u32, at: DateTime<Utc> } }
    shards_of_the_key: NeedsMove at "Order.key" ["with 20 shards"] of Order
        { entity Order(table = "orders", key(pk = "ALL", sk = "{id}", shards = 10)) { id: u32 } }
        => { entity Order(table = "orders", key(pk = "ALL", sk = "{id}", shards = 20)) { id: u32 } }
    another_key_attribute: NeedsMove at "" ["`id` (N)", "`number` (N)", "changes the key of no table"] of Order
        { entity Order { id: u32, number: u32 } }
        => { entity Order(table = "orders", key(pk = number)) { id: u32, number: u32 } }
    type_of_a_bare_key: NeedsMove at "" ["`id` (N)", "`id` (S)"] of Order
        bare => { entity Order { id: String } }
    sort_key: NeedsMove at "" ["`id` (N), `at` (S)"] of Order
        { entity Order { id: u32, at: DateTime<Utc> } }
        => { entity Order(table = "orders", key(pk = id, sk = at)) { id: u32, at: DateTime<Utc> } }
    style_of_keys: NeedsMove at "" ["`escaped`", "`verbatim::`", "key texts"] of Order
        { entity Order(table = "orders", key(pk = "o:{id}")) { id: String } }
        => { entity Order(table = "orders", verbatim(delimiter = ":"), key(pk = "o:{id}")) { id: String } }
    name_of_the_table: NeedsMove at "" ["`purchases` is new", "change it back"] of Order
        bare => { entity Order(table = "purchases", key(pk = id)) { id: u32 } }
    name_of_the_struct: Free at "Purchase" ["was called `Order`, which is stored nowhere"] of Purchase {
        entity Order { id: u32 }
        type Purchase = Order;
    } => {
        entity Purchase(table = "orders", key(pk = id)) { id: u32 }
    }
    ttl: Free at "" ["expire by `until`, which is new", "enable_ttl"] of Order
        bare => ttl
    ttl_by_what_is_there: BreaksRunning at "" ["which they have already", "a rollback does not restore them"] of Order
        { entity Order { id: u32, until: Option<u64> } } => ttl
    ttl_removed: BreaksRunning at "" ["no longer expire by `until`"] of Order
        ttl => bare
    stream: Free at "" ["was none and is new_image"] of Order
        bare => { entity Order(table = "orders", key(pk = id), stream = new_image) { id: u32 } }
    view_of_the_stream: BreaksRunning at "" ["lose their position"] of Order
        { entity Order(table = "orders", key(pk = id), stream = new_image) { id: u32 } }
        => { entity Order(table = "orders", key(pk = id), stream = new_and_old_images) { id: u32 } }
}

// --- indexes
changes! {
    index_of_bare_fields: Free at "Order.by_owner" ["on attributes that items have", "add_indexes"] of Order
        { entity Order { id: u32, owner: u64 } }
        => { entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = id)) { id: u32, owner: u64 } }
    index_of_a_default: FillFirst at "Order.by_owner" ["do not have its keys"] of Order bare => {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = id))
            { id: u32, #[dynamo(default = "nobody".to_owned())] owner: String }
    }
    index_of_a_template: FillFirst at "Order.by_owner" ["do not have its keys", "`scan().refill()`", "5. then remove `filling`"] of Order
        owner
        => { entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = id)) { id: u32, owner: String } }
    index_of_a_number: FillFirst at "Order.by_total" ["do not have its keys", "`scan().refill()`"] of Order total => {
        entity Order(table = "orders", key(pk = id), gsi(by_total, pk = "ALL", sk = number(total))) { id: u32, total: u32 }
    }

    number_of_another_field: BreaksRunning at "Order.by_total" ["number of the field `total`", "number of the field `tax`"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_total, pk = "ALL", sk = number(total))) { id: u32, total: u32, tax: u32 }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_total, pk = "ALL", sk = number(tax))) { id: u32, total: u32, tax: u32 }
    }

    number_beside_the_key: FillFirst at "Game.top" ["was the field `gsi1sk` and is the number of the field `score`", "store the same number in both", "then declare `number(score)`"] of Games {
        table Games(name = "games", pk = "pk", sk = "sk", entities(Game), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        entity Game(table = Games, key(pk = "GAME#{id}", sk = "A"), gsi(top, on = gsi1, pk = "GAMES", sk = gsi1sk))
            { id: u32, score: u32, gsi1sk: u32 }
    } => {
        table Games(name = "games", pk = "pk", sk = "sk", entities(Game), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        entity Game(table = Games, key(pk = "GAME#{id}", sk = "A"), gsi(top, on = gsi1, pk = "GAMES", sk = number(score)))
            { id: u32, score: u32 }
    }
    number_in_the_place_of_a_field: BreaksRunning at "Game.score" ["new and required", "declare it as an `Option`"] of Games {
        table Games(name = "games", pk = "pk", sk = "sk", entities(Game), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        entity Game(table = Games, key(pk = "GAME#{id}", sk = "A"), gsi(top, on = gsi1, pk = "GAMES", sk = score))
            { id: u32, #[dynamo(rename = "gsi1sk")] score: u32 }
    } => {
        table Games(name = "games", pk = "pk", sk = "sk", entities(Game), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        entity Game(table = Games, key(pk = "GAME#{id}", sk = "A"), gsi(top, on = gsi1, pk = "GAMES", sk = number(score)))
            { id: u32, score: u32 }
    }

    index_of_the_keys_turned_round: Free at "Line.by_number" ["on attributes that items have"] of Order {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(Line));
        entity Line(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number}")) { user: String, number: u32 }
        type Order = Shop;
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(Line), gsi(turned, pk = "sk", sk = "pk"));
        entity Line(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number}"), gsi(by_number, on = turned, pk = "ORDER#{number}", sk = "USER#{user}"))
            { user: String, number: u32 }
        type Order = Shop;
    }
    template_of_an_index: BreaksRunning at "Order.by_owner" ["\"OWNER#{owner}\"", "\"O#{owner}\"", "overwrite each other's keys, so another attribute is needed", "under a new name", "`db fill Order --checkpoint FILE`", "`db check --filled Order`"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"))
            { id: u32, owner: String }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = "O#{owner}", sk = "{id}"))
            { id: u32, owner: String }
    }
    another_pattern_on_the_attribute: BreaksRunning at "Order.by_owner" ["do not write its keys in `gsi1`"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(Order), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        entity Order(table = Shop, key(pk = "ORDER#{id}", sk = "A"), gsi(by_owner, on = gsi1, pk = "OWNER#{owner}", sk = "{id}"))
            { id: u32, owner: String }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(Order), gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"));
        entity Order(table = Shop, key(pk = "ORDER#{id}", sk = "A"), gsi(by_name, on = gsi1, pk = "NAME#{owner}", sk = "{id}", filling))
            { id: u32, owner: String }
    }
    template_on_another_attribute: Free at "Order.by_name" ["new and `filling`", "`db fill Order --checkpoint FILE`", "5. then remove `filling`"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"))
            { id: u32, owner: String }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"), gsi(by_name, pk = "NAME#{owner}", sk = "{id}", filling))
            { id: u32, owner: String }
    }
    index_without_the_step: FillFirst at "Order.by_name" ["the step with `filling` is skipped"] of Order {
        entity Order(table = "orders", key(pk = id)) { id: u32, owner: String }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_name, pk = "NAME#{owner}", sk = "{id}")) { id: u32, owner: String }
    }
    wider_part_of_an_index: BreaksRunning at "Order.by_rank" ["another width"] of Order
        { entity Order(table = "orders", key(pk = id), gsi(by_rank, pk = "ALL", sk = "{rank}")) { id: u32, rank: u8 } }
        => { entity Order(table = "orders", key(pk = id), gsi(by_rank, pk = "ALL", sk = "{rank}")) { id: u32, rank: u16 } }
    place_of_none: BreaksRunning at "Order.by_due" ["{due:last}", "existing items have the old keys"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_due, pk = "ALL", sk = "{due}"))
            { id: u32, due: Option<DateTime<Utc>> }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_due, pk = "ALL", sk = "{due:last}"))
            { id: u32, due: Option<DateTime<Utc>> }
    }
    part_that_is_always_there: FillFirst at "Order.by_rank" ["were not in the index, and now belong there"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_rank, pk = "ALL", sk = "{rank}"))
            { id: u32, rank: Option<u8> }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_rank, pk = "ALL", sk = "{rank}"))
            { id: u32, #[dynamo(default)] rank: u8 }
    }
    first_shards: BreaksRunning at "Order.all" ["it wrote 0 shards", "another attribute is needed"] of Order
        { entity Order(table = "orders", key(pk = id), gsi(all, pk = "ALL", sk = "{id}")) { id: u32 } } => four_shards
    more_shards: FillFirst at "Order.all" ["wrote 4 shards and read 4", "first deploy `read_shards`"] of Order
        four_shards => eight_shards
    more_shards_that_all_read: Free at "Order.all" ["old and new programs read all that is written"] of Order
        { entity Order(table = "orders", key(pk = id), gsi(all, pk = "ALL", sk = "{id}", shards = 4, read_shards = 8)) { id: u32 } }
        => eight_shards
    fewer_shards: FillFirst at "Order.all" ["write all items again, and only then read fewer"] of Order
        eight_shards => four_shards
    when_that_lets_more_in: FillFirst at "Order.open" ["`done = false`", "the others are found after they are written again"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(done = false)))
            { id: u32, done: bool }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}")) { id: u32, done: bool }
    }
    another_when: FillFirst at "Order.open" ["by the old condition"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(state = 1)))
            { id: u32, state: u8 }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(state = [1, 2])))
            { id: u32, state: u8 }
    }
    when_that_lets_fewer_in: BreaksRunning at "Order.open" ["stay in the index until they are written again"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}")) { id: u32, done: bool }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(done = false)))
            { id: u32, done: bool }
    }
    when_that_lets_others_in: BreaksRunning at "Order.open" ["miss the items in it that new ones omit", "beside it under a new name"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(state = [1, 2])))
            { id: u32, state: u8 }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(state = [2, 3])))
            { id: u32, state: u8 }
    }
    index_removed: BreaksRunning at "Order.by_owner" ["do not write its keys", "still declare it"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"))
            { id: u32, owner: String }
    } => owner
    name_of_an_access_pattern: Free at "Order.of_owner" ["was called `by_owner`, which is stored nowhere"] of Order by_owner => {
        entity Order(table = "orders", key(pk = id), gsi(of_owner, rename = "by_owner", pk = owner, sk = id))
            { id: u32, owner: String }
    }
    keys_of_an_index: BreaksRunning at "by_owner" ["`owner` (S), `id` (N)", "DynamoDB changes no index"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = id))
            { id: u32, owner: String, at: DateTime<Utc> }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = at))
            { id: u32, owner: String, at: DateTime<Utc> }
    }
    projection_of_an_index: BreaksRunning at "by_owner" ["held keys alone and holds all attributes"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = id, project = keys))
            { id: u32, owner: String }
    } => by_owner
    local_index: NeedsMove at "by_total" ["local", "with their table alone", "a global index can be added instead"] of Order {
        entity Order(table = "orders", key(pk = id, sk = at)) { id: u32, at: DateTime<Utc>, total: u32 }
    } => {
        entity Order(table = "orders", key(pk = id, sk = at), lsi(by_total, sk = total))
            { id: u32, at: DateTime<Utc>, total: u32 }
    }
    local_index_removed: NeedsMove at "by_total" ["no longer declared", "leave the index declared"] of Order {
        entity Order(table = "orders", key(pk = id, sk = at), lsi(by_total, sk = total))
            { id: u32, at: DateTime<Utc>, total: u32 }
    } => {
        entity Order(table = "orders", key(pk = id, sk = at)) { id: u32, at: DateTime<Utc>, total: u32 }
    }
}

// --- unique values
changes! {
    unique: FillFirst at "User.by_email" ["have not taken theirs", "`scan().refill()`", "and rely on it"] of User
        { entity User(table = "users", key(pk = "USER#{id}")) { id: u32, email: String } } => by_email
    unique_removed: BreaksRunning at "User.by_email" ["neither take nor release values"] of User
        by_email => { entity User(table = "users", key(pk = "USER#{id}")) { id: u32, email: String } }
    name_of_a_look_up: Free at "User.of_email" ["was called `by_email`, which is stored nowhere"] of User
        by_email
        => { entity User(table = "users", key(pk = "USER#{id}"), unique(of_email, email)) { id: u32, email: String } }
    unique_rows: FillFirst at "User.by_email" ["create nor delete them", "two items with one value", "missing rows are created"] of App
        { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}")) { id: u32, email: String, name: String } }
        => { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}")) { id: u32, email: String, name: String } }
    unique_rows_removed: BreaksRunning at "User.by_email" ["are no longer declared", "two items may have one value"] of App
        { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}")) { id: u32, email: String, name: String } }
        => { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}")) { id: u32, email: String, name: String } }
    template_of_unique_rows: BreaksRunning at "User.by_email" ["`MAIL#{}` are no longer declared"] of App
        { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}")) { id: u32, email: String, name: String } }
        => { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAILS#{email}")) { id: u32, email: String, name: String } }
    case_of_unique_rows: BreaksRunning at "User.by_email" ["`MAIL#{}` are no longer declared"] of App
        { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}")) { id: u32, email: String, name: String } }
        => { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email:lower}")) { id: u32, email: String, name: String } }
    field_of_unique_rows: BreaksRunning at "User.by_email" ["were of `email` and are of `name`"] of App
        { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}")) { id: u32, email: String, name: String } }
        => { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{name}")) { id: u32, email: String, name: String } }
    constants_of_unique_rows: Free at "User.by_email" ["other constants"] of App
        { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}")) { id: u32, email: String, name: String } }
        => { table App(name = "app", pk = "pk", verbatim, entities(User));
          entity User(table = App, key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}", constant("kind" = "mail"))) { id: u32, email: String, name: String } }
    wider_unique_number: BreaksRunning at "User.by_code" ["`code` was 10 characters long", "20 characters", "with a new `rename`"] of User
        { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: u32 } }
        => { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: u64 } }
    unique_number_with_a_fraction: BreaksRunning at "User.by_code" ["`code` was 10 characters long"] of User
        { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: u32 } }
        => { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: f64 } }
    unique_number_as_a_decimal: BreaksRunning at "User.by_code" ["`code` was 20 characters long"] of User
        { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: u64 } }
        => { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: rust_decimal::Decimal } }
    fields_of_a_unique: BreaksRunning at "User.by_email" ["were of `email` and are of `mail`"] of User {
        entity User(table = "users", key(pk = "USER#{id}"), unique(by_email, email))
            { id: u32, email: Option<String>, mail: Option<String> }
    } => {
        entity User(table = "users", key(pk = "USER#{id}"), unique(by_email, mail, rename = "email"))
            { id: u32, email: Option<String>, mail: Option<String> }
    }
}

// --- tables of several entities
changes! {
    entity_in_its_own_partitions: Free at "Product" ["in partitions of its own"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Product));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
        entity Product(table = Shop, key(pk = "PRODUCT#{product}", sk = "INFO")) { product: String }
    }
    entity_among_others: BreaksRunning at "Order" ["partitions of `User`", "do not know its type", "deploy programs that know the entity and do not write it yet"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Order));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
        entity Order(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number}")) { user: String, number: u32 }
    }
    entity_removed: BreaksRunning at "Order" ["no longer declared", "`delete_each`"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Order));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
        entity Order(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number}")) { user: String, number: u32 }
    } => shop
    type_of_an_entity: BreaksRunning at "Customer" ["was stored as `User`", "`rename` with the old name"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(Customer));
        entity Customer(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    constant_of_an_entity: BreaksRunning at "User where version = \"1\"" ["rows without these constants", "by a field into all rows first"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), constant("version" = "1")) { user: String }
    }
    field_becomes_a_constant: BreaksRunning at "User where version = 1" ["was stored as `User`"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String, version: u8 }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), constant("version" = 1)) { user: String }
    }
    rows_are_identified_by_key: Free at "" ["identified by their keys too", "everywhere before"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    rows_are_identified_by_type_alone: BreaksRunning at "" ["by their types alone", "keep `identify_by = key`"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } => shop
    rows_are_identified_by_type: FillFirst at "" ["an item without a type is an error", "older programs would overwrite"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = type, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    writes_no_longer_check_types: BreaksRunning at "" ["no longer check the type", "keep `identify_by = type`"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = type, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } => shop
    keys_no_longer_identify_rows: BreaksRunning at "" ["were identified by their types and their keys", "give all items a type"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = type, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    types_no_longer_identify_rows: BreaksRunning at "" ["were identified by their types alone", "rejected"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = type, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    entity_with_the_keys_of_another: BreaksRunning at "Admin" ["may have the keys of `User`", "do not write the entity yet"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = type, entities(User, Admin));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
        entity Admin(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    entity_with_the_type_of_another: BreaksRunning at "User under \"ADMIN#{}\" \"INFO\"" ["has the type of `User`", "do not write the entity yet"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User, Admin));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
        entity Admin(table = Shop, rename = "User", key(pk = "ADMIN#{user}", sk = "INFO")) { user: String }
    }
    type_attribute_of_an_entity: BreaksRunning at "User under \"USER#{}\" \"INFO\"" ["was stored in `_type` and is stored in `_et`", "by their keys alone"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, type_attribute = "_et", key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    key_that_identifies_rows: NeedsMove at "User under \"MEMBER#{}\" \"INFO\".key" ["have the old keys"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", identify_by = key, entities(User));
        entity User(table = Shop, key(pk = "MEMBER#{user}", sk = "INFO")) { user: String }
    }
    type_attribute: BreaksRunning at "" ["was `_type` and is `kind`", "keep the old name"] of Shop shop => {
        table Shop(name = "shop", pk = "pk", sk = "sk", type_attribute = "kind", entities(User));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String }
    }
    table_becomes_shared: BreaksRunning at "" ["has a type attribute `_type` now"] of Shop {
        entity User(table = "shop", key(pk = "USER#{user}", sk = "INFO")) { user: String }
        type Shop = User;
    } => shop
    access_pattern_among_others: BreaksRunning at "Order.by_country" ["in partitions of `User`", "treat them as errors"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Order), gsi(gsi1, pk = "g1pk", sk = "g1sk"));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), gsi(by_country, on = gsi1, pk = "COUNTRY#{country}", sk = "{user}"))
            { user: String, country: String }
        entity Order(table = Shop, key(pk = "ORDER#{number}", sk = "INFO")) { number: u32, country: String }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Order), gsi(gsi1, pk = "g1pk", sk = "g1sk"));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), gsi(by_country, on = gsi1, pk = "COUNTRY#{country}", sk = "{user}"))
            { user: String, country: String }
        entity Order(table = Shop, key(pk = "ORDER#{number}", sk = "INFO"), gsi(by_country, on = gsi1, pk = "COUNTRY#{country}", sk = "ORDER#{number}"))
            { number: u32, country: String }
    }
    field_that_is_a_key_of_an_index: BreaksRunning at "Alarm.state" ["a key of the index `by_state`", "look for `User`", "by `rename`"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Alarm), gsi(by_state, pk = "state"));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), gsi(by_state, pk = state))
            { user: String, state: String }
        entity Alarm(table = Shop, key(pk = "ALARM#{number}", sk = "INFO")) { number: u32 }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Alarm), gsi(by_state, pk = "state"));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), gsi(by_state, pk = state))
            { user: String, state: String }
        entity Alarm(table = Shop, key(pk = "ALARM#{number}", sk = "INFO")) { number: u32, state: Option<String> }
    }
    index_that_refuses_another_entity: BreaksRunning at "by_state" ["`Alarm` stores another type there"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Alarm));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String, state: String }
        entity Alarm(table = Shop, key(pk = "ALARM#{number}", sk = "INFO")) { number: u32, state: u8 }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Alarm), gsi(by_state, pk = "state"));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), gsi(by_state, pk = state))
            { user: String, state: String }
        entity Alarm(table = Shop, key(pk = "ALARM#{number}", sk = "INFO")) { number: u32, state: u8 }
    }
}

// --- types by what they store, not by how they are written
changes! {
    alias_of_a_number: Free at "Order.total" ["`u32`", "`u64`", "a wider one"] of Order {
        pub type Number = u32;
        entity Order { id: u32, total: Number }
    } => {
        pub type Number = u64;
        entity Order { id: u32, total: Number }
    }
    newtype_of_a_narrower_number: BreaksRunning at "Order.total" ["`u64`", "`u32`", "a narrower one"] of Order {
        #[derive(DynamoValue)] pub struct Cents(u64);
        entity Order { id: u32, total: Cents }
    } => {
        #[derive(DynamoValue)] pub struct Cents(u32);
        entity Order { id: u32, total: Cents }
    }
    newtype_within_a_list: BreaksRunning at "Order.totals" ["`Vec<u64>`", "`Vec<i32>`", "the check cannot know"] of Order {
        #[derive(DynamoValue)] pub struct Cents(u64);
        entity Order { id: u32, totals: Vec<Cents> }
    } => {
        #[derive(DynamoValue)] pub struct Cents(i32);
        entity Order { id: u32, totals: Vec<Cents> }
    }
    alias_in_a_unique: BreaksRunning at "User.by_code" ["`code`", "10 characters", "20 characters", "with a new `rename`"] of User {
        pub type Number = u32;
        entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: Number }
    } => {
        pub type Number = u64;
        entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: Number }
    }
    text_of_one_length_in_a_unique: Free at "User.code" ["a wider one"] of User
        { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: uuid::Uuid } }
        => { entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: String } }
    newtype_in_a_unique: BreaksRunning at "User.by_code" ["10 characters", "20 characters"] of User {
        #[derive(Clone, DynamoValue)] pub struct Code(u32);
        entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: Option<Code> }
    } => {
        #[derive(Clone, DynamoValue)] pub struct Code(u64);
        entity User(table = "users", key(pk = "USER#{id}"), unique(by_code, code)) { id: u32, code: Option<Code> }
    }
    option_within_a_foreign_type: BreaksRunning at "Order.counts" ["`Vec<Option<u32>>`", "`Vec<u32>`", "the check cannot know"] of Order
        { entity Order { id: u32, #[dynamo(serde)] counts: Vec<Option<u32>> } }
        => { entity Order { id: u32, #[dynamo(serde)] counts: Vec<u32> } }
    another_type_of_the_same_name: BreaksRunning at "Order.State" ["`Open`", "cannot read"] of Order {
        mod one { #[derive(dynamo_entity::DynamoValue)] pub enum State { Open, Done } }
        entity Order { id: u32, state: one::State }
    } => {
        mod two { #[derive(dynamo_entity::DynamoValue)] pub enum State { Opened, Done } }
        use two as one;
        entity Order { id: u32, state: one::State }
    }
}

// --- what values store inside
changes! {
    variant_renamed: BreaksRunning at "Order.State" ["`Paid`", "`Payed`", "`rename = \"Paid\"`", "stored in `state`"] of Order state => {
        #[derive(DynamoValue)] pub enum State { Open, Payed }
        entity Order { id: u32, state: State }
    }
    variant_of_the_key_renamed: NeedsMove at "Order.State" ["`Paid`", "`Payed`", "primary key"] of Order {
        #[derive(DynamoValue)] pub enum State { Open, Paid }
        entity Order(table = "orders", key(pk = "{state}#{id}")) { id: u32, state: State }
    } => {
        #[derive(DynamoValue)] pub enum State { Open, Payed }
        entity Order(table = "orders", key(pk = "{state}#{id}")) { id: u32, state: State }
    }
    variant_of_a_bare_key_renamed: NeedsMove at "Order.State" ["`Paid`", "`Payed`", "primary key"] of Order {
        #[derive(Clone, DynamoValue)] pub enum State { Open, Paid }
        entity Order(table = "orders", key(pk = id, sk = state)) { id: u32, state: State }
    } => {
        #[derive(Clone, DynamoValue)] pub enum State { Open, Payed }
        entity Order(table = "orders", key(pk = id, sk = state)) { id: u32, state: State }
    }
    variant_of_a_key_without_attribute_renamed: NeedsMove at "Order.State" ["`Paid`", "`Payed`", "primary key"] of Order {
        #[derive(Default, DynamoValue)] pub enum State { #[default] Open, Paid }
        entity Order(table = "orders", key(pk = "{state}#{id}")) { id: u32, #[dynamo(skip)] state: State }
    } => {
        #[derive(Default, DynamoValue)] pub enum State { #[default] Open, Payed }
        entity Order(table = "orders", key(pk = "{state}#{id}")) { id: u32, #[dynamo(skip)] state: State }
    }
    variant_of_an_index_renamed: BreaksRunning at "Order.State" ["`by_state`", "written again"] of Order {
        #[derive(DynamoValue)] pub enum State { Open, Paid }
        entity Order(table = "orders", key(pk = id), gsi(by_state, pk = "{state}", sk = "{id}"))
            { id: u32, state: State }
    } => {
        #[derive(DynamoValue)] pub enum State { Open, Payed }
        entity Order(table = "orders", key(pk = id), gsi(by_state, pk = "{state}", sk = "{id}"))
            { id: u32, state: State }
    }
    variant_of_a_unique_renamed: BreaksRunning at "Order.State" ["`by_state`", "under other keys"] of Order {
        #[derive(Clone, DynamoValue)] pub enum State { Open, Paid }
        entity Order(table = "orders", key(pk = "ORDER#{id}"), unique(by_state, state)) { id: u32, state: State }
    } => {
        #[derive(Clone, DynamoValue)] pub enum State { Open, Payed }
        entity Order(table = "orders", key(pk = "ORDER#{id}"), unique(by_state, state)) { id: u32, state: State }
    }
    variant_added: BreaksRunning at "Order.State" ["`Lost` is new", "do not store it yet"] of Order {
        #[derive(DynamoValue)] pub enum State { Open }
        entity Order { id: u32, state: State }
    } => {
        #[derive(DynamoValue)] pub enum State { Open, Lost }
        entity Order { id: u32, state: State }
    }
    variants_swapped: BreaksRunning at "Order.State" ["`a`", "read as", "`Paid`", "`Open`"] of Order {
        #[derive(DynamoValue)] pub enum State { #[dynamo(rename = "a")] Open, #[dynamo(rename = "b")] Paid }
        entity Order { id: u32, states: Vec<State> }
    } => {
        #[derive(DynamoValue)] pub enum State { #[dynamo(rename = "b")] Open, #[dynamo(rename = "a")] Paid }
        entity Order { id: u32, states: Vec<State> }
    }
    variant_that_keeps_its_stored_name: Free at "Order.State" ["was called `Paid`", "is stored nowhere"] of Order state => {
        #[derive(DynamoValue)] pub enum State { Open, #[dynamo(rename = "Paid")] Payed }
        entity Order { id: u32, state: State }
    }
    numbers_of_an_order_swapped: BreaksRunning at "Order.Level" ["`1`", "read as", "`High`", "`Low`"] of Order {
        #[derive(Clone, Copy, PartialEq, PartialOrd, DynamoValue)] #[dynamo(order)] pub enum Level { Low = 1, High = 2 }
        entity Order { id: u32, level: Level }
    } => {
        #[derive(Clone, Copy, PartialEq, PartialOrd, DynamoValue)] #[dynamo(order)] pub enum Level { High = 1, Low = 2 }
        entity Order { id: u32, level: Level }
    }
    number_of_an_order_in_the_key: NeedsMove at "Order.Level" ["`High`", "`2`", "`3`", "primary key"] of Order {
        #[derive(Clone, Copy, PartialEq, PartialOrd, DynamoValue)] #[dynamo(order)] pub enum Level { Low = 1, High = 2 }
        entity Order(table = "orders", key(pk = "{level}#{id}")) { id: u32, level: Level }
    } => {
        #[derive(Clone, Copy, PartialEq, PartialOrd, DynamoValue)] #[dynamo(order)] pub enum Level { Low = 1, High = 3 }
        entity Order(table = "orders", key(pk = "{level}#{id}")) { id: u32, level: Level }
    }
    fields_swapped: BreaksRunning at "Payment.a" ["`payer`", "`payee`", "read as"] of Payment {
        entity Payment(table = "payments", key(pk = id))
            { id: u32, #[dynamo(rename = "a")] payer: u32, #[dynamo(rename = "b")] payee: u32 }
    } => {
        entity Payment(table = "payments", key(pk = id))
            { id: u32, #[dynamo(rename = "b")] payer: u32, #[dynamo(rename = "a")] payee: u32 }
    }
    fields_of_a_value_swapped: BreaksRunning at "Payment.Parties.a" ["`payer`", "`payee`", "read as"] of Payment {
        #[derive(DynamoValue)] pub struct Parties { #[dynamo(rename = "a")] payer: u32, #[dynamo(rename = "b")] payee: u32 }
        entity Payment(table = "payments", key(pk = id)) { id: u32, parties: Parties }
    } => {
        #[derive(DynamoValue)] pub struct Parties { #[dynamo(rename = "b")] payer: u32, #[dynamo(rename = "a")] payee: u32 }
        entity Payment(table = "payments", key(pk = id)) { id: u32, parties: Parties }
    }
    field_of_a_value_renamed: BreaksRunning at "Order.Line.count" ["no longer declared", "`amount`", "`#[dynamo(rename = \"count\")]`"] of Order lines => {
        #[derive(DynamoValue)] pub struct Line { amount: u32 }
        entity Order { id: u32, lines: Vec<Line> }
    }
    optional_field_of_a_value: Free at "Order.Line.note" ["new and may be missing"] of Order lines => {
        #[derive(DynamoValue)] pub struct Line { count: u32, note: Option<String> }
        entity Order { id: u32, lines: Vec<Line> }
    }
    default_of_a_value: FillFirst at "Order.Line.count" ["`1`", "`2`"] of Order {
        #[derive(DynamoValue)] pub struct Line { #[dynamo(default = 1)] count: u32 }
        entity Order { id: u32, lines: Vec<Line> }
    } => {
        #[derive(DynamoValue)] pub struct Line { #[dynamo(default = 2)] count: u32 }
        entity Order { id: u32, lines: Vec<Line> }
    }
    tag_of_an_enum: BreaksRunning at "Order.Payment" ["`kind`", "`type`"] of Order {
        #[derive(DynamoValue)] #[dynamo(tag = "kind")] pub enum Payment { Cash, Card { number: String } }
        entity Order { id: u32, payment: Payment }
    } => {
        #[derive(DynamoValue)] pub enum Payment { Cash, Card { number: String } }
        entity Order { id: u32, payment: Payment }
    }
    field_of_a_variant: BreaksRunning at "Order.Payment::Card.number" ["no longer declared", "`digits`"] of Order {
        #[derive(DynamoValue)] pub enum Payment { Cash, Card { number: String } }
        entity Order { id: u32, payment: Payment }
    } => {
        #[derive(DynamoValue)] pub enum Payment { Cash, Card { digits: String } }
        entity Order { id: u32, payment: Payment }
    }
    content_of_a_variant: BreaksRunning at "Order.Payment::Card.value[1]" ["was stored as N", "is stored as S"] of Order {
        #[derive(DynamoValue)] pub enum Payment { Cash, Card(String, u32) }
        entity Order { id: u32, payment: Payment }
    } => {
        #[derive(DynamoValue)] pub enum Payment { Cash, Card(String, String) }
        entity Order { id: u32, payment: Payment }
    }
    value_within_a_value: BreaksRunning at "Order.State" ["`Paid`", "stored in `lines`"] of Order {
        #[derive(DynamoValue)] pub enum State { Open, Paid }
        #[derive(DynamoValue)] pub enum Line { One { state: Option<State> }, Two }
        entity Order { id: u32, lines: Vec<Line> }
    } => {
        #[derive(DynamoValue)] pub enum State { Open, Payed }
        #[derive(DynamoValue)] pub enum Line { One { state: Option<State> }, Two }
        entity Order { id: u32, lines: Vec<Line> }
    }
    value_that_holds_itself: BreaksRunning at "Page.Comment.text" ["no longer declared"] of Page {
        #[derive(DynamoValue)] pub struct Comment { text: String, answers: Vec<Comment> }
        entity Page(table = "pages", key(pk = id)) { id: u32, comments: Vec<Comment> }
    } => {
        #[derive(DynamoValue)] pub struct Comment { body: String, answers: Vec<Comment> }
        entity Page(table = "pages", key(pk = id)) { id: u32, comments: Vec<Comment> }
    }
    newtype_that_holds_itself: BreaksRunning at "Page.Tree" ["`Vec<Tree>`", "`Map<String,Tree>`"] of Page {
        #[derive(DynamoValue)] pub struct Tree(Vec<Tree>);
        entity Page(table = "pages", key(pk = id)) { id: u32, #[dynamo(rename = "tree")] nodes: Vec<Tree> }
    } => {
        #[derive(DynamoValue)] pub struct Tree(std::collections::BTreeMap<String, Tree>);
        entity Page(table = "pages", key(pk = id)) { id: u32, #[dynamo(rename = "tree")] nodes: Vec<Tree> }
    }
    generic_value: BreaksRunning at "Order.Range<u32>.from" ["`i64`", "`u32`", "a narrower one"] of Order {
        #[derive(DynamoValue)] pub struct Range<T> { from: T }
        entity Order { id: u32, range: Range<i64> }
    } => {
        #[derive(DynamoValue)] pub struct Range<T> { from: T }
        entity Order { id: u32, range: Range<u32> }
    }
    struct_becomes_an_enum: BreaksRunning at "Order.Pay" ["a struct", "an enum"] of Order {
        #[derive(DynamoValue)] pub struct Pay { number: String }
        entity Order { id: u32, pay: Pay }
    } => {
        #[derive(DynamoValue)] pub enum Pay { Cash, Card { number: String } }
        entity Order { id: u32, pay: Pay }
    }
    enum_becomes_text: Free at "Order.state" ["a wider one"] of Order
        state => { entity Order { id: u32, state: String } }
    name_of_a_value: Free at "Order.Entry" ["was called `Line`"] of Order lines => {
        #[derive(DynamoValue)] pub struct Entry { count: u32 }
        entity Order { id: u32, lines: Vec<Entry> }
    }
}

// --- conditions and indexes of texts
changes! {
    when_of_a_text_with_a_comma: BreaksRunning at "Order.open" ["miss the items in it that new ones omit"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(state = "a, b")))
            { id: u32, state: String }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(open, pk = "OPEN", sk = "{id}", when(state = ["a, x", "y, b"])))
            { id: u32, state: String }
    }
    index_of_a_text: FillFirst at "Order.by_owner" ["rejects a write with an empty `owner`", "1. deploy programs that never write an empty `owner`"] of Order
        owner => by_owner
    index_of_an_optional_text: FillFirst at "Order.by_owner" ["rejects a write with an empty `owner`"] of Order
        { entity Order { id: u32, owner: Option<String> } }
        => { entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner, sk = id)) { id: u32, owner: Option<String> } }
    index_of_bytes: FillFirst at "Order.by_digest" ["rejects a write with an empty `digest`"] of Order
        { entity Order { id: u32, digest: Vec<u8> } }
        => { entity Order(table = "orders", key(pk = id), gsi(by_digest, pk = digest)) { id: u32, digest: Vec<u8> } }
    index_of_a_text_of_another_entity: FillFirst at "by_owner" ["rejects a write with an empty `owner`", "`Alarm` may store there"] of Shop {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Alarm));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO")) { user: String, owner: Yes }
        #[derive(DynamoValue)] pub enum Yes { Yes }
        entity Alarm(table = Shop, key(pk = "ALARM#{number}", sk = "INFO")) { number: u32, owner: Option<String> }
    } => {
        table Shop(name = "shop", pk = "pk", sk = "sk", entities(User, Alarm), gsi(by_owner, pk = "owner"));
        entity User(table = Shop, key(pk = "USER#{user}", sk = "INFO"), gsi(by_owner, pk = owner))
            { user: String, owner: Yes }
        #[derive(DynamoValue)] pub enum Yes { Yes }
        entity Alarm(table = Shop, key(pk = "ALARM#{number}", sk = "INFO")) { number: u32, owner: Option<String> }
    }
    index_of_a_new_attribute: Free at "Order.of_owner" ["on an attribute that is new too"] of Order
        bare
        => { entity Order(table = "orders", key(pk = id), gsi(of_owner, pk = owner)) { id: u32, owner: Option<u32> } }
    index_of_a_text_that_another_index_has: Free at "Order.of_owner" ["on attributes that items have"] of Order {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner)) { id: u32, owner: String }
    } => {
        entity Order(table = "orders", key(pk = id), gsi(by_owner, pk = owner), gsi(of_owner, pk = owner, sk = id))
            { id: u32, owner: String }
    }
}

/// An index on an attribute that items have in another type finds none of them, whatever else the change breaks.
#[test]
fn items_of_another_type_are_not_in_a_new_index() {
    use dynamo_entity::prelude::*;

    mod before {
        use dynamo_entity::prelude::*;
        #[derive(DynamoEntity)]
        #[dynamo(table = "orders", key(pk = id), gsi(by_owner, pk = owner))]
        pub struct Order {
            id: u32,
            owner: u32,
        }
    }
    mod after {
        use dynamo_entity::prelude::*;
        #[derive(DynamoEntity)]
        #[dynamo(table = "orders", key(pk = id), gsi(of_owner, pk = owner))]
        pub struct Order {
            id: u32,
            owner: String,
        }
    }
    let found = compared(before::Order::schema(), after::Order::schema());
    let mut changes = found.changes().iter();
    let index = changes.find(|change| change.place() == Some("Order.of_owner"));
    let index = index.expect("a change of the access pattern");
    assert_eq!(index.class(), ChangeClass::FillFirst, "{found}");
    assert!(
        index.to_string().contains("have `owner` in another type"),
        "{index}"
    );
}

/// Types that are stored alike are one type, whatever they are called and wherever they come from.
mod alike {
    mod before {
        use std::collections::{BTreeMap, HashMap, HashSet};

        use dynamo_entity::prelude::*;

        #[derive(PartialEq, Eq, Hash, DynamoValue)]
        pub struct Email(String);

        #[derive(DynamoValue)]
        pub struct Line {
            count: u32,
            email: Option<Email>,
        }

        #[derive(DynamoEntity)]
        #[dynamo(table = "orders", key(pk = "ORDER#{id}"), unique(by_email, email))]
        pub struct Order {
            id: u32,
            email: Email,
            name: String,
            tags: HashSet<String>,
            lines: Vec<Line>,
            by_name: HashMap<Email, Box<u16>>,
            digest: Vec<u8>,
            at: chrono::DateTime<chrono::Utc>,
            day: Option<chrono::NaiveDate>,
            deep: BTreeMap<String, (u8, [u16; 3])>,
        }
    }

    mod after {
        use std::borrow::Cow;
        use std::collections::{BTreeMap, BTreeSet};

        use dynamo_entity::prelude::*;

        pub mod elsewhere {
            use dynamo_entity::prelude::*;

            #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, DynamoValue)]
            pub struct Text(Box<str>);

            #[derive(Clone, DynamoValue)]
            pub struct Line {
                pub email: Option<String>,
                pub count: Number,
            }

            pub type Number = u32;
        }

        use elsewhere::{Line, Text};

        #[derive(DynamoEntity)]
        #[dynamo(table = "orders", key(pk = "ORDER#{id}"), unique(by_email, email))]
        pub struct Order {
            id: elsewhere::Number,
            email: String,
            name: Text,
            tags: BTreeSet<Text>,
            lines: Cow<'static, [Line]>,
            by_name: BTreeMap<String, u16>,
            digest: bytes::Bytes,
            at: std::time::SystemTime,
            day: Option<jiff::civil::Date>,
            deep: BTreeMap<Text, (u8, Box<[u16; 3]>)>,
        }
    }

    #[test]
    fn types_are_no_change() {
        use dynamo_entity::DynamoTable as _;

        let found = super::compared(before::Order::schema(), after::Order::schema());
        assert!(found.is_same(), "{found}");
    }
}

/// The types of values in the model.
mod model {
    use dynamo_entity::prelude::*;
    use dynamo_entity::schema::ValueContent;

    #[derive(DynamoValue)]
    struct Cents(u32);

    /// A comment of a page.
    #[derive(DynamoValue)]
    struct Comment {
        /// As it was written.
        text: String,
        #[dynamo(rename = "replies")]
        answers: Vec<Comment>,
        #[dynamo(default = 3)]
        stars: u8,
        paid: Option<Cents>,
        #[dynamo(serde)]
        foreign: Option<Vec<u32>>,
        #[dynamo(skip)]
        _seen: bool,
    }

    mod other {
        #[derive(dynamo_entity::DynamoValue)]
        pub(super) enum Comment {
            Short,
            Long(String, u32),
            Map { size: u32 },
        }

        #[derive(Clone, Copy, PartialEq, PartialOrd, dynamo_entity::DynamoValue)]
        #[dynamo(order)]
        pub(super) enum String {
            Low = 1,
            High = 20,
        }
    }

    #[derive(DynamoValue)]
    struct Range<T> {
        from: T,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = "pages", key(pk = id))]
    struct Page {
        id: Option2,
        first: Comment,
        second: Option<other::Comment>,
        third: other::String,
        fourth: Range<Range<Cents>>,
    }

    type Option2 = u64;

    #[test]
    fn has_the_types_of_values() {
        let schema = Page::schema();
        let page = schema.entity("Page").unwrap();
        let types = page.fields.iter();
        let types: Vec<&str> = types
            .filter_map(|field| field.value_type.as_deref())
            .collect();
        assert_eq!(
            types,
            [
                "u64",
                "model::Comment",
                "other::Comment",
                "other::String",
                "Range<Range<Cents>>"
            ]
        );
        let names: Vec<&str> = schema
            .values
            .iter()
            .map(|value| value.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "Cents",
                "Range<Cents>",
                "Range<Range<Cents>>",
                "model::Comment",
                "other::Comment",
                "other::String"
            ]
        );
        assert_eq!(
            schema.value_type("Cents").unwrap().content,
            ValueContent::Newtype("u32".into())
        );

        let comment = schema.value_type("model::Comment").unwrap();
        assert_eq!(comment.doc, "A comment of a page.");
        let ValueContent::Struct(fields) = &comment.content else {
            panic!("{comment:?}");
        };
        let told: Vec<_> = fields
            .iter()
            .map(|field| {
                let attribute = field.attribute.as_deref().unwrap_or("-");
                let ty = field.value_type.as_deref().unwrap_or("-");
                (field.name.as_str(), attribute, ty, field.is_required)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("text", "text", "String", true),
                ("answers", "replies", "Vec<model::Comment>", true),
                ("stars", "stars", "u8", false),
                ("paid", "paid", "Cents", false),
                ("foreign", "foreign", "-", false),
                ("_seen", "-", "-", false),
            ]
        );
        assert_eq!(
            (fields[0].doc.as_str(), fields[2].default.as_deref()),
            ("As it was written.", Some("3"))
        );

        let ValueContent::Tagged { tag, variants } =
            &schema.value_type("other::Comment").unwrap().content
        else {
            panic!("it has data");
        };
        let long = variants[1]
            .fields
            .iter()
            .map(|field| field.attribute.as_deref().unwrap_or_default());
        assert_eq!(
            (tag.as_str(), long.collect::<Vec<_>>()),
            ("type", vec!["value[0]", "value[1]"])
        );
        let ValueContent::Numbers(variants) = &schema.value_type("other::String").unwrap().content
        else {
            panic!("it has an order");
        };
        assert_eq!(
            (variants[1].name.as_str(), variants[1].stored.as_str()),
            ("High", "20")
        );
        assert_eq!(
            dynamo_entity::schema::TableSchema::from_json(&schema.to_json()).unwrap(),
            schema
        );
    }
}

/// What is said in Rust alone is not in the file.
mod rust_names {
    mod before {
        use dynamo_entity::prelude::*;

        #[derive(DynamoEntity)]
        #[dynamo(table = "tasks", key(pk = "LIST#{list_id}", sk = "{due}#{id}"))]
        #[dynamo(
            gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"),
            unique(by_code, code, owner)
        )]
        pub struct Task {
            list_id: u32,
            id: u32,
            due: u64,
            owner: String,
            code: String,
        }
    }

    mod after {
        use dynamo_entity::prelude::*;

        /// It has a comment now and another order.
        #[derive(DynamoEntity)]
        #[dynamo(table = "tasks", key(pk = "LIST#{list_id}", sk = "{due}#{id}"))]
        #[dynamo(unique(by_code, owner, code))]
        #[dynamo(gsi(by_owner, pk = "OWNER#{owner}", sk = "{id}"))]
        pub struct Task {
            owner: String,
            id: u32,
            due: u64,
            code: String,
            list_id: u32,
        }
    }

    #[test]
    fn are_no_change() {
        use dynamo_entity::DynamoTable as _;

        let new = after::Task::schema()
            .deletion_protection(true)
            .tag("team", "a");
        let found = super::compared(before::Task::schema(), new);
        assert!(found.is_same(), "{found}");
        assert_eq!(found.to_string(), "the stored form has not changed");
    }
}
