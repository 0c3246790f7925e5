//! Simulated workers on a model of one row: different clocks, pauses, deaths, late and lost requests.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// The longest lease time.
const LEASE: u64 = 3_000;
/// The lease times of the workers.
const LEASES: [u64; 4] = [LEASE, LEASE, LEASE / 2, LEASE * 2 / 3];

/// A request on its way, with the time at which it takes effect and the time of its response, if it is not lost.
#[derive(Debug, Clone)]
struct Flight {
    worker: usize,
    request: Request,
    effect: u64,
    answer: Option<u64>,
    result: Option<Result<LeaseState, ()>>,
}

#[derive(Debug, Clone)]
pub(in crate::streams::group) enum Request {
    Read,
    Renew { epoch: u64, sent: Duration },
    Take { seen: LeaseState, sent: Duration },
    Release { epoch: u64 },
}

struct Actor {
    book: LeaseBook,
    /// The lease times of workers differ during a deployment that changes the setting.
    lease: Duration,
    /// The time that the clock of the worker shows at the start.
    offset: u64,
    /// The rate of the clock, in thousandths.
    rate: u64,
    paused_until: u64,
    is_dead: bool,
    /// The state of the row that the worker saw last.
    row: Option<LeaseState>,
}

impl Actor {
    fn clock(&self, now: u64) -> Duration {
        Duration::from_millis(self.offset + now * self.rate / 1_000)
    }
}

struct World {
    now: u64,
    row: LeaseState,
    actors: Vec<Actor>,
    flights: Vec<Flight>,
    owners: usize,
}

/// The next event of a schedule, as numbers that proptest can shrink.
type Event = (u8, usize, u64, u64);

fn name() -> LeaseName {
    "shard".into()
}

/// The effect of a request on the row. A test of the store compares it with the real requests.
pub(in crate::streams::group) fn apply_request(
    row: &mut LeaseState,
    worker: &str,
    lease_time: Duration,
    request: &Request,
) -> Result<LeaseState, ()> {
    let is_mine = |epoch: u64| row.owner.as_deref() == Some(worker) && row.epoch == epoch;
    match request {
        Request::Read => {}
        Request::Renew { epoch, .. } if is_mine(*epoch) => row.renewals += 1,
        Request::Take { seen, .. } if (row.epoch, row.renewals) == (seen.epoch, seen.renewals) => {
            *row = LeaseState {
                owner: Some(worker.to_owned()),
                epoch: row.epoch + 1,
                renewals: row.renewals + 1,
                lease_time,
            };
        }
        Request::Release { epoch } if is_mine(*epoch) => {
            (row.owner, row.epoch) = (None, row.epoch + 1)
        }
        _ => return Err(()),
    }
    Ok(row.clone())
}

impl World {
    fn new(clocks: &[(u64, u64)]) -> Self {
        let actors = clocks.iter().zip(LEASES).enumerate();
        let actors = actors.map(|(at, ((offset, rate), lease))| Actor {
            book: LeaseBook::new(format!("w{at}"), Duration::from_millis(lease)),
            lease: Duration::from_millis(lease),
            offset: *offset,
            rate: 970 + rate % 61,
            paused_until: 0,
            is_dead: false,
            row: None,
        });
        World {
            now: 0,
            row: LeaseState {
                owner: None,
                epoch: 0,
                renewals: 0,
                lease_time: Duration::ZERO,
            },
            actors: actors.collect(),
            flights: Vec::new(),
            owners: 0,
        }
    }

    fn advance(&mut self, time: u64) {
        self.now += time;
        let mut flights = std::mem::take(&mut self.flights);
        flights.sort_by_key(|flight| flight.effect);
        for flight in &mut flights {
            if flight.effect <= self.now && flight.result.is_none() {
                let worker = format!("w{}", flight.worker);
                let lease = self.actors[flight.worker].lease;
                flight.result = Some(apply_request(
                    &mut self.row,
                    &worker,
                    lease,
                    &flight.request,
                ));
            }
        }
        let now = self.now;
        flights.retain(|flight| {
            let actor = &mut self.actors[flight.worker];
            let Some(result) = &flight.result else {
                return true;
            };
            match flight.answer {
                // A response waits for a worker that is paused.
                Some(answer) if answer > now || actor.paused_until > now => true,
                Some(_) if !actor.is_dead => {
                    let clock = actor.clock(now);
                    match (&flight.request, result) {
                        (Request::Read, Ok(row)) => {
                            actor.book.note_row(&name(), row, clock);
                            actor.row = Some(row.clone());
                        }
                        (Request::Renew { epoch, sent }, Ok(_)) => {
                            actor.book.note_renewed("shard", *epoch, *sent)
                        }
                        (Request::Renew { epoch, .. }, Err(())) => {
                            actor.book.note_lost("shard", *epoch)
                        }
                        (Request::Take { sent, seen }, Ok(_)) => {
                            actor.book.note_taken(&name(), seen.epoch + 1, *sent);
                            self.owners += 1;
                        }
                        _ => {}
                    }
                    false
                }
                _ => false,
            }
        });
        self.flights = flights;
    }

    fn send(&mut self, worker: usize, request: Request, delay: u64, is_lost: bool) {
        let effect = self.now + delay % 900;
        let answer = (!is_lost).then_some(effect + delay / 7 % 700);
        self.flights.push(Flight {
            worker,
            request,
            effect,
            answer,
            result: None,
        });
    }

    fn run_event(&mut self, (kind, worker, time, delay): Event) {
        self.advance(time % 700);
        let worker = worker % self.actors.len();
        let now = self.now;
        let actor = &mut self.actors[worker];
        if actor.is_dead || actor.paused_until > now {
            return;
        }
        let clock = actor.clock(now);
        let is_lost = delay % 5 == 0;
        match kind % 16 {
            0 => actor.paused_until = now + delay % (3 * LEASE),
            1 if delay % 4 == 0 => actor.is_dead = worker > 0,
            2 => {
                if let Some(epoch) = actor.book.held_epoch("shard") {
                    // Before the request: no handler begins from here on.
                    actor.book.note_lost("shard", epoch);
                    self.send(worker, Request::Release { epoch }, delay, is_lost);
                }
            }
            3..=6 => {
                if let Some(epoch) = actor.book.held_epoch("shard") {
                    self.send(
                        worker,
                        Request::Renew { epoch, sent: clock },
                        delay,
                        is_lost,
                    );
                }
            }
            7..=10 => self.send(worker, Request::Read, delay, is_lost),
            _ => {
                let Some(seen) = actor.row.clone() else {
                    return;
                };
                let owner = actor.book.live_owner("shard", clock).map(str::to_owned);
                let is_mine = owner.as_deref() == Some(actor.book.worker());
                let is_held = actor.book.held_epoch("shard") == Some(seen.epoch);
                if owner.is_none() || is_mine && !is_held {
                    self.send(worker, Request::Take { seen, sent: clock }, delay, is_lost);
                }
            }
        }
    }

    /// The workers that may begin a handler now.
    fn beginners(&self) -> Vec<usize> {
        let actors = self.actors.iter().enumerate();
        let may = actors.filter(|(_, actor)| {
            let epoch = actor.book.held_epoch("shard");
            !actor.is_dead
                && epoch.is_some_and(|epoch| {
                    actor.book.may_begin("shard", epoch, actor.clock(self.now))
                })
        });
        may.map(|(at, _)| at).collect()
    }
}

fn run_world(clocks: &[(u64, u64)], events: &[Event]) -> Result<usize, String> {
    let mut world = World::new(clocks);
    for (at, event) in events.iter().enumerate() {
        world.run_event(*event);
        let beginners = world.beginners();
        if beginners.len() > 1 {
            return Err(format!("{beginners:?} may begin at once after event {at}"));
        }
    }
    Ok(world.owners)
}

proptest! {
    #![proptest_config(crate::streams::group::schedules(2_000))]

    #[test]
    fn never_do_two_workers_begin_at_once(
        clocks in prop::collection::vec((0..1_000_000_u64, 0..61_u64), 2..5),
        events in prop::collection::vec((any::<u8>(), 0..4_usize, 0..250_u64, 0..100_000_u64), 1..300),
    ) {
        let ran = run_world(&clocks, &events);
        prop_assert!(ran.is_ok(), "{ran:?}");
    }
}

/// The schedules contain takeovers; otherwise the property would say nothing.
#[test]
fn leases_change_hands_in_the_schedules() {
    let mut owners = BTreeMap::new();
    for seed in 0..300_u64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let events: Vec<Event> = (0..300)
            .map(|_| {
                (
                    random.u8(..),
                    random.usize(0..3),
                    random.u64(0..700),
                    random.u64(0..100_000),
                )
            })
            .collect();
        let ran = run_world(&[(0, 0), (77_777, 60), (5, 30)], &events).expect("one at a time");
        *owners.entry(ran.min(5)).or_insert(0) += 1;
    }
    assert!(
        owners.get(&5).copied().unwrap_or_default() > 100,
        "{owners:?}"
    );
}

fn held_by(owner: Option<&str>, lease_time: u64) -> LeaseState {
    LeaseState {
        owner: owner.map(str::to_owned),
        epoch: 1,
        renewals: 1,
        lease_time: Duration::from_millis(lease_time),
    }
}

/// The margin allows for clocks with different rates, and the owner may have a longer lease time.
#[test]
fn a_lease_is_free_after_the_longer_lease_time_and_a_tenth() {
    let seen = Duration::from_millis(500);
    for (own, owners, wait) in [
        (1_000, 1_000, 1_100),
        (1_000, 3_000, 3_300),
        (3_000, 1_000, 3_300),
    ] {
        let mut book = LeaseBook::new("w0".into(), Duration::from_millis(own));
        book.note_row(&name(), &held_by(Some("w1"), owners), seen);
        let owner = |wait| book.live_owner("shard", seen + Duration::from_millis(wait));
        assert_eq!(owner(wait - 1), Some("w1"), "{own} {owners}");
        assert_eq!(owner(wait), None, "{own} {owners}");
    }
}

/// Workers that stop take no shards, so the others take more than their shares after a while.
#[test]
fn a_shard_is_waiting_after_it_was_free_for_a_lease_time() {
    for (owner, wait) in [(None, 1_100), (Some("w1"), 2_200)] {
        let mut book = LeaseBook::new("w0".into(), Duration::from_millis(1_000));
        book.note_row(&name(), &held_by(owner, 1_000), Duration::ZERO);
        let is_waiting = |wait| book.is_waiting("shard", Duration::from_millis(wait));
        assert!(!is_waiting(wait - 1), "{owner:?}");
        assert!(is_waiting(wait), "{owner:?}");
    }
}

/// Each renewal is a write.
#[test]
fn a_lease_is_renewed_after_its_last_renewal_has_an_age() {
    let mut book = LeaseBook::new("w0".into(), Duration::from_millis(1_000));
    book.note_taken(&name(), 1, Duration::from_millis(100));
    let age = Duration::from_millis(250);
    let due = |now| book.due_leases(Duration::from_millis(now), age).len();
    assert_eq!((due(349), due(350)), (0, 1));
}
