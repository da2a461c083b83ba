//! One operation, without its waiting: what the asynchronous and the blocking form share.

use core::fmt;
use core::task::Waker;
use core::time::Duration;

use super::limits::{Cuts, Limit, Limits, MaybeLimits};
use super::nanos::{Nanos, PackedStart};
use super::protection::Turn;
use super::report::Ending;
use super::row::{Begun, Row, Started};
use super::{Attempt, AttemptError, Hooks, Outcome, TimeoutError};
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
    Queue(Turn),
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
            .field("total_timeout", &self.limits().total)
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

impl<M: Outcome> Operation<M> {
    /// Starts the next attempt, and with it a round.
    #[inline]
    pub(super) fn begin(&mut self, now: Nanos) -> Attempt {
        self.hint = Nanos::NONE;
        self.begin_attempt(now)
    }

    /// Starts an attempt in the present round.
    #[inline]
    pub(super) fn begin_attempt(&mut self, now: Nanos) -> Attempt {
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
        self.attempts - self.hedges()
    }

    #[inline]
    pub(super) fn limits(&self) -> Limits {
        self.outcome.limits().get()
    }

    /// The end of the operation.
    #[inline]
    pub(super) fn deadline(&self) -> Nanos {
        self.started.plus(self.limits().total)
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
        read || H::TIMED || measures || M::TIMED || self.limits().total != Nanos::NONE
    }

    /// Starts the operation. `reading`: of its clock, if it has one.
    #[inline]
    pub(super) fn start(&mut self, reading: Option<Nanos>) -> Nanos {
        let now = reading.unwrap_or(Nanos::ZERO);
        self.started = now;
        self.start_guard(reading.is_none());
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
        // A first attempt may start, however little time there is. The queue itself rejects who is too late.
        if self.attempts > 0 && self.remaining(now) == Nanos::ZERO && !self.is_queued() {
            let error = AttemptError::Timeout(self.timeout(Limit::Deadline));
            return self.end_early(StopReason::Deadline, now, error);
        }
        self.enter(now, hooks, waker)
    }

    /// Ends the operation, unless the form of its failure has nothing to return.
    pub(super) fn end_early(
        &mut self,
        reason: StopReason,
        now: Nanos,
        error: AttemptError<M::Attempt>,
    ) -> Result<Step, M::Error> {
        let ending = self.ending(reason, now);
        let ended = self.outcome.end_early(error, ending);
        ended.map_or(Ok(Step::Begin), Err)
    }

    /// How long the attempt just started may take: for its timeout, or until the deadline if that is not later.
    pub(super) fn limit(&mut self) -> Option<(Limit, Duration)> {
        let cuts = match self.limits().cuts {
            Cuts::All => true,
            Cuts::Later => self.rounds() > 1,
            Cuts::None => false,
        };
        let deadline = if cuts {
            self.remaining(self.attempt_started)
        } else {
            Nanos::NONE
        };
        let timeout = self.limits().attempt;
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
        let spared = self.rounds() == 1 && self.limits().cuts == Cuts::Later;
        self.remaining(now).get().filter(|_| spared)
    }

    /// The error of an attempt that this limit ended.
    pub(super) fn timeout(&self, limit: Limit) -> TimeoutError {
        match limit {
            Limit::Attempt => TimeoutError::Attempt {
                after: self.limits().attempt.duration(),
            },
            Limit::Deadline => TimeoutError::Deadline {
                after: self.limits().total.duration(),
            },
        }
    }

    /// The end of the operation, which releases what it holds of its protection.
    pub(super) fn ending(&mut self, reason: StopReason, now: Nanos) -> Ending {
        Ending {
            retry_after: self.release(),
            reason,
            attempts: self.attempts,
            elapsed: self.since_start(now),
            hint: self.hint.get(),
        }
    }
}
