//! `hydrate` reads the items behind the keys of an index.

use chrono::{DateTime, Utc};
use dynamo_entity::Value;
use dynamo_entity::prelude::*;

use crate::support::clock::{HandClock, moment};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    items_come_in_the_order_of_the_index,
    every_index_that_holds_less_is_hydrated,
    pages_are_those_of_an_index_that_holds_all,
    what_is_left_out_is_asked_for_again,
    a_service_that_reads_nothing_is_an_error,
    what_left_the_range_is_no_row,
    a_limit_counts_what_still_belongs,
    what_vanished_is_told_once,
    what_vanished_in_another_spelling_is_told_too,
    items_are_read_strongly_on_request,
    some_of_the_item_is_selected,
    a_count_asks_the_index,
    several_partitions_are_hydrated,
    shards_are_hydrated,
];

crate::declare! {
    /// An entity with the same access pattern on an index of whole items and on smaller indexes.
    entity Ticket(table = "tickets", key(pk = "Q#{queue}", sk = "{number:05}"),
        gsi(whole, pk = "W#{state}", sk = "{rank}"), gsi(by_state, pk = "S#{state}", sk = "{rank}", project = keys),
        gsi(by_owner, pk = owner, sk = rank, project = [title]),
        gsi(urgent, pk = "U#{state}", sk = "{rank}", when(urgent = true), project = keys),
        gsi(spread, pk = "X#{state}", sk = "{rank}", shards = 4, project = keys),
        lsi(by_rank, sk = rank, project = keys))
        { queue: String, number: u32, state: String, rank: u32, owner: String, urgent: bool, title: String,
          text: String, #[dynamo(ttl)] expires_at: Option<DateTime<Utc>> }
    projection Title(entity = Ticket) { number: u32, title: String }
    projection Text(entity = Ticket) { number: u32, text: String }
}

/// A ticket with a number and a mixed-up rank. Ranks repeat only every 251 numbers: the order of equal ranks
/// is up to each index.
fn ticket(number: u32) -> Ticket {
    Ticket {
        queue: "q".into(),
        number,
        state: "open".into(),
        rank: number * 37 % 251,
        owner: "ann".into(),
        urgent: true,
        title: format!("title {number}"),
        text: format!("text {number}"),
        expires_at: None,
    }
}

async fn tickets(db: &Dynamo, numbers: std::ops::Range<u32>) -> Outcome {
    db.create_tables([Ticket::schema()]).await?;
    for number in numbers {
        ticket(number).put().send(db).await?;
    }
    Ok(())
}

fn numbers(rows: &[Ticket]) -> Vec<u32> {
    rows.iter().map(|row| row.number).collect()
}

/// The answer of an index that still holds these tickets.
fn answer_of(index: &str, tickets: &[Ticket]) -> String {
    let row = |ticket: &Ticket| {
        let keys = [
            "pk".into(),
            "sk".into(),
            format!("{index}_pk"),
            format!("{index}_sk"),
        ];
        let item = ticket.to_item().expect("an item");
        let attributes = keys.map(|name| match item.get(&name) {
            Some(Value::S(text)) => format!("{name:?}:{{\"S\":{text:?}}}"),
            other => panic!("{name} is no text: {other:?}"),
        });
        format!("{{{}}}", attributes.join(","))
    };
    let rows: Vec<String> = tickets.iter().map(row).collect();
    let count = rows.len();
    let rows = rows.join(",");
    format!("{{\"Items\":[{rows}],\"Count\":{count},\"ScannedCount\":{count}}}")
}

/// A connection to an index that lags behind: its next answer still shows these tickets.
fn lagging(db: &Db, index: &str, tickets: &[Ticket]) -> Dynamo {
    db.faulty([Fault::Reply(200, answer_of(index, tickets))]).0
}

async fn items_come_in_the_order_of_the_index(db: Db) -> Outcome {
    tickets(&db, 0..250).await?;
    let whole = Ticket::whole("open").all(&db).await?;
    assert_eq!(whole.len(), 250);
    let (faulty, http) = db.faulty([]);
    let q = Ticket::by_state("open").hydrate();
    assert_eq!(q.clone().all(&faulty).await?, whole);
    let mut calls = http.calls();
    calls.sort();
    let batch = "BatchGetItem";
    assert_eq!(calls, [batch, batch, batch, "Query"]);

    let mut streamed = Vec::new();
    let mut rows = q.clone().limit(130).stream(&db);
    while let Some(row) = rows.next().await {
        streamed.push(row?);
    }
    assert_eq!(streamed, whole[..130]);
    let mut reversed = q.clone().descending().all(&db).await?;
    reversed.reverse();
    assert_eq!(reversed, whole);

    http.plan([]);
    assert_eq!(q.clone().first(&faulty).await?.as_ref(), whole.first());
    assert_eq!(http.calls(), ["Query", batch]);
    let two = q.clone().one(&db).await.unwrap_err();
    assert_eq!(two.kind(), ErrorKind::MultipleItems);
    let erased: Query<Ticket> = q.into();
    assert_eq!(erased.limit(3).all(&db).await?, whole[..3]);
    Ok(())
}

async fn every_index_that_holds_less_is_hydrated(db: Db) -> Outcome {
    tickets(&db, 0..12).await?;
    let mut wanted: Vec<Ticket> = (0..12).map(ticket).collect();
    wanted.sort_by_key(|ticket| ticket.rank);
    let of_index = Ticket::by_owner("ann").hydrate().all(&db).await?;
    assert_eq!(of_index, wanted);
    let local = Ticket::by_rank("q")
        .rank()
        .lt(40)
        .hydrate()
        .all(&db)
        .await?;
    wanted.retain(|ticket| ticket.rank < 40);
    assert_eq!(local, wanted);
    let titles = Ticket::by_owner("ann").rank().lt(40).select::<Title>();
    assert_eq!(titles.clone().all(&db).await?.len(), wanted.len());
    assert_eq!(titles.hydrate().all(&db).await?, wanted);
    // A filter applies to the attributes that the index holds.
    let q = Ticket::by_owner("ann").hydrate();
    let one = q
        .clone()
        .filter(|t| t.title().eq("title 7"))
        .one(&db)
        .await?;
    assert_eq!(one, Some(ticket(7)));
    let refused = q.filter(|t| t.text().eq("x")).all(&db).await.unwrap_err();
    assert_eq!(refused.attribute(), Some("text"));
    let other = Ticket::by_owner("bob").hydrate().page(&db).await?;
    assert!(other.rows.is_empty() && other.next.is_none());
    Ok(())
}

async fn pages_are_those_of_an_index_that_holds_all(db: Db) -> Outcome {
    tickets(&db, 0..23).await?;
    let whole = Ticket::whole("open").all(&db).await?;
    let q = Ticket::by_state("open").hydrate();
    for limit in [1, 2, 7, 11, 22, 23, 24] {
        let (mut seen, mut next, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = q.clone().limit(limit).resume(next).page(&db).await?;
            seen.extend(page.rows);
            pages += 1;
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        assert_eq!((seen, pages), (whole.clone(), whole.len().div_ceil(limit)));
    }
    // Reads backwards, and from any row on.
    let page = q.clone().limit(10).page(&db).await?;
    let second = q.clone().limit(10).resume(page.next).page(&db).await?;
    assert_eq!(second.rows, whole[10..20]);
    let back = q
        .clone()
        .limit(6)
        .resume(second.previous.clone())
        .page(&db)
        .await?;
    assert_eq!(back.rows, whole[4..10]);
    let rest = q.clone().resume(second.cursor_at(3)).all(&db).await?;
    assert_eq!(rest, whole[14..]);
    // A cursor of the key query also fits the hydrated query.
    let keys = Ticket::by_state("open").limit(5).page(&db).await?;
    let rest = q.clone().resume(keys.next).all(&db).await?;
    assert_eq!(rest, whole[5..]);
    // Without a limit, a page is one request to the index and one for the items.
    tickets(&db, 23..150).await?;
    let (faulty, http) = db.faulty([]);
    assert_eq!(q.page(&faulty).await?.rows.len(), 99);
    assert_eq!(http.calls(), ["Query", "BatchGetItem"]);
    Ok(())
}

async fn what_is_left_out_is_asked_for_again(db: Db) -> Outcome {
    tickets(&db, 0..40).await?;
    let whole = Ticket::whole("open").all(&db).await?;
    let left_out = [7, 0, 0, 5, 0, 28].map(Fault::Unprocessed);
    let plan = [Fault::Pass].into_iter().chain(left_out);
    let (faulty, http) = db.faulty(plan);
    let found = Ticket::by_state("open").hydrate().all(&faulty).await?;
    assert_eq!(numbers(&found), numbers(&whole));
    assert_eq!(http.calls().len(), 1 + 6);
    Ok(())
}

async fn a_service_that_reads_nothing_is_an_error(db: Db) -> Outcome {
    tickets(&db, 0..8).await?;
    // An answer that brings items resets the count of empty answers.
    let mut plan = vec![Fault::Pass, Fault::Unprocessed(0), Fault::Unprocessed(3)];
    plan.extend((0..50).map(|_| Fault::Unprocessed(0)));
    let (faulty, http) = db.faulty(plan);
    let error = Ticket::by_state("open")
        .hydrate()
        .all(&faulty)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.entity()),
        (ErrorKind::Throttled, Some("Ticket"))
    );
    assert!(error.to_string().contains("5 of 8 items"), "{error}");
    assert_eq!(http.calls().len(), 1 + 2 + 10);
    Ok(())
}

async fn what_left_the_range_is_no_row(db: Db) -> Outcome {
    let clock = HandClock::at("2124-01-01T00:00:00Z");
    tickets(&db, 0..0).await?;
    let stored = |number, rank| Ticket {
        rank,
        ..ticket(number)
    };
    let before: Vec<Ticket> = (0..7).map(|number| stored(number, 10 + number)).collect();
    for ticket in &before {
        ticket.put().send(&db).await?;
    }
    // Ticket 1 moved to another partition, 2 out of the range, 3 within it, 4 expired, and 5 left the index.
    let mut now = before.clone();
    now[1].state = "done".into();
    now[2].rank = 90;
    now[3].rank = 19;
    now[4].expires_at = Some(moment("2124-01-01T00:00:00Z"));
    now[5].urgent = false;
    for ticket in &now {
        ticket.put().send(&db).await?;
    }
    let q = Ticket::urgent("open").rank().between(10..20).hydrate();
    let listed = [&before[..], &before[6..]].concat();
    let lags = || {
        lagging(&db, "urgent", &listed).with_clock({
            let clock = clock.clone();
            move || dynamo_entity::Clock::now(&clock)
        })
    };
    assert_eq!(numbers(&q.clone().all(&lags()).await?), [0, 3, 6]);
    let page = q.clone().page(&lags()).await?;
    assert_eq!(
        (numbers(&page.rows), vanished(&page)?),
        (vec![0, 3, 6], vec![])
    );
    let expired = q.clone().include_expired().all(&lags()).await?;
    assert_eq!(numbers(&expired), [0, 3, 4, 6]);
    // `first` goes on until it finds a row, or the end.
    let late = lagging(&db, "urgent", &before[1..2]);
    assert_eq!(q.clone().descending().first(&late).await?, None);
    Ok(())
}

async fn a_limit_counts_what_still_belongs(db: Db) -> Outcome {
    tickets(&db, 0..0).await?;
    let before: Vec<Ticket> = (0..9)
        .map(|number| Ticket {
            rank: number,
            ..ticket(number)
        })
        .collect();
    for ticket in &before {
        ticket.put().send(&db).await?;
    }
    for number in [0, 2, 3] {
        let mut moved = before[number].clone();
        moved.state = "done".into();
        moved.put().send(&db).await?;
    }
    // The first answer shows five old rows, and the index goes on after the last of them.
    let last = answer_of("by_state", &before[4..5]);
    let last = &last[last.find("[").expect("a list") + 1..last.find("]").expect("its end")];
    let mut answer = answer_of("by_state", &before[..5]);
    answer.pop();
    answer.push_str(&format!(",\"LastEvaluatedKey\":{last}}}"));
    let (faulty, http) = db.faulty([Fault::Reply(200, answer)]);
    let page = Ticket::by_state("open")
        .hydrate()
        .limit(4)
        .page(&faulty)
        .await?;
    assert_eq!(numbers(&page.rows), [1, 4, 5, 6]);
    assert_eq!(http.calls().len(), 4);
    let rest = Ticket::by_state("open").hydrate().resume(page.next);
    assert_eq!(numbers(&rest.all(&db).await?), [7, 8]);
    Ok(())
}

async fn what_vanished_is_told_once(db: Db) -> Outcome {
    tickets(&db, 0..0).await?;
    let before: Vec<Ticket> = (0..8)
        .map(|number| Ticket {
            rank: number,
            ..ticket(number)
        })
        .collect();
    for number in [0, 3, 4, 6] {
        before[number].put().send(&db).await?;
    }
    let q = Ticket::by_state("open").hydrate();
    let key = |number| Ticket::key("q", number);
    let lags = |from: usize| lagging(&db, "by_state", &before[from..]);
    let page = q.clone().limit(2).page(&lags(0)).await?;
    assert_eq!(numbers(&page.rows), [0, 3]);
    assert_eq!(vanished(&page)?, [key(1), key(2)]);
    let page = q.clone().limit(2).resume(page.next).page(&lags(4)).await?;
    assert_eq!(numbers(&page.rows), [4, 6]);
    assert_eq!(
        (vanished(&page)?, page.next.is_some()),
        (vec![key(5), key(7)], false)
    );
    let mut rows = q.stream(&lags(0));
    let mut streamed = Vec::new();
    while let Some(row) = rows.next().await {
        streamed.push(row?.number);
    }
    assert_eq!(streamed, [0, 3, 4, 6]);
    let keys = Ticket::by_state("open").page(&db).await?;
    assert_eq!(vanished(&keys)?, []);
    Ok(())
}

/// The keys of the vanished rows.
fn vanished<R>(page: &Page<R>) -> Result<Vec<Key<R::Entity>>>
where
    R: dynamo_entity::query::RowOfEntity,
{
    page.vanished().into_iter().collect()
}

async fn what_vanished_in_another_spelling_is_told_too(db: Db) -> Outcome {
    tickets(&db, 0..1).await?;
    let listed: Vec<Ticket> = (1..4).map(ticket).collect();
    // Another program wrote this row, and does not pad numbers.
    let answer = answer_of("by_state", &listed).replace("\"00002\"", "\"2\"");
    let (lags, _) = db.faulty([Fault::Reply(200, answer)]);
    let page = Ticket::by_state("open")
        .hydrate()
        .limit(9)
        .page(&lags)
        .await?;
    let (mut keys, mut errors) = (Vec::new(), Vec::new());
    for gone in page.vanished() {
        match gone {
            Ok(key) => keys.push(key),
            Err(error) => errors.push(error),
        }
    }
    assert_eq!(keys, [1, 3].map(|number| Ticket::key("q", number)));
    assert_eq!(errors.len(), 1);
    assert!(errors[0].is_key_mismatch(), "{}", errors[0]);
    let key = errors[0].item_key().expect("the key of the row");
    assert_eq!(key.get("sk").and_then(Value::as_text), Some("2"));
    Ok(())
}

async fn items_are_read_strongly_on_request(db: Db) -> Outcome {
    tickets(&db, 0..3).await?;
    let (faulty, http) = db.faulty([]);
    let is_strong = |bodies: Vec<dynamo_entity::testing::RecordedRequest>| -> Vec<bool> {
        let text = |seen: dynamo_entity::testing::RecordedRequest| {
            String::from_utf8_lossy(&seen.body).into_owned()
        };
        bodies
            .into_iter()
            .map(|seen| text(seen).contains("\"ConsistentRead\":true"))
            .collect()
    };
    let global = Ticket::by_state("open").hydrate();
    assert_eq!(global.clone().all(&faulty).await?.len(), 3);
    assert_eq!(is_strong(http.seen()), [false, false]);
    http.plan([]);
    assert_eq!(global.consistent().all(&faulty).await?.len(), 3);
    assert_eq!(is_strong(http.seen()), [false, true]);
    let local = [
        Ticket::by_rank("q").hydrate().consistent(),
        Ticket::by_rank("q").consistent().hydrate(),
    ];
    for q in local {
        http.plan([]);
        assert_eq!(q.all(&faulty).await?.len(), 3);
        assert_eq!(is_strong(http.seen()), [true, true]);
    }
    Ok(())
}

async fn some_of_the_item_is_selected(db: Db) -> Outcome {
    tickets(&db, 0..3).await?;
    let q = Ticket::by_state("open").hydrate();
    let texts = q.clone().select::<Text>().all(&db).await?;
    let text = |number| Text {
        number,
        text: format!("text {number}"),
    };
    assert_eq!(texts, [text(0), text(1), text(2)]);
    let form = q.clone().select::<Text>().explain(&db)?.items.unwrap();
    assert!(
        form.contains("\"ProjectionExpression\"") && form.contains("\"text\""),
        "{form}"
    );
    assert!(!form.contains("title"), "{form}");
    // Attributes that are needed to check the item are read with it.
    let mut expired = ticket(1);
    expired.expires_at = Some(moment("2124-01-01T00:00:00Z"));
    expired.put().send(&db).await?;
    let late = db.at(&HandClock::at("2124-01-01T00:00:00Z"));
    assert_eq!(q.clone().select::<Text>().all(&late).await?.len(), 2);
    let lenient = q.include_expired().lenient().all(&late).await?;
    assert_eq!(lenient.len(), 3);
    Ok(())
}

async fn a_count_asks_the_index(db: Db) -> Outcome {
    tickets(&db, 0..5).await?;
    let (faulty, http) = db.faulty([]);
    let q = Ticket::by_state("open").hydrate();
    assert_eq!(q.clone().count(&faulty).await?, 5);
    assert!(q.clone().exists(&faulty).await?);
    assert_eq!(http.calls(), ["Query", "Query"]);
    let explained = q.limit(3).explain(&db)?;
    assert_eq!(explained.operation, Some("Query"));
    assert!(explained.requests[0].contains("\"Limit\":4"));
    assert!(explained.items.unwrap().contains("\"Keys\":[]"));
    assert_eq!(Ticket::whole("open").explain(&db)?.items, None);
    Ok(())
}

/// The tickets sorted by rank, which is the sort key of the index.
fn by_rank(mut tickets: Vec<Ticket>) -> Vec<Ticket> {
    tickets.sort_by_key(|ticket| ticket.rank);
    tickets
}

async fn several_partitions_are_hydrated(db: Db) -> Outcome {
    tickets(&db, 0..0).await?;
    let states = ["open", "done", "late"];
    let mut all = Vec::new();
    for number in 0..30u32 {
        let mut row = ticket(number);
        row.state = states[number as usize % 3].into();
        all.push(row.put().send(&db).await?);
    }
    let all = by_rank(all);
    let q = Ticket::by_state(any_of(states)).hydrate();
    assert_eq!(q.clone().all(&db).await?, all);
    let (mut seen, mut next) = (Vec::new(), None);
    loop {
        let page = q.clone().limit(7).resume(next).page(&db).await?;
        assert!(page.vanished().is_empty());
        seen.extend(page.rows);
        next = page.next;
        if next.is_none() {
            break;
        }
        assert!(seen.len() % 7 == 0, "a page is full while there is more");
    }
    assert_eq!(seen, all);
    // Parts of the sort key are given by `any_of`, in any order.
    let ranks = [all[9].rank, all[2].rank, all[5].rank, 1000];
    let some = Ticket::by_state(any_of(states)).rank().eq(any_of(ranks));
    let wanted = [2, 5, 9].map(|at| all[at].clone());
    assert_eq!(some.hydrate().all(&db).await?, wanted);

    // Two answers of lagging partitions show a row that moved, one that vanished, and one that stands in
    // both.
    let old = |state: &str, numbers: [usize; 3]| {
        let row = |at: usize| Ticket {
            state: state.into(),
            ..all[at].clone()
        };
        let mut rows = numbers.map(row);
        rows.sort_by_key(|row| format!("{:010}", row.rank));
        Fault::Reply(200, answer_of("by_state", &rows))
    };
    let gone = all
        .iter()
        .position(|row| row.number == 4)
        .expect("a ticket");
    all[gone].delete().send(&db).await?;
    let here: Vec<usize> = (0..30).filter(|at| all[*at].state == "open").collect();
    let there: Vec<usize> = (0..30).filter(|at| all[*at].state == "done").collect();
    let (lags, _) = db.faulty([
        old("open", [here[0], there[1], here[3]]),
        old("done", [gone, there[1], there[2]]),
    ]);
    let page = Ticket::by_state(any_of(["open", "done"])).hydrate();
    let page = page.page(&lags).await?;
    let mut wanted = [here[0], here[3], there[1], there[2]];
    wanted.sort_by_key(|at| all[*at].rank);
    let wanted = wanted.map(|at| all[at].number).to_vec();
    assert_eq!(numbers(&page.rows), wanted);
    assert_eq!(vanished(&page)?, [all[gone].key()]);
    Ok(())
}

async fn shards_are_hydrated(db: Db) -> Outcome {
    tickets(&db, 0..40).await?;
    let whole = Ticket::whole("open").all(&db).await?;
    let q = Ticket::spread("open").hydrate();
    assert_eq!(q.clone().all(&db).await?, whole);
    let mut down = q.clone().descending().all(&db).await?;
    down.reverse();
    assert_eq!(down, whole);
    let (mut seen, mut next) = (Vec::new(), None);
    let last = loop {
        let page = q.clone().limit(9).resume(next).page(&db).await?;
        seen.extend(page.rows.clone());
        next = page.next.clone();
        if next.is_none() {
            break page;
        }
    };
    assert_eq!(seen, whole);
    let back = q.clone().limit(5).resume(last.previous).page(&db).await?;
    assert_eq!(back.rows, whole[31..36]);
    // Rows that left the range since the index was read do not count for the limit.
    for at in [0, 2] {
        let mut moved = whole[at].clone();
        moved.state = "done".into();
        moved.put().send(&db).await?;
    }
    let page = q.limit(3).page(&db).await?;
    let wanted = [&whole[1], &whole[3], &whole[4]];
    assert!(page.rows.iter().eq(wanted));
    Ok(())
}
