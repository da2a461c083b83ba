//! The state of one destination, which operations share under a lock.

use std::task::Waker;

use super::budget::Tokens;
use super::events::{Events, Rejection};
use super::hedges::Hedges;
use super::queue::Queue;
use super::recipe::Recipe;
use super::status::{
    BreakerState, BreakerStatus, CooldownStatus, ProtectionChange, ProtectionStatus,
};
use crate::StopReason;
use crate::core::protection::{Breaker, BreakerSettings, Cooldown, Phase};
use crate::policy::duration_from_ms;

/// The numbers of one destination.
#[derive(Debug)]
pub(super) struct State {
    pub(super) budget: Option<Tokens>,
    /// `None` until an attempt asks for the first time. It exists from then on.
    pub(super) breaker: Option<Breaker>,
    rejected_by_breaker: u64,
    pub(super) cooldown: Cooldown,
    pub(super) held: u64,
    rejected_by_cooldown: u64,
    pub(super) hedges: Option<Hedges>,
    /// In a box: states without a limiter are many, too.
    pub(super) queue: Option<Box<Queue>>,
}

/// One destination while its lock is held: its numbers, the parts that they belong to, and what follows once it is
/// free: changes to report, and operations to wake.
pub(super) struct Locked<'a> {
    pub(super) state: &'a mut State,
    pub(super) recipe: &'a Recipe,
    pub(super) events: Events,
    pub(super) wake: Vec<Waker>,
}

impl Locked<'_> {
    /// Opens the circuit by hand for this time, or closes it, and reports it if it was not.
    pub(super) fn set_open(&mut self, options: &BreakerSettings, now: f64, ms: Option<f64>) {
        let state = &mut *self.state;
        let breaker = state.breaker.get_or_insert_with(|| Breaker::new(now));
        let before = breaker.phase();
        match ms {
            Some(ms) => breaker.open(options, now, ms),
            None => breaker.close(now),
        }
        if breaker.phase() != before {
            let status = state.breaker_status(options, now);
            self.report(match ms {
                Some(_) => ProtectionChange::Opened(status),
                None => ProtectionChange::Closed(status),
            });
        }
    }

    pub(super) fn status(&self, now: f64) -> ProtectionStatus {
        let Self { state, recipe, .. } = self;
        ProtectionStatus {
            budget: state.budget.as_ref().map(Tokens::status),
            breaker: recipe
                .breaker
                .map(|options| state.breaker_status(&options, now)),
            cooldown: recipe.cooldown.map(|_| CooldownStatus {
                remaining: duration_from_ms(state.cooldown_left(now)),
                held: state.held,
                rejected: state.rejected_by_cooldown,
            }),
            hedge: state.hedges.as_ref().map(|hedges| hedges.status(now)),
            limiter: state.queue.as_ref().map(|queue| queue.status(now)),
        }
    }

    /// Whether forgetting it would change nothing.
    pub(super) fn is_fresh(&self, now: f64) -> bool {
        let Self { state, recipe, .. } = self;
        let closed = |options| {
            state
                .breaker
                .is_none_or(|mut breaker| breaker.is_fresh(options, now))
        };
        state.budget.as_ref().is_none_or(Tokens::is_full)
            && recipe.breaker.as_ref().is_none_or(closed)
            && state.cooldown_left(now) == 0.0
            && state.held == 0
            && state.queue.as_ref().is_none_or(|queue| queue.is_fresh(now))
            && state
                .hedges
                .as_ref()
                .is_none_or(|hedges| hedges.is_fresh(now))
    }

    /// Whether it must not be forgotten. Once all are drained, nothing starts in any.
    pub(super) fn is_busy(&self) -> bool {
        let queue = self.state.queue.as_ref();
        !self.recipe.drained.is_set() && queue.is_some_and(|queue| queue.is_busy())
    }

    pub(super) fn is_open(&self) -> bool {
        let breaker = self.state.breaker;
        breaker.is_some_and(|breaker| breaker.phase() == Phase::Open)
    }

    pub(super) fn report(&mut self, change: ProtectionChange) {
        self.events.add(change);
    }

    pub(super) fn rejected_by_breaker(&mut self, retry_after_ms: f64) -> Rejection {
        self.state.rejected_by_breaker += 1;
        self.events.rejection(StopReason::Breaker, retry_after_ms)
    }

    pub(super) fn rejected_by_cooldown(&mut self, retry_after_ms: f64) -> Rejection {
        self.state.rejected_by_cooldown += 1;
        self.events.rejection(StopReason::Cooldown, retry_after_ms)
    }
}

impl State {
    pub(super) fn new(recipe: &Recipe) -> Self {
        Self {
            budget: recipe.budget.map(Tokens::new),
            breaker: None,
            rejected_by_breaker: 0,
            cooldown: Cooldown::new(),
            held: 0,
            rejected_by_cooldown: 0,
            hedges: recipe.hedge.map(Hedges::new),
            queue: recipe.limiter.map(|settings| Queue::new(settings).into()),
        }
    }

    /// A look does not change the state.
    fn cooldown_left(&self, now: f64) -> f64 {
        let mut copy = self.cooldown;
        copy.left_ms(now)
    }

    // Openings are counted one by one.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn breaker_status(&self, options: &BreakerSettings, now: f64) -> BreakerStatus {
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
