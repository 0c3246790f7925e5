//! Does the works of one side, for callgrind to count, for the clock, or for the server to record.

fn main() {
    dynamo_entity_benches::measure::client(dynamo_entity_benches::side::named);
}
