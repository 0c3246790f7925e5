//! Models with something about their fields and names.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    let mut cases = fields();
    cases.extend(names());
    cases
}

fn fields() -> Vec<Case> {
    vec![
        case! { GrowingAttribute at "Room.guests";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "rooms", key(pk = id))]
                struct Room { id: u32, guests: BTreeSet<String>, #[dynamo(version)] version: Version }
            } Room;
            {
                // Bytes and arrays are one value, and nobody else changes an item without a version.
                #[derive(DynamoTable)]
                #[dynamo(name = "rooms", pk = "pk", entities(Room, List))]
                struct Rooms;
                #[derive(DynamoEntity)]
                #[dynamo(table = Rooms, key(pk = "ROOM#{id}"))]
                struct Room { id: u32, picture: Vec<u8>, #[dynamo(version)] version: Version }
                #[derive(DynamoEntity)]
                #[dynamo(table = Rooms, key(pk = "LIST#{id}"))]
                struct List { id: u32, guests: Vec<String> }
            } Rooms
        },
        case! { Unversioned at "Note";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "notes", key(pk = id))]
                struct Note { id: u32, text: String, #[dynamo(updated_by)] by: Option<String> }
            } Note;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "notes", key(pk = id))]
                struct Note {
                    id: u32,
                    text: String,
                    #[dynamo(updated_by)]
                    by: Option<String>,
                    #[dynamo(version)]
                    version: Version,
                }
            } Note
        },
        case! { StrayTtl at "Coupon.until";
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "shop", pk = "pk", entities(Session, Coupon))]
                struct Shop;
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "SESSION#{token}"))]
                struct Session { token: String, #[dynamo(ttl)] until: DateTime<Utc> }
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "COUPON#{code}"))]
                struct Coupon { code: String, until: u64 }
            } Shop;
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "shop", pk = "pk", entities(Session, Coupon, Offer))]
                struct Shop;
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "SESSION#{token}"))]
                struct Session { token: String, #[dynamo(ttl)] until: DateTime<Utc> }
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "COUPON#{code}"))]
                struct Coupon { code: String, #[dynamo(rename = "valid_until")] until: u64 }
                // A text is no time to DynamoDB.
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "OFFER#{code}"))]
                struct Offer { code: String, until: String }
            } Shop
        },
    ]
}

fn names() -> Vec<Case> {
    vec![
        case! { LongName at "Order.preferred_times_of_the_delivery";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                struct Order { number: u32, preferred_times_of_the_delivery: String }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                struct Order { number: u32, #[dynamo(rename = "wish")] preferred_times_of_the_delivery: String }
            } Order
        },
        case! { LongName at "Order.by_customer_and_time_of_order";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(by_customer_and_time_of_order, pk = "CUSTOMER#{customer}"))]
                struct Order { number: u32, customer: String }
            } Order;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "orders", key(pk = number))]
                #[dynamo(gsi(by_customer_and_time_of_order, on = gsi1, pk = "CUSTOMER#{customer}"))]
                struct Order { number: u32, customer: String }
            } Order
        },
        case! { LongName at "ApplicationForPermissionToBuild";
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "office", pk = "pk", entities(ApplicationForPermissionToBuild))]
                struct Office;
                #[derive(DynamoEntity)]
                #[dynamo(table = Office, key(pk = "{id}"))]
                struct ApplicationForPermissionToBuild { id: u32 }
            } Office;
            {
                // In a table of its own no item holds the name.
                #[derive(DynamoEntity)]
                #[dynamo(table = "applications", key(pk = id))]
                struct ApplicationForPermissionToBuild { id: u32 }
            } ApplicationForPermissionToBuild
        },
        case! { LongName at "office.gsi1";
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "office", pk = "pk", entities(Permit))]
                #[dynamo(gsi(gsi1, pk = "partition_key_of_the_first_index"))]
                struct Office;
                #[derive(DynamoEntity)]
                #[dynamo(table = Office, key(pk = "{id}"), gsi(of_owner, on = gsi1, pk = "{owner}"))]
                struct Permit { id: u32, owner: String }
            } Office;
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "office", pk = "pk", entities(Permit))]
                #[dynamo(gsi(gsi1, pk = "gsi1pk"))]
                struct Office;
                #[derive(DynamoEntity)]
                #[dynamo(table = Office, key(pk = "{id}"), gsi(of_owner, on = gsi1, pk = "{owner}"))]
                struct Permit { id: u32, owner: String }
            } Office
        },
        case! { LongName at "office";
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "office", pk = "partition_key_of_the_whole_table", entities(Permit))]
                struct Office;
                #[derive(DynamoEntity)]
                #[dynamo(table = Office, key(pk = "{id}"))]
                struct Permit { id: u32 }
            } Office;
            {
                #[derive(DynamoTable)]
                #[dynamo(name = "office-with-a-very-long-name-that-no-item-holds", pk = "pk", entities(Permit))]
                struct Office;
                #[derive(DynamoEntity)]
                #[dynamo(table = Office, key(pk = "{id}"))]
                struct Permit { id: u32 }
            } Office
        },
        case! { LongConstant at "Member";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "members", key(pk = "MEMBERSHIPS-OF-AN-ORGANISATION#{id}"))]
                struct Member { id: u32 }
            } Member;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "members", key(pk = "MEMBER#{id}"))]
                struct Member { id: u32 }
            } Member
        },
    ]
}
