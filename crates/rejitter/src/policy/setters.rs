//! Policies as constants: constructors and setters that check when they are compiled.

use core::time::Duration;

use super::duration::ms_from_duration;
use crate::core::{Backoff, Jitter, OptionError, Own, RetryOptions, RetryPolicy, or};

/// A copy of a policy with another value of one option, which becomes the caller's own.
macro_rules! set {
    ($policy:ident.$option:ident = $value:expr $(, $own:ident)?) => {{
        let mut options = $policy.options();
        options.$option = $value;
        let own = $policy.own();
        $(let own = Own { $own: true, ..own };)?
        Self::constant(yielding(options, own)).with_own(own)
    }};
}

/// Moves a base, cap or minimum that nobody but a preset or a default set, if it contradicts one that the caller set.
const fn yielding(mut options: RetryOptions, own: Own) -> RetryOptions {
    let cap = options.resolved_cap_ms();
    let (base, min) = (or(options.base_ms, 0.0), or(options.min_ms, 0.0));
    if own.cap {
        if base > cap && !own.base {
            options.base_ms = Some(cap);
        }
        if min > cap && !own.min {
            options.min_ms = Some(cap);
        }
        return options;
    }
    let base = if own.base { base } else { 0.0 };
    let min = if own.min { min } else { 0.0 };
    if base.max(min) > cap {
        options.cap_ms = Some(base.max(min));
    }
    options
}

/// # Constants
///
/// Constructors choose the backoff. Every `with_` setter checks the whole policy, so an invalid constant
/// does not compile, and the message names the option:
///
/// ```compile_fail
/// # use rejitter::RetryPolicy;
/// # use std::time::Duration;
/// // error: evaluation panicked: rejitter: min must be at most cap …
/// const POLICY: RetryPolicy = RetryPolicy::exponential()
///     .with_cap(Duration::from_secs(1))
///     .with_min(Duration::from_secs(2));
/// # let _ = POLICY;
/// ```
///
/// Outside of constants the setters panic. For configuration that is read at run time, use [`RetryOptions`], whose
/// setters have the same names, and [`from_options`](RetryPolicy::from_options), which returns every problem.
impl RetryPolicy {
    /// Exponential backoff: ceilings `base·factor^(k−1)`. The same as [`RetryPolicy::default`]: full
    /// jitter, base 100 ms, factor 2, cap 10 s, six attempts.
    #[doc(alias = "ExponentialBuilder")]
    #[doc(alias = "ExponentialBackoff")]
    pub const fn exponential() -> Self {
        Self::of_backoff(Backoff::Exponential)
    }

    /// Fixed backoff: every ceiling is `base`. With the default full jitter, a wait is any time below it.
    #[track_caller]
    #[doc(alias = "ConstantBuilder")]
    #[doc(alias = "FixedInterval")]
    pub const fn fixed(base: Duration) -> Self {
        Self::of_backoff(Backoff::Fixed).with_base(base)
    }

    /// Linear backoff: ceilings `base + step·(k−1)`. The step defaults to the base.
    pub const fn linear() -> Self {
        Self::of_backoff(Backoff::Linear)
    }

    /// Fibonacci backoff: ceilings `base` times 1, 1, 2, 3, 5, …
    #[doc(alias = "FibonacciBuilder")]
    #[doc(alias = "FibonacciBackoff")]
    pub const fn fibonacci() -> Self {
        Self::of_backoff(Backoff::Fibonacci)
    }

    /// Truncated binary exponential backoff, as in Ethernet: ceilings that double up to wait
    /// `truncate_at` (default 10) and then stay. If the base is unset, that ceiling is the cap.
    pub const fn truncated() -> Self {
        Self::of_backoff(Backoff::Truncated)
    }

    /// A backoff that [`Retry::curve`](crate::Retry::curve) computes. It has no default cap.
    ///
    /// ```ignore-wasm32
    /// use rejitter::testing::VirtualTime;
    /// use rejitter::{Jitter, RetryPolicy, retry_blocking};
    /// use std::time::Duration;
    ///
    /// const POLICY: RetryPolicy = RetryPolicy::custom().with_jitter(Jitter::None);
    /// let time = VirtualTime::new();
    /// let fails = retry_blocking(POLICY, || Err::<(), _>("busy")).curve(|k| Duration::from_secs(k * k));
    /// assert_eq!(fails.sleeper(&time).call(), Err("busy"));
    /// assert_eq!(time.now(), Duration::from_secs(1 + 4 + 9 + 16 + 25));
    /// ```
    pub const fn custom() -> Self {
        Self::of_backoff(Backoff::Custom)
    }

    /// One attempt and no retry.
    pub const fn no_retries() -> Self {
        Self::exponential().with_max_attempts(1)
    }

    /// Sets the initial ceiling. Defaults to 100 ms. A base above a cap that is a default or a preset's raises the cap.
    ///
    /// # Panics
    /// If the base exceeds a cap that [`with_cap`](Self::with_cap) set, or 2^53 − 1 ms.
    #[track_caller]
    #[doc(alias = "with_min_delay")]
    #[doc(alias = "initial_interval")]
    pub const fn with_base(self, base: Duration) -> Self {
        set!(self.base_ms = Some(ms_from_duration(base)), base)
    }

    /// Sets the upper bound of every ceiling, and of every wait that no server requested. Defaults to 10 s, or
    /// to a longer base. [`Duration::MAX`] means no bound. A cap below a preset's base or minimum lowers these.
    ///
    /// # Panics
    /// If the cap is shorter than a base or a minimum that the caller set.
    #[track_caller]
    #[doc(alias = "with_max_delay")]
    #[doc(alias = "max_interval")]
    pub const fn with_cap(self, cap: Duration) -> Self {
        set!(self.cap_ms = Some(ms_from_duration(cap)), cap)
    }

    /// Sets the minimum wait. Defaults to zero. A minimum above a ceiling removes that wait's jitter. One above a cap
    /// that is a default or a preset's raises the cap.
    ///
    /// # Panics
    /// If the minimum exceeds a cap that [`with_cap`](Self::with_cap) set.
    #[track_caller]
    pub const fn with_min(self, min: Duration) -> Self {
        set!(self.min_ms = Some(ms_from_duration(min)), min)
    }

    /// Sets the growth of [`exponential`](Self::exponential) ceilings from wait to wait. Defaults to 2.
    ///
    /// # Panics
    /// If the factor is not a finite number of at least 1, or if another backoff or a jitter without
    /// ceilings was chosen.
    #[track_caller]
    pub const fn with_factor(self, factor: f64) -> Self {
        set!(self.factor = Some(factor))
    }

    /// Sets the growth of [`linear`](Self::linear) ceilings from wait to wait. Defaults to the base.
    ///
    /// # Panics
    /// If the step exceeds 2^53 − 1 ms, or if another backoff or a jitter without ceilings was chosen.
    #[track_caller]
    pub const fn with_step(self, step: Duration) -> Self {
        set!(self.step_ms = Some(ms_from_duration(step)))
    }

    /// Sets the wait at which [`truncated`](Self::truncated) backoff and [`Jitter::Slotted`] stop growing:
    /// between 1 and 1,024. Defaults to 10.
    ///
    /// # Panics
    /// If the number is outside this range, or if neither was chosen.
    #[track_caller]
    pub const fn with_truncate_at(self, wait: u32) -> Self {
        set!(self.truncate_at = Some(wait))
    }

    /// Sets how a wait is drawn below its ceiling. Defaults to [`Jitter::Full`].
    ///
    /// # Panics
    /// If a parameter of the jitter is invalid, or if a factor or step was set that the jitter ignores.
    #[track_caller]
    pub const fn with_jitter(self, jitter: Jitter) -> Self {
        set!(self.jitter = jitter)
    }

    /// Sets the maximum number of attempts, the first included: three retries are four attempts. Defaults to 6;
    /// [`UNLIMITED`](crate::UNLIMITED) means no limit.
    ///
    /// # Panics
    /// If the number is 0.
    #[track_caller]
    #[doc(alias = "with_max_times")]
    #[doc(alias = "with_max_retries")]
    #[doc(alias = "max_retries")]
    pub const fn with_max_attempts(self, attempts: u64) -> Self {
        set!(self.max_attempts = Some(attempts))
    }

    /// Sets the longest wait requested by a server that is followed. Defaults to 60 s. A longer request ends
    /// the operation ([`StopReason::Hint`](crate::StopReason::Hint)).
    #[track_caller]
    pub const fn with_max_retry_after(self, longest: Duration) -> Self {
        set!(self.max_retry_after_ms = Some(ms_from_duration(longest)))
    }

    /// Sets whether a request longer than
    /// [`with_max_retry_after`](Self::with_max_retry_after) is followed up to that time, instead of ending
    /// the operation. Defaults to false. The retry then comes earlier than the server requested.
    pub const fn with_capped_retry_after(self, cap: bool) -> Self {
        set!(self.cap_long_retry_after = cap)
    }

    const fn of_backoff(backoff: Backoff) -> Self {
        Self::resolve(&RetryOptions {
            backoff,
            ..RetryOptions::DEFAULT
        })
    }

    /// A policy of options that the program itself holds.
    #[track_caller]
    pub(super) const fn constant(options: RetryOptions) -> Self {
        if let Some(problem) = options.problems().first() {
            reject(&problem);
        }
        Self::resolve(&options)
    }
}

impl Jitter {
    /// [`Jitter::AdditiveMax`] of a duration: adds up to `max` to the ceiling. Positive.
    ///
    /// ```
    /// use rejitter::{Jitter, RetryPolicy};
    /// use std::time::Duration;
    ///
    /// let second = Duration::from_secs(1);
    /// let policy = RetryPolicy::fixed(5 * second).with_jitter(Jitter::additive(second));
    /// assert!(policy.delays(1).all(|delay| delay >= 5 * second && delay < 6 * second));
    /// ```
    #[must_use]
    pub const fn additive(max: Duration) -> Self {
        Self::AdditiveMax {
            max_ms: ms_from_duration(max),
        }
    }
}

/// Panics with the option's name as the setters spell it, without `_ms`. Constants have no formatting.
#[track_caller]
const fn reject(problem: &OptionError) -> ! {
    let mut message = Message {
        bytes: [0; 160],
        length: 0,
    };
    message.push("rejitter: ");
    message.push(problem.option);
    message.push(" must be ");
    message.push(problem.rule);
    let (text, _) = message.bytes.split_at(message.length);
    match core::str::from_utf8(text) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("rejitter: invalid policy"),
    }
}

struct Message {
    bytes: [u8; 160],
    length: usize,
}

impl Message {
    const fn push(&mut self, text: &str) {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.length < self.bytes.len() {
            if text.len() - i >= 3 && text[i] == b'_' && text[i + 1] == b'm' && text[i + 2] == b's'
            {
                i += 3;
            } else {
                self.bytes[self.length] = text[i];
                self.length += 1;
                i += 1;
            }
        }
    }
}
