//! One destination of a protection: its numbers under a lock, and the reports of their changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::state::State;
use super::status::{ProtectionChange, ProtectionEvent};
use crate::StopReason;
use crate::core::protection::{BreakerSettings, BudgetSettings, HedgeSettings};
use crate::policy::duration_from_ms;

pub(super) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;
pub(super) type OnEvent = Arc<dyn Fn(&ProtectionEvent<'_>) + Send + Sync>;

/// The parts of a protection, validated.
#[derive(Clone, Default)]
pub(super) struct Recipe {
    pub(super) budget: Option<BudgetSettings>,
    pub(super) breaker: Option<BreakerSettings>,
    pub(super) max_hold_ms: Option<f64>,
    pub(super) hedge: Option<HedgeSettings>,
    pub(super) clock: Option<Clock>,
    pub(super) on_event: Option<OnEvent>,
}

/// One destination of a protection.
pub(super) struct Cell {
    pub(super) key: Option<Arc<str>>,
    pub(super) recipe: Arc<Recipe>,
    state: Mutex<State>,
}

/// The events of one call, reported once the lock is free: hooks are foreign code.
#[derive(Default)]
pub(super) struct Told([Option<ProtectionChange>; 2]);

impl Told {
    pub(super) fn add(&mut self, change: ProtectionChange) {
        let [first, second] = &mut self.0;
        *if first.is_none() { first } else { second } = Some(change);
    }

    pub(super) fn refusal(&mut self, by: StopReason, retry_after_ms: f64) -> Refusal {
        let refusal = Refusal { by, retry_after_ms };
        self.add(ProtectionChange::Refused {
            by,
            retry_after: refusal.retry_after(),
        });
        refusal
    }
}

/// A rejection before an attempt or before a wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Refusal {
    pub(super) by: StopReason,
    /// NaN for the budget, which cannot tell.
    pub(super) retry_after_ms: f64,
}

impl Refusal {
    pub(super) fn retry_after(self) -> Option<Duration> {
        (!self.retry_after_ms.is_nan()).then(|| duration_from_ms(self.retry_after_ms))
    }
}

impl Cell {
    pub(super) fn new(key: Option<Arc<str>>, recipe: Arc<Recipe>) -> Self {
        Self {
            key,
            recipe,
            state: Mutex::default(),
        }
    }

    /// Runs `act` under the lock, then reports the events.
    pub(super) fn locked<T>(&self, act: impl FnOnce(&mut State, &Recipe, &mut Told) -> T) -> T {
        let mut told = Told::default();
        // Nothing that may panic runs while it is locked, so that nothing is left half done.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let output = act(&mut state, &self.recipe, &mut told);
        drop(state);
        // A second panic would end the program.
        let on_event = self
            .recipe
            .on_event
            .as_ref()
            .filter(|_| !std::thread::panicking());
        if let Some(on_event) = on_event {
            for change in told.0.into_iter().flatten() {
                on_event(&ProtectionEvent {
                    key: self.key.as_deref(),
                    change,
                });
            }
        }
        output
    }
}
