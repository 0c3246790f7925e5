//! The works of one of the other libraries, for callgrind to count, or for the clock.

fn main() {
    dynamo_entity_benches::measure::client(dynamo_entity_benches_peers::named);
}
