//! The table of several entities. Two of its indexes share an attribute, and one uses the sort key of the table.

use dynamo_entity::prelude::*;

use super::badge::Badge;
use super::parcel::Parcel;
use super::twin::Twin;

#[derive(DynamoTable)]
#[expect(clippy::duplicated_attributes, reason = "two indexes share a key")]
#[dynamo(name = "store", pk = "pk", sk = "sk", entities(Parcel, Badge, Twin))]
#[dynamo(
    gsi(gsi1, pk = "g1pk", sk = "g1sk"),
    gsi(gsi2, pk = "g2pk", sk = "g1sk")
)]
#[dynamo(
    gsi(gsi3, pk = "g3pk", sk = "g3sk"),
    gsi(inverted, pk = "sk", sk = "inv")
)]
#[dynamo(lsi(lsi1, sk = "l1sk"))]
pub struct Store;
