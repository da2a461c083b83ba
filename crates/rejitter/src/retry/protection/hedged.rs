//! The hedges of one operation.

use std::time::Duration;

use super::facts::Pass;
use super::guard::Protected;
use super::state::Locked;
use crate::policy::duration_from_ms;
use crate::retry::nanos::Nanos;

/// A [`Protected`] operation that starts hedges: see [`Retry::hedge`](crate::Retry::hedge).
#[derive(Debug)]
pub struct Hedged(pub(in crate::retry) Protected);

impl Protected {
    /// The same, for an operation that starts hedges.
    pub(crate) fn hedged(self) -> Hedged {
        Hedged(self)
    }

    pub(in crate::retry) fn has_hedge(&self) -> bool {
        self.cell.recipe.hedge.is_some()
    }

    /// How long after an attempt its hedge starts. `None` while too little is known, and without a clock.
    pub(in crate::retry) fn hedge_delay(&self, now: Nanos) -> Option<Duration> {
        let time = self.ms(now).filter(|_| !self.clockless)?;
        let delay_ms = self.cell.locked(|locked| locked.hedge_delay_ms(time));
        delay_ms.map(duration_from_ms)
    }

    /// Starts a hedge, whose weight is known, unless a part forbids it.
    pub(in crate::retry) fn start_hedge(&mut self, now: Nanos) -> Option<Pass> {
        let (time, limited) = (self.ms(now)?, self.limited.as_mut());
        let weight = limited.as_ref().map_or(1.0, |limited| limited.place.weight);
        let start = |locked: &mut Locked<'_>| locked.start_hedge(time, weight);
        let pass = self.cell.locked(start)?;
        self.hedges += 1;
        if let Some(limited) = limited {
            limited.start();
        }
        Some(pass)
    }

    pub(in crate::retry) fn hedges(&self) -> u64 {
        self.hedges
    }

    /// The round's attempt is dropped after this time, because its hedge ended the operation without success.
    pub(in crate::retry) fn superseded(&self, now: Nanos, took: Duration) {
        if self.first && self.cell.recipe.hedge.is_some() {
            let time = self.ms(now);
            self.cell
                .locked(|locked| locked.record(time, Some(Nanos::from(took).ms())));
        }
    }
}
