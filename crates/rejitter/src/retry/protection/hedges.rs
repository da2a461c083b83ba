//! The hedges of one destination: when the next one starts, and how many there may be.

use super::status::HedgeStatus;
use crate::core::protection::{Budget, HedgeSettings, Latency};
use crate::policy::duration_from_ms;

const CAPACITY: f64 = HedgeSettings::CAPACITY;

/// The hedges of one destination.
#[derive(Debug)]
pub(super) struct Hedges {
    settings: HedgeSettings,
    /// Without it, hedges would make an overload out of a slow server.
    budget: Budget,
    /// How long first attempts take. `None` before the first one, and if the delay is set.
    latency: Option<Box<Latency>>,
    started: u64,
    won: u64,
    rejected: u64,
}

impl Hedges {
    pub(super) fn new(settings: HedgeSettings) -> Self {
        Self {
            settings,
            budget: Budget::new(CAPACITY),
            latency: None,
            started: 0,
            won: 0,
            rejected: 0,
        }
    }

    /// How long after an attempt its hedge starts. `None` while too little is known.
    pub(super) fn delay_ms(&mut self, now: f64) -> Option<f64> {
        let HedgeSettings {
            delay_ms, quantile, ..
        } = self.settings;
        let learned = || self.latency.as_mut()?.delay_ms(now, quantile);
        delay_ms.or_else(learned)
    }

    /// Starts a hedge that other parts allow, if there is a token for it and `pay` has those of the budget: both are
    /// taken, or none.
    pub(super) fn start(&mut self, allowed: bool, pay: impl FnOnce() -> bool) -> bool {
        let has_token = allowed && self.budget.take(CAPACITY, HedgeSettings::COST);
        let starts = has_token && pay();
        if starts {
            self.started += 1;
        } else {
            self.rejected += 1;
        }
        if has_token && !starts {
            self.budget.credit(HedgeSettings::COST);
        }
        starts
    }

    /// An operation succeeded: by a hedge, or without.
    pub(super) fn succeeded(&mut self, by_hedge: bool) {
        self.budget.credit(self.settings.per_success);
        self.won += u64::from(by_hedge);
    }

    /// Records how long a first attempt took, or how long it had taken when its hedge ended the operation.
    pub(super) fn record(&mut self, now: f64, ms: f64) {
        if self.settings.delay_ms.is_none() {
            let latency = self.latency.get_or_insert_with(|| Latency::new(now).into());
            latency.record(now, ms);
        }
    }

    /// Whether forgetting them would change nothing.
    pub(super) fn is_fresh(&self, now: f64) -> bool {
        self.budget.tokens(CAPACITY) == CAPACITY
            && self.latency.as_ref().is_none_or(|l| l.is_empty(now))
    }

    pub(super) fn status(&self, now: f64) -> HedgeStatus {
        // A look does not change the state.
        let learned = || {
            let mut copy = **self.latency.as_ref()?;
            copy.delay_ms(now, self.settings.quantile)
        };
        let delay_ms = self.settings.delay_ms.or_else(learned);
        HedgeStatus {
            delay: delay_ms.map(duration_from_ms),
            hedges: self.started,
            won: self.won,
            rejected: self.rejected,
        }
    }
}
