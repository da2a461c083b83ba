//! The budget of one destination: its tokens, and how many retries got some.

use super::events::Events;
use super::status::{BudgetStatus, ProtectionChange};
use crate::core::protection::{Budget, BudgetSettings};

/// The budget of one destination.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) settings: BudgetSettings,
    left: Budget,
    /// Whether a retry was rejected since the budget was last full.
    empty: bool,
    granted: u64,
    rejected: u64,
}

impl Tokens {
    pub(super) fn new(settings: BudgetSettings) -> Self {
        Self {
            settings,
            left: Budget::new(settings.capacity),
            empty: false,
            granted: 0,
            rejected: 0,
        }
    }

    /// Takes tokens. Returns whether there were enough.
    pub(super) fn take(&mut self, events: &mut Events, cost: f64) -> bool {
        let capacity = self.settings.capacity;
        let granted = self.left.take(capacity, cost);
        if granted {
            self.granted += 1;
            return true;
        }
        self.rejected += 1;
        // Without a capacity it is empty at all times, which is no event.
        if capacity > 0.0 && !std::mem::replace(&mut self.empty, true) {
            events.add(ProtectionChange::BudgetEmpty(self.status()));
        }
        false
    }

    /// Gives tokens back.
    pub(super) fn put_back(&mut self, events: &mut Events, tokens: f64) {
        self.left.credit(tokens);
        if self.empty && self.is_full() {
            self.empty = false;
            events.add(ProtectionChange::BudgetFull(self.status()));
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.left.tokens(self.settings.capacity) == self.settings.capacity
    }

    pub(super) fn status(&self) -> BudgetStatus {
        let capacity = self.settings.capacity;
        BudgetStatus {
            tokens: self.left.tokens(capacity) / 1_000.0,
            capacity: capacity / 1_000.0,
            granted: self.granted,
            rejected: self.rejected,
        }
    }
}
