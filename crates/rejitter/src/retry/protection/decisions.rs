//! The decisions about the attempts of one destination.

use super::budget::Tokens;
use super::events::Rejection;
use super::facts::{Entry, Limits, Pass, Plan, Price};
use super::state::{Locked, State};
use super::status::ProtectionChange;
use crate::StopReason;
use crate::core::protection::{Admission, Breaker, Change, CooldownOptions, Phase, Verdict};
use crate::policy::duration_from_ms;

/// Attempts that a cooldown holds at a time.
const MOST_HELD: u64 = 1_000;

impl Locked<'_> {
    /// The pass before an attempt. `now`: `None` without a clock.
    pub(super) fn enter(
        &mut self,
        now: Option<f64>,
        mut limits: Limits<'_>,
        draw: impl FnOnce() -> f64,
    ) -> Result<Entry, Rejection> {
        let entry = self.pass(now, &mut limits, draw);
        let place = limits.place.map(|turning| *turning.place);
        match (&entry, place) {
            (Ok(Entry::Begin(_)), Some(place)) => self.start_turn(now, place),
            (Err(_), Some(place)) => self.leave(now, place.arrival, false),
            _ => {}
        }
        entry
    }

    fn pass(
        &mut self,
        now: Option<f64>,
        limits: &mut Limits<'_>,
        draw: impl FnOnce() -> f64,
    ) -> Result<Entry, Rejection> {
        let mut pass = Pass::default();
        let mut probes = false;
        if let Some(now) = now {
            self.reject_for_breaker(now, 0.0)?;
            let state = &mut *self.state;
            if let Some(CooldownOptions {
                max_hold_ms, probe, ..
            }) = self.recipe.cooldown
            {
                let left_ms = state.cooldown.left_ms(now);
                if left_ms > 0.0 {
                    let longest_ms = limits.policy.max_retry_after_ms();
                    let is_long = left_ms > max_hold_ms.unwrap_or(longest_ms);
                    if state.queue.is_some() {
                        // The queue stands until then.
                        if is_long {
                            return Err(self.rejected_by_cooldown(left_ms));
                        }
                    } else {
                        let passes = probe && limits.held;
                        probes = probe && limits.first && !passes && !state.cooldown.is_probed();
                        if !probes && !passes {
                            let ms = state.cooldown.hold_ms(now, limits.policy.base_ms(), draw());
                            let is_late = ms >= limits.remaining.left_ms();
                            if is_long || is_late || state.held >= MOST_HELD {
                                return Err(self.rejected_by_cooldown(left_ms));
                            }
                            state.held += 1;
                            self.report(ProtectionChange::Held(duration_from_ms(ms)));
                            return Ok(Entry::Hold { ms });
                        }
                        pass.hold = state.cooldown.until();
                    }
                }
            }
        }
        if let Some(entry) = self.await_turn(now, limits)? {
            return Ok(entry);
        }
        // Last, so that no waiting operation holds the place of a probe.
        if let (Some(options), Some(now)) = (&self.recipe.breaker, now) {
            let state = &mut *self.state;
            let breaker = state.breaker.get_or_insert_with(|| Breaker::new(now));
            let was_open = breaker.phase() == Phase::Open;
            match breaker.admit(options, now, limits.first) {
                Admission::Rejected { retry_after_ms } => {
                    return Err(self.rejected_by_breaker(retry_after_ms));
                }
                Admission::Admitted { ticket } => pass.ticket = ticket,
            }
            if was_open {
                // Nobody had asked for a while: then it is closed.
                let half_open = breaker.phase() == Phase::HalfOpen;
                let status = state.breaker_status(options, now);
                self.report(if half_open {
                    ProtectionChange::HalfOpen(status)
                } else {
                    ProtectionChange::Closed(status)
                });
            }
        }
        if probes {
            self.state.cooldown.probe();
        }
        Ok(Entry::Begin(pass))
    }

    /// An attempt that was held asks again, or its operation ended.
    pub(super) fn release(&mut self) {
        self.state.held = self.state.held.saturating_sub(1);
    }

    /// A hold ended after the deadline, although it was to end before.
    pub(super) fn woke_late(&mut self, now: f64) -> Rejection {
        let left_ms = self.state.cooldown.left_ms(now);
        self.rejected_by_cooldown(left_ms)
    }

    /// The server asked all to wait. Returns the end of the cooldown if this hint set it, and else NaN.
    pub(super) fn ask_to_wait(&mut self, now: f64, hint_ms: f64) -> f64 {
        let cooldown = &mut self.state.cooldown;
        if cooldown.start(now, hint_ms) {
            cooldown.until()
        } else {
            f64::NAN
        }
    }

    /// An attempt ended. `hint_ms`: the time that the server asked for, NaN if it did not. `draw` is called only if the
    /// circuit opens.
    pub(super) fn ended(
        &mut self,
        now: f64,
        Pass { ticket, hold }: Pass,
        verdict: Verdict,
        hint_ms: f64,
        draw: impl FnOnce() -> f64,
    ) {
        // An answer that asks for a wait confirms the hold.
        let slows = hint_ms > 0.0;
        if hold > 0.0 && verdict == Verdict::Success && !slows {
            self.state.cooldown.end(hold);
        }
        let (Some(options), Some(breaker)) = (&self.recipe.breaker, &mut self.state.breaker) else {
            return;
        };
        if ticket == 0.0 {
            return;
        }
        let ended = |breaker: &mut Breaker, draw| {
            breaker.ended(options, now, draw, ticket, verdict, hint_ms)
        };
        // Only a failure opens it.
        let before = (verdict == Verdict::Failure).then_some(*breaker);
        let change = ended(breaker, 0.0);
        if let (Change::Opened, Some(before)) = (change, before) {
            *breaker = before;
            ended(breaker, draw());
        }
        let reported = match change {
            Change::None => return,
            Change::Opened => ProtectionChange::Opened,
            Change::Closed => ProtectionChange::Closed,
        };
        self.report(reported(self.state.breaker_status(options, now)));
    }

    /// Before a wait: returns the wait and the tokens taken for the retry, or the rejection.
    pub(super) fn retry(
        &mut self,
        now: Option<f64>,
        plan: Plan<'_>,
        draw: impl FnOnce() -> f64,
    ) -> Result<(f64, f64), Rejection> {
        let mut delay_ms = plan.delay_ms;
        let left_ms = plan.remaining.left_ms();
        if let Some(place) = plan.place {
            self.reject_for_queue(now, delay_ms, left_ms, place)?;
        }
        if let Some(now) = now {
            let cooldown = &mut self.state.cooldown;
            // The queue holds the retry as long as all.
            let holds = self.recipe.cooldown.is_some() && self.state.queue.is_none();
            if holds && cooldown.until() != plan.own_until {
                let left_ms = cooldown.left_ms(now);
                if left_ms > 0.0 {
                    let ms = cooldown.hold_ms(now, plan.policy.base_ms(), draw());
                    if ms > delay_ms {
                        delay_ms = ms;
                        if ms >= plan.remaining.left_ms() {
                            return Err(self.rejected_by_cooldown(left_ms));
                        }
                    }
                }
            }
            self.reject_for_breaker(now, delay_ms)?;
        }
        let Some(budget) = &mut self.state.budget else {
            return Ok((delay_ms, 0.0));
        };
        let cost = match plan.price {
            Price::Free => return Ok((delay_ms, 0.0)),
            Price::Usual => budget.settings.cost,
            Price::Throttled => budget.settings.throttled_cost,
        };
        if budget.take(&mut self.events, cost) {
            return Ok((delay_ms, cost));
        }
        Err(self.events.rejection(StopReason::Budget, f64::NAN))
    }

    /// How long after an attempt its hedge starts. `None` while too little is known.
    pub(super) fn hedge_delay_ms(&mut self, now: f64) -> Option<f64> {
        self.state.hedges.as_mut()?.delay_ms(now)
    }

    /// Starts a hedge, unless a part forbids it. Its tokens are never given back. Returns what the breaker gave it.
    pub(super) fn start_hedge(&mut self, now: f64, weight: f64) -> Option<Pass> {
        let phase = self.state.breaker.map(|breaker| breaker.phase());
        let closed = self.recipe.breaker.is_none() || phase == Some(Phase::Closed);
        let held = self.recipe.cooldown.is_some() && self.state.cooldown.left_ms(now) > 0.0;
        let allowed = closed && !held && self.is_spare(now, weight);
        let State { budget, hedges, .. } = &mut *self.state;
        let hedges = hedges.as_mut()?;
        let pay = |budget: &mut Tokens| budget.take(&mut self.events, budget.settings.cost);
        let starts = hedges.start(allowed, || budget.as_mut().is_none_or(pay));
        if !starts {
            return None;
        }
        self.start_spare(now, weight);
        let (Some(options), Some(breaker)) = (&self.recipe.breaker, &mut self.state.breaker) else {
            return Some(Pass::default());
        };
        // A closed circuit admits all. No cooldown holds.
        let ticket = match breaker.admit(options, now, false) {
            Admission::Admitted { ticket } => ticket,
            Admission::Rejected { .. } => 0.0,
        };
        Some(Pass { ticket, hold: 0.0 })
    }

    /// A first attempt ended, after a time that says how long those take.
    pub(super) fn record(&mut self, now: Option<f64>, first_ms: Option<f64>) {
        if let (Some(hedges), Some(now), Some(ms)) = (&mut self.state.hedges, now, first_ms) {
            hedges.record(now, ms);
        }
    }

    /// An operation succeeded. `taken`: tokens of its last retry. `first_ms`: how long an attempt took that counts
    /// as a first one, or had taken so far; `None` if that ended before.
    pub(super) fn succeeded(
        &mut self,
        now: Option<f64>,
        taken: f64,
        by_hedge: bool,
        first_ms: Option<f64>,
    ) {
        if !self.refund(taken) {
            let budget = self.state.budget.as_ref();
            self.put_back(budget.map_or(0.0, |budget| budget.settings.per_success));
        }
        if let Some(hedges) = &mut self.state.hedges {
            hedges.succeeded(by_hedge);
        }
        self.record(now, first_ms);
    }

    /// Gives back the tokens of a retry that was worth it, if the budget does that. Returns whether it did.
    pub(super) fn refund(&mut self, taken: f64) -> bool {
        let budget = self.state.budget.as_ref();
        let refunds = taken > 0.0 && budget.is_some_and(|budget| budget.settings.refund);
        if refunds {
            self.put_back(taken);
        }
        refunds
    }

    /// Gives tokens to the budget.
    pub(super) fn put_back(&mut self, tokens: f64) {
        if let Some(budget) = &mut self.state.budget {
            budget.put_back(&mut self.events, tokens);
        }
    }

    /// Rejects an attempt after this wait if the circuit is certainly open then. A look takes no probe. A running
    /// probe is not certain: it may end any time.
    fn reject_for_breaker(&mut self, now: f64, delay_ms: f64) -> Result<(), Rejection> {
        let breaker = self.state.breaker.as_mut();
        let open_ms = breaker.map_or(0.0, |breaker| breaker.look(now));
        if open_ms > delay_ms {
            return Err(self.rejected_by_breaker(open_ms));
        }
        Ok(())
    }
}
