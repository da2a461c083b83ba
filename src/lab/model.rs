//! What is studied: a policy, with the parts of it that belong to no single decision.

use super::decorrelated::Chain;
use super::distribution::Distribution;
use super::polly::Polly;
use crate::core::{Backoff, CapRule, Jitter, Previous, RetryPolicy, Wait, listed};

/// A policy with its time limits and, for [`Backoff::Custom`], its curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    policy: RetryPolicy,
    curve: Vec<f64>,
    attempt_timeout_ms: f64,
    total_timeout_ms: f64,
}

impl Model {
    /// A policy without time limits; a custom curve is one that is always 10 s.
    #[must_use]
    pub fn new(policy: RetryPolicy) -> Self {
        Self {
            policy,
            curve: Vec::new(),
            attempt_timeout_ms: f64::INFINITY,
            total_timeout_ms: f64::INFINITY,
        }
    }

    /// With the values of [`Backoff::Custom`] in ms; the last one repeats.
    #[must_use]
    pub fn with_curve(mut self, curve: Vec<f64>) -> Self {
        self.curve = curve;
        self
    }

    /// With a limit for each attempt in ms.
    #[must_use]
    pub fn with_attempt_timeout(mut self, ms: f64) -> Self {
        self.attempt_timeout_ms = ms;
        self
    }

    /// With a deadline in ms.
    #[must_use]
    pub fn with_total_timeout(mut self, ms: f64) -> Self {
        self.total_timeout_ms = ms;
        self
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &RetryPolicy {
        &self.policy
    }

    /// The limit of each attempt in ms; infinite for none.
    #[must_use]
    pub fn attempt_timeout_ms(&self) -> f64 {
        self.attempt_timeout_ms
    }

    /// The deadline in ms; infinite for none.
    #[must_use]
    pub fn total_timeout_ms(&self) -> f64 {
        self.total_timeout_ms
    }

    /// How many waits there are at most; `None` without a limit of attempts.
    #[must_use]
    pub fn waits(&self) -> Option<u64> {
        let attempts = self.policy.max_attempts();
        (attempts != crate::core::UNLIMITED).then(|| attempts.saturating_sub(1))
    }

    /// The distributions of waits 1, 2, …, without end: those that the policy would have with
    /// more attempts too.
    #[must_use = "iterators are lazy and do nothing unless consumed"]
    pub fn distributions(&self) -> Distributions<'_> {
        Distributions {
            model: self,
            k: 0,
            previous: None,
        }
    }

    /// Wait `k` as the core is asked for it.
    pub(super) fn wait(&self, k: u64, previous: Option<Previous>) -> Wait {
        let curve_ms = (self.policy.backoff() == Backoff::Custom)
            .then(|| self.curve_ms(k))
            .flatten();
        Wait {
            k,
            previous,
            curve_ms,
        }
    }

    fn curve_ms(&self, k: u64) -> Option<f64> {
        listed(&self.curve, k).filter(|ms| *ms >= 0.0)
    }

    /// The curve's value at wait `k`, at most the cap; for a jitter with a curve of its own the
    /// longest wait.
    pub(super) fn ceiling_ms(&self, k: u64, longest_ms: f64) -> f64 {
        if self.policy.jitter().follows_the_curve() {
            let ceiling = self.policy.ceiling(&self.wait(k, None));
            ceiling.min(self.policy.cap_ms())
        } else {
            longest_ms
        }
    }

    /// The longest wait `k`, or its bound, when the previous one was the longest too.
    pub(super) fn longest_ms(&self, k: u64, previous_ms: Option<f64>) -> f64 {
        if self.policy.jitter() == Jitter::PollyV2 {
            return self.polly().longest(k);
        }
        let previous = previous_ms.map(|delay_ms| Previous { delay_ms, r: 0.0 });
        let (_, hi) = self.policy.bounds_ms(&self.wait(k, previous));
        hi
    }

    pub(super) fn polly(&self) -> Polly {
        Polly {
            base: self.policy.base_ms(),
            cap: self.policy.cap_ms(),
            floor: self.policy.min_ms(),
        }
    }

    /// The distribution of wait `k`, given that of the one before.
    fn distribution(&self, k: u64, previous: Option<&Distribution>) -> Distribution {
        let policy = &self.policy;
        let (cap, floor) = (policy.cap_ms(), policy.min_ms());
        match (policy.jitter(), previous) {
            (Jitter::PollyV2, _) => self.polly().distribution(k),
            (Jitter::Slotted, _) => {
                Distribution::slotted(policy.base_ms(), policy.slots(k), floor, cap)
            }
            (Jitter::Decorrelated | Jitter::DecorrelatedBounded, Some(previous)) => {
                let chain = Chain {
                    lo: policy.base_ms().max(floor),
                    cap,
                    bounded: policy.jitter() == Jitter::DecorrelatedBounded,
                };
                chain.next(previous)
            }
            (jitter, _) => {
                let (lo, hi) = policy.range_ms(&self.wait(k, None));
                if policy.may_exceed_the_cap() {
                    return Distribution::uniform(lo, hi, f64::INFINITY);
                }
                // Where the ceiling is capped, only a rounding is above the cap.
                let bound = policy.cap_rule() == CapRule::Bound && jitter.follows_the_curve();
                Distribution::uniform(lo, if bound { hi.min(cap) } else { hi }, cap)
            }
        }
    }
}

/// The distributions of successive waits. Made by [`Model::distributions`].
#[derive(Debug, Clone)]
pub struct Distributions<'a> {
    model: &'a Model,
    k: u64,
    previous: Option<Distribution>,
}

impl Iterator for Distributions<'_> {
    type Item = Distribution;

    fn next(&mut self) -> Option<Distribution> {
        self.k = self.k.saturating_add(1);
        let next = self.model.distribution(self.k, self.previous.as_ref());
        self.previous = Some(next.clone());
        Some(next)
    }
}
