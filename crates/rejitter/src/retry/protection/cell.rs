//! One destination of a protection: its numbers under a lock, and the reports of their changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use super::events::Events;
use super::recipe::Recipe;
use super::state::{Locked, State};
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
