//! Compares the results of each example with what it should find.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::testing::Fault;
use serde_json::json;

use crate::support::db::{Db, Mode};
use crate::support::engine::Kind;
use crate::support::suite::Outcome;
use crate::*;

/// Each test has its own tables.
async fn open() -> Result<Db> {
    Db::open(Mode::Raw).await
}

#[tokio::test]
async fn access_tokens_are_not_returned_once_expired() -> Outcome {
    let db = open().await?;
    let facts = access_tokens::run(&db).await?;
    assert_eq!(facts.first, facts.again);
    assert_eq!(facts.late, None);
    assert_eq!(facts.still_held, Some(facts.first.clone()));
    assert_ne!(facts.renewed.token, facts.first.token);
    assert_eq!(facts.fetches, 2);
    assert!(!format!("{facts:?}").contains("token 1"));
    db.close().await
}

#[tokio::test]
async fn access_tokens_are_shared_by_those_who_fetch_at_once() -> Outcome {
    use access_tokens::{AccessToken, Secret, token_for};

    let db = open().await?;
    db.create_tables([AccessToken::schema()]).await?;
    let token = |text: &str| AccessToken {
        service: "payments".into(),
        token: Secret(text.into()),
        expires_at: Utc::now() + TimeDelta::hours(1),
    };
    // While this caller fetches a token, another one stores its own.
    let fetch = async || {
        token("theirs").put().send(&db).await?;
        Ok(token("mine"))
    };
    let got = token_for(&db, "payments", fetch).await?;
    assert_eq!(got.token, Secret("theirs".into()));
    db.close().await
}

/// The nearest text has the meaning of the question, of the right shop, and often none of its words.
#[tokio::test]
async fn questions_find_texts_of_the_same_meaning() -> Outcome {
    if Kind::here() != Kind::Embedded {
        eprintln!("skipped: this server has no vector indexes");
        return Ok(());
    }
    let db = open().await?;
    let answers = help_search::run(&db).await?;
    let nearest = answers.iter().map(|answer| {
        let text = answer.nearest.first().map_or("", |found| &found.text);
        (
            answer.question,
            text.split(' ').take(5).collect::<Vec<_>>().join(" "),
        )
    });
    let expected = [
        ("How do I get my money back?", "We pay the refund to"),
        ("I cannot log in any more", "If you have forgotten your"),
        (
            "My dimmer makes the lamp blink",
            "If the light flickers, the",
        ),
        ("My wheel has a puncture", "A flat tyre is repaired"),
        (
            "noise when I slow down",
            "Squeaking brakes are usually dirty.",
        ),
        (
            "Can I pay a part of the price each month?",
            "You can pay for an",
        ),
    ];
    let expected = expected.map(|(question, text)| (question, text.to_owned()));
    assert_eq!(nearest.collect::<Vec<_>>(), expected);
    for answer in &answers {
        assert_eq!(answer.nearest.len(), 3);
        // Each shop has two texts about deliveries.
        let about = answer.about_delivery.as_ref().map(|found| found.id);
        assert!(matches!(about, Some(3 | 4 | 13 | 14)), "{about:?}");
    }
    db.close().await
}

#[tokio::test]
async fn request_counts_lose_no_request() -> Outcome {
    let db = open().await?;
    let tasks = 8;
    let facts = request_counts::run(&db, tasks).await?;
    let found = facts.counts.iter();
    let found: Vec<_> = found
        .map(|row| (row.day, row.request_name.as_str(), row.count))
        .collect();
    let mut expected = Vec::new();
    for number in 3..=12 {
        let day = NaiveDate::from_ymd_opt(2026, 3, number).ok_or("no day")?;
        let weekend = [7, 8].contains(&number);
        let tasks = u64::from(tasks);
        if weekend {
            expected.push((day, "GET /items", tasks));
        } else {
            expected.push((day, "GET /items", 3 * tasks));
            expected.push((day, "GET /users", 2 * tasks));
            expected.push((day, "POST /orders", tasks));
        }
    }
    assert_eq!(found, expected);
    assert_eq!(facts.busy, u64::from(14 * tasks));
    let slices = db.count::<request_counts::BusyRequestCount>().await;
    assert!(slices > 3, "the load is spread: {slices} slices");
    db.close().await
}

#[tokio::test]
async fn organisations_are_queried_globally_and_per_company() -> Outcome {
    let db = open().await?;
    let facts = organisations::run(&db).await?;
    assert_eq!(facts.of_company, ["Ann", "Bob", "Cem"]);
    assert_eq!(facts.chess_colleagues, ["Ann", "Cem"]);
    let mut everywhere = facts.chess_everywhere;
    // The index does not order the rows within a company.
    everywhere.sort();
    assert_eq!(everywhere, ["Ann", "Cem", "Dot", "Fay"]);
    let first: Vec<_> = (1..=5).map(|number| format!("Number {number}")).collect();
    assert_eq!(facts.first_of_many, first);
    assert_eq!(facts.chess_of_many, 20);
    db.close().await
}

#[tokio::test]
async fn blog_answers_its_five_questions() -> Outcome {
    let db = open().await?;
    let facts = blog::run(&db).await?;
    assert_eq!(facts.all_posts, ["hello", "keys", "cats", "bread"]);
    assert_eq!(facts.one_post.ok_or("no post")?.title, "About keys");
    assert_eq!(facts.by_index, ["keys", "hello"]);
    assert_eq!(facts.by_prefix, ["hello", "keys"]);
    let comments = ["And a partition key?", "Where it is asked."];
    assert_eq!(facts.comments, comments);
    db.close().await
}

#[tokio::test]
async fn orders_answer_their_seven_questions_in_as_many_requests_as_they_say() -> Outcome {
    let db = open().await?;
    orders::run(&db).await?;
    let (counted, faults) = db.faulty([]);
    let now: DateTime<Utc> = "2026-03-31T12:00:00Z".parse()?;
    let answers = orders::seven_questions(&counted, now).await?;
    let numbers: Vec<_> = answers.iter().map(|answer| answer.orders.clone()).collect();
    let in_march = vec![4, 6, 8, 10, 12, 14];
    assert_eq!(numbers[0], [14, 12, 10, 8, 6, 4, 2]);
    assert_eq!(numbers[1], in_march);
    assert_eq!(numbers[2], [6, 14]);
    assert_eq!(numbers[3], [6, 7]);
    assert_eq!(numbers[4], in_march);
    assert_eq!(numbers[5], [4, 12]);
    assert_eq!(numbers[6], [1, 2, 3, 8, 9, 10, 13]);
    let costs: Vec<_> = answers.iter().map(|answer| answer.requests).collect();
    assert_eq!(costs, [1, 1, 1, 1, 1, 1, 2]);
    assert_eq!(faults.calls().len(), costs.iter().sum::<usize>());
    assert_eq!(
        faults.calls().last().map(String::as_str),
        Some("BatchGetItem")
    );
    db.close().await
}

#[tokio::test]
async fn iot_meters_show_their_latest_their_past_and_their_batteries() -> Outcome {
    let db = open().await?;
    let facts = iot_meters::run(&db).await?;
    let latest = facts.latest.ok_or("no measurement")?;
    assert_eq!(latest.at, "2026-03-03T23:00:00Z".parse::<DateTime<Utc>>()?);
    assert_eq!((latest.meter.as_str(), latest.litres), ("m1", 11));
    assert_eq!(facts.period.len(), 24);
    assert!(facts.period.is_sorted_by_key(|measured| measured.at));
    assert_eq!(facts.period[12].litres, 121);
    let intervals: Vec<_> = facts
        .history
        .iter()
        .map(|was| was.interval_minutes)
        .collect();
    assert_eq!(intervals, [15, 30, 60]);
    assert_eq!(facts.low, ["m10", "m2"]);
    db.close().await
}

#[tokio::test]
async fn shop_directory_asks_for_three_levels() -> Outcome {
    let db = open().await?;
    let facts = shop_directory::run(&db).await?;
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(facts.anywhere.len(), 6);
    assert_eq!(facts.anywhere[0], "Pan#Ya");
    let in_new_york = ["Albany Bread", "Rye & Co", "Wings and Buns"];
    assert_eq!(sorted(facts.in_city), in_new_york[..2]);
    assert_eq!(sorted(facts.in_state), in_new_york);
    assert_eq!(sorted(facts.in_states_with_n), in_new_york);
    let in_usa = ["Albany Bread", "Lone Loaf", "Rye & Co", "Wings and Buns"];
    assert_eq!(sorted(facts.in_country), in_usa);
    db.close().await
}

#[tokio::test]
async fn status_shards_are_read_as_one() -> Outcome {
    let db = open().await?;
    let facts = status_shards::run(&db).await?;
    let paid: Vec<u32> = (24..120).filter(|number| number % 4 != 0).collect();
    let pages: Vec<_> = paid.chunks(25).map(<[_]>::to_vec).collect();
    assert_eq!(facts.sharded, pages);
    assert_eq!(facts.plain, pages);
    let backwards: Vec<_> = paid.iter().rev().copied().collect();
    let backwards: Vec<_> = backwards.chunks(25).map(<[_]>::to_vec).collect();
    assert_eq!(facts.sharded_backwards, backwards);
    assert_eq!(facts.plain_backwards, backwards);
    assert_eq!(facts.requests, 10);
    db.close().await
}

#[tokio::test]
async fn interest_is_paid_once() -> Outcome {
    let db = open().await?;
    db.create_tables([bulk::Account::schema()]).await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("job");
    // More accounts exist already than a job tolerates as failures by default.
    assert_eq!(bulk::open_accounts(&db, 1_100).await?, 1_100);
    assert_eq!(bulk::open_accounts(&db, 1_110).await?, 10);
    let mut told = 0;
    let report = bulk::pay_interest(&db, "2026-11", &file, |found| told = found).await?;
    assert_eq!((report.complete()?.written, told), (999, 1_110));
    let again = bulk::pay_interest(&db, "2026-11", &file, |_| ()).await?;
    assert!(again.was_finished());
    for account in bulk::Account::scan().all(&db).await? {
        let cents = if account.is_closed { 10_000 } else { 10_100 };
        assert_eq!(account.cents, cents, "{account:?}");
    }
    db.close().await
}

#[tokio::test]
async fn app_users_hand_their_account_to_one_device() -> Outcome {
    use app_users::Record;

    let db = open().await?;
    for number in 0..8 {
        let facts = app_users::run(&db, &format!("{number}@example.org")).await?;
        let winners: Vec<_> = facts.winners.iter().flatten().collect();
        assert_eq!(winners, [&facts.user_id], "one device gets it");
        assert_eq!((facts.again, facts.coded, facts.taken), (None, 0, true));
        let [
            Record::HandOver(moved),
            Record::Rewards(rewards),
            Record::Info(info),
        ] = &facts.records[..]
        else {
            return Err(format!("in the order of the sort key: {:?}", facts.records).into());
        };
        let devices = ["tablet", "new phone"];
        let winner = facts
            .winners
            .iter()
            .zip(devices)
            .find(|(won, _)| won.is_some());
        assert_eq!(Some(info.device.as_str()), winner.map(|(_, device)| device));
        assert_eq!((&moved.device, rewards.points), (&info.device, 120));
        assert_eq!(info.hand_over_code, None);
    }
    db.close().await
}

#[tokio::test]
async fn app_users_ask_the_item_where_the_index_lags() -> Outcome {
    use app_users::{UserInfo, hand_over, issue_code};

    let db = open().await?;
    let user_id = app_users::run(&db, "a@b.c").await?.user_id;
    let code = issue_code(&db, user_id).await?;
    let key = UserInfo::key(user_id);
    let used = key.update().apply(|u| u.hand_over_code().remove());
    used.send(&db).await?;
    // The index still names the user, although the code has been used.
    let row = json!({
        "user_id": {"S": user_id.to_string()},
        "record": {"S": "USER_INFO"},
        "hand_over_code": {"S": &code},
    });
    let answer = json!({"Items": [row], "Count": 1, "ScannedCount": 1}).to_string();
    let (lagging, seen) = db.faulty([Fault::Reply(200, answer)]);
    assert_eq!(hand_over(&lagging, &code, "late phone").await?, None);
    assert_eq!(seen.calls(), ["Query", "TransactWriteItems"]);
    db.close().await
}

#[tokio::test]
async fn app_users_with_the_same_code_are_an_error() -> Outcome {
    use app_users::{UserInfo, hand_over};

    let db = open().await?;
    for email in ["a@b.c", "b@b.c"] {
        let user_id = app_users::run(&db, email).await?.user_id;
        let same = UserInfo::key(user_id).update();
        same.apply(|u| u.hand_over_code().set("1234"))
            .send(&db)
            .await?;
    }
    let error = hand_over(&db, "1234", "phone").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MultipleItems);
    db.close().await
}

/// No server can be told to throttle, so this always runs on the embedded engine.
#[tokio::test]
async fn load_loses_nothing_while_the_service_throttles() -> Outcome {
    let db = Dynamo::connect("embedded:memory").await?;
    let facts = load::run(&db, 2_000).await?;
    assert_eq!(facts.lost, 0);
    // Without faults, each side would need 80 and 20 requests.
    assert!(facts.requests > 2 * (80 + 20), "{facts:?}");
    Ok(())
}
