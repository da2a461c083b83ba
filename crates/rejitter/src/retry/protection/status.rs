//! Status of a protection: its numbers, and its events.

use std::time::Duration;

use crate::StopReason;

/// The numbers of one [`Protection`](crate::Protection), for one destination.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ProtectionStatus {
    /// The budget's numbers. `None` without a budget.
    pub budget: Option<BudgetStatus>,
    /// The breaker's numbers. `None` without a breaker.
    pub breaker: Option<BreakerStatus>,
    /// The cooldown's numbers. `None` without a cooldown.
    pub cooldown: Option<CooldownStatus>,
    /// The numbers of hedges. `None` without a hedge.
    pub hedge: Option<HedgeStatus>,
    /// The numbers of the limiter. `None` without a limiter.
    pub limiter: Option<LimiterStatus>,
}

/// The numbers of a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BudgetStatus {
    /// Tokens that are left.
    pub tokens: f64,
    /// Tokens of a full budget.
    pub capacity: f64,
    /// Number of retries and hedges that it granted.
    pub granted: u64,
    /// Number of retries and hedges that it rejected.
    pub rejected: u64,
}

/// The numbers of a breaker.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BreakerStatus {
    /// Whether it admits attempts.
    pub state: BreakerState,
    /// Time until asking again makes sense. Zero if an attempt may be admitted now.
    pub retry_after: Duration,
    /// Failures within the window. Not a whole number, because older ones count less.
    pub failures: f64,
    /// Calls within the window.
    pub calls: f64,
    /// Openings in a row.
    pub opens: u64,
    /// Number of attempts that it rejected.
    pub rejected: u64,
}

/// Whether a breaker admits attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BreakerState {
    /// It admits all.
    Closed,
    /// It rejects all. The first attempt after that time makes it half-open.
    Open,
    /// It admits one attempt at a time, a probe.
    HalfOpen,
}

/// The numbers of a cooldown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CooldownStatus {
    /// Rest of the cooldown. Zero if no cooldown is running.
    pub remaining: Duration,
    /// Number of attempts that it holds now.
    pub held: u64,
    /// Number of attempts that it rejected.
    pub rejected: u64,
}

/// The numbers of hedges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HedgeStatus {
    /// Time from the start of an attempt to that of its hedge. `None` while too few first attempts are known.
    pub delay: Option<Duration>,
    /// Number of hedges that were started.
    pub hedges: u64,
    /// Number of those that ended their operations with success.
    pub won: u64,
    /// Number of hedges that were due but not started: the circuit was not closed, a cooldown was running, or a
    /// budget had no token.
    pub rejected: u64,
}

/// The numbers of a limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterStatus {
    /// Number of attempts that have a place: those that are running.
    pub running: u64,
    /// Number of attempts that wait for their turn.
    pub queued: u64,
    /// Time until the next attempt may start, if it need not wait for a place.
    pub next: Duration,
    /// Number of attempts that it rejected.
    pub rejected: u64,
}

/// A change of a protection, for [`Protection::on_event`](crate::Protection::on_event).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ProtectionEvent<'a> {
    /// The key of [`Protection::for_key`](crate::Protection::for_key). `None` without a key.
    pub key: Option<&'a str>,
    /// The change.
    pub change: ProtectionChange,
}

/// Change of a protection.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ProtectionChange {
    /// The breaker opened.
    Opened(BreakerStatus),
    /// The breaker admits probes.
    HalfOpen(BreakerStatus),
    /// The breaker closed.
    Closed(BreakerStatus),
    /// A part rejected an attempt: its name, and when asking again makes sense. The budget cannot know when.
    #[non_exhaustive]
    Rejected {
        /// [`StopReason::Budget`], [`StopReason::Breaker`], [`StopReason::Cooldown`] or [`StopReason::Limiter`].
        by: StopReason,
        /// Time until asking again makes sense.
        retry_after: Option<Duration>,
    },
    /// The cooldown holds an attempt for this time.
    Held(Duration),
    /// The other limiter of [`Protection::acquire`](crate::Protection::acquire) could not tell, or took too long.
    /// Reported once a minute.
    AcquireFailed,
    /// An attempt waits for its turn: for at least this time, if that is known. Reported once per attempt.
    Queued(Option<Duration>),
    /// The budget rejected a retry or a hedge for the first time since it was full.
    BudgetEmpty(BudgetStatus),
    /// The budget is full again.
    BudgetFull(BudgetStatus),
}
