use dynamo_entity::prelude::*;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "tasks", key(pk = team, sk = "{year}#{month}#{number}"))]
#[dynamo(gsi(by_due, pk = team, sk = "{due:last}#{number}"))]
#[dynamo(gsi(by_size, pk = team, sk = [year, number]))]
struct Task {
    team: String,
    year: u16,
    month: u8,
    number: u32,
    due: Option<u64>,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "pages", verbatim, key(pk = book, sk = "{title}#{number:04}"))]
struct Page {
    book: String,
    title: String,
    number: u16,
}

fn main() {
    // A None has a place in the part.
    Task::by_due("red").due().and(|t| t.number()).ge((7u64, 1));
    // These parts are attributes of their own.
    Task::by_size("red").year().and(|t| t.number()).ge((2025, 1));
    // The text of others does not sort here.
    Page::in_partition("b").title().and(|p| p.number()).ge(("t", 1));
    // Two values for three parts, and one value for two.
    Task::in_partition("red").year().and(|t| t.month()).and(|t| t.number()).lt((2025, 1));
    Task::in_partition("red").year().and(|t| t.month()).lt(2025);
    // A value of another type.
    Task::in_partition("red").year().and(|t| t.month()).lt((2025, "May"));
    // No range.
    Task::in_partition("red").year().and(|t| t.month()).between((2025, 1));
    // The part behind the next one.
    Task::in_partition("red").year().and(|t| t.number()).lt((2025, 1));
}
