//! The subject of the lab: a policy, with the parts of it that belong to no single decision.

use rejitter::data::PolicyData;
use rejitter::decide::Previous;
use rejitter::internals::protection::LimiterSettings;
use rejitter::internals::{CapRule, PolicyInternals, Wait, getters};
use rejitter::{Backoff, Jitter, OptionErrors, RetryPolicy, UNLIMITED};

use super::decorrelated::Chain;
use super::distribution::Distribution;
use super::polly::Polly;
use crate::simulation::listed;

/// A policy with its time limits and, for [`Backoff::Custom`], its curve.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // Independent facts.
pub struct Model {
    policy: RetryPolicy,
    curve: Vec<f64>,
    attempt_timeout_ms: f64,
    total_timeout_ms: f64,
    limits_silence: bool,
    has_budget: bool,
    has_breaker: bool,
    has_unclassified_results: bool,
    limiter: Option<LimiterSettings>,
}

/// Methods that replace a field.
macro_rules! setters {
    ($($(#[$about:meta])* $name:ident($field:ident: $type:ty);)*) => {$(
        $(#[$about])*
        #[must_use]
        pub fn $name(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )*};
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
            limits_silence: false,
            has_budget: false,
            has_breaker: false,
            has_unclassified_results: false,
            limiter: None,
        }
    }

    setters! {
        /// With the values of [`Backoff::Custom`] in ms; the last one repeats.
        with_curve(curve: Vec<f64>);
        /// With a limit for each attempt in ms; infinite for none.
        with_attempt_timeout(attempt_timeout_ms: f64);
        /// With a deadline in ms; infinite for none.
        with_total_timeout(total_timeout_ms: f64);
        /// Whether its retries share a budget with others.
        with_budget(has_budget: bool);
        /// Whether its attempts share a breaker with others.
        with_breaker(has_breaker: bool);
        /// Whether results may be retried that nothing classifies for its budget and breaker.
        with_unclassified_results(has_unclassified_results: bool);
        /// With a limiter that its attempts share with others.
        with_limiter(limiter: Option<LimiterSettings>);
    }

    /// The policy.
    pub fn policy(&self) -> &RetryPolicy {
        &self.policy
    }

    getters! {
        /// The limit of each attempt in ms; infinite for none.
        attempt_timeout_ms: f64,
        /// The deadline in ms; infinite for none.
        total_timeout_ms: f64,
        /// Whether silence ends an attempt.
        limits_silence: bool,
        /// Whether the retries have a budget.
        has_budget: bool,
        /// Whether the attempts have a breaker.
        has_breaker: bool,
        /// Whether results may be retried that nothing classifies.
        has_unclassified_results: bool,
        /// The limiter of the attempts.
        limiter: Option<LimiterSettings>,
    }

    /// How many waits there are at most; `None` without a limit of attempts.
    #[must_use]
    pub fn waits(&self) -> Option<u64> {
        let attempts = self.policy.max_attempts();
        (attempts != UNLIMITED).then(|| attempts.saturating_sub(1))
    }

    /// The distributions of waits 1, 2, …, without end: those that the policy would have with
    /// more attempts too.
    #[must_use = "iterators are lazy and do nothing unless consumed"]
    pub fn distributions(&self) -> Distributions<'_> {
        Distributions {
            model: self,
            k: 0,
            previous: None,
            settled: false,
            pieces: 0,
        }
    }

    /// Whether each wait is drawn from the previous one.
    fn is_chain(&self) -> bool {
        matches!(
            self.policy.jitter(),
            Jitter::Decorrelated | Jitter::DecorrelatedBounded
        )
    }

    /// Wait `k` as the core computes it.
    pub(super) fn wait(&self, k: u64, previous: Option<Previous>) -> Wait {
        let curve_ms = (self.policy.backoff() == Backoff::Custom)
            .then(|| self.curve_ms(k))
            .flatten();
        Wait {
            previous,
            curve_ms,
            ..Wait::number(k)
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

    /// Whether the curve is one that grows, until its cap.
    pub(super) fn is_meant_to_grow(&self) -> bool {
        match self.policy.backoff() {
            Backoff::Linear => self.policy.growth() > 0.0,
            Backoff::Exponential => self.policy.growth() > 1.0,
            Backoff::Truncated => self.policy.truncate_at() > 1,
            Backoff::Fibonacci => true,
            _ => false,
        }
    }

    /// Entries of the list that is the curve: the last one repeats.
    pub(super) fn curve_len(&self) -> u64 {
        u64::try_from(self.curve.len()).unwrap_or(u64::MAX).max(1)
    }

    /// Whether all waits after wait `k` can be as long as it, `longest_ms`, and no longer.
    pub(super) fn is_steady(&self, k: u64, longest_ms: f64) -> bool {
        match self.policy.backoff() {
            _ if !self.policy.jitter().follows_the_curve() => longest_ms >= self.policy.cap_ms(),
            Backoff::Fixed => true,
            Backoff::Custom => k >= self.curve_len(),
            // No curve falls, and none exceeds the cap.
            _ => self.ceiling_ms(k, longest_ms) >= self.policy.cap_ms(),
        }
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
            (Jitter::Slotted, _) => Distribution::slotted(
                policy.base_ms(),
                policy.slots(Wait::number(k).k),
                floor,
                cap,
            ),
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

impl TryFrom<&PolicyData> for Model {
    type Error = OptionErrors;

    /// The model of a policy's data.
    ///
    /// # Errors
    /// The errors of [`RetryPolicy::from_options`]; none for data that were read.
    fn try_from(data: &PolicyData) -> Result<Self, OptionErrors> {
        let unlimited = |ms: Option<f64>| ms.unwrap_or(f64::INFINITY);
        let limits_silence = data
            .idle_timeout_ms
            .is_some_and(|idle| idle.first_ms < f64::INFINITY || idle.then_ms < f64::INFINITY);
        Ok(Self {
            limits_silence,
            ..Self::new(data.policy()?)
                .with_curve(data.curve.clone().unwrap_or_default())
                .with_attempt_timeout(unlimited(data.attempt_timeout_ms))
                .with_total_timeout(unlimited(data.total_timeout_ms))
        })
    }
}

/// The distributions of successive waits. Made by [`Model::distributions`].
#[derive(Debug, Clone)]
pub struct Distributions<'a> {
    model: &'a Model,
    k: u64,
    previous: Option<Distribution>,
    /// Whether all further waits are distributed as the previous one.
    settled: bool,
    /// How many pieces were computed.
    pieces: u64,
}

/// More pieces are not computed: the waits that follow count as the last one. 1,000 waits of a chain whose
/// cap is 1e24 times its base have as many; each longer step costs more, and a smaller base is practically 0.
const MOST_PIECES: u64 = 50_000;

/// Where successive waits of a chain differ by less, they are taken to be equal. No step of a chain
/// brings two distributions further apart, so that wait k + n then differs from wait k by at most n
/// times this: 1e-10 of the probability, 1,000 waits later.
const SETTLED: f64 = 1e-13;

impl Distributions<'_> {
    /// Advances by `waits` waits.
    fn advance(&mut self, waits: u64) {
        let Some(model) = Some(self.model).filter(|model| model.is_chain()) else {
            // No wait depends on the one before.
            self.k = self.k.saturating_add(waits);
            self.previous = Some(self.model.distribution(self.k, None));
            return;
        };
        for _ in 0..waits {
            if self.settled {
                return;
            }
            self.k = self.k.saturating_add(1);
            let next = model.distribution(self.k, self.previous.as_ref());
            let distance = self.previous.as_ref().map(|last| next.distance(last));
            self.pieces += u64::try_from(next.parts().len()).unwrap_or(u64::MAX);
            self.settled =
                distance.is_some_and(|distance| distance < SETTLED) || self.pieces > MOST_PIECES;
            self.previous = Some(next);
        }
    }

    /// Whether all further waits are distributed as the last one that came out.
    pub(super) fn is_settled(&self) -> bool {
        self.settled
    }
}

impl Iterator for Distributions<'_> {
    type Item = Distribution;

    fn next(&mut self) -> Option<Distribution> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<Distribution> {
        self.advance(u64::try_from(n).unwrap_or(u64::MAX).saturating_add(1));
        self.previous.clone()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rejitter::RetryOptions;

    fn model(options: RetryOptions) -> Model {
        Model::new(RetryPolicy::from_options(options).unwrap())
    }

    fn chain(jitter: Jitter, base_ms: f64, cap_ms: f64) -> Model {
        model(RetryOptions {
            jitter,
            base_ms: Some(base_ms),
            cap_ms: Some(cap_ms),
            max_attempts: Some(UNLIMITED),
            ..RetryOptions::default()
        })
    }

    /// A settled distribution is as near to the iterated one as other tests demand of that.
    #[test]
    fn a_chain_that_is_settled_stays_what_it_is() {
        for jitter in [Jitter::Decorrelated, Jitter::DecorrelatedBounded] {
            for cap_ms in [150.0, 1_000.0, 10_000.0, 1e6] {
                let model = chain(jitter, 100.0, cap_ms);
                let mut settling = model.distributions();
                settling.advance(1_000);
                let k = settling.k;
                assert!(settling.settled && k < 1_000, "{jitter:?}, {cap_ms}");
                // On, step by step, to the thousandth wait.
                let settled = settling.previous.unwrap();
                let next = |last: Distribution, k| model.distribution(k + 1, Some(&last));
                let iterated = (k..1_000).fold(settled.clone(), next);
                assert!(settled.distance(&iterated) < 1e-10);
                let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a}, {b}");
                near(settled.sd_ms(), iterated.sd_ms());
                for p in [0.01, 0.05, 0.1, 0.5, 0.9, 0.95, 0.99] {
                    near(settled.quantile(p), iterated.quantile(p));
                }
            }
        }
    }

    /// So `explain` need not add up a million waits.
    #[test]
    fn waits_that_are_steady_are_as_long_as_all_that_follow() {
        use Backoff::{Custom, Exponential, Fibonacci, Fixed, Linear, Truncated};
        use Jitter::{Additive, Decorrelated, Equal, None, PollyV2, Slotted};
        let backoffs = [Fixed, Linear, Exponential, Truncated, Fibonacci, Custom];
        let additive = Additive { ratio: 0.5 };
        let jitters = [None, Equal, additive, Decorrelated, Slotted, PollyV2];
        let mut steady = 0;
        for (backoff, jitter) in backoffs.into_iter().flat_map(|b| jitters.map(|j| (b, j))) {
            for cap_rule in [CapRule::Bound, CapRule::Ceiling, CapRule::Draw] {
                let options = RetryOptions {
                    backoff,
                    jitter,
                    cap_rule,
                    ..RetryOptions::default()
                };
                let model = model(options).with_curve(vec![5.0, 20_000.0, 70.0]);
                let (mut longest, mut since) = (Option::None, Option::None);
                for k in 1..=200 {
                    let wait = model.longest_ms(k, longest);
                    if let Some(steady) = since {
                        assert_eq!(wait, steady, "{options:?}, wait {k}");
                    } else if model.is_steady(k, wait) {
                        since = Some(wait);
                        steady += 1;
                    }
                    longest = Some(wait);
                }
            }
        }
        assert!(steady > 90, "{steady}");
    }

    /// Whatever the data say, a thousand waits cost little. A nanosecond is exact, and what still grows is not settled.
    #[test]
    fn a_chain_with_an_absurd_base_ends_too() {
        for (base_ms, waits, is_settled) in [
            (1e-300, 1_000, true),
            (1e-6, 1_000, false),
            (100.0, 100, false),
        ] {
            let model = chain(Jitter::Decorrelated, base_ms, f64::INFINITY);
            let mut waiting = model.distributions();
            waiting.advance(waits);
            assert_eq!(waiting.settled, is_settled, "{base_ms}: {}", waiting.pieces);
            assert!(is_settled || waiting.k == waits);
            assert!(waiting.pieces < MOST_PIECES + 1_000);
        }
    }

    #[test]
    fn any_wait_can_be_asked_for_at_once() {
        use Jitter::{Decorrelated, Full, PollyV2, Slotted};
        for jitter in [Full, PollyV2, Slotted, Decorrelated] {
            let model = chain(jitter, 100.0, 10_000.0);
            let one_by_one = model.distributions().take(40).last();
            assert_eq!(model.distributions().nth(39), one_by_one);
            let mut skipping = model.distributions();
            skipping.nth(4);
            assert_eq!(skipping.nth(34), one_by_one, "{jitter:?}");
        }
    }
}
