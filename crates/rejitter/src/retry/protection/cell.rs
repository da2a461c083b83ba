//! One destination of a protection: its parts, their numbers under a lock, and the reports of their changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use super::acquire::Acquire;
use super::events::Events;
use super::state::State;
use super::status::ProtectionEvent;
use crate::core::protection::{
    BreakerSettings, BudgetSettings, CooldownOptions, HedgeSettings, LimiterSettings,
};

pub(super) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;
pub(super) type OnEvent = Arc<dyn Fn(&ProtectionEvent<'_>) + Send + Sync>;

/// The parts of a protection, validated.
#[derive(Clone, Default)]
pub(super) struct Recipe {
    pub(super) budget: Option<BudgetSettings>,
    pub(super) breaker: Option<BreakerSettings>,
    pub(super) cooldown: Option<CooldownOptions>,
    pub(super) hedge: Option<HedgeSettings>,
    pub(super) limiter: Option<LimiterSettings>,
    pub(super) acquire: Option<Acquire>,
    /// Nothing may start any more, whatever the key.
    pub(super) drained: Flag,
    pub(super) clock: Option<Clock>,
    pub(super) on_event: Option<OnEvent>,
}

/// A fact that holds for all destinations of one protection, such as that it was drained.
#[derive(Default)]
pub(super) struct Flag(AtomicBool);

impl Flag {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Flag {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// One destination while its lock is held: its numbers, the parts that they belong to, and what follows once it is
/// free: changes to report, and operations to wake.
pub(super) struct Locked<'a> {
    pub(super) state: &'a mut State,
    pub(super) recipe: &'a Recipe,
    pub(super) events: Events,
    pub(super) wake: Vec<Waker>,
}

/// One destination of a protection.
pub(super) struct Cell {
    pub(super) key: Option<Arc<str>>,
    pub(super) recipe: Arc<Recipe>,
    state: Mutex<State>,
}

impl Cell {
    pub(super) fn new(key: Option<Arc<str>>, recipe: Arc<Recipe>) -> Self {
        Self {
            key,
            state: Mutex::new(State::new(&recipe)),
            recipe,
        }
    }

    /// Runs `act` under the lock, then reports the events.
    pub(super) fn locked<T>(&self, act: impl FnOnce(&mut Locked<'_>) -> T) -> T {
        // Nothing that may panic runs while it is locked, so that nothing is left half done.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut locked = Locked {
            state: &mut state,
            recipe: &self.recipe,
            events: Events::default(),
            wake: Vec::new(),
        };
        let output = act(&mut locked);
        let Locked { events, wake, .. } = locked;
        drop(state);
        // Wakers are foreign code, too.
        if !wake.is_empty() {
            wake.into_iter().for_each(Waker::wake);
        }
        if events.is_empty() {
            return output;
        }
        // A second panic would end the program.
        let on_event = self.recipe.on_event.as_ref();
        if let Some(on_event) = on_event.filter(|_| !std::thread::panicking()) {
            for change in events.changes() {
                on_event(&ProtectionEvent {
                    key: self.key.as_deref(),
                    change,
                });
            }
        }
        output
    }
}
