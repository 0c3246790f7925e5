//! Access patterns by indexes, and entities that share a partition.

use dynamo_entity::plan::Filter;
use dynamo_entity::prelude::*;

use super::{Book, Chapter, Loan, isbns, library};
use crate::model::{Order, Shop, Status, User, UserId, order, user};
use crate::support::clock::moment;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    indexes_are_patterns_of_their_own(Shop),
    rows_of_other_entities_stay_out,
    parents_and_children_interleave,
    an_index_without_all_attributes_gives_keys,
    an_index_holds_what_its_condition_says(Case),
];

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
enum Stage {
    New,
    #[dynamo(rename = "open")]
    Open,
    Done,
}

crate::declare! {
    entity Case(table = "cases", key(pk = id),
        gsi(work, pk = "WORK", sk = "{id}", when(stage = [Stage::New, Stage::Open])),
        gsi(unsolved, pk = "UNSOLVED", sk = "{id}", when(solved_at = None)),
        gsi(solved_on_seventh, pk = "SEVENTH", sk = "{id}", when(solved_at = 7_u64)),
        gsi(unowned, pk = "UNOWNED", sk = "{id}", when(owner = [None, "nobody"])),
        gsi(urgent, pk = "URGENT", sk = "{id}", when(Self::is_urgent(priority, owner, tags))))
        { id: u32, stage: Stage, priority: u8, owner: Option<String>, tags: Vec<String>, solved_at: Option<u64> }
}

impl Case {
    fn is_urgent(priority: u8, owner: Option<&str>, tags: &[String]) -> bool {
        priority > 7 && owner != Some("nobody") && tags.iter().all(|tag| tag != "later")
    }
}

async fn indexes_are_patterns_of_their_own(db: Db) -> Outcome {
    let mut first = order("ann", 1);
    first.put().send(&db).await?;
    first.order_no = 2;
    first.status = Status::Pending;
    first.put().send(&db).await?;
    let mut other = order("bob", 1);
    other.placed_at = moment("2024-06-01T00:00:00Z");
    other.note = None;
    other.put().send(&db).await?;
    user("ann").put().send(&db).await?;

    let paid = Order::by_status(Status::Paid);
    let found = paid.clone().all(&db).await?;
    assert_eq!(
        found
            .iter()
            .map(|order| &*order.user_id.0)
            .collect::<Vec<_>>(),
        ["ann", "bob"]
    );
    let late = paid
        .placed_at()
        .ge(moment("2024-06-01T00:00:00Z"))
        .all(&db)
        .await?;
    assert_eq!(late.len(), 1);
    // This index is sparse: it holds orders with `status = Paid` and a note.
    let noted = Order::by_note(UserId("ann".into())).all(&db).await?;
    assert_eq!(noted.len(), 1);
    let gift = Order::by_note(UserId("ann".into()))
        .note()
        .starts_with("gi");
    assert_eq!(gift.consistent().all(&db).await?.len(), 1);
    assert_eq!(Order::by_note(UserId("bob".into())).count(&db).await?, 0);
    assert_eq!(
        Order::in_partition(UserId("ann".into()))
            .consistent()
            .count(&db)
            .await?,
        2
    );
    assert_eq!(
        User::in_partition(UserId("ann".into())).all(&db).await?,
        [user("ann")]
    );
    Ok(())
}

async fn rows_of_other_entities_stay_out(db: Db) -> Outcome {
    library(&db).await?;
    let books = Book::books_of("eco");
    assert_eq!(books.clone().explain(&db)?.filters, [Filter::Type]);
    assert_eq!(
        isbns(&books.clone().all(&db).await?),
        ["1", "1#C", "10", "2"]
    );
    assert_eq!(books.count(&db).await?, 4);
    assert_eq!(Loan::loans_of("eco").title().le("2").count(&db).await?, 2);
    // No other entity has sort keys that begin with `LOAN#`.
    let loans = Loan::in_partition();
    assert!(!loans.clone().explain(&db)?.is_filtering());
    assert_eq!(loans.count(&db).await?, 4);
    Ok(())
}

async fn parents_and_children_interleave(db: Db) -> Outcome {
    library(&db).await?;
    let books = Book::in_partition();
    assert!(books.clone().explain(&db)?.is_filtering());
    assert_eq!(
        isbns(&books.clone().all(&db).await?),
        ["1", "1#C", "10", "2"]
    );
    assert_eq!(
        isbns(&books.clone().isbn().le("10").all(&db).await?),
        ["1", "1#C", "10"]
    );
    assert_eq!(
        isbns(&books.clone().isbn().gt("1").all(&db).await?),
        ["1#C", "10", "2"]
    );
    assert_eq!(isbns(&books.clone().isbn().eq("1").all(&db).await?), ["1"]);
    let page = books.clone().limit(3).page(&db).await?;
    assert_eq!(isbns(&page.rows), ["1", "1#C", "10"]);
    let rest = books.limit(3).resume(page.next).page(&db).await?;
    assert_eq!((isbns(&rest.rows), rest.next), (vec!["2"], None));
    let chapters = Chapter::in_partition().isbn().eq("1");
    let found = chapters.clone().all(&db).await?;
    assert_eq!(
        found
            .iter()
            .map(|chapter| &*chapter.isbn)
            .collect::<Vec<_>>(),
        ["1"; 3]
    );
    assert_eq!(chapters.number().gt(1).count(&db).await?, 2);
    assert_eq!(
        Chapter::in_partition().isbn().eq("1#C").count(&db).await?,
        3
    );
    Ok(())
}

async fn an_index_holds_what_its_condition_says(db: Db) -> Outcome {
    let fresh = Case {
        id: 1,
        stage: Stage::New,
        priority: 9,
        owner: None,
        tags: vec!["a".into()],
        solved_at: None,
    };
    let seen = async |db: &Db| -> Result<[bool; 5]> {
        Ok([
            Case::work().exists(db).await?,
            Case::unsolved().exists(db).await?,
            Case::unowned().exists(db).await?,
            Case::urgent().exists(db).await?,
            Case::solved_on_seventh().exists(db).await?,
        ])
    };
    let case = fresh.create().send(&db).await?;
    assert_eq!(seen(&db).await?, [true, true, true, true, false]);
    let case = case.update().apply(|c| c.stage().set(Stage::Open));
    let case = case.send(&db).await?;
    assert_eq!(seen(&db).await?, [true, true, true, true, false]);
    let case = case.update().apply(|c| {
        let done = c.stage().set(Stage::Done);
        (done, c.solved_at().set(7), c.owner().set("ann"))
    });
    let case = case.send(&db).await?;
    assert_eq!(seen(&db).await?, [false, false, false, true, true]);
    let case = case.update().apply(|c| c.owner().set("nobody"));
    case.send(&db).await?;
    assert_eq!(seen(&db).await?, [false, false, true, false, true]);

    // All fields that the function reads have to be known.
    let by_key = || Case::key(1).update().apply(|c| c.owner().remove());
    let refused = by_key().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    let message = refused.to_string();
    assert!(message.contains("`priority`, `tags`"), "{message}");
    let tags = vec!["a".to_owned()];
    let known = by_key().when(|c| c.priority().eq(9) & c.tags().eq(tags));
    known.send(&db).await?;
    assert_eq!(seen(&db).await?, [false, false, true, true, true]);
    Case::key(1)
        .modify(|c| c.tags.push("later".into()))
        .send(&db)
        .await?;
    assert_eq!(seen(&db).await?, [false, false, true, false, true]);
    Ok(())
}

async fn an_index_without_all_attributes_gives_keys(db: Db) -> Outcome {
    library(&db).await?;
    let keys: Vec<Key<Book>> = Book::books_by_year(1980).isbn().ge("10").all(&db).await?;
    assert_eq!(keys, [Book::key("10"), Book::key("2")]);
    let page = Book::books_by_year(1980).limit(1).page(&db).await?;
    assert_eq!(
        Book::books_by_year(1980)
            .resume(page.next)
            .count(&db)
            .await?,
        3
    );
    Ok(())
}
