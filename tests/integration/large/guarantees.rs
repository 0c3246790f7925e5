//! Positions, sweeps, limits and late requests of lists beside items.

use dynamo_entity::large::PagePosition;
use dynamo_entity::streams::ChangeEvent;
use dynamo_entity::transact::transact;

use super::*;

tests![
    a_position_belongs_to_one_list(Hall),
    compact_keeps_attributes_of_newer_programs(Hall),
    young_heads_are_kept(Hall),
    an_unreadable_row_stops_no_sweep(Hall),
    too_many_parts_are_an_error(Hall),
    rejected_writes_leave_no_parts(Hall),
    jobs_and_units_of_work_delete_lists(Hall),
    streams_skip_the_rows(Tower),
    late_requests_take_effect_once(Hall),
    an_append_of_unknown_outcome_is_written_once(Hall),
    an_append_that_is_not_written_can_be_repeated(Hall),
    an_append_at_a_length_takes_effect_once(Hall),
    a_delete_by_key_deletes_the_list_of_a_missing_item(Hall),
    endless_contention_leaves_no_parts(Hall),
    jobs_that_change_items_keep_their_lists(Hall),
    a_sweep_reads_a_head_once(Hall),
    elements_keep_the_depth_of_an_item(Shelf),
];

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Nested {
    inner: Vec<Nested>,
}

crate::declare! {
    entity Tower(table = "towers", key(pk = "TOWER#{id}"), chunked(floors: u32), stream = new_and_old_images) { id: u32 }
    entity Shelf(table = "shelves", key(pk = "SHELF#{id}"), chunked(boxes: Nested)) { id: u32 }
}

async fn replace_row(db: &Db, row: Raw) -> Outcome {
    let put = db.client().put_item().table_name(db.table::<Hall>());
    put.set_item(Some(row)).send().await?;
    Ok(())
}

/// The item is deleted by a program that knows no lists.
async fn delete_alone(id: u32, db: &Db) -> Outcome {
    let key = Hall::key(id).to_item()?;
    Item::in_table(Hall::schema().name)
        .delete(key)
        .send(db)
        .await?;
    Ok(())
}

async fn a_position_belongs_to_one_list(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::seats(1).part_bytes(200);
    let first = PagePosition::default();
    assert_eq!(list.page(&first, &db).await?, None);
    list.append(&seats(0..20)).send(&db).await?;
    let (mut at, mut found) = (first.clone(), Vec::new());
    while let Some(page) = list.page(&at, &db).await? {
        assert_eq!(list.page(&page.position, &db).await?.as_ref(), Some(&page));
        found.extend(page.elements);
        // A program stores it as a text, and an append in between keeps it valid.
        at = page.next.to_string().parse()?;
        if found.len() < 30 {
            let end = list.len(&db).await? as u32;
            list.append(&seats(end..end + 2)).send(&db).await?;
        }
    }
    assert_eq!(found, list.all(&db).await?);
    assert!(at.number() > 3);
    list.append(&seats(500..501)).send(&db).await?;
    let last = list.page(&at, &db).await?.expect("a later page");
    assert_eq!(last.elements, seats(500..501));

    for change in 0..3 {
        let page = list.page(&first, &db).await?.expect("a page");
        match change {
            0 => list.compact(&db).await?,
            1 => list.replace(&seats(0..60)).send(&db).await?,
            _ => list.delete().send(&db).await?,
        }
        for at in [&page.position, &page.next] {
            let error = list.page(at, &db).await.expect_err("another list");
            assert!(error.is_conflict(), "{change}: {error:?}");
        }
        let again = list.page(&first, &db).await?;
        assert_eq!(again.is_some(), change < 2);
    }
    Ok(())
}

async fn compact_keeps_attributes_of_newer_programs(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::seats(1);
    list.append(&seats(0..2)).send(&db).await?;
    list.append(&seats(2..3)).send(&db).await?;
    let mut found = 0;
    for mut row in rows::<Hall>(&db, "$LARGE#seats#").await {
        if let Some(AttributeValue::L(items)) = row.get_mut("$large.items") {
            for item in items {
                let AttributeValue::M(seat) = item else {
                    panic!("{item:?}")
                };
                seat.insert("colour".into(), s("red"));
                found += 1;
            }
            replace_row(&db, row).await?;
        }
    }
    assert_eq!(found, 3);
    let later = db.at(&HandClock::at("2100-01-01T00:00:00Z"));
    list.compact(&later).await?;
    let stored = rows::<Hall>(&db, "$LARGE#seats#").await;
    assert_eq!(stored.len(), 2);
    let items = stored.iter().find_map(|row| row.get("$large.items"));
    let Some(AttributeValue::L(items)) = items else {
        panic!("{stored:?}")
    };
    assert_eq!(items.len(), 3);
    for item in items {
        assert!(matches!(item, AttributeValue::M(seat) if seat["colour"] == s("red")));
    }
    assert_eq!(list.all(&db).await?, seats(0..3));
    Ok(())
}

async fn young_heads_are_kept(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let (now, hour) = (db.at(&clock), 3_600_000);
    for id in 1..=3 {
        hall(id).create().send(&now).await?;
        Hall::seats(id).append(&seats(0..2)).send(&now).await?;
    }
    clock.advance(23 * hour);
    // An append makes the head young again.
    Hall::seats(2).append(&seats(2..3)).send(&now).await?;
    for id in 1..=3 {
        delete_alone(id, &db).await?;
    }
    let report = Hall::sweep_large_values().send(&now).await?;
    assert_eq!((report.heads_deleted, report.heads_young), (0, 3));
    clock.advance(2 * hour);
    for mut row in rows::<Hall>(&db, "$LARGE#seats#HALL%230000000003").await {
        if row.contains_key("$large.parts") {
            row.remove("$large.written");
            replace_row(&db, row).await?;
        }
    }
    let report = Hall::sweep_large_values().send(&now).await?;
    assert_eq!((report.heads_deleted, report.heads_young), (1, 2));
    // The items arrive later, for example by an import, and have their lists.
    for id in 2..=3 {
        hall(id).create().send(&now).await?;
        let found = Hall::seats(id).all(&db).await?;
        assert_eq!(found.len(), if id == 2 { 3 } else { 2 });
    }
    Ok(())
}

async fn an_unreadable_row_stops_no_sweep(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    for id in 1..=2 {
        hall(id).create().send(&now).await?;
        Hall::seats(id).append(&seats(0..2)).send(&now).await?;
        delete_alone(id, &db).await?;
    }
    hall(1).create().send(&now).await?;
    for mut row in rows::<Hall>(&db, "$LARGE#seats#HALL%230000000001").await {
        if row.contains_key("$large.parts") {
            row.insert("$large.parts".into(), s("damaged"));
            replace_row(&db, row.clone()).await?;
        } else {
            // A part without a readable time.
            row.insert("$large.written".into(), s("yesterday"));
            row.insert(
                "pk".into(),
                s(&format!("$LARGE#seats#HALL%230000000001#{:032x}", 7)),
            );
            replace_row(&db, row).await?;
        }
    }
    clock.advance(25 * 3_600_000);
    let mut deleted = (0, 0);
    for _ in 0..2 {
        let report = Hall::sweep_large_values().send(&now).await?;
        assert_eq!(report.rows_unreadable, 2, "{report:?}");
        deleted.0 += report.heads_deleted;
        deleted.1 += report.parts_deleted;
    }
    assert_eq!(deleted, (1, 1));
    assert_eq!(count::<Hall>(&db).await, 3);
    Ok(())
}

async fn too_many_parts_are_an_error(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::numbers(1).part_bytes(1);
    list.append(&[1]).send(&db).await?;
    let (counted, http) = db.faulty([]);
    let all: Vec<u32> = (0..10_001).collect();
    for write in [list.replace(&all), list.append(&all)] {
        let error = write.send(&counted).await.expect_err("too many");
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{error:?}");
        assert!(error.reason().contains("`numbers` has too many parts"));
    }
    assert_eq!(http.calls().len(), 0, "nothing is sent");

    // A head with room for one part more. Names have at most 39 bytes.
    let mut head = rows::<Hall>(&db, "$LARGE#numbers#").await;
    head.retain(|row| row.contains_key("$large.parts"));
    let mut head = head.remove(0);
    let name = |at: u32| s(&format!("{at:032x} 349998"));
    head.insert(
        "$large.parts".into(),
        AttributeValue::L((0..9_999).map(name).collect()),
    );
    replace_row(&db, head).await?;
    let error = list.append(&[2, 3]).send(&db).await.expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error:?}");
    assert_eq!(count::<Hall>(&db).await, 2, "its parts are deleted");
    list.append(&[2]).send(&db).await?;
    let error = list.append(&[3]).send(&db).await.expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error:?}");
    Ok(())
}

async fn rejected_writes_leave_no_parts(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::numbers(1).part_bytes(1);
    for passed in 0..4 {
        let refused = Fault::refuse("AccessDeniedException");
        let plan = repeat_n(Fault::Pass, passed).chain([refused]);
        let (faulty, _) = db.faulty(plan);
        let error = list.append(&[1, 2, 3]).send(&faulty).await;
        let error = error.expect_err("rejected");
        assert_eq!(error.kind(), ErrorKind::AccessDenied, "{error:?}");
        assert_eq!(count::<Hall>(&db).await, 0, "after {passed} requests");
    }
    Ok(())
}

async fn jobs_and_units_of_work_delete_lists(db: Db) -> Outcome {
    for way in 0..3 {
        hall(1).create().send(&db).await?;
        Hall::seats(1).append(&seats(0..3)).send(&db).await?;
        Hall::plan(1).write([7; 10]).send(&db).await?;
        match way {
            0 => {
                let job = Hall::scan().delete_each_unchecked();
                job.send(&db).await?.complete().map(drop)?;
            }
            1 => {
                let each =
                    Hall::scan().transact_each(|hall| Transaction::new().with(hall.delete()));
                each.send(&db).await?.complete().map(drop)?;
            }
            _ => {
                transact(&db, async |tx| {
                    tx.get(Hall::key(1)).await?;
                    tx.delete(Hall::key(1))
                })
                .await?;
            }
        }
        assert_eq!(Hall::key(1).get().send(&db).await?, None, "{way}");
        assert_eq!(Hall::seats(1).all(&db).await?, [], "{way}");
        assert_eq!(Hall::plan(1).read(&db).await?, None, "{way}");
    }
    Ok(())
}

async fn streams_skip_the_rows(db: Db) -> Outcome {
    let mut changes = Tower::changes().open(&db).await?;
    Tower { id: 1 }.create().send(&db).await?;
    Tower::floors(1).append(&[1, 2]).send(&db).await?;
    Tower::floors(1).replace(&[3]).send(&db).await?;
    Tower::key(1).delete().send(&db).await?;
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let next = tokio::time::timeout(Duration::from_secs(30), changes.next()).await?;
        seen.push(next.expect("a change")?.event);
    }
    assert!(
        matches!(&seen[0], ChangeEvent::Created(tower) if tower.id == 1),
        "{seen:?}"
    );
    assert!(
        matches!(&seen[1], ChangeEvent::Removed { old, .. } if old.id == 1),
        "{seen:?}"
    );
    Ok(())
}

/// Each request may arrive later, at every moment. The list is the former one or the new one, and all of its parts exist.
async fn late_requests_take_effect_once(db: Db) -> Outcome {
    let mut id = 0;
    for what in 0..4 {
        for at in 0..8 {
            for later in [0, 1, 2, 1_000_000] {
                for by in [Fault::Late(later), Fault::Lose] {
                    id += 1;
                    hall(id).create().send(&db).await?;
                    let list = Hall::seats(id).part_bytes(100);
                    list.append(&seats(0..6)).send(&db).await?;
                    let plan = repeat_n(Fault::Pass, at).chain([by.clone()]);
                    let (slow, http) = db.faulty(plan);
                    let done = match what {
                        0 => list.append(&seats(6..9)).send(&slow).await,
                        1 => list.replace(&seats(20..23)).send(&slow).await,
                        2 => list.compact(&slow).await,
                        _ => list.delete().send(&slow).await,
                    };
                    http.deliver().await;
                    let when = format!("{what}, request {at}, {by:?}: {done:?}");
                    let found = list.all(&db).await?;
                    let new = match what {
                        0 => seats(0..9),
                        1 => seats(20..23),
                        2 => seats(0..6),
                        _ => Vec::new(),
                    };
                    let is_unknown = match &done {
                        Ok(()) => false,
                        Err(error) => error.is_outcome_unknown(),
                    };
                    assert!(done.is_ok() || is_unknown, "{when}");
                    let is_old = is_unknown && found == seats(0..6);
                    assert!(found == new || is_old, "{when}: {found:?}");
                    assert_eq!(list.len(&db).await?, found.len() as u64, "{when}");
                }
            }
        }
    }
    Ok(())
}

async fn elements_keep_the_depth_of_an_item(db: Db) -> Outcome {
    Shelf { id: 1 }.create().send(&db).await?;
    let nested = |levels| {
        (1..levels).fold(Nested { inner: Vec::new() }, |inner, _| Nested {
            inner: vec![inner],
        })
    };
    // Each level is a map and a list, within the list of the part. DynamoDB allows 32 levels.
    Shelf::boxes(1).append(&[nested(15)]).send(&db).await?;
    assert_eq!(Shelf::boxes(1).all(&db).await?, [nested(15)]);
    let error = Shelf::boxes(1).append(&[nested(16)]).send(&db).await;
    assert_eq!(error.expect_err("too deep").kind(), ErrorKind::InvalidValue);
    Ok(())
}

/// A transaction that another one has cancelled.
pub fn conflict() -> Fault {
    let body = serde_json::json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "message": "cancelled",
        "CancellationReasons": [{ "Code": "None" }, { "Code": "TransactionConflict" }],
    });
    Fault::Reply(400, body.to_string())
}

/// The transaction of the head took effect, its answer is lost, and everything after it fails, also the read that would tell.
async fn an_append_of_unknown_outcome_is_written_once(db: Db) -> Outcome {
    let failures = [
        vec![Fault::Refused; 200],
        vec![Fault::Io; 200],
        vec![Fault::internal(); 200],
        vec![Fault::throttle(); 200],
        vec![Fault::refuse("AccessDeniedException"); 200],
        [vec![conflict(); 2], vec![Fault::Refused; 200]].concat(),
    ];
    for (at, after) in failures.into_iter().enumerate() {
        let id = at as u32;
        hall(id).create().send(&db).await?;
        let list = Hall::seats(id).part_bytes(100);
        list.append(&seats(0..6)).send(&db).await?;
        let requests = list.append(&seats(6..9)).explain(&db)?.requests.len();
        let plan = repeat_n(Fault::Pass, requests - 1).chain([Fault::Lose]);
        let (faulty, http) = db.faulty(plan.chain(after));
        let error = list.append(&seats(6..9)).send(&faulty).await;
        let error = error.expect_err("no answer");
        let when = format!("{at}, {:?}: {error:?}", http.calls());
        assert!(error.is_outcome_unknown(), "{when}");
        assert!(error.reason().contains("may have taken effect"), "{when}");
        assert!(error.reason().contains("`seats`"), "{when}");
        // The elements are there once, and all of their parts exist. The length tells the program not to append them again.
        assert_eq!(list.len(&db).await?, 9, "{when}");
        assert_eq!(list.all(&db).await?, seats(0..9), "{when}");
    }
    // A retry or, if all of them fail, the read decides, if one of them is answered.
    for retries in 0..4 {
        let id = 100 + retries as u32;
        hall(id).create().send(&db).await?;
        let list = Hall::seats(id).part_bytes(1000);
        let plan = [Fault::Pass, Fault::Lose].into_iter();
        let (faulty, _) = db.faulty(plan.chain(repeat_n(Fault::Refused, retries)));
        list.append(&seats(0..3)).send(&faulty).await?;
        assert_eq!(list.all(&db).await?, seats(0..3), "{retries}");
    }
    Ok(())
}

/// Nothing of the append took effect, so a second one stores the elements once. If a part could not be written, the error is not that
/// of an unknown outcome.
async fn an_append_that_is_not_written_can_be_repeated(db: Db) -> Outcome {
    for (at, by) in [Fault::Io, Fault::Timeout, Fault::internal(), Fault::Lose]
        .into_iter()
        .enumerate()
    {
        for passed in 0.. {
            let id = (at * 100 + passed) as u32;
            hall(id).create().send(&db).await?;
            let list = Hall::seats(id).part_bytes(100);
            list.append(&seats(0..6)).send(&db).await?;
            let requests = list.append(&seats(6..9)).explain(&db)?.requests.len();
            let is_part = passed + 1 < requests;
            // A lost head takes effect.
            if passed == requests || !is_part && matches!(by, Fault::Lose) {
                break;
            }
            let plan = repeat_n(Fault::Pass, passed).chain(vec![by.clone(); 200]);
            let (faulty, _) = db.faulty(plan);
            let error = list.append(&seats(6..9)).send(&faulty).await;
            let error = error.expect_err("no answer");
            let when = format!("{by:?} after {passed} of {requests}: {error:?}");
            match is_part {
                true => {
                    assert_eq!(error.kind(), ErrorKind::Unavailable, "{when}");
                    assert!(
                        error
                            .reason()
                            .contains("`seats` could not be written, so it is as before"),
                        "{when}"
                    );
                }
                false => assert!(
                    error.is_outcome_unknown() || error.is_unavailable(),
                    "{when}"
                ),
            }
            assert_eq!(list.len(&db).await?, 6, "{when}");
            list.append(&seats(6..9)).send(&db).await?;
            assert_eq!(list.all(&db).await?, seats(0..9), "{when}");
        }
    }
    Ok(())
}

/// With the expected length, an append can be repeated after every error, also if the first attempt arrives later.
async fn an_append_at_a_length_takes_effect_once(db: Db) -> Outcome {
    let mut id = 0;
    for by in [Fault::Lose, Fault::Io, Fault::Late(1), Fault::Late(1000)] {
        for length in [0, 6] {
            id += 1;
            hall(id).create().send(&db).await?;
            let list = Hall::seats(id).part_bytes(1000);
            list.append(&seats(0..length)).send(&db).await?;
            let plan = [Fault::Pass, by.clone()].into_iter();
            let (faulty, http) = db.faulty(plan.chain(vec![Fault::Refused; 200]));
            let more = seats(length..length + 3);
            let append = || list.append(&more).when_len(length.into());
            let when = format!("{by:?} at {length}");
            let first = append().send(&faulty).await.expect_err("no answer");
            assert!(first.is_outcome_unknown(), "{when}: {first:?}");
            let second = append().send(&db).await;
            http.plan([]);
            http.deliver().await;
            if let Err(error) = second {
                assert!(error.is_conflict(), "{when}: {error:?}");
                let reason = format!(
                    "`seats` has {} elements, and the write requires {length}",
                    length + 3
                );
                assert!(error.reason().contains(&reason), "{when}: {error:?}");
            }
            assert_eq!(list.all(&db).await?, seats(0..length + 3), "{when}");
            assert_eq!(list.len(&db).await?, u64::from(length) + 3, "{when}");
        }
    }
    let list = Hall::seats(1);
    for length in [0, 2, 4] {
        let error = list.replace(&seats(0..1)).when_len(length).send(&db).await;
        assert!(error.expect_err("another length").is_conflict());
    }
    list.replace(&seats(0..1)).when_len(3).send(&db).await?;
    Hall::plan(1).write([7; 5]).when_len(0).send(&db).await?;
    let error = Hall::plan(1).write([8]).when_len(0).send(&db).await;
    let error = error.expect_err("another length");
    assert!(error.reason().contains("has 5 bytes"), "{error:?}");
    Hall::plan(1).write([]).when_len(5).send(&db).await?;
    Hall::plan(1).write([8]).when_len(0).send(&db).await?;
    let later = HandClock::at("2100-01-01T00:00:00Z");
    Hall::sweep_large_values().send(&db.at(&later)).await?;
    let (named, stored) = ids::<Hall>(&db).await;
    assert_eq!(named, stored);
    Ok(())
}

/// Another program has deleted the item. A sweep keeps a young list, so the key deletes it before the item is created again.
async fn a_delete_by_key_deletes_the_list_of_a_missing_item(db: Db) -> Outcome {
    let later = db.at(&HandClock::at("2100-01-01T00:00:00Z"));
    for is_deleted in [false, true] {
        hall(1).create().send(&db).await?;
        Hall::seats(1).append(&seats(0..3)).send(&db).await?;
        delete_alone(1, &db).await?;
        let report = Hall::sweep_large_values().send(&db).await?;
        assert_eq!((report.heads_deleted, report.heads_young), (0, 1));
        if is_deleted {
            Hall::key(1).delete().send(&later).await?;
            assert_eq!(count::<Hall>(&db).await, 0);
        }
        hall(1).create().send(&db).await?;
        let expected = if is_deleted { 0 } else { 3 };
        assert_eq!(Hall::seats(1).len(&db).await?, expected);
        Hall::key(1).delete().send(&later).await?;
    }
    Ok(())
}

async fn endless_contention_leaves_no_parts(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::numbers(1).part_bytes(1);
    let plan = repeat_n(Fault::Pass, 2).chain(vec![conflict(); 15]);
    let (faulty, http) = db.faulty(plan);
    let error = list.append(&[1, 2]).send(&faulty).await;
    let error = error.expect_err("too much contention");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
    let calls = http.calls();
    let transactions = calls.iter().filter(|call| *call == "TransactWriteItems");
    assert!((10..=15).contains(&transactions.count()), "{calls:?}");
    assert_eq!(count::<Hall>(&db).await, 0, "its parts are deleted");
    Ok(())
}

async fn jobs_that_change_items_keep_their_lists(db: Db) -> Outcome {
    // An item of an older program, without the attribute that has a default.
    let mut old = hall(1).to_item()?;
    old.remove("visits");
    Item::in_table(Hall::schema().name)
        .put(old)
        .send(&db)
        .await?;
    Hall::seats(1).append(&seats(0..3)).send(&db).await?;
    Hall::plan(1).write([7; 10]).send(&db).await?;
    let rows = count::<Hall>(&db).await;
    let refilled = Hall::scan().refill().send(&db).await?.complete()?;
    assert_eq!(refilled.written, 1);
    let job = Hall::scan().update_each(|hall| hall.update().apply(|h| h.visits().add(1)));
    job.send(&db).await?.complete()?;
    put_each([hall(1).put()]).send(&db).await?.complete()?;
    assert_eq!(Hall::seats(1).all(&db).await?, seats(0..3));
    assert_eq!(Hall::plan(1).read(&db).await?, Some(vec![7; 10]));
    assert_eq!(count::<Hall>(&db).await, rows);
    Ok(())
}

/// The parts of a list are spread over the table, so a head that is forgotten would be read for each of them.
async fn a_sweep_reads_a_head_once(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    let (lists, parts) = (150, 4);
    for id in 0..lists {
        hall(id).create().send(&now).await?;
        let list = Hall::numbers(id).part_bytes(1);
        list.append(&[1, 2, 3, 4]).send(&now).await?;
    }
    assert_eq!(count::<Hall>(&db).await, (lists * (1 + parts)) as usize);
    clock.advance(25 * 3_600_000);
    let (counted, http) = db.faulty([]);
    let counted = counted.with_clock(clock.clone());
    let report = Hall::sweep_large_values().send(&counted).await?;
    assert_eq!((report.heads_deleted, report.parts_deleted), (0, 0));
    let calls = http.calls();
    let reads = calls.iter().filter(|call| *call == "GetItem").count();
    // One of the item for each head, and one of the head at most.
    assert!(reads <= 2 * lists as usize, "{reads}");
    assert!(!calls.iter().any(|call| call == "TransactWriteItems"));
    Ok(())
}
