//! The protection that operations share, and what is done to it by hand.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::cell::Cell;
use super::guard::Protected;
use super::keys::Keys;
use super::recipe::Recipe;
use super::status::ProtectionStatus;
use crate::core::protection::BreakerSettings;
use crate::policy::ms_from_duration;
use crate::retry::nanos::Nanos;
use crate::retry::sleepers::host_now;

/// Protection of a destination that many operations call, such as a server: what keeps their retries from hurting.
///
/// Each operation retries for itself. In an overload, all of them together keep the server down: up to
/// `max_attempts` times the usual load. The parts of a protection see them together:
///
/// - [`budget`](Self::budget): retries after failures take tokens, successes give some back. Without tokens no failure
///   is retried.
/// - [`breaker`](Self::breaker): while most attempts fail, it rejects all, first ones too. Now and then it lets one
///   through.
/// - [`cooldown`](Self::cooldown): if the server asks one operation for fewer requests, all but a probe wait.
/// - [`hedge`](Self::hedge): a second attempt starts while a slow one is running, in the operations that ask for it.
/// - [`limiter`](Self::limiter): attempts start no faster than the server takes them, and no more than a number run at
///   the same time.
///
/// Clones share the numbers, and so do all operations that [`Retry::protection`](crate::Retry::protection) gives the
/// same protection. [`for_key`](Self::for_key) has numbers for each of several destinations. The order of the parts
/// does not matter. Give one call one protection: where operations nest, to the inner or to the outer one.
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{
///     BreakerOptions, BudgetOptions, CooldownOptions, Protection, RetryPolicy, StopReason, retry,
/// };
///
/// let api = Protection::new()
///     .budget(BudgetOptions { capacity: Some(1.0), ..BudgetOptions::default() })
///     .breaker(BreakerOptions::default())
///     .cooldown(CooldownOptions::default());
///
/// let time = VirtualTime::new();
/// let call = || async { Err::<(), _>("busy") };
/// let operation = retry(RetryPolicy::default(), call).protection(&api).sleeper(&time);
/// let failed = time.block_on(operation).unwrap_err();
///
/// // One token, one retry.
/// assert_eq!((failed.reason, failed.report.attempts), (StopReason::Budget, 2));
/// assert_eq!(failed.own_error(), Some(&"busy"));
/// assert_eq!(api.status().budget.unwrap().rejected, 1);
/// ```
///
/// # Time
///
/// An operation reads the clock of its sleeper. Those that share a protection must read the same clock, such as the
/// system's, which Tokio's timers and those of threads have in common. [`status`](Self::status) and the methods that
/// act by hand read the system's, or that of Tokio or of the JavaScript host with these features.
/// [`clock`](Self::clock) sets another for all of them. Without any clock, the budget and the limiter alone act.
#[derive(Clone)]
#[must_use]
pub struct Protection {
    cell: Arc<Cell>,
    keys: Arc<Keys>,
}

impl Default for Protection {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protection")
            .field("key", &self.cell.key)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

impl Protection {
    /// A protection without parts, which does nothing.
    pub fn new() -> Self {
        Self::of(Recipe::default())
    }

    fn of(recipe: Recipe) -> Self {
        let recipe = Arc::new(recipe);
        Self {
            cell: Arc::new(Cell::new(None, recipe.clone())),
            keys: Arc::new(Keys::new(recipe)),
        }
    }

    /// Another protection, with numbers of its own.
    pub(super) fn with(&self, change: impl FnOnce(&mut Recipe)) -> Self {
        let mut recipe = Recipe::clone(&self.cell.recipe);
        change(&mut recipe);
        Self::of(recipe)
    }

    /// The same parts with numbers of their own, for one of several destinations. The same key has the same numbers.
    ///
    /// At most 1,000 keys are kept. Beyond them, one of the eight goes that were used least recently, first one whose
    /// numbers are as good as new, then one that is not open, but none in whose limiter an attempt runs or waits: if
    /// all eight are such, all stay. Budgets for each tenant do not bound the load of all.
    ///
    /// Examples: [`guide::protection`](crate::guide::protection).
    ///
    /// # Panics
    /// If this one has a key already.
    #[track_caller]
    pub fn for_key(&self, key: &str) -> Self {
        assert!(
            self.cell.key.is_none(),
            "this protection has a key already: call for_key() on the one without"
        );
        Self {
            cell: self.keys.find(key),
            keys: self.keys.clone(),
        }
    }

    /// Returns the keys that are kept, from the one that was used least recently. None of one that has a key.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        if self.cell.key.is_none() {
            self.keys.names()
        } else {
            Vec::new()
        }
    }

    /// Returns the present numbers. Changes nothing.
    #[must_use]
    pub fn status(&self) -> ProtectionStatus {
        let now = self.now();
        let key = self.cell.key.as_deref();
        let live = key.and_then(|key| self.keys.peek(key));
        let cell = live.as_ref().unwrap_or(&self.cell);
        cell.locked(|locked| locked.status(now))
    }

    /// Opens the circuit by hand, until [`close`](Self::close).
    ///
    /// # Panics
    /// If there is no breaker.
    #[track_caller]
    pub fn open(&self) {
        self.open_for(Duration::MAX);
    }

    /// Opens the circuit by hand for this time. Zero changes nothing.
    ///
    /// # Panics
    /// If there is no breaker.
    #[track_caller]
    pub fn open_for(&self, duration: Duration) {
        let (options, now) = (self.breaker_options(), self.now());
        if duration.is_zero() {
            return;
        }
        let ms = if duration == Duration::MAX {
            f64::INFINITY
        } else {
            ms_from_duration(duration)
        };
        self.live()
            .locked(|locked| locked.set_open(&options, now, Some(ms)));
    }

    /// Closes the circuit by hand. What was counted is forgotten.
    ///
    /// # Panics
    /// If there is no breaker.
    #[track_caller]
    pub fn close(&self) {
        let (options, now) = (self.breaker_options(), self.now());
        self.live()
            .locked(|locked| locked.set_open(&options, now, None));
    }

    /// Rejects all attempts that wait for their turn, and all that come. Those that are running go on. For a service
    /// that shuts down. Without a key, it does so for all keys.
    ///
    /// # Panics
    /// If there is no limiter.
    // The method itself is of one lifetime.
    #[allow(clippy::redundant_closure_for_method_calls)]
    #[track_caller]
    pub fn drain(&self) {
        let recipe = &self.cell.recipe;
        assert!(
            recipe.limiter.is_some(),
            "this protection has no limiter: add one with .limiter(…)"
        );
        if self.cell.key.is_none() {
            recipe.drained.set();
            for cell in self.keys.cells() {
                cell.locked(|locked| locked.drain());
            }
        }
        self.live().locked(|locked| locked.drain());
    }

    #[track_caller]
    fn breaker_options(&self) -> BreakerSettings {
        let options = self.cell.recipe.breaker;
        options.expect("this protection has no breaker: add one with .breaker(…)")
    }

    #[cfg(feature = "tower")]
    pub(crate) fn has_hedge(&self) -> bool {
        self.cell.recipe.hedge.is_some()
    }

    /// The part of an operation that starts now.
    pub(crate) fn join(&self) -> Protected {
        Protected::new(self.live())
    }

    /// The numbers that an operation starts with: those of the key, should another protection have the key by now.
    fn live(&self) -> Arc<Cell> {
        match &self.cell.key {
            None => self.cell.clone(),
            Some(key) => self.keys.take(key, &self.cell, self.now()),
        }
    }

    /// The time in ms of what is not an operation.
    fn now(&self) -> f64 {
        let now = match &self.cell.recipe.clock {
            Some(clock) => Some(clock()),
            None => host_now(),
        };
        now.map_or(0.0, |now| Nanos::from(now).ms())
    }
}
