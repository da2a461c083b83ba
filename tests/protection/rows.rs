//! Rows of failures: the breaker keeps a few counts of them, these tests a list of all that happened.

use rejitter::internals::protection::{Admission, Breaker, BreakerSettings, Change, Verdict};

use crate::common::random::Random;

/// An attempt, by its number in the order of admissions.
#[derive(Clone, Copy)]
enum Event {
    Starts { attempt: usize, is_first: bool },
    Succeeds,
    Fails { attempt: usize },
    SaysNothing { attempt: usize },
}

/// What happened since the circuit was closed, with its times.
#[derive(Default)]
struct History(Vec<(f64, Event)>);

/// A row: its attempts that may still count, those of them that failed, and when it started.
struct Row {
    begun: Vec<usize>,
    failed: usize,
    at: f64,
}

impl History {
    fn row(&self) -> Row {
        let success = |(_, event): &(f64, Event)| matches!(event, Event::Succeeds);
        let after = self.0.iter().rposition(success).map_or(0, |last| last + 1);
        let mut row = Row {
            begun: Vec::new(),
            failed: 0,
            at: f64::INFINITY,
        };
        for (time, event) in &self.0[after..] {
            match *event {
                Event::Starts { attempt, is_first } => {
                    if is_first && row.begun.is_empty() {
                        row.at = *time;
                    }
                    row.begun.extend(is_first.then_some(attempt));
                }
                Event::Fails { attempt } => {
                    row.failed += usize::from(row.begun.contains(&attempt));
                }
                Event::SaysNothing { attempt } => {
                    row.begun.retain(|other| *other != attempt);
                    continue; // Nobody reads the clock then.
                }
                Event::Succeeds => unreachable!("the row is what follows the last success"),
            }
            // The clock was set back.
            row.at = row.at.min(*time);
        }
        row
    }
}

#[test]
#[allow(clippy::cast_precision_loss)]
fn rows_open_the_circuit_as_a_list_of_all_attempts_says() {
    let (mut lasting, mut at_once, mut spared, mut old) = (0, 0, 0, 0);
    for seed in 0..400 {
        let random = Random::new(seed);
        let options = BreakerSettings {
            failure_ratio: random.one(&[0.01, 0.5, 0.75, 1.0]),
            minimum_calls: f64::INFINITY,
            window_ms: 1_000.0,
            consecutive_failures: random.one(&[5.0, 12.0, 50.0, f64::INFINITY]),
            open_ms: 1.0,
            max_open_ms: 1.0,
            close_after: 1.0,
            lasting_failures: random.one(&[3.0, 10.0, f64::INFINITY]),
        };
        let rates = [random.one(&[0.0, 0.02, 0.2]), random.one(&[0.05, 0.4])];
        let step_ms = random.one(&[5.0, 50.0, 300.0]);
        let mut breaker = Breaker::new(0.0);
        let mut history = History::default();
        // Tickets of running attempts: their numbers, whether they are first ones, and since which closing they run.
        let mut running: Vec<(f64, usize, bool, u32)> = Vec::new();
        let (mut now, mut closings) = (0.0, 0);
        for attempt in 0..600 {
            now += match random.below(40) {
                0 => -3_000.0 * random.unit(),
                1..=6 => 0.0,
                _ => step_ms * random.unit(),
            };
            if random.chance(0.5) || running.is_empty() {
                let is_first = random.chance(0.8);
                let Admission::Admitted { ticket } = breaker.admit(&options, now, is_first) else {
                    panic!("seed {seed}: a closed circuit admits all");
                };
                running.push((ticket, attempt, is_first, closings));
                history.0.push((now, Event::Starts { attempt, is_first }));
                continue;
            }
            let one = random.below(u32::try_from(running.len()).expect("few"));
            let (ticket, attempt, is_first, since) = running.swap_remove(one as usize);
            let kind = random.unit();
            let (verdict, event) = if kind < rates[0] {
                (Verdict::Success, Event::Succeeds)
            } else if kind < rates[0] + rates[1] {
                (Verdict::Nothing, Event::SaysNothing { attempt })
            } else {
                (Verdict::Failure, Event::Fails { attempt })
            };
            let change = breaker.ended(&options, now, 0.5, ticket, verdict, 0.0);
            if since < closings {
                old += 1;
                assert_eq!(change, Change::None, "seed {seed}: it started before the closing");
                continue;
            }
            history.0.push((now, event));
            let row = history.row();
            let failed = row.failed as f64;
            let is_long = failed >= options.lasting_failures && now - row.at >= 1_000.0;
            let is_many = failed >= options.consecutive_failures;
            let is_half = 2 * row.failed >= row.begun.len();
            let fails = verdict == Verdict::Failure && is_first;
            let opens = fails && is_half && (is_long || is_many);
            spared += u32::from(fails && !is_half && (is_long || is_many));
            assert_eq!(change == Change::Opened, opens, "seed {seed} at {now}");
            if opens {
                lasting += u32::from(!is_many);
                at_once += u32::from(!is_long);
                breaker.close(now);
                closings += 1;
                history.0.clear();
            }
        }
    }
    let many = [lasting, at_once, spared, old];
    assert!(many.iter().all(|many| *many > 300), "{many:?}");
}
