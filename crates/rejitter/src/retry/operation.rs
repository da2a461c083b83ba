//! One operation, without its waiting: what the asynchronous and the blocking form share.

use core::fmt;
use core::task::Waker;
use core::time::Duration;

use super::nanos::{Nanos, PackedStart};
use super::outcome::{Cuts, Ending};
#[cfg(feature = "protection")]
use super::protection::{Next, Pass, Protected};
#[cfg(feature = "protection")]
use super::rounds::Ended;
use super::row::{Begun, Row, Started};
#[cfg(feature = "protection")]
use super::sleeper::LONGEST;
use super::{Attempt, AttemptError, Hooks, Outcome, TimeoutError};
#[cfg(feature = "protection")]
use crate::core::Seed;
use crate::core::{RetryPolicy, StopReason, UNLIMITED};

/// The state of one operation. Times are readings of its sleeper's clock.
pub(super) struct Operation<M> {
    pub(super) policy: RetryPolicy,
    /// Where its draws start, once that is known.
    pub(super) draws: PackedStart,
    pub(super) outcome: M,
    pub(super) started: Nanos,
    /// Number of started attempts.
    pub(super) attempts: u64,
    /// Start of the last attempt.
    attempt_started: Nanos,
    pub(super) row: Row,
    pub(super) previous_delay: Nanos,
    /// The longest time that the server asked for in the last round.
    pub(super) hint: Nanos,
}

/// The next step before an attempt.
pub(super) enum Step {
    /// It starts.
    Begin,
    /// It is held for this time.
    Hold(Duration),
    /// It waits for its turn, until it is woken.
    #[cfg(feature = "protection")]
    Queue(Turn),
}

/// How long an attempt waits for its turn, unless it is woken before.
#[cfg(feature = "protection")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// `None` if only others can tell.
    pub(super) due: Option<Duration>,
    /// Time until the deadline.
    pub(super) left: Option<Duration>,
    /// Whether it may well come before it is due.
    pub(super) asks: bool,
}

#[cfg(feature = "protection")]
impl Turn {
    pub(super) fn longest(self) -> Duration {
        let due = self.due.unwrap_or(LONGEST);
        due.min(self.left.unwrap_or(LONGEST)).min(LONGEST)
    }
}

/// Why an attempt must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Attempt,
    Deadline,
}

impl<M> Operation<M> {
    #[inline]
    pub(super) fn new(policy: RetryPolicy, outcome: M) -> Self {
        Self {
            policy,
            draws: PackedStart::NONE,
            outcome,
            started: Nanos::ZERO,
            attempts: 0,
            attempt_started: Nanos::ZERO,
            row: Row::default(),
            previous_delay: Nanos::NONE,
            hint: Nanos::NONE,
        }
    }

    /// The operation before it starts, with another outcome.
    #[inline]
    pub(super) fn with_outcome<M2>(self, change: impl FnOnce(M) -> M2) -> Operation<M2> {
        Operation {
            draws: self.draws,
            ..Operation::new(self.policy, change(self.outcome))
        }
    }

    /// Prints the settings, as the last fields. Errors need not be printable.
    pub(super) fn debug(&self, debug: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result
    where
        M: Outcome,
    {
        debug
            .field("policy", &self.policy)
            .field("is_seeded", &self.draws.get().is_some())
            .field("total_timeout", &self.outcome.deadline().after)
            .finish_non_exhaustive()
    }

    /// The attempt that was started last.
    #[inline]
    pub(super) fn last(&self) -> Begun {
        Begun {
            number: self.attempts,
            at: self.attempt_started,
        }
    }

    #[inline]
    pub(super) fn since_start(&self, now: Nanos) -> Duration {
        now.since(self.started).duration()
    }
}

/// Which draw of an attempt is protection's: the first two are those of its wait.
#[cfg(feature = "protection")]
pub(super) const PROTECTION_DRAW: u64 = 2;

#[cfg(feature = "protection")]
/// A draw for protection, apart from those of the waits after `attempt`. Without randomness the time has to do.
pub(super) fn protection_draw(draws: &mut PackedStart, attempt: u64, now: Nanos) -> f64 {
    let fresh = || Seed::of_operation().map(Seed::only_start);
    let start = draws.get().or_else(fresh);
    *draws = start.map_or(PackedStart::NONE, Into::into);
    let start = start.unwrap_or(Seed::new(now.bits()).start(0));
    start.draw(attempt, PROTECTION_DRAW)
}

impl<M: Outcome> Operation<M> {
    /// Starts the next attempt, and with it a round.
    #[inline]
    pub(super) fn begin(&mut self, now: Nanos) -> Attempt {
        self.hint = Nanos::NONE;
        self.begin_attempt(now)
    }

    #[cfg(feature = "protection")]
    /// How long after the attempt that starts its hedge is due. `None` if none may start.
    pub(super) fn hedge_delay(&mut self, now: Nanos) -> Option<Duration> {
        let remaining = self.remaining(now);
        let left = self.is_attempt_left();
        let delay = self.outcome.guard().filter(|_| left)?.hedge_delay(now)?;
        Some(delay).filter(|delay| Nanos::from(*delay) < remaining)
    }

    #[cfg(feature = "protection")]
    /// Starts a hedge, unless its time has passed or protection forbids it.
    pub(super) fn begin_hedge(
        &mut self,
        now: Nanos,
        hooks: &mut impl Hooks<M::Attempt>,
    ) -> Option<(Attempt, Pass)> {
        if self.remaining(now) == Nanos::ZERO {
            return None;
        }
        let attempts = self.attempts;
        self.outcome.guard()?.weigh(|| hooks.weight(attempts + 1));
        let pass = self.outcome.guard()?.start_hedge(now)?;
        Some((self.begin_attempt(now), pass))
    }

    /// Starts an attempt in the present round.
    #[inline]
    fn begin_attempt(&mut self, now: Nanos) -> Attempt {
        self.attempts += 1;
        self.attempt_started = now;
        self.attempt(self.last().started(None))
    }

    /// An attempt as callbacks see it.
    #[inline]
    pub(super) fn attempt(&self, started: Started) -> Attempt {
        let most = self.policy.max_attempts();
        Attempt {
            attempt: started.number,
            attempts_left: match most {
                UNLIMITED => UNLIMITED,
                most => most.saturating_sub(self.row.number(started.number)),
            },
            elapsed: self.since_start(started.at),
            remaining: self.remaining(started.at).get(),
            previous_delay: self.previous_delay.get(),
        }
    }

    /// Whether the policy allows another attempt in this row.
    #[inline]
    pub(super) fn is_attempt_left(&self) -> bool {
        self.attempts - self.row.before < self.policy.max_attempts()
    }

    /// Number of rounds that were started: an attempt and its hedge are one.
    #[inline]
    pub(super) fn rounds(&mut self) -> u64 {
        #[cfg(not(feature = "protection"))]
        let hedges = 0;
        #[cfg(feature = "protection")]
        let hedges = self.outcome.guard().map_or(0, |guard| guard.hedges());
        self.attempts - hedges
    }

    /// The end of the operation.
    #[inline]
    pub(super) fn deadline(&self) -> Nanos {
        if M::ENDS {
            self.started.plus(self.outcome.deadline().after)
        } else {
            Nanos::NONE
        }
    }

    #[inline]
    pub(super) fn remaining(&self, now: Nanos) -> Nanos {
        self.deadline().since(now)
    }

    /// Whether anything needs the time. `read`: the callback does.
    #[inline]
    pub(super) fn is_timed<H: Hooks<M::Attempt>>(&self, read: bool) -> bool {
        // Nothing depends on how long a first attempt takes.
        let measures = H::MAY_BEGIN_AGAIN && self.attempts > 0;
        read || H::TIMED
            || measures
            || M::TIMED
            || M::ENDS && self.outcome.deadline().after != Nanos::NONE
    }

    /// Starts the operation. `reading`: of its clock, if it has one.
    #[inline]
    pub(super) fn start(&mut self, reading: Option<Nanos>) -> Nanos {
        let now = reading.unwrap_or(Nanos::ZERO);
        self.started = now;
        #[cfg(feature = "protection")]
        if let Some(guard) = self.outcome.guard() {
            guard.start(reading.is_none());
        }
        now
    }

    /// Before an attempt: whether it starts. Ends the operation if the deadline has passed, or if its protection
    /// rejects the attempt. It is woken by what the function makes.
    #[inline]
    pub(super) fn ready(
        &mut self,
        now: Nanos,
        hooks: &mut impl Hooks<M::Attempt>,
        waker: &dyn Fn() -> Waker,
    ) -> Result<Step, M::Error> {
        let attempts = self.attempts;
        #[cfg(not(feature = "protection"))]
        let is_queued = false;
        #[cfg(feature = "protection")]
        let is_queued = self.outcome.guard().is_some_and(|guard| guard.is_queued());
        // A first attempt may start, however little time there is. The queue itself rejects who is too late.
        if attempts > 0 && self.remaining(now) == Nanos::ZERO && !is_queued {
            let error = AttemptError::Timeout(self.timeout(Limit::Deadline));
            return self.end_early(StopReason::Deadline, now, error);
        }
        #[cfg(feature = "protection")]
        {
            let remaining = self.remaining(now);
            let Some(guard) = self.outcome.guard() else {
                return Ok(Step::Begin);
            };
            guard.weigh(|| hooks.weight(attempts + 1));
            let (policy, draws) = (&self.policy, &mut self.draws);
            let draw = || protection_draw(draws, attempts, now);
            match guard.enter(now, remaining, policy, waker, draw) {
                Next::Begin => {}
                Next::Hold(duration) => return Ok(Step::Hold(duration)),
                Next::Queue(turn) => return Ok(Step::Queue(turn)),
                Next::Rejected(rejected) => {
                    return self.end_early(rejected.by, now, AttemptError::Rejected(rejected));
                }
            }
        }
        Ok(Step::Begin)
    }

    /// How long the wait for a turn was, whose timer has ended. Zero for other waits, whose time is known before.
    pub(super) fn waited_for_turn(&mut self) -> Duration {
        #[cfg(not(feature = "protection"))]
        return Duration::ZERO;
        #[cfg(feature = "protection")]
        let turn = self.outcome.guard().and_then(Protected::take_turn);
        #[cfg(feature = "protection")]
        turn.map_or(Duration::ZERO, Turn::longest)
    }

    /// Ends the operation, unless the form of its failure has nothing to return.
    #[allow(clippy::unnecessary_wraps)]
    fn end_early(
        &mut self,
        reason: StopReason,
        now: Nanos,
        error: AttemptError<M::Attempt>,
    ) -> Result<Step, M::Error> {
        let ending = self.ending(reason, now);
        let ended = self.outcome.end_early(error, ending);
        ended.map_or(Ok(Step::Begin), Err)
    }

    #[cfg(feature = "protection")]
    /// An attempt succeeded, and with it the operation.
    pub(super) fn succeed(&mut self, end: impl Ended, clock: impl FnOnce() -> Nanos) {
        let winner = end.attempt(self.last());
        if let Some(guard) = self.outcome.guard() {
            let mut both = [Some(winner), end.other()].into_iter().flatten();
            let attempt = both.find(|started| started.hedge.is_none());
            guard.succeeded(winner.hedge, attempt.map(|attempt| attempt.at), clock);
        }
    }

    /// How long the attempt just started may take: for its timeout, or until the deadline if that is not later.
    pub(super) fn limit(&mut self) -> Option<(Limit, Duration)> {
        let cuts = match self.outcome.deadline().cuts {
            Cuts::All => true,
            Cuts::Later => self.rounds() > 1,
            Cuts::None => false,
        };
        let deadline = if cuts {
            self.remaining(self.attempt_started)
        } else {
            Nanos::NONE
        };
        let timeout = self.outcome.attempt_timeout();
        // The deadline wins if both are equal.
        let (limit, after) = if deadline <= timeout {
            (Limit::Deadline, deadline)
        } else {
            (Limit::Attempt, timeout)
        };
        after.get().map(|after| (limit, after))
    }

    /// How long an attempt of the first round may go on after the other one has failed, if it had no such limit.
    pub(super) fn late_limit(&mut self, now: Nanos) -> Option<Duration> {
        let spared = self.rounds() == 1 && self.outcome.deadline().cuts == Cuts::Later;
        self.remaining(now).get().filter(|_| spared)
    }

    /// The error of an attempt that this limit ended.
    pub(super) fn timeout(&self, limit: Limit) -> TimeoutError {
        match limit {
            Limit::Attempt => TimeoutError::Attempt {
                after: self.outcome.attempt_timeout().duration(),
            },
            Limit::Deadline => TimeoutError::Deadline {
                after: self.outcome.deadline().after.duration(),
            },
        }
    }

    /// The end of the operation, which releases what it holds of its protection.
    pub(super) fn ending(&mut self, reason: StopReason, now: Nanos) -> Ending {
        #[cfg(not(feature = "protection"))]
        let retry_after = None;
        #[cfg(feature = "protection")]
        let retry_after = self.outcome.guard().and_then(|guard| {
            guard.release();
            guard.retry_after()
        });
        Ending {
            retry_after,
            reason,
            attempts: self.attempts,
            elapsed: self.since_start(now),
            hint: self.hint.get(),
        }
    }
}
