//! Does the works of one side under an allocator that counts. It is a separate program, because counting
//! costs time.

use dynamo_entity_benches::{measure, side};

fn main() {
    measure::allocations(side::named, |work| {
        allocation_counter::measure(work).count_total
    });
}
