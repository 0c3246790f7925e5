//! Random schedules of a reader against a simulated stream, beside a model that knows each record. `STREAM_SCHEDULES`
//! selects the number of schedules, and `STREAM_SEED` the first one.

mod follower;
mod simulator;

use follower::{Follower, Schedule};

/// Runs schedules with these rules, and names the seed of one that fails.
fn run_schedules(schedule: Schedule) {
    let number = |name, default| match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => default,
    };
    let first = number("STREAM_SEED", 0);
    for seed in first..first + number("STREAM_SCHEDULES", 150) {
        if let Err(fault) = Follower::run(seed, schedule) {
            panic!("seed {seed}: {fault}");
        }
    }
}

const PLAIN: Schedule = Schedule {
    start: follower::Start::Oldest,
    restarts: false,
    trims: false,
    switches_off: false,
    skewed: false,
};

#[test]
fn each_change_is_delivered_once_and_in_order() {
    run_schedules(PLAIN);
}

#[test]
fn a_position_continues_after_the_delivered_changes() {
    run_schedules(Schedule {
        restarts: true,
        ..PLAIN
    });
}

#[test]
fn no_change_is_lost_silently() {
    run_schedules(Schedule {
        restarts: true,
        trims: true,
        ..PLAIN
    });
}

#[test]
fn a_stream_that_is_switched_off_is_read_to_its_end() {
    run_schedules(Schedule {
        restarts: true,
        switches_off: true,
        ..PLAIN
    });
}

#[test]
fn the_latest_change_is_fixed_when_the_stream_is_opened() {
    run_schedules(Schedule {
        start: follower::Start::Latest,
        restarts: true,
        ..PLAIN
    });
}

#[test]
fn changes_since_a_time_are_all_delivered() {
    run_schedules(Schedule {
        start: follower::Start::Since,
        restarts: true,
        ..PLAIN
    });
}

/// The clock of the machine is an hour ahead or behind.
#[test]
fn a_wrong_clock_loses_no_change() {
    for start in [follower::Start::Latest, follower::Start::Oldest] {
        run_schedules(Schedule {
            start,
            restarts: true,
            trims: true,
            skewed: true,
            ..PLAIN
        });
    }
}

#[test]
fn the_latest_change_is_not_lost_silently() {
    run_schedules(Schedule {
        start: follower::Start::Latest,
        restarts: true,
        trims: true,
        ..PLAIN
    });
}

#[test]
fn changes_since_a_time_are_not_lost_silently() {
    run_schedules(Schedule {
        start: follower::Start::Since,
        restarts: true,
        trims: true,
        ..PLAIN
    });
}
