//! The hedges of one destination: when the next one starts, and how many there may be.

use super::status::HedgeStatus;
use crate::core::protection::{Budget, HedgeSettings, Latency};
use crate::policy::duration_from_ms;

/// The numbers of the hedges of one destination.
#[derive(Debug, Default)]
pub(super) struct Hedges {
    /// `None` until it is asked for the first time: full. Without it, hedges would make an overload out of a slow
    /// server.
    budget: Option<Budget>,
    /// How long first attempts take. `None` before the first one, and if the delay is set.
    latency: Option<Box<Latency>>,
    started: u64,
    won: u64,
    pub(super) rejected: u64,
}

impl Hedges {
    /// How long after an attempt its hedge starts. `None` while too little is known.
    pub(super) fn delay_ms(&mut self, options: &HedgeSettings, now: f64) -> Option<f64> {
        let learned = |latency: &mut Box<Latency>| latency.delay_ms(now, options.quantile);
        options
            .delay_ms
            .or_else(|| self.latency.as_mut().and_then(learned))
    }

    /// Takes the token of a hedge. Returns whether there was one.
    pub(super) fn take(&mut self) -> bool {
        self.budget()
            .take(HedgeSettings::CAPACITY, HedgeSettings::COST)
    }

    /// Puts the token back of a hedge that is not started.
    pub(super) fn put_back(&mut self) {
        self.budget().credit(HedgeSettings::COST);
    }

    /// A hedge starts.
    pub(super) fn start(&mut self) {
        self.started += 1;
    }

    /// An operation succeeded: by a hedge, or without.
    pub(super) fn succeeded(&mut self, options: &HedgeSettings, by_hedge: bool) {
        self.budget().credit(options.per_success);
        self.won += u64::from(by_hedge);
    }

    /// Records how long a first attempt took, or how long it had taken when its hedge ended the operation.
    pub(super) fn record(&mut self, options: &HedgeSettings, now: f64, ms: f64) {
        if options.delay_ms.is_none() {
            let latency = self.latency.get_or_insert_with(|| Latency::new(now).into());
            latency.record(now, ms);
        }
    }

    /// Whether forgetting them would change nothing.
    pub(super) fn is_fresh(&self, now: f64) -> bool {
        let capacity = HedgeSettings::CAPACITY;
        let full = |budget: Budget| budget.tokens(capacity) == capacity;
        self.budget.is_none_or(full) && self.latency.as_ref().is_none_or(|l| l.is_empty(now))
    }

    pub(super) fn status(&self, options: &HedgeSettings, now: f64) -> HedgeStatus {
        // A look does not change the state.
        let learned = |latency: &Latency| {
            let mut copy = *latency;
            copy.delay_ms(now, options.quantile)
        };
        let delay_ms = options
            .delay_ms
            .or_else(|| self.latency.as_deref().and_then(learned));
        HedgeStatus {
            delay: delay_ms.map(duration_from_ms),
            hedges: self.started,
            won: self.won,
            rejected: self.rejected,
        }
    }

    fn budget(&mut self) -> &mut Budget {
        self.budget
            .get_or_insert_with(|| Budget::new(HedgeSettings::CAPACITY))
    }
}
