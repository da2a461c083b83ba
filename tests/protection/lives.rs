//! Lives of machines: random steps whose answers are the same natively and in JavaScript. A tape has what each call got
//! and gave, in the order in which `tests/package/engine/tapes.cargo.test.mjs` make the calls again.

use std::path::Path;

use rejitter::internals::protection::{
    Admission, Breaker, BreakerSettings, Budget, Change, Cooldown, Latency, Phase, Verdict,
};

use crate::common::words::Words;

type Tape = Vec<f64>;

/// Steps per life. One of the latency records up to 32 durations and reads one delay.
const STEPS: u32 = 100;

/// A truth value as a number of the tape.
fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Writes a tape per life, each behind its length, into the folder that the test of the package sets. Without a folder,
/// the lives are only played, and their digest is compared.
fn write(name: &str, lives: u32, expected: u64, play: impl Fn(u32) -> Tape) {
    let lives =
        std::env::var("REJITTER_LIVES").map_or(lives, |many| many.parse().expect("a number"));
    let tapes = (0..lives).map(play);
    if let Some(folder) = std::env::var_os("REJITTER_TAPES") {
        let mut all = Vec::new();
        for tape in tapes {
            let length = f64::from(u32::try_from(tape.len()).expect("short"));
            all.extend(length.to_le_bytes());
            all.extend(tape.iter().flat_map(|number| number.to_le_bytes()));
        }
        std::fs::write(Path::new(&folder).join(name), all).expect("written");
    } else {
        // FNV-1a over the bits of numbers.
        let digest = tapes.flatten().fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| {
            (hash ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01b3)
        });
        assert_eq!(digest, expected, "{digest:#x}");
    }
}

/// The number of a call, what it gets, and what it gives.
fn machines(index: u32) -> Tape {
    const SCALES: [f64; 6] = [0.01, 1.0, 30.0, 500.0, 7_000.0, 60_000.0];
    const COUNTS: [f64; 4] = [1.0, 3.0, 10.0, f64::INFINITY];
    let mut words = Words::new(index);
    // The usual time between two steps, in ms.
    let scale = SCALES[words.below(6) as usize];
    let mut now = 1e6 * words.unit();
    let failure_ratio = 1.0 - words.unit();
    let minimum_calls = COUNTS[words.below(4) as usize];
    let window_ms = 100.0 + scale * 40.0 * words.unit();
    let consecutive_failures = COUNTS[words.below(4) as usize];
    let open_ms = 0.5 + scale * 10.0 * words.unit();
    let options = BreakerSettings {
        failure_ratio,
        minimum_calls,
        window_ms,
        consecutive_failures,
        open_ms,
        max_open_ms: open_ms * COUNTS[words.below(4) as usize],
        close_after: f64::from(1 + words.below(3)),
        lasting_failures: COUNTS[words.below(4) as usize],
    };
    let capacity = f64::from(1 + words.below(5_000));
    let mut tape = vec![now, failure_ratio, minimum_calls, window_ms, consecutive_failures, open_ms];
    tape.extend([options.max_open_ms, options.close_after, options.lasting_failures, capacity]);
    let (mut breaker, mut running) = (Breaker::new(now), Vec::new());
    let (mut budget, mut cooldown) = (Budget::new(capacity), Cooldown::new());
    for _ in 0..STEPS {
        let (leap, part) = (words.below(50), words.unit());
        now += match leap {
            0 => 1e9 * (part - 0.5),
            1 => 0.0,
            2 => -scale * part,
            _ => scale * part,
        };
        tape.push(now);
        match words.below(16) {
            0..=4 => {
                let first = words.below(4) > 0;
                let mut answer = 0.0;
                if let Admission::Admitted { ticket } = breaker.admit(&options, now, first) {
                    running.push(ticket);
                    answer = ticket;
                }
                tape.extend([0.0, flag(first), answer]);
            }
            5..=10 => {
                let (verdict, draw) = (words.below(4), words.unit());
                let hint = [0.0, f64::NAN, scale * 20.0][words.below(3) as usize];
                let (word, many) = (words.word(), u32::try_from(running.len()).expect("few"));
                if many == 0 {
                    tape.push(6.0);
                } else {
                    let ticket = running.remove((word % many) as usize);
                    let ends = [Verdict::Nothing, Verdict::Success, Verdict::Failure];
                    let verdict = verdict.min(2);
                    let end = ends[verdict as usize];
                    let change = match breaker.ended(&options, now, draw, ticket, end, hint) {
                        Change::None => 0.0,
                        Change::Opened => 1.0,
                        Change::Closed => 2.0,
                    };
                    tape.extend([1.0, draw, ticket, f64::from(verdict), hint, change]);
                }
            }
            11 => {
                // Now and then the circuit is opened or closed by hand.
                let (hand, ms) = (words.below(40), scale * 10.0 * words.unit());
                match hand {
                    0 | 1 => breaker.open(&options, now, ms),
                    2 => breaker.close(now),
                    _ => {}
                }
                let (look, mut copy) = (breaker.look(now), breaker);
                let fresh = flag(copy.is_fresh(&options, now));
                tape.extend([2.0, f64::from(hand), ms, look, fresh]);
            }
            12 | 13 => {
                let cost = 1.0 + (words.unit() * capacity / 3.0).floor();
                let [before, after] = [(); 2].map(|()| f64::from(words.below(200)));
                budget.credit(before);
                let granted = flag(budget.take(capacity, cost));
                budget.credit(after);
                tape.extend([3.0, before, cost, after, granted]);
            }
            14 => {
                let hint = scale * 20.0 * words.unit();
                tape.extend([4.0, hint, flag(cooldown.start(now, hint))]);
            }
            _ => {
                let (base, draw) = (scale * words.unit(), words.unit());
                let (left, hold) = (cooldown.left_ms(now), cooldown.hold_ms(now, base, draw));
                let (probed, then) = (flag(cooldown.is_probed()), words.below(4));
                match then {
                    0 => cooldown.probe(),
                    1 => cooldown.end(cooldown.until()),
                    _ => {}
                }
                tape.extend([5.0, base, draw, f64::from(then), left, hold, probed]);
            }
        }
        // Reading changes nothing in JavaScript.
        let mut copy = breaker;
        let numbers = copy.numbers(&options, now);
        tape.push(match breaker.phase() {
            Phase::Closed => 0.0,
            Phase::Open => 1.0,
            Phase::HalfOpen => 2.0,
        });
        tape.extend([numbers.retry_after_ms, numbers.failures, numbers.calls, numbers.opens]);
        tape.push(budget.tokens(capacity));
    }
    tape
}

/// Two to the power of `exponent`.
fn power(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

/// A clock, durations that are recorded, and a delay that is read.
fn latency(index: u32) -> Tape {
    /// Length of a slice, in ms: clocks jump to its edges.
    const SLICE_MS: f64 = 30_000.0;
    const QUANTILES: [f64; 6] = [0.001, 0.5, 0.9, 0.95, 0.99, 1.0];
    let mut words = Words::new(index);
    let scale = [0.0, 1.0, 100.0, 2_000.0, 20_000.0][words.below(5) as usize];
    // A whole number of ms: multiples of the slice are exact.
    let mut now = f64::from(words.below(1_000_000));
    // Octaves above 2^-6 ms that durations are drawn from, and their number.
    let lowest = words.below(20);
    let octaves = 1 + words.below(46 - lowest);
    let (mut latency, mut tape) = (Latency::new(now), vec![now]);
    for _ in 0..STEPS {
        let (leap, part) = (words.below(64), words.unit());
        now += match leap {
            0 => 1e9 * (part - 0.5),
            1 => SLICE_MS,
            2 => 2.0 * SLICE_MS,
            3 => -SLICE_MS,
            4 => -scale * part,
            5 => 2.5 * SLICE_MS * part,
            6..=20 => 0.0,
            _ => scale * part,
        };
        let records = words.below(33);
        tape.extend([now, f64::from(records)]);
        for _ in 0..records {
            // Between 0 and 2^40 ms: often an edge of a slot, or the number next to it.
            let kind = words.below(16);
            let octave = power(lowest + words.below(octaves)) / 64.0;
            let edge = octave * (1.0 + f64::from(words.below(8)) / 8.0);
            let part = words.unit();
            let ms = match kind {
                0 => 0.0,
                1 => power(40),
                2..=4 => edge,
                5 | 6 => f64::from_bits(edge.to_bits() - 1),
                7 | 8 => f64::from_bits(edge.to_bits() + 1),
                _ => octave * (1.0 + part),
            };
            tape.push(ms);
            latency.record(now, ms);
        }
        // A read that changes nothing: of a copy.
        let peeks = words.below(4) == 0;
        let quantile = QUANTILES[words.below(6) as usize];
        let mut copy = latency;
        let read = if peeks { &mut copy } else { &mut latency };
        let delay = read.delay_ms(now, quantile).unwrap_or(-1.0);
        tape.extend([flag(peeks), quantile, delay]);
    }
    tape
}

#[test]
fn of_machines() {
    write("machines", 1_000, 0xf9fc_d3ff_7872_1001, machines);
}

#[test]
fn of_latencies() {
    write("latencies", 250, 0xc5a2_da68_b7dd_5170, latency);
}
