//! After a failed attempt: what the caller and protection make of it, and who receives the decision.

use core::time::Duration;

use super::decision::Answer;
use super::limits::Limit;
use super::nanos::Nanos;
use super::operation::Operation;
use super::protect::Protect;
use super::rounds::{Ended, Rounds};
use super::row::Started;
use super::{AttemptError, AttemptRecord, FailureEvent, Hooks, Outcome, TimeoutError, Verdict};
use crate::StopReason;

/// Whether two attempts of an operation may run at a time.
const fn has_pairs<M: Outcome>() -> bool {
    <<M::Protection as Protect>::Rounds as Rounds>::PAIRS
}

impl<M: Outcome> Operation<M> {
    /// After a round failed: the wait before the next one, or the end.
    #[inline]
    pub(super) fn fail_round<H: Hooks<M::Attempt>>(
        &mut self,
        error: AttemptError<M::Attempt>,
        end: impl Ended,
        hooks: &mut H,
        clock: impl Fn() -> Nanos,
    ) -> Result<Duration, M::Error> {
        let started = end.attempt(self.last());
        let (ended, answer) = if let Some((reason, ended)) = end.stopped() {
            if let Some(other) = end.other() {
                self.cut(other, reason, ended);
            }
            (ended, Err(reason))
        } else {
            let ended = clock();
            (ended, self.review(started, &error, ended, hooks))
        };
        let progressed = answer.is_ok_and(|answer| answer.progressed);
        let decision = answer.and_then(|answer| {
            let clock = || if H::CALLS { clock() } else { ended };
            self.plan(answer, hooks, clock)
        });
        // Known when it is compiled that no hook took time.
        let clock = || if H::CALLS { clock() } else { ended };
        hooks.notify(&FailureEvent {
            attempt: started.number,
            hedge: started.hedge.is_some(),
            progressed,
            error: &error,
            elapsed: self.since_start(clock()),
            delay: decision.ok(),
            reason: decision.err(),
        });
        let mut record = self.record(started, ended);
        record.progressed = progressed;
        record.delay = decision.ok();
        match decision {
            Ok(delay) => {
                let deadline = self.deadline() != Nanos::NONE;
                self.previous_delay = delay.into();
                self.outcome.go_on(error, record, deadline);
                Ok(delay)
            }
            Err(reason) => {
                let ending = self.ending(reason, clock());
                Err(self.outcome.end(error, record, ending))
            }
        }
    }

    /// After an attempt failed while another of its round is running. Returns its error, and why, if the operation
    /// ends.
    pub(super) fn fail_in_round(
        &mut self,
        started: Started,
        error: AttemptError<M::Attempt>,
        hooks: &mut impl Hooks<M::Attempt>,
        ended: Nanos,
    ) -> Result<(), (StopReason, AttemptError<M::Attempt>)> {
        match self.review(started, &error, ended, hooks) {
            Ok(answer) => {
                let mut record = self.record(started, ended);
                record.progressed = answer.progressed;
                let deadline = self.deadline() != Nanos::NONE;
                self.outcome.go_on(error, record, deadline);
                Ok(())
            }
            Err(reason) => Err((reason, error)),
        }
    }

    /// Records an attempt that was dropped because the operation ends.
    fn cut(&mut self, other: Started, reason: StopReason, now: Nanos) {
        let mut record = self.record(other, now);
        record.superseded = reason != StopReason::Timeout;
        let (superseded, duration) = (record.superseded, record.duration);
        let error = AttemptError::Timeout(self.timeout(Limit::Deadline));
        let error = (!superseded).then_some(error);
        self.outcome.cut(error, record);
        if superseded && other.hedge.is_none() {
            self.superseded(now, duration);
        }
    }

    #[inline]
    fn record(&mut self, started: Started, ended: Nanos) -> AttemptRecord<M::Attempt> {
        let hedge = started.hedge.is_some();
        let (held, queued) = if hedge {
            Default::default()
        } else {
            self.waited()
        };
        AttemptRecord {
            attempt: started.number,
            error: None,
            start: self.since_start(started.at),
            duration: ended.since(started.at).duration(),
            held,
            queued,
            delay: None,
            progressed: false,
            hedge,
            superseded: false,
        }
    }

    /// Whether a failed attempt may be followed by another, and after which wait. In the order of the JavaScript
    /// driver: the caller's condition, the hint, then protection hears of it.
    pub(super) fn review<H: Hooks<M::Attempt>>(
        &mut self,
        started: Started,
        error: &AttemptError<M::Attempt>,
        ended: Nanos,
        hooks: &mut H,
    ) -> Result<Answer, StopReason> {
        let verdict = match error {
            AttemptError::Error(error) => hooks.when(error, &self.attempt(started)),
            AttemptError::Timeout(TimeoutError::Attempt { .. }) => {
                self.limits().retry_timeouts.into()
            }
            // Time ran out, or the operation was rejected, which is not of an attempt.
            _ => {
                self.tell(started, error, ended, Verdict::Stop, None, hooks);
                return Err(StopReason::Timeout);
            }
        };
        if verdict == Verdict::Stop {
            self.hint = Nanos::NONE;
            self.tell(started, error, ended, verdict, None, hooks);
            return Err(StopReason::NotRetryable);
        }
        let (exact, of_verdict) = verdict.waits();
        let read = error.error().and_then(|error| hooks.hint(error));
        // The longer one satisfies both.
        let hint = read.max(of_verdict);
        if hint.is_some() {
            self.hint = self.hint.get().max(hint).into();
        }
        self.tell(started, error, ended, verdict, hint, hooks);
        let progressed = H::MAY_BEGIN_AGAIN && verdict == Verdict::RetryAnew;
        if progressed {
            let lived = ended.since(started.at);
            self.row.begin_again(&self.policy, self.attempts, lived);
            self.progressed();
        }
        Ok(Answer {
            exact,
            // Known when it is compiled if no hook has a hint: then what follows is left out.
            hint: if has_pairs::<M>() {
                self.hint.get()
            } else {
                hint
            },
            progressed,
        })
    }
}
