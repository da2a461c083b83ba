//! The budget of one destination: its tokens, and how many retries got some.

use super::events::Events;
use super::status::{BudgetStatus, ProtectionChange};
use crate::core::protection::{Budget, BudgetSettings};

/// The numbers of the budget of one destination.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// `None` until it is asked for the first time: full.
    left: Option<Budget>,
    /// Whether a retry was rejected since the budget was last full.
    empty: bool,
    granted: u64,
    rejected: u64,
}

impl Tokens {
    /// Takes tokens. Returns whether there were enough.
    pub(super) fn take(
        &mut self,
        options: &BudgetSettings,
        events: &mut Events,
        cost: f64,
    ) -> bool {
        let granted = self.left(options).take(options.capacity, cost);
        if granted {
            self.granted += 1;
            return true;
        }
        self.rejected += 1;
        // Without a capacity it is empty at all times, which is no event.
        if options.capacity > 0.0 && !std::mem::replace(&mut self.empty, true) {
            events.add(ProtectionChange::BudgetEmpty(self.status(options)));
        }
        false
    }

    /// Gives tokens back.
    pub(super) fn put_back(&mut self, options: &BudgetSettings, events: &mut Events, tokens: f64) {
        self.left(options).credit(tokens);
        if self.empty && self.is_full(options) {
            self.empty = false;
            events.add(ProtectionChange::BudgetFull(self.status(options)));
        }
    }

    pub(super) fn is_full(&self, options: &BudgetSettings) -> bool {
        self.count(options) == options.capacity
    }

    pub(super) fn status(&self, options: &BudgetSettings) -> BudgetStatus {
        BudgetStatus {
            tokens: self.count(options) / 1_000.0,
            capacity: options.capacity / 1_000.0,
            granted: self.granted,
            rejected: self.rejected,
        }
    }

    /// Tokens that are left, in thousandths.
    fn count(&self, options: &BudgetSettings) -> f64 {
        let tokens = self.left.map(|left| left.tokens(options.capacity));
        tokens.unwrap_or(options.capacity)
    }

    fn left(&mut self, options: &BudgetSettings) -> &mut Budget {
        self.left
            .get_or_insert_with(|| Budget::new(options.capacity))
    }
}
