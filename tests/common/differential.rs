//! A million random policies and a digest of their delays: the same natively and in wasm.

use rejitter::data::PolicyData;
use rejitter::decide::{Decision, Failure, MAX_MS, Previous};
use rejitter::internals::CapRule;
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed, UNLIMITED};

use super::{delays_ms, words::Words};

/// Delays per policy.
const WAITS: u32 = 6;

/// Digests in `tests/vectors/differential.json`, and policies per digest.
pub const BLOCKS: u32 = 100;
const BLOCK: u32 = 10_000;

impl Words {
    /// A time of any magnitude.
    fn ms(&mut self) -> f64 {
        const SCALES: [f64; 8] = [0.001, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e12];
        let scale = SCALES[self.below(8) as usize];
        scale * self.unit()
    }

    /// One time in three.
    fn seldom(&mut self) -> bool {
        self.below(3) == 0
    }
}

struct Drawn {
    options: RetryOptions,
    curve: Vec<f64>,
    seed: Seed,
}

/// Policy `index`. Valid, whatever is drawn.
fn policy(index: u32) -> Drawn {
    let mut words = Words::new(index);
    let seed = Seed::new(u64::from(words.word()) << 32 | u64::from(words.word()));
    let backoff = words.below(6);
    let jitter = words.below(10);
    let cap_rule = words.below(3);
    let base = words.ms();
    let span = words.ms();
    let cap = if words.seldom() {
        f64::INFINITY
    } else {
        base + span
    };
    let capped = words.below(4) != 0;
    let floor = words.unit();
    let floored = words.seldom();
    let spread = (1.0 + words.unit() * 999.0) / 1_000.0;
    let factor = 1.0 + words.unit() * 4.0;
    let step = words.ms();
    let truncate_at = 1 + words.below(40);
    let optional = words.seldom();
    let curve: Vec<f64> = (0..3).map(|_| words.ms()).collect();

    let jitter = match jitter {
        0 => Jitter::None,
        1 => Jitter::Full,
        2 => Jitter::Equal,
        3 => Jitter::Decorrelated,
        4 => Jitter::DecorrelatedBounded,
        5 => Jitter::Slotted,
        6 => Jitter::PollyV2,
        7 => Jitter::Proportional { ratio: spread },
        8 => Jitter::Additive {
            ratio: spread * 3.0,
        },
        _ => Jitter::AdditiveMax {
            max_ms: spread * 500.0,
        },
    };
    let backoff = match backoff {
        0 => Backoff::Fixed,
        1 => Backoff::Linear,
        2 => Backoff::Exponential,
        3 => Backoff::Truncated,
        4 => Backoff::Fibonacci,
        _ => Backoff::Custom,
    };
    let follows = jitter.follows_the_curve();
    let truncates = backoff == Backoff::Truncated || jitter == Jitter::Slotted;
    let options = RetryOptions {
        backoff,
        jitter,
        cap_rule: match cap_rule {
            0 => CapRule::Bound,
            1 => CapRule::Ceiling,
            _ => CapRule::Draw,
        },
        // Now and then both defaults.
        base_ms: capped.then_some(base),
        cap_ms: capped.then_some(cap),
        min_ms: (capped && floored).then_some(floor * cap.min(base * 2.0).min(MAX_MS)),
        factor: (optional && follows && backoff == Backoff::Exponential).then_some(factor),
        step_ms: (optional && follows && backoff == Backoff::Linear).then_some(step),
        truncate_at: (optional && truncates).then_some(truncate_at),
        max_attempts: Some(UNLIMITED),
        ..RetryOptions::default()
    };
    Drawn {
        options,
        curve,
        seed,
    }
}

/// The first delays of a policy.
fn delays(drawn: &Drawn) -> Vec<f64> {
    if drawn.options.backoff == Backoff::Custom {
        // The iterator knows no list.
        let data = PolicyData {
            curve: Some(drawn.curve.clone()),
            ..drawn.options.into()
        };
        let policy = data.policy().expect("all that is drawn is valid");
        listed(&policy, &drawn.curve, drawn.seed)
    } else {
        let policy = RetryPolicy::from_options(drawn.options).expect("all that is drawn is valid");
        delays_ms(&policy, drawn.seed)
            .take(WAITS as usize)
            .collect()
    }
}

/// The first delays of a policy whose curve is a list, of which the last value repeats.
fn listed(policy: &RetryPolicy, curve: &[f64], seed: Seed) -> Vec<f64> {
    let mut previous = None;
    let curve = curve
        .iter()
        .chain(std::iter::repeat(&curve[curve.len() - 1]));
    let delays = (1..=u64::from(WAITS))
        .zip(curve)
        .map(|(attempt, curve_ms)| {
            let draws = seed.draws(0, attempt);
            let failure = Failure {
                previous,
                curve_ms: Some(*curve_ms),
                ..Failure::of_attempt(attempt)
            };
            let Decision::Retry { delay_ms } = policy.decide(&failure, draws) else {
                panic!("attempts are unlimited");
            };
            let r = draws.r;
            previous = Some(Previous { delay_ms, r });
            delay_ms
        });
    delays.collect()
}

/// FNV-1a over 32-bit words, the lower word of each first.
fn digest(delays: &[f64]) -> u32 {
    delays.iter().fold(0x811c_9dc5, |hash, delay| {
        let bits = delay.to_bits();
        #[allow(clippy::cast_possible_truncation)]
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        fold(fold(hash, low), high)
    })
}

fn fold(hash: u32, word: u32) -> u32 {
    (hash ^ word).wrapping_mul(0x0100_0193)
}

/// The digest of the digests of a block of policies.
pub fn block(number: u32) -> u32 {
    let policies = number * BLOCK..(number + 1) * BLOCK;
    policies.fold(0x811c_9dc5, |hash, index| {
        fold(hash, digest(&delays(&policy(index))))
    })
}

/// The first block that differs from the golden digests.
pub fn first_difference() -> Option<String> {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../vectors/differential.json")).expect("JSON");
    let golden = golden["blocks"].as_array().expect("a list");
    assert_eq!(golden.len(), BLOCKS as usize);
    (0..).zip(golden).find_map(|(number, theirs)| {
        let ours = block(number);
        (Some(u64::from(ours)) != theirs.as_u64()).then(|| {
            let first = number * BLOCK;
            format!(
                "{ours}, not {theirs}, for policies {first} to {}",
                first + BLOCK - 1
            )
        })
    })
}
