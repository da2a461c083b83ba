//! Notes about a policy, in sentences.

use rejitter::decide::MAX_MS;
use rejitter::internals::CapRule;
use rejitter::internals::protection::BudgetOptions;
use rejitter::{Jitter, UNLIMITED};
use serde::Serialize;

use super::budget::amplification;
use super::study::{Study, WAITS};
use super::words::{count, number, percent, time};
use super::{Distribution, Model};

/// How much a [`Note`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Good to know.
    Info,
    /// Probably unintended.
    Warning,
}

/// A note about a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Note {
    /// Identifies the note for programs; stable.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The sentence for people.
    pub text: String,
}

/// A minimum of at least this share of the cap leaves little to draw.
const NEAR: f64 = 0.8;

/// How many units start before the deadline.
// It is below the length of the queue.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn starts_within(deadline_ms: f64, interval_ms: f64) -> u64 {
    (deadline_ms / interval_ms).ceil() as u64
}

/// A rule: its code, and its sentence where it applies.
type Rule = (&'static str, fn(&Study<'_>) -> Option<String>);

const WARNINGS: &[Rule] = &[
    ("retries-never-happen", |study| {
        let Some(first) = study.first() else {
            let alone =
                "maxAttempts is 1: the first attempt is the only one, so nothing is retried";
            return Some(alone.to_owned());
        };
        (first.lo_ms() >= study.model.total_timeout_ms()).then(|| {
            format!(
                "the deadline of {} passes before the shortest first wait of {} can end: nothing is \
                 ever retried",
                study.deadline(),
                time(first.lo_ms())
            )
        })
    }),
    ("deadline-before-first-wait", |study| {
        let first = study.first()?;
        let deadline = study.model.total_timeout_ms();
        let late = first.at_least(deadline);
        // Below that it is rounding.
        (first.lo_ms() < deadline && late >= 1e-12).then(|| {
            format!(
                "the first wait can be as long as {}, but the deadline is {}: {} of the operations are \
                 never retried, even if their first attempt takes no time",
                time(first.hi_ms()),
                study.deadline(),
                percent(late)
            )
        })
    }),
    ("no-wait", |study| {
        let never = !study.distributions.is_empty() && !study.waits();
        let text = "all waits are 0: clients call a failing server again immediately, as often as \
                    attempts allow";
        never.then(|| text.to_owned())
    }),
    ("no-jitter", |study| {
        let text = "no jitter: all clients that fail together retry together";
        (!study.has_jitter() && study.waits()).then(|| text.to_owned())
    }),
    ("floor-removes-jitter", |study| {
        let floor = study.policy.min_ms();
        let stuck = |d: &&Distribution| d.hi_ms() <= floor;
        let waits = study.distributions.iter().take_while(stuck).count();
        let which = match (waits, study.distributions.len()) {
            (1, _) => "wait 1 is".to_owned(),
            (some, all) if some == all => "all waits are".to_owned(),
            (some, _) => format!("waits 1 to {some} are"),
        };
        (study.has_jitter() && floor != 0.0 && waits != 0).then(|| {
            format!(
                "{which} always the minimum of {}, because the curve is not above it yet: minMs removes the \
                 jitter",
                time(floor)
            )
        })
    }),
    ("min-near-cap", |study| {
        let (min, cap) = (study.policy.min_ms(), study.policy.cap_ms());
        study.first()?;
        (study.has_jitter() && min != 0.0 && min >= NEAR * cap).then(|| {
            format!(
                "the minimum of {} leaves only {} up to the cap of {}: clients stay close together",
                time(min),
                time(cap - min),
                time(cap)
            )
        })
    }),
    ("does-not-grow", |study| {
        let policy = study.policy;
        let grows = match policy.jitter() {
            Jitter::Decorrelated | Jitter::DecorrelatedBounded => true,
            jitter => jitter.follows_the_curve() && study.model.is_meant_to_grow(),
        };
        let (base, cap) = (policy.base_ms(), policy.cap_ms());
        let second = study.distributions.len() > 1;
        let capped = base >= cap && cap != 0.0 && policy.cap_rule() != CapRule::Draw;
        (grows && second && capped).then(|| {
            format!(
                "the backoff does not grow: baseMs is {}, and no ceiling exceeds the cap of {}; set a longer \
                 capMs",
                time(base),
                time(cap)
            )
        })
    }),
    ("atom-at-cap", |study| {
        let (min, cap) = (study.policy.min_ms(), study.policy.cap_ms());
        let shares = study.distributions.iter().map(|distribution| {
            let mut atoms = distribution.atoms();
            let at_cap = atoms.find(|atom| atom.ms == cap && cap > 0.0);
            at_cap.map_or(0.0, |atom| atom.probability)
        });
        let larger = |a: (u32, f64), b: (u32, f64)| if b.1 > a.1 { b } else { a };
        let (k, share) = (1..).zip(shares).fold((0, 0.0), larger);
        // Without jitter, and with a minimum wait equal to the cap, no delays are clipped.
        (study.has_jitter() && min < cap && share != 0.0).then(|| {
            format!(
                "{} of the clients wait exactly the cap of {} at wait {k}, because larger draws are \
                 clipped to it: they retry together",
                percent(share),
                time(cap)
            )
        })
    }),
    ("worst-case-exceeds-deadline", |study| {
        let worst = study.worst_ms?;
        (worst > study.model.total_timeout_ms()).then(|| {
            format!(
                "the worst case of {} of waiting exceeds the deadline of {}: the operation may end \
                 before {}",
                time(worst),
                study.deadline(),
                count(study.policy.max_attempts(), "attempt")
            )
        })
    }),
    ("attempt-timeout-exceeds-deadline", |study| {
        let each = study.model.attempt_timeout_ms();
        let late = each < f64::INFINITY && each >= study.model.total_timeout_ms();
        late.then(|| {
            format!(
                "the attempt timeout of {} is not shorter than the deadline of {}: it never fires, and \
                 a hung attempt leaves no time for another",
                time(each),
                study.deadline()
            )
        })
    }),
    ("unlimited-attempts-without-deadline", |study| {
        let text = "neither attempts nor time are limited: an operation that keeps failing is \
                    retried until a signal, retryIf or a permanent error ends it";
        (study.model.waits().is_none() && !study.has_deadline()).then(|| text.to_owned())
    }),
    ("progress-without-deadline", |study| {
        let text = "idleTimeoutMs limits the silence of attempts, and no time: where they call progress(), \
                    only totalTimeoutMs, a signal or retryIf ends an operation whose attempts fail";
        (study.model.limits_silence() && !study.has_deadline()).then(|| text.to_owned())
    }),
    ("concurrency-without-deadline", |study| {
        let limiter = study.model.limiter()?;
        let text = "concurrency limits the attempts that run at a time, and nothing limits their time: a call \
                    with the same protection from within an attempt may wait for itself for ever; set \
                    totalTimeoutMs";
        let forever = limiter.concurrency < f64::INFINITY && !study.has_deadline();
        forever.then(|| text.to_owned())
    }),
    ("retries-exceed-limit", |study| {
        let interval_ms = study.model.limiter()?.rate.interval_ms;
        let means = study.distributions.iter().map(Distribution::mean_ms);
        let longest = means.fold(0.0, f64::max);
        (!study.distributions.is_empty() && longest < interval_ms).then(|| {
            format!(
                "the retries of one operation alone exceed the limit: they wait {} on average at most, and \
                 one unit takes {}; longer waits would leave starts to other operations",
                time(longest),
                time(interval_ms)
            )
        })
    }),
    ("results-without-verdict", |study| {
        let model = study.model;
        let text = "results without an HTTP status that retryOnResult retries count as answers: no breaker \
                    hears them and no budget stops them; if one can mean that the server fails, throw it, \
                    give it a status or set isFailure of protect()";
        let shared = model.has_budget() || model.has_breaker();
        (shared && model.has_unclassified_results()).then(|| text.to_owned())
    }),
];

const INFOS: &[Rule] = &[
    ("no-budget", |study| {
        let attempts = study.policy.max_attempts();
        let retries = study.first()?.lo_ms() < study.model.total_timeout_ms();
        let (allowed, more) = if attempts == UNLIMITED {
            (
                "attempts without a limit".to_owned(),
                "ever more".to_owned(),
            )
        } else {
            let times = format!("up to {attempts} times as many");
            (count(attempts, "attempt"), times)
        };
        let with = |refund| {
            let options = BudgetOptions {
                refund,
                ..BudgetOptions::default()
            };
            number(amplification(attempts, &options))
        };
        (!study.model.has_budget() && attempts >= 3 && retries).then(|| {
            format!(
                "{allowed} and no budget: while a server fails, its clients send it {more} requests; with \
                 budget() of rejitter/protection it is up to {} times where failures are independent, and \
                 up to {} times without refund (retries after answers are not counted)",
                with(true),
                with(false)
            )
        })
    }),
    ("queue-exceeds-deadline", |study| {
        let limiter = study.model.limiter()?;
        let interval_ms = limiter.rate.interval_ms;
        let deadline = study.model.total_timeout_ms();
        (study.has_deadline() && limiter.max_queue * interval_ms >= deadline).then(|| {
            format!(
                "with one start each {}, {} can start before the deadline of {}: the limiter's queue is longer, \
                 and operations that come too late for it are rejected at once",
                time(interval_ms),
                count(starts_within(deadline, interval_ms), "attempt"),
                study.deadline()
            )
        })
    }),
    ("no-time-limit", |study| {
        let model = study.model;
        let limited = model.attempt_timeout_ms() < f64::INFINITY
            || model.limits_silence()
            || study.has_deadline();
        let text = "neither attemptTimeoutMs nor totalTimeoutMs is set: only a signal ends an \
                    attempt that never settles";
        (!limited).then(|| text.to_owned())
    }),
    ("worst-case", |study| {
        let (worst, waits) = (study.worst_ms?, study.model.waits()?);
        let mean: f64 = study.distributions.iter().map(Distribution::mean_ms).sum();
        let all_seen = waits <= WAITS as u64;
        let mean = if all_seen && mean < worst {
            format!(", {} on average", time(mean))
        } else {
            String::new()
        };
        let (worst, within) = (time(worst), count(waits, "wait"));
        (waits != 0).then(|| format!("worst case {worst} of waiting in {within}{mean}"))
    }),
    ("cap-never-reached", |study| {
        let cap = study.policy.cap_ms();
        study.first()?;
        let attempts = study.model.waits().map_or(String::new(), |waits| {
            format!(" with {}", count(waits + 1, "attempt"))
        });
        (study.highest_ms < cap && cap < MAX_MS).then(|| {
            format!(
                "the cap of {} is never reached{attempts}: the highest ceiling is {}",
                time(cap),
                time(study.highest_ms)
            )
        })
    }),
    ("no-cap", |study| {
        study.first()?;
        let endless = study.model.waits().is_none() && study.highest_ms >= MAX_MS;
        (study.policy.cap_ms() >= MAX_MS).then(|| {
            let longest = if endless {
                "the waits grow without end".to_owned()
            } else {
                format!("the longest wait is {}", time(study.highest_ms))
            };
            format!("the waits have no cap: {longest}")
        })
    }),
    ("immediate-retry-possible", |study| {
        let first = study.first()?;
        (first.lo_ms() <= 0.0 && first.hi_ms() != 0.0).then(|| {
            let short = time(first.quantile(0.1));
            format!(
                "a wait can be almost 0: 1 in 10 first waits is at most {short}; minMs sets a minimum"
            )
        })
    }),
];

/// Explains a policy: warnings first, then information.
#[must_use]
pub fn explain(model: &Model) -> Vec<Note> {
    let study = Study::new(model);
    let warnings = WARNINGS.iter().map(|rule| (Severity::Warning, rule));
    let infos = INFOS.iter().map(|rule| (Severity::Info, rule));
    let rules = warnings.chain(infos);
    let notes = rules.filter_map(|(severity, (code, rule))| {
        let text = rule(&study)?;
        Some(Note {
            code,
            severity,
            text,
        })
    });
    notes.collect()
}
