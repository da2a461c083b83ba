//! Scenes F to J of the design: a service that works, or works again. With the defaults, no circuit opens for a burst
//! whose failures come first, nor for a batch whose last answers are timeouts, nor for first attempts that always fail,
//! and none stays open after an outage.

use rejitter::BreakerOptions;
use rejitter::internals::protection::{Admission, Breaker, Change, Verdict};

use crate::common::some;

/// An attempt: when it starts and ends, whether it is the first one of its operation, and whether it succeeds.
type Attempt = (f64, f64, bool, bool);

/// Plays attempts. Returns how many were rejected, and how often the circuit opened.
fn play(attempts: &[Attempt]) -> (usize, usize) {
    let options = BreakerOptions::default().settings();
    let mut breaker = Breaker::new(0.0);
    let mut events: Vec<(f64, usize, bool)> = Vec::new();
    for (i, (start, end, ..)) in attempts.iter().enumerate() {
        events.push((*start, i, true));
        events.push((*end, i, false));
    }
    events.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let mut tickets = vec![None; attempts.len()];
    let (mut rejected, mut opened) = (0, 0);
    for (now, i, starts) in events {
        let (_, _, first, succeeds) = attempts[i];
        if starts {
            match breaker.admit(&options, now, first) {
                Admission::Admitted { ticket } => tickets[i] = Some(ticket),
                Admission::Rejected { .. } => rejected += 1,
            }
        } else if let Some(ticket) = tickets[i] {
            let verdict = if succeeds {
                Verdict::Success
            } else {
                Verdict::Failure
            };
            let change = breaker.ended(&options, now, 0.5, ticket, verdict, f64::NAN);
            opened += usize::from(change == Change::Opened);
        }
    }
    (rejected, opened)
}

/// `count` bursts of `size` first attempts.
fn bursts(
    count: u32,
    every: f64,
    size: u32,
    call: impl Fn(u32) -> (f64, f64, bool),
) -> Vec<Attempt> {
    let one = |burst: u32, i: u32| {
        let (after, takes, succeeds) = call(i);
        let start = f64::from(burst) * every + after;
        (start, start + takes, true, succeeds)
    };
    (0..some(count))
        .flat_map(|burst| (0..size).map(move |i| (burst, i)))
        .map(|(burst, i)| one(burst, i))
        .collect()
}

#[test]
fn f_every_fifth_of_a_hundred_fails_first() {
    let calls = bursts(60, 5_000.0, 100, |i| {
        let fails = i % 5 == 0;
        (0.0, if fails { 5.0 } else { 50.0 }, !fails)
    });
    assert_eq!(play(&calls), (0, 0));
}

#[test]
fn g_scene_b_each_minute() {
    let calls = bursts(10, 60_000.0, 1_000, |i| {
        let fails = i % 50 == 49;
        (f64::from(i) / 10.0, if fails { 1.0 } else { 100.0 }, !fails)
    });
    assert_eq!(play(&calls), (0, 0));
}

/// Once a minute, an attempt that fails, and a retry.
fn once_a_minute(minutes: std::ops::Range<u32>, succeeds: bool) -> Vec<Attempt> {
    let pair = |minute: u32| {
        let at = f64::from(minute) * 60_000.0;
        [
            (at, at + 20.0, true, false),
            (at + 120.0, at + 140.0, false, succeeds),
        ]
    };
    minutes.flat_map(pair).collect()
}

#[test]
fn h_first_attempts_fail_and_retries_succeed() {
    assert_eq!(play(&once_a_minute(0..240, true)), (0, 0));
}

#[test]
fn i_the_tail_of_a_batch_times_out() {
    let calls = bursts(20, 10_000.0, 1_000, |i| {
        let fails = i < 30;
        (0.0, if fails { 1_000.0 } else { f64::from(i % 70) }, !fails)
    });
    assert_eq!(play(&calls), (0, 0));
}

#[test]
fn j_an_outage_long_ago() {
    let outage = once_a_minute(0..25, false);
    let after = once_a_minute(25..145, true);
    // Retries of the two operations at which it opened: no operation of the last two hours is rejected.
    assert_eq!(play(&[outage, after].concat()), (2, 2));
    assert_eq!(play(&once_a_minute(25..145, true)), (0, 0));
}
