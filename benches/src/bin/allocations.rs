//! The works of one side under an allocator that counts; a program of its own, as counting costs, too.

use dynamo_entity_benches::{measure, side};

fn main() {
    measure::allocations(side::named, |work| {
        allocation_counter::measure(work).count_total
    });
}
