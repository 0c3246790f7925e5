//! Requests that arrive when DynamoDB has forgotten their tokens, after other writes of the same list; and errors and sweeps under
//! contention.

use std::fmt;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use dynamo_entity::testing::Faults;

use super::*;

tests![
    late_duplicates_leave_lists_readable(Hall),
    late_duplicates_of_two_appends_leave_the_list_readable(Hall),
    settled_parts_are_deleted_at_once(Hall),
    concurrent_replacements_all_succeed(Hall),
    a_failed_condition_of_the_item_is_the_reason(Hall),
    an_append_of_nothing_checks_its_conditions(Hall),
    a_sweep_goes_on_at_a_busy_head(Hall),
];

const MINUTE: i64 = 60_000;
const LATER: Fault = Fault::Late(1_000_000);

/// A service that has forgotten all tokens: each attempt of a transaction counts as one of its own, as after ten minutes.
#[derive(Clone)]
struct Forgetful<C>(C);

impl<C> fmt::Debug for Forgetful<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Forgetful")
    }
}

impl HttpClient for Forgetful<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Forgetful(self.0.http_connector(settings, components)))
    }
}

impl HttpConnector for Forgetful<SharedHttpConnector> {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        let body = request.body().bytes().unwrap_or_default();
        if let Ok(mut body) = serde_json::from_slice::<serde_json::Value>(body)
            && let Some(token) = body.get_mut("ClientRequestToken")
        {
            *token = format!("{:032x}", fastrand::u128(..)).into();
            let body = body.to_string();
            request
                .headers_mut()
                .insert("content-length", body.len().to_string());
            *request.body_mut() = SdkBody::from(body);
        }
        self.0.call(request)
    }
}

/// A service in which another transaction is always faster at the rows of the first hall.
#[derive(Clone)]
struct Busy<C>(C);

impl<C> fmt::Debug for Busy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Busy")
    }
}

impl HttpClient for Busy<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Busy(self.0.http_connector(settings, components)))
    }
}

impl HttpConnector for Busy<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let body = String::from_utf8_lossy(request.body().bytes().unwrap_or_default());
        if !body.contains("TransactItems") || !body.contains("HALL%230000000001") {
            return self.0.call(request);
        }
        let Fault::Reply(status, body) = guarantees::conflict() else {
            panic!("a response");
        };
        let status = status.try_into().expect("a status");
        let mut response = HttpResponse::new(status, SdkBody::from(body));
        let headers = response.headers_mut();
        headers.insert("content-type", "application/x-amz-json-1.0");
        HttpConnectorFuture::ready(Ok(response))
    }
}

/// A connection whose requests may arrive after their tokens are forgotten.
fn forgetful(db: &Db, clock: &HandClock) -> (Dynamo, Faults) {
    let faults = Faults::new([]);
    let (config, _) = db.faulty_config([]);
    let http = SharedHttpClient::new(Forgetful(db.engine().http_client()));
    let slow = db.through(config.http_client(faults.around(http)));
    (slow.with_clock(clock.clone()), faults)
}

/// A list, and then another write of it or of its item, 14 minutes after the one whose first attempt arrives late.
async fn late_duplicates_leave_lists_readable(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    let (slow, http) = forgetful(&db, &clock);
    let (mut id, mut late) = (0, 0);
    for what in 0..4 {
        for then in 0..6 {
            for at in 0..6 {
                id += 1;
                hall(id).create().send(&now).await?;
                let list = Hall::seats(id).part_bytes(100);
                list.append(&seats(0..6)).send(&now).await?;
                clock.advance(60 * MINUTE);
                http.plan(repeat_n(Fault::Pass, at).chain([LATER]));
                match what {
                    0 => list.append(&seats(6..9)).send(&slow).await?,
                    1 => list.replace(&seats(20..23)).send(&slow).await?,
                    2 => list.compact(&slow).await?,
                    // A delete has no token, so its outcome is unknown.
                    _ => drop(list.delete().send(&slow).await),
                }
                http.plan([]);
                late += http.late();
                clock.advance(14 * MINUTE);
                match then {
                    0 => list.compact(&now).await?,
                    1 => list.replace(&seats(50..53)).send(&now).await?,
                    2 => list.delete().send(&now).await?,
                    3 => {
                        Hall::key(id).delete().send(&now).await?;
                        hall(id).create().send(&now).await?;
                    }
                    4 => {
                        list.replace(&seats(50..53)).send(&now).await?;
                        list.compact(&now).await?;
                    }
                    _ => {
                        list.append(&seats(50..53)).send(&now).await?;
                        list.compact(&now).await?;
                    }
                }
                let before = list.all(&now).await?;
                http.deliver().await;
                let when = format!("{what}, then {then}, request {at}");
                let after = list.all(&now).await;
                let after = after.unwrap_or_else(|error| panic!("{when}: {error:?}"));
                // An append may take effect again after others. A replacement and a delete do not.
                let again = [before.clone(), seats(6..9)].concat();
                assert!(
                    after == before || what == 0 && after == again,
                    "{when}: {after:?}"
                );
                assert_eq!(list.len(&now).await?, after.len() as u64, "{when}");
                list.compact(&now).await?;
                assert_eq!(list.all(&now).await?, after, "{when}");
                Hall::key(id).delete().send(&now).await?;
            }
        }
    }
    assert!(late > 100, "{late} requests were late");
    clock.advance(25 * 60 * MINUTE);
    Hall::sweep_large_values().send(&now).await?;
    assert_eq!(count::<Hall>(&db).await, 0);
    Ok(())
}

/// The late append makes the head look older than its last change.
async fn late_duplicates_of_two_appends_leave_the_list_readable(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    let (first, first_http) = forgetful(&db, &clock);
    let (second, second_http) = forgetful(&db, &clock);
    hall(1).create().send(&now).await?;
    let list = Hall::seats(1);
    first_http.plan([Fault::Pass, LATER]);
    list.append(&seats(0..2)).send(&first).await?;
    list.delete().send(&now).await?;
    clock.advance(14 * MINUTE);
    second_http.plan([Fault::Pass, LATER]);
    list.append(&seats(2..4)).send(&second).await?;
    clock.advance(MINUTE);
    assert_eq!((first_http.deliver().await, list.len(&now).await?), (1, 4));
    // A compaction as late as possible before the second one arrives.
    clock.advance(13 * MINUTE);
    list.compact(&now).await?;
    assert_eq!(second_http.deliver().await, 1);
    let expected = [seats(2..4), seats(0..2), seats(2..4)].concat();
    assert_eq!(list.all(&now).await?, expected);
    Ok(())
}

async fn settled_parts_are_deleted_at_once(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    for (minutes, is_settled) in [(0, false), (39, false), (40, true), (10_000, true)] {
        for change in 0..4 {
            hall(1).create().send(&now).await?;
            let list = Hall::numbers(1).part_bytes(1);
            list.append(&[1, 2, 3]).send(&now).await?;
            clock.advance(minutes * MINUTE);
            let new = match change {
                0 => list.replace(&[4]).send(&now).await.map(|()| 2)?,
                1 => Hall::numbers(1).compact(&now).await.map(|()| 2)?,
                2 => list.delete().send(&now).await.map(|()| 0)?,
                _ => Hall::key(1).delete().send(&now).await.map(|()| 0)?,
            };
            let left = if is_settled { 0 } else { 3 };
            let when = format!("{change} after {minutes} minutes");
            assert_eq!(count::<Hall>(&db).await, new + left, "{when}");
            Hall::key(1).delete().send(&now).await?;
            clock.advance(25 * 60 * MINUTE);
            Hall::sweep_large_values().send(&now).await?;
            assert_eq!(count::<Hall>(&db).await, 0, "{when}");
        }
    }
    Ok(())
}

async fn concurrent_replacements_all_succeed(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let writers = (0..4).map(|writer| {
        let db = db.clone();
        tokio::spawn(async move {
            for round in 0..5 {
                let numbers = [writer, round];
                Hall::numbers(1).replace(&numbers).send(&db).await?;
            }
            Ok::<_, Error>(())
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await??;
    }
    let found = Hall::numbers(1).all(&db).await?;
    assert_eq!(
        (found.len(), found[1]),
        (2, 4),
        "the last round of one of them"
    );
    let later = HandClock::at("2100-01-01T00:00:00Z");
    Hall::sweep_large_values().send(&db.at(&later)).await?;
    assert_eq!(count::<Hall>(&db).await, 2);
    Ok(())
}

/// Both the item and the list differ from what the write requires.
async fn a_failed_condition_of_the_item_is_the_reason(db: Db) -> Outcome {
    hall(1).create().send(&db).await?;
    let list = Hall::numbers(1);
    list.append(&[1, 2]).send(&db).await?;
    for write in [list.append(&[3]), list.replace(&[3]), list.append(&[])] {
        let write = write.when(|h| h.name().eq("Small")).when_len(7);
        let error = write.send(&db).await.expect_err("another name");
        assert!(error.is_conflict(), "{error:?}");
        assert!(!error.reason().contains("elements"), "{error:?}");
        assert_eq!(error.current::<Hall>()?, Some(hall(1)), "{error:?}");
    }
    let write = list.append(&[3]).when(|h| h.name().eq("Large")).when_len(7);
    let error = write.send(&db).await.expect_err("another length");
    assert!(error.reason().contains("has 2 elements"), "{error:?}");
    Ok(())
}

async fn an_append_of_nothing_checks_its_conditions(db: Db) -> Outcome {
    let list = Hall::numbers(1);
    let error = list.append(&[]).send(&db).await.expect_err("no item");
    assert!(error.is_not_found(), "{error:?}");
    hall(1).create().send(&db).await?;
    list.append(&[]).send(&db).await?;
    assert_eq!(count::<Hall>(&db).await, 0);
    list.append(&[]).when_len(0).send(&db).await?;
    let error = list.append(&[]).when_len(2).send(&db).await;
    let error = error.expect_err("another length");
    assert!(error.is_conflict(), "{error:?}");
    assert!(error.reason().contains("has 0 elements"), "{error:?}");
    let other = list.append(&[]).when(|h| h.name().eq("Small"));
    assert!(
        other
            .send(&db)
            .await
            .expect_err("another name")
            .is_conflict()
    );
    Ok(())
}

async fn a_sweep_goes_on_at_a_busy_head(db: Db) -> Outcome {
    let clock = HandClock::at("2026-01-01T00:00:00Z");
    let now = db.at(&clock);
    for id in 1..=3 {
        hall(id).create().send(&now).await?;
        let list = Hall::numbers(id);
        list.append(&[1]).send(&now).await?;
        list.replace(&[2]).send(&now).await?;
    }
    clock.advance(25 * 60 * MINUTE);
    let (config, _) = db.faulty_config([]);
    let http = SharedHttpClient::new(Busy(db.engine().http_client()));
    let busy = db
        .through(config.http_client(http))
        .with_clock(clock.clone());
    let report = Hall::sweep_large_values().send(&busy).await?;
    assert_eq!((report.parts_deleted, report.rows_busy), (2, 1));
    let report = Hall::sweep_large_values().send(&now).await?;
    assert_eq!((report.parts_deleted, report.rows_busy), (1, 0));
    Ok(())
}
