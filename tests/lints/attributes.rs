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
                entity Room(table = "rooms", key(pk = id))
                    { id: u32, guests: BTreeSet<String>, #[dynamo(version)] version: Version }
            } Room;
            {
                // Bytes and arrays are one value, and nobody else changes an item without a version.
                table Rooms(name = "rooms", pk = "pk", entities(Room, List));
                entity Room(table = Rooms, key(pk = "ROOM#{id}"))
                    { id: u32, picture: Vec<u8>, #[dynamo(version)] version: Version }
                entity List(table = Rooms, key(pk = "LIST#{id}")) { id: u32, guests: Vec<String> }
            } Rooms
        },
        case! { Unversioned at "Note";
            {
                entity Note(table = "notes", key(pk = id))
                    { id: u32, text: String, #[dynamo(updated_by)] by: Option<String> }
            } Note;
            {
                entity Note(table = "notes", key(pk = id))
                    { id: u32, text: String, #[dynamo(updated_by)] by: Option<String>, #[dynamo(version)] version: Version }
            } Note
        },
        case! { StrayTtl at "Coupon.until";
            {
                table Shop(name = "shop", pk = "pk", entities(Session, Coupon));
                entity Session(table = Shop, key(pk = "SESSION#{token}"))
                    { token: String, #[dynamo(ttl)] until: DateTime<Utc> }
                entity Coupon(table = Shop, key(pk = "COUPON#{code}")) { code: String, until: u64 }
            } Shop;
            {
                table Shop(name = "shop", pk = "pk", entities(Session, Coupon, Offer));
                entity Session(table = Shop, key(pk = "SESSION#{token}"))
                    { token: String, #[dynamo(ttl)] until: DateTime<Utc> }
                entity Coupon(table = Shop, key(pk = "COUPON#{code}"))
                    { code: String, #[dynamo(rename = "valid_until")] until: u64 }
                // A text is no time to DynamoDB.
                entity Offer(table = Shop, key(pk = "OFFER#{code}")) { code: String, until: String }
            } Shop
        },
    ]
}

fn names() -> Vec<Case> {
    vec![
        case! { LongName at "Order.preferred_times_of_the_delivery";
            {
                entity Order(table = "orders", key(pk = number))
                    { number: u32, preferred_times_of_the_delivery: String }
            } Order;
            {
                entity Order(table = "orders", key(pk = number))
                    { number: u32, #[dynamo(rename = "wish")] preferred_times_of_the_delivery: String }
            } Order
        },
        case! { LongName at "Order.by_customer_and_time_of_order";
            {
                entity Order(table = "orders", key(pk = number), gsi(by_customer_and_time_of_order, pk = "CUSTOMER#{customer}"))
                    { number: u32, customer: String }
            } Order;
            {
                entity Order(table = "orders", key(pk = number), gsi(by_customer_and_time_of_order, on = gsi1, pk = "CUSTOMER#{customer}"))
                    { number: u32, customer: String }
            } Order
        },
        case! { LongName at "ApplicationForPermissionToBuild";
            {
                table Office(name = "office", pk = "pk", entities(ApplicationForPermissionToBuild));
                entity ApplicationForPermissionToBuild(table = Office, key(pk = "{id}")) { id: u32 }
            } Office;
            {
                // In a table of its own no item holds the name.
                entity ApplicationForPermissionToBuild(table = "applications", key(pk = id)) { id: u32 }
            } ApplicationForPermissionToBuild
        },
        case! { LongName at "office.gsi1";
            {
                table Office(name = "office", pk = "pk", entities(Permit), gsi(gsi1, pk = "partition_key_of_the_first_index"));
                entity Permit(table = Office, key(pk = "{id}"), gsi(of_owner, on = gsi1, pk = "{owner}"))
                    { id: u32, owner: String }
            } Office;
            {
                table Office(name = "office", pk = "pk", entities(Permit), gsi(gsi1, pk = "gsi1pk"));
                entity Permit(table = Office, key(pk = "{id}"), gsi(of_owner, on = gsi1, pk = "{owner}"))
                    { id: u32, owner: String }
            } Office
        },
        case! { LongName at "office";
            {
                table Office(name = "office", pk = "partition_key_of_the_whole_table", entities(Permit));
                entity Permit(table = Office, key(pk = "{id}")) { id: u32 }
            } Office;
            {
                table Office(name = "office-with-a-very-long-name-that-no-item-holds", pk = "pk", entities(Permit));
                entity Permit(table = Office, key(pk = "{id}")) { id: u32 }
            } Office
        },
        case! { LongConstant at "Member";
            { entity Member(table = "members", key(pk = "MEMBERSHIPS-OF-AN-ORGANISATION#{id}")) { id: u32 } } Member;
            { entity Member(table = "members", key(pk = "MEMBER#{id}")) { id: u32 } } Member
        },
    ]
}
