//! `number(..)` names one field that a program sets, in a key of an index.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "games-a", key(pk = id))]
#[dynamo(gsi(by_points, pk = "GAME", sk = number(points)))]
struct Unknown {
    id: String,
    score: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-b", key(pk = id))]
#[dynamo(gsi(by_score, pk = "GAME", sk = number(score, level)))]
struct Two {
    id: String,
    score: u32,
    level: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-c", key(pk = id))]
#[dynamo(gsi(by_time, pk = "GAME", sk = number("{at:epoch}")))]
struct Truncated {
    id: String,
    at: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-d", key(pk = "GAME", sk = number(score)))]
struct Primary {
    score: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-e", key(pk = id))]
#[dynamo(gsi(by_end, pk = "GAME", sk = number(ends)))]
struct Managed {
    id: String,
    #[dynamo(ttl)]
    ends: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-f", key(pk = id))]
#[dynamo(gsi(by_score, pk = number(level), sk = [score, rank]))]
struct List {
    id: String,
    level: u32,
    score: u32,
    rank: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-g", key(pk = id))]
#[dynamo(gsi(by_score, pk = number(level), shards = 4, sk = number(score)))]
struct Shards {
    id: String,
    level: u32,
    score: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-h", key(pk = id))]
#[dynamo(gsi(by_score, pk = "GAME", sk = int(score)))]
struct OtherWord {
    id: String,
    score: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "games-i", key(pk = id))]
#[dynamo(gsi(by_time, pk = "GAME", sk = number(at)))]
struct Foreign {
    id: String,
    #[dynamo(format = "epoch")]
    at: chrono::DateTime<chrono::Utc>,
}

fn main() {}
