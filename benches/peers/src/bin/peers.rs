//! Does the works of one of the other libraries, to be measured by callgrind or by the clock.

fn main() {
    dynamo_entity_benches::measure::client(dynamo_entity_benches_peers::named);
}
