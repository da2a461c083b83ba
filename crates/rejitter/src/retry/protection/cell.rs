//! One destination of a protection: its numbers under a lock, and the reports of their changes.

use std::sync::{Arc, Mutex, PoisonError};

use super::events::Events;
use super::recipe::Recipe;
use super::state::State;
use super::status::ProtectionEvent;

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
            recipe,
            state: Mutex::default(),
        }
    }

    /// Runs `act` under the lock, then reports the events.
    pub(super) fn locked<T>(&self, act: impl FnOnce(&mut State, &Recipe, &mut Events) -> T) -> T {
        let mut events = Events::default();
        // Nothing that may panic runs while it is locked, so that nothing is left half done.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let output = act(&mut state, &self.recipe, &mut events);
        drop(state);
        // A second panic would end the program.
        let on_event = self
            .recipe
            .on_event
            .as_ref()
            .filter(|_| !std::thread::panicking());
        if let Some(on_event) = on_event {
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
