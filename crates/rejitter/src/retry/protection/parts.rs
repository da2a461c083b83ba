//! The parts of a protection, as programs choose them.

use std::sync::Arc;
use std::time::Duration;

use super::acquire::Acquire;
use super::handle::Protection;
use super::status::ProtectionEvent;
use crate::core::OptionErrors;
use crate::core::protection::{
    BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, LimiterOptions,
};

impl Protection {
    /// Adds a budget for retries: each retry after a failure takes tokens. An operation for which none are left ends
    /// with its own last error ([`StopReason::Budget`](crate::StopReason::Budget)). A token is taken only if a retry
    /// follows, and goes back if the retry never starts.
    ///
    /// First attempts need no token, and neither do retries after an answer:
    /// [`Signal::Success`](crate::Signal::Success) or [`Signal::Nothing`](crate::Signal::Nothing) of
    /// [`Retry::signal`](crate::Retry::signal), such as "not yet" of a poll.
    ///
    /// The returned protection shares no numbers with this one and has no key, as with all these methods: call
    /// [`for_key`](Self::for_key) last.
    ///
    /// # Panics
    /// If an option is invalid. [`BudgetOptions::check`] returns the problems of options that are read at run time.
    #[doc(alias = "retry_budget")]
    #[track_caller]
    pub fn budget(self, options: BudgetOptions) -> Self {
        accept(options.check());
        self.with(|recipe| recipe.budget = Some(options.settings()))
    }

    /// Adds a breaker: while most calls fail, all attempts are rejected for a while, first ones too. It has no timer:
    /// the first attempt after that time is a probe. If it succeeds, the circuit closes.
    ///
    /// A call is the first attempt of an operation, an attempt that follows an answer
    /// ([`Signal::Success`](crate::Signal::Success), [`Signal::Nothing`](crate::Signal::Nothing)), or a retry that
    /// succeeds. Retries that fail do not count while the circuit is closed.
    ///
    /// [`Retry::when`](crate::Retry::when) decides what counts as a failure: an error that is worth another
    /// attempt, also where none is left. [`Retry::signal`](crate::Retry::signal) overrides it. A timeout is a failure.
    ///
    /// # Panics
    /// If an option is invalid. [`BreakerOptions::check`] returns the problems of options that are read at run time.
    #[doc(alias = "circuit_breaker")]
    #[track_caller]
    pub fn breaker(self, options: BreakerOptions) -> Self {
        accept(options.check());
        self.with(|recipe| recipe.breaker = Some(options.settings()))
    }

    /// Adds a cooldown: if a server asks one operation for fewer requests, all attempts are held until then, each at
    /// most once. So that they do not come back at once, each is held for a drawn time longer.
    ///
    /// One first attempt passes each hold at once, its probe. The success of an attempt that started during a hold
    /// ends it, unless a hint has made it longer since then. Attempts that are held already keep their wait. So one
    /// route with a limit of its own does not stop the others of its server for long. With a key per route
    /// ([`for_key`](Self::for_key)), it does not stop them at all.
    ///
    /// [`Verdict::RetryAtLeast`](crate::Verdict::RetryAtLeast) and [`Signal::Busy`](crate::Signal::Busy) start it.
    /// A [`Retry::hint`](crate::Retry::hint) does not: one bad node's "503, come back in a minute" must not stop
    /// the others.
    ///
    /// # Panics
    /// If an option is invalid. [`CooldownOptions::check`] returns the problems of options that are read at run time.
    #[track_caller]
    pub fn cooldown(self, options: CooldownOptions) -> Self {
        accept(options.check());
        self.with(|recipe| recipe.cooldown = Some(options))
    }

    /// Adds hedges: a second attempt starts while a slow one is running, and the first success wins. Only operations
    /// with [`Retry::hedge`](crate::Retry::hedge) start hedges. All others that share the protection count: their
    /// successes allow hedges, and the delay is learned from their first attempts, too. An attempt that follows an
    /// answer counts as a first one.
    ///
    /// Hedges cost load, so they are bounded: ten at the start, then one per ten successful operations, even if every
    /// attempt is slow. Each takes tokens of the [`budget`](Self::budget) as a retry does. None starts while the
    /// circuit is open or half-open, or while a cooldown is running. [`on_event`](Self::on_event) is not called for
    /// them.
    ///
    /// # Panics
    /// If an option is invalid. [`HedgeOptions::check`] returns the problems of options that are read at run time.
    #[track_caller]
    pub fn hedge(self, options: HedgeOptions) -> Self {
        accept(options.check());
        self.with(|recipe| recipe.hedge = Some(options.settings()))
    }

    /// Adds a limiter: attempts start no faster than `limit` per `per_ms`, and no more than `concurrency` run at the
    /// same time. Those that have to wait start in the order in which their operations came, so a retry goes before
    /// operations that came later.
    ///
    /// Each attempt counts: first ones, retries, hedges, connection attempts of [`reconnect`](crate::reconnect). A
    /// hedge that would have to wait does not start. An attempt that cannot start before its operation's deadline is
    /// rejected at once, as is one that comes when `max_queue` wait. A place of `concurrency` is free when its attempt
    /// has ended or was dropped, and for a connection when it is open. An operation that waits for its turn must be
    /// polled, as any future that others wait for: one that is kept without being polled holds up those behind it.
    ///
    /// [`Verdict::RetryAtLeast`](crate::Verdict::RetryAtLeast) and [`Signal::Busy`](crate::Signal::Busy) let nothing
    /// start until then. Beside a [`cooldown`](Self::cooldown), no attempt is held any more, and a hold has no probe:
    /// the queue stands as long. [`Retry::weight`](crate::Retry::weight) makes an attempt take more than one unit.
    ///
    /// Without a clock, time passes only while somebody waits, so attempts start more slowly than they might.
    ///
    /// ```
    /// use rejitter::testing::VirtualTime;
    /// use rejitter::{LimiterOptions, Protection, RetryPolicy, retry};
    /// use std::cell::RefCell;
    ///
    /// let api = Protection::new().limiter(LimiterOptions { limit: Some(2.0), ..LimiterOptions::DEFAULT });
    /// let (time, starts) = (VirtualTime::new(), RefCell::new(Vec::new()));
    /// let call = || {
    ///     let call = async || Ok::<_, String>(starts.borrow_mut().push(time.now().as_millis()));
    ///     retry(RetryPolicy::default(), call).protection(&api).sleeper(&time)
    /// };
    /// time.block_on(futures_util::future::join_all([call(), call(), call()]));
    /// assert_eq!(*starts.borrow(), [0, 500, 1_000]);
    /// ```
    ///
    /// # Panics
    /// If an option is invalid. [`LimiterOptions::check`] returns the problems of options that are read at run time.
    #[doc(alias = "rate_limit")]
    #[doc(alias = "bulkhead")]
    #[track_caller]
    pub fn limiter(self, options: LimiterOptions) -> Self {
        accept(options.check());
        self.with(|recipe| recipe.limiter = Some(options.settings()))
    }

    /// Lets another limiter decide, such as one in a database that all processes share. It is asked for the first
    /// attempt that waits, with the key and the weight, and answers how long to wait before asking again. Zero lets the
    /// attempt start. So one attempt starts per round trip, and hedges do not start at all.
    ///
    /// `None` means that it cannot tell. Then, and if an answer takes longer than `timeout`, the attempt starts by the
    /// own [`limiter`](Self::limiter), if there is one. If that has a `limit`, it decides alone for ten times that
    /// long: a limiter that is down must not be an outage. [`on_event`](Self::on_event) hears of it once a minute.
    ///
    /// The future is polled in the operation, or by the thread, that waits.
    ///
    /// ```
    /// use rejitter::testing::VirtualTime;
    /// use rejitter::{Protection, RetryPolicy, retry};
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use std::time::Duration;
    ///
    /// static ASKED: AtomicU32 = AtomicU32::new(0);
    /// let api = Protection::new().acquire(Duration::from_secs(1), |key, _weight| {
    ///     assert_eq!(key, None);
    ///     async {
    ///         // Ask the store. Here it says "in 200 ms", then "now".
    ///         let number = ASKED.fetch_add(1, Ordering::Relaxed);
    ///         Some(Duration::from_millis(if number == 0 { 200 } else { 0 }))
    ///     }
    /// });
    /// let time = VirtualTime::new();
    /// let call = retry(RetryPolicy::default(), || async { Ok::<_, String>(time.now().as_millis()) });
    /// assert_eq!(time.block_on(call.protection(&api).sleeper(&time)), Ok(200));
    /// ```
    pub fn acquire<F, Fut>(self, timeout: Duration, acquire: F) -> Self
    where
        F: Fn(Option<&str>, f64) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Duration>> + Send + 'static,
    {
        self.with(|recipe| {
            let unlimited = LimiterOptions::DEFAULT.settings();
            recipe.limiter.get_or_insert(unlimited);
            recipe.acquire = Some(Acquire::new(acquire, timeout));
        })
    }

    /// Sets a function that receives each change: openings, rejections, holds. It is called in the operation that
    /// causes the change, and may use the protection.
    ///
    /// Examples: [`guide::protection`](crate::guide::protection).
    pub fn on_event(self, on_event: impl Fn(&ProtectionEvent<'_>) + Send + Sync + 'static) -> Self {
        self.with(|recipe| recipe.on_event = Some(Arc::new(on_event)))
    }

    /// Sets the clock: a function that returns the time since some moment in the past.
    pub fn clock(self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        self.with(|recipe| recipe.clock = Some(Arc::new(clock)))
    }
}

#[track_caller]
fn accept(checked: Result<(), OptionErrors>) {
    if let Err(problems) = checked {
        panic!("rejitter: {problems}");
    }
}
