//! The state of one destination, which operations share under a lock.

use super::budget::Tokens;
use super::events::{Events, Rejection};
use super::facts::{End, Entry, Limits, Pass, Plan, Price, Success};
use super::hedges::Hedges;
use super::recipe::Recipe;
use super::status::{
    BreakerState, BreakerStatus, CooldownStatus, ProtectionChange, ProtectionStatus,
};
use crate::StopReason;
use crate::core::protection::{
    Admission, Breaker, BreakerSettings, Change, Cooldown, CooldownOptions, Phase, Verdict,
};
use crate::policy::duration_from_ms;

/// Attempts that a cooldown holds at a time.
const MOST_HELD: u64 = 1_000;

/// The numbers of one destination.
#[derive(Debug, Default)]
pub(super) struct State {
    budget: Tokens,
    /// `None` until an attempt asks for the first time. It exists from then on.
    breaker: Option<Breaker>,
    rejected_by_breaker: u64,
    cooldown: Cooldown,
    held: u64,
    rejected_by_cooldown: u64,
    hedges: Hedges,
}

impl State {
    /// The pass before an attempt.
    pub(super) fn enter(
        &mut self,
        recipe: &Recipe,
        events: &mut Events,
        now: f64,
        limits: Limits,
        draw: impl FnOnce() -> f64,
    ) -> Entry {
        // A look, which takes no probe.
        let open_ms = self.open_ms(now);
        if open_ms > 0.0 {
            return Entry::Rejected(self.rejected_by_breaker(events, open_ms));
        }
        let mut pass = Pass::default();
        let mut probes = false;
        if let Some(CooldownOptions { max_hold_ms, .. }) = recipe.cooldown {
            let left_ms = self.cooldown.left_ms(now);
            if left_ms > 0.0 {
                probes = limits.first && !limits.held && !self.cooldown.is_probed();
                if !probes && !limits.held {
                    let ms = self.cooldown.hold_ms(now, limits.base_ms, draw());
                    let long = left_ms > max_hold_ms.unwrap_or(limits.longest_ms)
                        || ms >= limits.remaining_ms;
                    if long || self.held >= MOST_HELD {
                        return Entry::Rejected(self.rejected_by_cooldown(events, left_ms));
                    }
                    self.held += 1;
                    events.add(ProtectionChange::Held(duration_from_ms(ms)));
                    return Entry::Hold { ms };
                }
                pass.hold = self.cooldown.until();
            }
        }
        // Last, so that no waiting operation holds the place of a probe.
        if let Some(options) = &recipe.breaker {
            let breaker = self.breaker.get_or_insert_with(|| Breaker::new(now));
            let was_open = breaker.phase() == Phase::Open;
            match breaker.admit(options, now, limits.first) {
                Admission::Rejected { retry_after_ms } => {
                    return Entry::Rejected(self.rejected_by_breaker(events, retry_after_ms));
                }
                Admission::Admitted { ticket } => pass.ticket = ticket,
            }
            if was_open {
                // Nobody had asked for a while: then it is closed.
                let half_open = breaker.phase() == Phase::HalfOpen;
                let status = self.breaker_status(options, now);
                events.add(if half_open {
                    ProtectionChange::HalfOpen(status)
                } else {
                    ProtectionChange::Closed(status)
                });
            }
        }
        if probes {
            self.cooldown.probe();
        }
        Entry::Begin(pass)
    }

    /// An attempt that was held asks again, or its operation ended.
    pub(super) fn release(&mut self) {
        self.held = self.held.saturating_sub(1);
    }

    /// A hold ended after the deadline, although it was to end before.
    pub(super) fn woke_late(&mut self, events: &mut Events, now: f64) -> Rejection {
        let left_ms = self.cooldown.left_ms(now);
        self.rejected_by_cooldown(events, left_ms)
    }

    /// The server asked all to wait. Returns the end of the cooldown if this hint set it, and else NaN.
    pub(super) fn ask_to_wait(&mut self, now: f64, hint_ms: f64) -> f64 {
        if self.cooldown.start(now, hint_ms) {
            self.cooldown.until()
        } else {
            f64::NAN
        }
    }

    /// An attempt ended. `draw` is called only if the circuit opens.
    pub(super) fn ended(
        &mut self,
        recipe: &Recipe,
        events: &mut Events,
        now: f64,
        end: End,
        draw: impl FnOnce() -> f64,
    ) {
        let End {
            pass: Pass { ticket, hold },
            verdict,
            hint_ms,
        } = end;
        // An answer that asks for a wait confirms the hold.
        let slows = hint_ms > 0.0;
        if hold > 0.0 && verdict == Verdict::Success && !slows {
            self.cooldown.end(hold);
        }
        let (Some(options), Some(breaker)) = (&recipe.breaker, &mut self.breaker) else {
            return;
        };
        if ticket == 0.0 {
            return;
        }
        let ended = |breaker: &mut Breaker, draw| {
            breaker.ended(options, now, draw, ticket, verdict, hint_ms)
        };
        let before = *breaker;
        match ended(breaker, 0.0) {
            Change::None => {}
            Change::Opened => {
                *breaker = before;
                ended(breaker, draw());
                events.add(ProtectionChange::Opened(self.breaker_status(options, now)));
            }
            Change::Closed => {
                events.add(ProtectionChange::Closed(self.breaker_status(options, now)));
            }
        }
    }

    /// Before a wait: returns the wait and the tokens taken for the retry, or the rejection.
    pub(super) fn retry(
        &mut self,
        recipe: &Recipe,
        events: &mut Events,
        now: Option<f64>,
        plan: Plan,
        draw: impl FnOnce() -> f64,
    ) -> Result<(f64, f64), Rejection> {
        let mut delay_ms = plan.delay_ms;
        if let Some(now) = now {
            if recipe.cooldown.is_some() && self.cooldown.until() != plan.own_until {
                let left_ms = self.cooldown.left_ms(now);
                if left_ms > 0.0 {
                    let ms = self.cooldown.hold_ms(now, plan.base_ms, draw());
                    if ms > delay_ms {
                        delay_ms = ms;
                        if ms >= plan.remaining_ms {
                            return Err(self.rejected_by_cooldown(events, left_ms));
                        }
                    }
                }
            }
            let open_ms = self.open_ms(now);
            if open_ms > delay_ms {
                return Err(self.rejected_by_breaker(events, open_ms));
            }
        }
        let Some(options) = &recipe.budget else {
            return Ok((delay_ms, 0.0));
        };
        let cost = match plan.price {
            Price::Free => return Ok((delay_ms, 0.0)),
            Price::Usual => options.cost,
            Price::Throttled => options.throttled_cost,
        };
        if self.budget.take(options, events, cost) {
            return Ok((delay_ms, cost));
        }
        Err(events.rejection(StopReason::Budget, f64::NAN))
    }

    /// How long after an attempt its hedge starts. `None` while too little is known.
    pub(super) fn hedge_delay_ms(&mut self, recipe: &Recipe, now: f64) -> Option<f64> {
        let options = recipe.hedge.as_ref()?;
        self.hedges.delay_ms(options, now)
    }

    /// Starts a hedge, unless a part forbids it. Its tokens are never given back. Returns what the breaker gave it.
    pub(super) fn start_hedge(
        &mut self,
        recipe: &Recipe,
        events: &mut Events,
        now: f64,
    ) -> Option<Pass> {
        let closed = recipe.breaker.is_none()
            || self
                .breaker
                .is_some_and(|breaker| breaker.phase() == Phase::Closed);
        let held = recipe.cooldown.is_some() && self.cooldown.left_ms(now) > 0.0;
        if !closed || held || !self.pay_hedge(recipe, events) {
            self.hedges.rejected += 1;
            return None;
        }
        self.hedges.start();
        let (Some(options), Some(breaker)) = (&recipe.breaker, &mut self.breaker) else {
            return Some(Pass::default());
        };
        // A closed circuit admits all. No cooldown holds.
        let ticket = match breaker.admit(options, now, false) {
            Admission::Admitted { ticket } => ticket,
            Admission::Rejected { .. } => 0.0,
        };
        Some(Pass { ticket, hold: 0.0 })
    }

    /// Takes the token of a hedge and those of the budget, or none of them.
    fn pay_hedge(&mut self, recipe: &Recipe, events: &mut Events) -> bool {
        if !self.hedges.take() {
            return false;
        }
        let paid = recipe
            .budget
            .as_ref()
            .is_none_or(|options| self.budget.take(options, events, options.cost));
        if !paid {
            self.hedges.put_back();
        }
        paid
    }

    /// A first attempt ended, after a time that says how long those take.
    pub(super) fn record(&mut self, recipe: &Recipe, now: Option<f64>, first_ms: Option<f64>) {
        if let (Some(options), Some(now), Some(ms)) = (&recipe.hedge, now, first_ms) {
            self.hedges.record(options, now, ms);
        }
    }

    /// An operation succeeded.
    pub(super) fn succeeded(
        &mut self,
        recipe: &Recipe,
        events: &mut Events,
        now: Option<f64>,
        success: Success,
    ) {
        let Success {
            taken,
            by_hedge,
            first_ms,
        } = success;
        if let Some(options) = &recipe.budget {
            let refunds = options.refund && taken > 0.0;
            let tokens = if refunds { taken } else { options.per_success };
            self.budget.put_back(options, events, tokens);
        }
        if let Some(options) = &recipe.hedge {
            self.hedges.succeeded(options, by_hedge);
        }
        self.record(recipe, now, first_ms);
    }

    /// Gives tokens to the budget.
    pub(super) fn put_back(&mut self, recipe: &Recipe, events: &mut Events, tokens: f64) {
        if let Some(options) = &recipe.budget {
            self.budget.put_back(options, events, tokens);
        }
    }

    /// Opens the circuit by hand.
    pub(super) fn open(
        &mut self,
        options: &BreakerSettings,
        events: &mut Events,
        now: f64,
        ms: f64,
    ) {
        let breaker = self.breaker.get_or_insert_with(|| Breaker::new(now));
        let was_open = breaker.phase() == Phase::Open;
        breaker.open(options, now, ms);
        if !was_open {
            events.add(ProtectionChange::Opened(self.breaker_status(options, now)));
        }
    }

    /// Closes the circuit by hand.
    pub(super) fn close(&mut self, options: &BreakerSettings, events: &mut Events, now: f64) {
        let breaker = self.breaker.get_or_insert_with(|| Breaker::new(now));
        let was_closed = breaker.phase() == Phase::Closed;
        breaker.close(now);
        if !was_closed {
            events.add(ProtectionChange::Closed(self.breaker_status(options, now)));
        }
    }

    pub(super) fn status(&self, recipe: &Recipe, now: f64) -> ProtectionStatus {
        ProtectionStatus {
            budget: recipe
                .budget
                .as_ref()
                .map(|options| self.budget.status(options)),
            breaker: recipe
                .breaker
                .as_ref()
                .map(|options| self.breaker_status(options, now)),
            cooldown: recipe.cooldown.map(|_| CooldownStatus {
                remaining: duration_from_ms(self.cooldown_left(now)),
                held: self.held,
                rejected: self.rejected_by_cooldown,
            }),
            hedge: recipe
                .hedge
                .as_ref()
                .map(|options| self.hedges.status(options, now)),
        }
    }

    /// Whether forgetting it would change nothing.
    pub(super) fn is_fresh(&self, recipe: &Recipe, now: f64) -> bool {
        let closed = |options| {
            self.breaker
                .is_none_or(|mut breaker| breaker.is_fresh(options, now))
        };
        let full = |options| self.budget.is_full(options);
        recipe.budget.as_ref().is_none_or(full)
            && recipe.breaker.as_ref().is_none_or(closed)
            && self.cooldown_left(now) == 0.0
            && self.held == 0
            && self.hedges.is_fresh(now)
    }

    pub(super) fn is_open(&self) -> bool {
        self.breaker
            .is_some_and(|breaker| breaker.phase() == Phase::Open)
    }

    /// Time for which every attempt is rejected for certain. A running probe is not certain: it may end any time.
    fn open_ms(&mut self, now: f64) -> f64 {
        match &mut self.breaker {
            Some(breaker) if breaker.phase() == Phase::Open => breaker.look(now),
            _ => 0.0,
        }
    }

    fn rejected_by_breaker(&mut self, events: &mut Events, retry_after_ms: f64) -> Rejection {
        self.rejected_by_breaker += 1;
        events.rejection(StopReason::Breaker, retry_after_ms)
    }

    fn rejected_by_cooldown(&mut self, events: &mut Events, retry_after_ms: f64) -> Rejection {
        self.rejected_by_cooldown += 1;
        events.rejection(StopReason::Cooldown, retry_after_ms)
    }

    /// A look does not change the state.
    fn cooldown_left(&self, now: f64) -> f64 {
        let mut copy = self.cooldown;
        copy.left_ms(now)
    }

    // Openings are counted one by one.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn breaker_status(&self, options: &BreakerSettings, now: f64) -> BreakerStatus {
        let mut breaker = self.breaker.unwrap_or(Breaker::new(now));
        let numbers = breaker.numbers(options, now);
        BreakerStatus {
            state: match breaker.phase() {
                Phase::Closed => BreakerState::Closed,
                Phase::Open => BreakerState::Open,
                Phase::HalfOpen => BreakerState::HalfOpen,
            },
            retry_after: duration_from_ms(numbers.retry_after_ms),
            failures: numbers.failures,
            calls: numbers.calls,
            opens: numbers.opens as u64,
            rejected: self.rejected_by_breaker,
        }
    }
}
