//! Notes about a policy, in sentences.

use serde::Serialize;

use super::budget::amplification;
use super::study::{Study, WAITS};
use super::words::{count, number, percent, time};
use super::{Distribution, Model};
use crate::core::protection::BudgetOptions;
use crate::core::{CapRule, Jitter, MAX_MS, UNLIMITED};

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

/// A rule: its code, and its sentence where it applies.
type Rule = (&'static str, fn(&Study<'_>) -> Option<String>);

const WARNINGS: &[Rule] = &[
    ("retries-never-happen", retries_never_happen),
    ("deadline-before-first-wait", deadline_before_first_wait),
    ("no-wait", no_wait),
    ("no-jitter", no_jitter),
    ("floor-removes-jitter", floor_removes_jitter),
    ("min-near-cap", min_near_cap),
    ("does-not-grow", does_not_grow),
    ("atom-at-cap", atom_at_cap),
    ("worst-case-exceeds-deadline", worst_case_exceeds_deadline),
    (
        "attempt-timeout-exceeds-deadline",
        attempt_timeout_exceeds_deadline,
    ),
    (
        "unlimited-attempts-without-deadline",
        unlimited_attempts_without_deadline,
    ),
    ("no-budget", no_budget),
];

const INFOS: &[Rule] = &[
    ("no-time-limit", no_time_limit),
    ("worst-case", worst_case),
    ("cap-never-reached", cap_never_reached),
    ("no-cap", no_cap),
    ("immediate-retry-possible", immediate_retry_possible),
];

/// Explains a policy: warnings first, then information.
#[must_use]
pub fn explain(model: &Model) -> Vec<Note> {
    let study = Study::new(model);
    let warnings = WARNINGS.iter().map(|rule| (Severity::Warning, rule));
    let infos = INFOS.iter().map(|rule| (Severity::Info, rule));
    let notes = warnings
        .chain(infos)
        .filter_map(|(severity, (code, rule))| {
            let text = rule(&study)?;
            Some(Note {
                code,
                severity,
                text,
            })
        });
    notes.collect()
}

fn retries_never_happen(study: &Study<'_>) -> Option<String> {
    let Some(first) = study.first() else {
        return Some(
            "maxAttempts is 1: the first attempt is the only one, so nothing is retried".to_owned(),
        );
    };
    if first.lo_ms() < study.model.total_timeout_ms() {
        return None;
    }
    Some(format!(
        "the deadline of {} passes before the shortest first wait of {} can end: nothing is \
             ever retried",
        study.deadline(),
        time(first.lo_ms())
    ))
}

fn deadline_before_first_wait(study: &Study<'_>) -> Option<String> {
    let first = study.first()?;
    let deadline = study.model.total_timeout_ms();
    let late = first.at_least(deadline);
    // Below that it is rounding.
    if first.lo_ms() >= deadline || late < 1e-12 {
        return None;
    }
    Some(format!(
        "the first wait can be as long as {}, but the deadline is {}: {} of the operations are \
             never retried, even if their first attempt takes no time",
        time(first.hi_ms()),
        study.deadline(),
        percent(late)
    ))
}

fn no_wait(study: &Study<'_>) -> Option<String> {
    if study.distributions.is_empty() || study.waits() {
        return None;
    }
    Some(
        "all waits are 0: clients call a failing server again immediately, as often as attempts allow"
            .to_owned(),
    )
}

fn no_jitter(study: &Study<'_>) -> Option<String> {
    if study.policy.jitter() != Jitter::None || !study.waits() {
        return None;
    }
    Some("no jitter: all clients that fail together retry together".to_owned())
}

fn floor_removes_jitter(study: &Study<'_>) -> Option<String> {
    if study.policy.jitter() == Jitter::None || study.policy.min_ms() == 0.0 {
        return None;
    }
    let floor = study.policy.min_ms();
    let stuck = |d: &&Distribution| d.hi_ms() <= floor;
    let waits = study.distributions.iter().take_while(stuck).count();
    if waits == 0 {
        return None;
    }
    let which = match (waits, study.distributions.len()) {
        (1, _) => "wait 1 is".to_owned(),
        (some, all) if some == all => "all waits are".to_owned(),
        (some, _) => format!("waits 1 to {some} are"),
    };
    Some(format!(
        "{which} always the minimum of {}, because the curve is not above it yet: minMs removes the \
         jitter",
        time(floor)
    ))
}

fn min_near_cap(study: &Study<'_>) -> Option<String> {
    let (min, cap) = (study.policy.min_ms(), study.policy.cap_ms());
    let jitter = study.policy.jitter() != Jitter::None;
    if !jitter || min == 0.0 || min < NEAR * cap || study.first().is_none() {
        return None;
    }
    Some(format!(
        "the minimum of {} leaves only {} up to the cap of {}: clients stay close together",
        time(min),
        time(cap - min),
        time(cap)
    ))
}

fn does_not_grow(study: &Study<'_>) -> Option<String> {
    let policy = study.policy;
    let grows = match policy.jitter() {
        Jitter::Decorrelated | Jitter::DecorrelatedBounded => true,
        jitter => jitter.follows_the_curve() && study.model.is_meant_to_grow(),
    };
    let (base, cap) = (policy.base_ms(), policy.cap_ms());
    let second = study.distributions.len() > 1;
    if !grows || !second || base < cap || cap == 0.0 || policy.cap_rule() == CapRule::Draw {
        return None;
    }
    Some(format!(
        "the backoff does not grow: baseMs is {}, and no ceiling exceeds the cap of {}; set a longer \
         capMs",
        time(base),
        time(cap)
    ))
}

fn atom_at_cap(study: &Study<'_>) -> Option<String> {
    // Without jitter, and with a minimum wait equal to the cap, no delays are clipped.
    if study.policy.jitter() == Jitter::None || study.policy.min_ms() >= study.policy.cap_ms() {
        return None;
    }
    let cap = study.policy.cap_ms();
    let shares = study.distributions.iter().map(|distribution| {
        let at_cap = distribution
            .atoms()
            .find(|atom| atom.ms == cap && cap > 0.0);
        at_cap.map_or(0.0, |atom| atom.probability)
    });
    let (k, share) = (1..).zip(shares).fold(
        (0, 0.0),
        |best: (u32, f64), next| {
            if next.1 > best.1 { next } else { best }
        },
    );
    if share == 0.0 {
        return None;
    }
    Some(format!(
        "{} of the clients wait exactly the cap of {} at wait {k}, because larger draws are \
             clipped to it: they retry together",
        percent(share),
        time(cap)
    ))
}

fn worst_case_exceeds_deadline(study: &Study<'_>) -> Option<String> {
    let worst = study.worst_ms?;
    if worst <= study.model.total_timeout_ms() {
        return None;
    }
    Some(format!(
        "the worst case of {} of waiting exceeds the deadline of {}: the operation may end \
             before {}",
        time(worst),
        study.deadline(),
        count(study.policy.max_attempts(), "attempt")
    ))
}

fn attempt_timeout_exceeds_deadline(study: &Study<'_>) -> Option<String> {
    let (each, total) = (
        study.model.attempt_timeout_ms(),
        study.model.total_timeout_ms(),
    );
    if each == f64::INFINITY || each < total {
        return None;
    }
    Some(format!(
        "the attempt timeout of {} is not shorter than the deadline of {}: it never fires, and \
             a hung attempt leaves no time for another",
        time(each),
        time(total)
    ))
}

fn unlimited_attempts_without_deadline(study: &Study<'_>) -> Option<String> {
    if study.model.waits().is_some() || study.has_deadline() {
        return None;
    }
    Some(
        "neither attempts nor time are limited: an operation that keeps failing is retried until a \
         signal, retryIf or a permanent error ends it"
            .to_owned(),
    )
}

fn no_budget(study: &Study<'_>) -> Option<String> {
    let attempts = study.policy.max_attempts();
    let retries = study.first()?.lo_ms() < study.model.total_timeout_ms();
    if study.model.has_budget() || attempts < 3 || !retries {
        return None;
    }
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
    Some(format!(
        "{allowed} and no budget: while a server fails, its clients send it {more} requests; with \
         budget() of rejitter/protection it is up to {} times where failures are independent, and up to {} times \
         without refund",
        with(true),
        with(false)
    ))
}

fn no_time_limit(study: &Study<'_>) -> Option<String> {
    let limited = study.model.attempt_timeout_ms() < f64::INFINITY || study.has_deadline();
    if limited {
        return None;
    }
    Some(
        "neither attemptTimeoutMs nor totalTimeoutMs is set: only a signal ends an attempt that \
         never settles"
            .to_owned(),
    )
}

fn worst_case(study: &Study<'_>) -> Option<String> {
    let (worst, waits) = (study.worst_ms?, study.model.waits()?);
    if waits == 0 {
        return None;
    }
    let mean: f64 = study.distributions.iter().map(Distribution::mean_ms).sum();
    let all_seen = waits <= WAITS as u64;
    let mean = if all_seen && mean < worst {
        format!(", {} on average", time(mean))
    } else {
        String::new()
    };
    Some(format!(
        "worst case {} of waiting in {}{mean}",
        time(worst),
        count(waits, "wait")
    ))
}

fn cap_never_reached(study: &Study<'_>) -> Option<String> {
    let cap = study.policy.cap_ms();
    if study.first().is_none() || study.highest_ms >= cap || cap >= MAX_MS {
        return None;
    }
    let attempts = study.model.waits().map_or(String::new(), |waits| {
        format!(" with {}", count(waits + 1, "attempt"))
    });
    Some(format!(
        "the cap of {} is never reached{attempts}: the highest ceiling is {}",
        time(cap),
        time(study.highest_ms)
    ))
}

fn no_cap(study: &Study<'_>) -> Option<String> {
    if study.policy.cap_ms() < MAX_MS || study.first().is_none() {
        return None;
    }
    let longest = if study.model.waits().is_none() && study.highest_ms >= MAX_MS {
        "the waits grow without end".to_owned()
    } else {
        format!("the longest wait is {}", time(study.highest_ms))
    };
    Some(format!("the waits have no cap: {longest}"))
}

fn immediate_retry_possible(study: &Study<'_>) -> Option<String> {
    let first = study.first()?;
    if first.lo_ms() > 0.0 || first.hi_ms() == 0.0 {
        return None;
    }
    Some(format!(
        "a wait can be almost 0: 1 in 10 first waits is at most {}; minMs sets a minimum",
        time(first.quantile(0.1))
    ))
}
