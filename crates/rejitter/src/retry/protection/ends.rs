//! The ends of one operation's attempts, as its protection hears of them, and the retry after one.

use std::time::Duration;

use super::facts::{Failure, Pass, Plan};
use super::guard::Protected;
use crate::StopReason;
use crate::core::RetryPolicy;
use crate::core::protection::Verdict;
use crate::policy::{duration_from_ms, ms_from_duration};
use crate::retry::Signal;
use crate::retry::nanos::Nanos;

impl Protected {
    /// The operation succeeded. `hedge`: the hedge that did it. `attempt`: the start of the round's attempt, if that
    /// did it or was running.
    pub(in crate::retry) fn succeeded(
        &mut self,
        hedge: Option<Pass>,
        attempt: Option<Nanos>,
        clock: impl FnOnce() -> Nanos,
    ) {
        let pass = hedge.unwrap_or_else(|| std::mem::take(&mut self.pass));
        let taken = std::mem::take(&mut self.spent);
        // The other attempt of the round is dropped.
        let places = self.take_places(u64::MAX);
        let recipe = &self.cell.recipe;
        if pass.is_none() && recipe.budget.is_none() && recipe.hedge.is_none() && places == 0 {
            return;
        }
        let timed = !pass.is_none() || recipe.hedge.is_some();
        let now = timed.then(clock);
        let time = now.and_then(|now| self.ms(now));
        let first = attempt.filter(|_| self.first).zip(now);
        let first_ms = first.map(|(at, now)| now.since(at).ms());
        self.cell.locked(|locked| {
            locked.free(places);
            locked.succeeded(time, taken, hedge.is_some(), first_ms);
            if let Some(time) = time {
                // A success opens nothing, and needs no draw.
                locked.ended(time, pass, Verdict::Success, f64::NAN, || 0.5);
            }
        });
        if hedge.is_some() {
            self.release();
        }
    }

    /// An attempt failed: this hedge, or else the attempt.
    pub(in crate::retry) fn failed(
        &mut self,
        hedge: Option<Pass>,
        now: Nanos,
        failure: Failure,
        policy: &RetryPolicy,
        mut draw: impl FnMut() -> f64,
    ) {
        let first = failure.took.filter(|_| self.first);
        let cut = |hint: Duration| ms_from_duration(hint).min(policy.max_retry_after_ms());
        let (verdict, busy_ms) = match failure.signal {
            Signal::Failure => (Verdict::Failure, 0.0),
            Signal::Success | Signal::Declined => (Verdict::Success, 0.0),
            Signal::Nothing => (Verdict::Nothing, 0.0),
            // A status says that requests come too often, and the hint for how long.
            Signal::Busy(Duration::ZERO) => (Verdict::Nothing, failure.hint.map_or(0.0, cut)),
            Signal::Busy(hint) => (Verdict::Nothing, cut(hint)),
        };
        self.price = self.price.max(failure.signal.into());
        let pass = hedge.unwrap_or_else(|| std::mem::take(&mut self.pass));
        let recipe = &self.cell.recipe;
        let cools = busy_ms > 0.0 && recipe.cooldown.is_some();
        let pauses = busy_ms > 0.0 && recipe.limiter.is_some();
        let places = self.take_places(1);
        if pass.is_none() && !cools && !pauses && first.is_none() && places == 0 {
            return;
        }
        let time = self.ms(now);
        let own_until = self.cell.locked(|locked| {
            if pauses {
                locked.pause(time, busy_ms, policy.base_ms(), draw());
            }
            locked.free(places);
            let Some(time) = time else { return f64::NAN };
            let hint_ms = failure.hint.map_or(f64::NAN, cut);
            locked.ended(time, pass, verdict, hint_ms, &mut draw);
            locked.record(Some(time), first.map(Nanos::ms));
            if cools {
                locked.ask_to_wait(time, busy_ms)
            } else {
                f64::NAN
            }
        });
        // Another failure of the round may have set it.
        if !own_until.is_nan() {
            self.own_until = own_until;
        }
    }

    /// An attempt failed and made progress: the tokens of the retry that it was go back, as after a success.
    pub(in crate::retry) fn progressed(&mut self) {
        let taken = std::mem::take(&mut self.spent);
        if taken > 0.0 {
            self.cell.locked(|locked| locked.refund(taken));
        }
    }

    /// Before the wait that a retry follows: returns it, or a longer one if others are held longer. Takes the tokens.
    pub(in crate::retry) fn retry(
        &mut self,
        now: Nanos,
        delay: Duration,
        remaining: Nanos,
        policy: &RetryPolicy,
        draw: impl FnOnce() -> f64,
    ) -> Result<Duration, StopReason> {
        let delay_ms = ms_from_duration(delay);
        let plan = Plan {
            delay_ms,
            remaining,
            policy,
            price: self.price,
            own_until: self.own_until,
            place: self.limited.as_ref().map(|limited| limited.place),
        };
        let time = self.ms(now);
        match self.cell.locked(|locked| locked.retry(time, plan, draw)) {
            Ok((longer_ms, taken)) => {
                self.taken = taken;
                let longer = (longer_ms > delay_ms).then(|| duration_from_ms(longer_ms));
                Ok(longer.unwrap_or(delay))
            }
            Err(rejection) => {
                self.rejection = Some(rejection);
                Err(rejection.by)
            }
        }
    }
}
