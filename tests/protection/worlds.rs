//! Random worlds: callers of any rate, a server that is well or not, answers of any length, some that never come.

use rejitter::internals::protection::{
    Admission, Breaker, BreakerSettings, Change, Phase, Verdict,
};

use super::Random;
use super::naive::{Naive, Pass};

/// Times are multiples of this many ms, so that sums and differences are exact.
const TICK: f64 = 0.125;

fn ticks(ms: f64) -> f64 {
    (ms / TICK).round() * TICK
}

pub(super) fn options(random: &mut Random) -> BreakerSettings {
    BreakerSettings {
        failure_ratio: random.one(&[0.001, 0.25, 0.5, 0.5, 0.9, 1.0]),
        minimum_calls: random.one(&[1.0, 2.0, 10.0, 10.0, 100.0, f64::INFINITY]),
        window_ms: random.one(&[100.0, 1_000.0, 10_000.0, 60_000.0]),
        consecutive_failures: random.one(&[1.0, 3.0, 20.0, f64::INFINITY, f64::INFINITY]),
        open_ms: random.one(&[1.0, 100.0, 5_000.0, 40_000.0]),
        close_after: random.one(&[1.0, 1.0, 2.0, 5.0]),
    }
}

/// An attempt on its way.
struct Call {
    generation: f64,
    lease: f64,
    pass: Pass,
    /// Number of changes of phase before it began.
    era: u32,
    ends: f64,
    verdict: Verdict,
}

/// Events of a world, counted.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) opened: u32,
    pub(super) half_open: u32,
    pub(super) closed: u32,
    pub(super) refused: u32,
    pub(super) late: u32,
    pub(super) leases: u32,
    pub(super) by_row: u32,
}

/// Plays one world on both breakers and compares them at each step. Checks on the way that nothing is admitted while
/// the circuit is open, that a half-open one has one probe per lease, and that late outcomes change no number.
pub(super) fn play(seed: u64, steps: u32, seen: &mut Seen) {
    let mut random = Random::new(seed);
    let options = options(&mut random);
    let mut now = ticks(random.one(&[0.0, 5.0, 1e9]));
    let mut breaker = Breaker::new(now);
    let mut naive = Naive::new(options, now);
    // From 10 a minute to 10,000 a second.
    let gap = random.one(&[6_000.0, 1_000.0, 100.0, 5.0, 1.0, 0.25]);
    let length = random.one(&[0.0, 1.0, 50.0, 3_000.0, 30_000.0, 200_000.0]);
    let fast_failures = random.chance(0.5);
    let hints = random.chance(0.3);
    let by_hand = random.chance(0.1);
    let mut failing = random.unit();
    let mut running: Vec<Call> = Vec::new();
    let mut era = 0;
    // Number and end of the lease of each probe that runs.
    let mut probes: Vec<(f64, f64)> = Vec::new();
    for _ in 0..steps {
        if random.chance(0.002) {
            failing = random.one(&[0.0, 0.02, 0.5, 1.0]);
        }
        let next = ticks(now + random.unit() * 2.0 * gap);
        // Those that end before the next one starts.
        while let Some(first) = (0..running.len())
            .filter(|i| running[*i].ends <= next)
            .min_by(|a, b| running[*a].ends.total_cmp(&running[*b].ends))
        {
            let call = running.swap_remove(first);
            now = call.ends;
            let draw = random.unit();
            let hint = if hints && random.chance(0.5) {
                f64::from(random.below(90_000))
            } else {
                random.one(&[0.0, f64::NAN])
            };
            let before = breaker;
            let change = breaker.ended(
                &options,
                now,
                draw,
                call.generation,
                call.lease,
                call.verdict,
                hint,
            );
            let row_opens = before.phase() == Phase::Closed
                && change == Change::Opened
                && naive.calls(now) < options.minimum_calls - 1.0
                && options.consecutive_failures == f64::INFINITY;
            naive.ended(now, call.pass, call.verdict, draw, hint);
            seen.by_row += u32::from(row_opens);
            match change {
                Change::None => {}
                Change::Opened => seen.opened += 1,
                Change::Closed => seen.closed += 1,
            }
            if call.era != era {
                seen.late += 1;
                assert_eq!(breaker, before, "seed {seed}: a late outcome");
            }
            if change != Change::None {
                era += 1;
                probes.clear();
            }
            probes.retain(|(lease, _)| *lease != call.lease);
            compare(&mut breaker, &naive, &options, now, seed);
        }
        now = next;
        if by_hand && random.chance(0.003) {
            let ms = ticks(1.0 + random.unit() * 5_000.0);
            breaker.open(now, ms);
            naive.open(now, ms);
            era += 1;
            probes.clear();
        } else if by_hand && random.chance(0.003) {
            breaker.close(now);
            naive.close(now);
            era += 1;
            probes.clear();
        }
        let phase = breaker.phase();
        let certain = breaker.look(now);
        let (ours, theirs) = (breaker.admit(&options, now), naive.admit(now));
        match (ours, theirs) {
            (Admission::Admitted { generation, lease }, Ok(pass)) => {
                assert_eq!(certain, 0.0, "seed {seed}: admitted while it is open");
                if breaker.phase() == Phase::HalfOpen {
                    if phase == Phase::Open {
                        era += 1;
                        seen.half_open += 1;
                    }
                    // A probe whose lease has not ended holds the place.
                    let held = probes.iter().any(|(_, until)| *until > now);
                    assert!(!held, "seed {seed}: two probes in one lease");
                    seen.leases += u32::from(lease > 0.0);
                    let ms = breaker.numbers(&options, now).retry_after_ms;
                    probes.push((lease, now + ms));
                }
                let bad = random.chance(failing);
                let verdict = match bad {
                    _ if random.chance(0.05) => Verdict::Nothing,
                    true => Verdict::Failure,
                    false => Verdict::Success,
                };
                let quick = bad && fast_failures;
                let takes = if quick {
                    1.0
                } else {
                    length * 2.0 * random.unit()
                };
                if !random.chance(0.01) {
                    running.push(Call {
                        generation,
                        lease,
                        pass,
                        era,
                        ends: ticks(now + takes),
                        verdict,
                    });
                }
            }
            (Admission::Refused { retry_after_ms }, Err(wait)) => {
                seen.refused += 1;
                assert_eq!(retry_after_ms, wait, "seed {seed}");
            }
            (ours, theirs) => panic!("seed {seed}: {ours:?}, {theirs:?}"),
        }
        compare(&mut breaker, &naive, &options, now, seed);
    }
}

fn compare(breaker: &mut Breaker, naive: &Naive, options: &BreakerSettings, now: f64, seed: u64) {
    let numbers = breaker.numbers(options, now);
    let phase = breaker.phase();
    assert_eq!(phase, naive.phase(), "seed {seed} at {now}");
    assert_eq!(
        numbers.retry_after_ms,
        naive.wait(now),
        "seed {seed} at {now}"
    );
    assert_eq!(numbers.opens, naive.opens(), "seed {seed} at {now}");
    if phase == Phase::Closed {
        assert_eq!(
            numbers.failures,
            naive.failures(now),
            "seed {seed} at {now}"
        );
        assert_eq!(numbers.calls, naive.calls(now), "seed {seed} at {now}");
    }
    let certain = if phase == Phase::Open {
        naive.wait(now)
    } else {
        0.0
    };
    assert_eq!(breaker.look(now), certain, "seed {seed} at {now}");
}
