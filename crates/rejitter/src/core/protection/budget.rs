//! The budget: retries after failures take tokens, successes give some back.

use core::mem::offset_of;

use super::place;

/// A token bucket without a clock. All amounts are thousandths of a token: whole numbers, which `f64` adds exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Budget {
    tokens: f64,
    /// Credits that [`take`](Self::take) has not added to `tokens` yet.
    pending: f64,
}

impl Budget {
    /// Place of the credits.
    pub const PENDING: u32 = place(offset_of!(Self, pending));

    /// A full budget.
    #[must_use]
    pub const fn new(capacity: f64) -> Self {
        Self {
            tokens: capacity,
            pending: 0.0,
        }
    }

    /// Adds tokens: for a success, or because a token that was taken was not used.
    ///
    /// Nothing but additions happens until the next retry asks, so one cut at the capacity then gives the same number
    /// as a cut after each addition.
    pub fn credit(&mut self, amount: f64) {
        self.pending += amount;
    }

    /// Takes the cost of a retry if that much is left. Returns whether the retry may happen.
    #[must_use]
    pub fn take(&mut self, capacity: f64, cost: f64) -> bool {
        self.tokens = self.tokens(capacity);
        self.pending = 0.0;
        let granted = self.tokens >= cost;
        if granted {
            self.tokens -= cost;
        }
        granted
    }

    /// Returns the tokens that are left, credits included.
    #[must_use]
    pub fn tokens(&self, capacity: f64) -> f64 {
        (self.tokens + self.pending).min(capacity)
    }
}
