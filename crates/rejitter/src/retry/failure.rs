//! After a failed attempt: the decision, and who receives it.

use core::time::Duration;

use super::nanos::Nanos;
use super::operation::{Limit, Operation};
use super::rounds::{Ended, Rounds, RoundsOf};
use super::row::Started;
use super::{AttemptError, AttemptRecord, FailureEvent, Hooks, Outcome, TimeoutError, Verdict};
#[cfg(feature = "protection")]
use super::{Signal, operation::protection_draw, protection::Failure};
use crate::core::random::Start;
use crate::core::{
    Backoff, Decision, Draws, Hint, Jitter, MAX_MS, RetryPolicy, Seed, StopReason, Waits,
};
use crate::policy::{duration_from_ms, ms_from_duration};

/// Values that replace or limit a wait of the policy.
pub(super) struct Asked {
    /// The wait that the caller demands.
    pub(super) exactly: Option<Duration>,
    /// The longest that the server asked for in the round.
    pub(super) requested: Option<Duration>,
    /// The value of the caller's curve.
    pub(super) curve: Option<Duration>,
    /// The time until the deadline.
    pub(super) remaining: Nanos,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            exactly: None,
            requested: None,
            curve: None,
            remaining: Nanos::NONE,
        }
    }
}

/// How the caller answers a failure that may be retried.
#[derive(Debug, Clone, Copy)]
struct Answer {
    /// The wait that the caller demands.
    exactly: Option<Duration>,
    /// The longest wait that the server asked for in the round.
    requested: Option<Duration>,
    /// The attempt made progress.
    progressed: bool,
}

/// Which draws of an operation are those of a wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawSource {
    /// Where those of the operation start.
    pub(super) start: Start,
    /// Number of the round before the wait. It goes on where a row begins again, so that no draw is used twice.
    pub(super) round: u64,
}

/// The core's decision about the next wait, if an attempt is left. It is the same for all operations of a program,
/// which have it once. A wait that is not drawn needs no draws.
#[inline(never)]
pub(super) fn decide(
    policy: &RetryPolicy,
    waits: &mut Waits,
    source: Option<DrawSource>,
    asked: &Asked,
) -> Result<Duration, StopReason> {
    let hint = match (asked.exactly, asked.requested) {
        (Some(_), _) => Hint::Exactly(0.0),
        // A policy without a limit follows every hint: that is how far it counts.
        (None, Some(requested)) => Hint::Server(ms_from_duration(requested).min(MAX_MS)),
        (None, None) => Hint::None,
    };
    let draws = source.map(|of| {
        Draws {
            r: of.start.draw(of.round, 0),
            // Others do not read it.
            r2: match policy.jitter() {
                Jitter::PollyV2 => of.start.draw(of.round, 1),
                _ => 0.0,
            },
        }
    });
    // The time that is left is compared below, in whole nanoseconds.
    let failure = crate::core::Failure {
        curve_ms: asked.curve.map(ms_from_duration),
        hint,
        ..waits.failure()
    };
    match waits.wait(policy, &failure, draws.unwrap_or(Draws { r: 0.0, r2: 0.0 })) {
        Decision::Stop(reason) => Err(reason),
        Decision::Retry { delay_ms } => {
            let delay = asked.exactly.unwrap_or_else(|| duration_from_ms(delay_ms));
            if Nanos::from(delay) >= asked.remaining {
                return Err(StopReason::Deadline);
            }
            Ok(delay)
        }
    }
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
            (ended, self.judge(started, &error, ended, hooks))
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

    /// After an attempt failed while another of its round is running. Returns its error, and why, if the operation ends.
    pub(super) fn fail_in_round(
        &mut self,
        started: Started,
        error: AttemptError<M::Attempt>,
        hooks: &mut impl Hooks<M::Attempt>,
        ended: Nanos,
    ) -> Result<(), (StopReason, AttemptError<M::Attempt>)> {
        match self.judge(started, &error, ended, hooks) {
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
        #[cfg(feature = "protection")]
        if let (true, None, Some(guard)) = (superseded, other.hedge, self.outcome.guard()) {
            guard.superseded(now, duration);
        }
    }

    #[inline]
    fn record(&mut self, started: Started, ended: Nanos) -> AttemptRecord<M::Attempt> {
        let hedge = started.hedge.is_some();
        #[cfg(not(feature = "protection"))]
        let waited = None;
        #[cfg(feature = "protection")]
        let waited = self
            .outcome
            .guard()
            .map(|guard| (guard.held(), guard.queued()));
        let (held, queued) = waited.filter(|_| !hedge).unwrap_or_default();
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

    /// Whether a failed attempt may be followed by another, with the wait that the caller demands. In the order of
    /// the JavaScript driver: the caller's condition, the hint, then protection hears of it.
    fn judge<H: Hooks<M::Attempt>>(
        &mut self,
        started: Started,
        error: &AttemptError<M::Attempt>,
        ended: Nanos,
        hooks: &mut H,
    ) -> Result<Answer, StopReason> {
        let verdict = match error {
            AttemptError::Error(error) => hooks.when(error, &self.attempt(started)),
            AttemptError::Timeout(TimeoutError::Attempt { .. }) => {
                self.outcome.retry_timeouts().into()
            }
            // Time ran out, or the operation was rejected, which is not of an attempt.
            _ => {
                #[cfg(feature = "protection")]
                self.tell(started, error, ended, Verdict::Stop, None, hooks);
                return Err(StopReason::Timeout);
            }
        };
        if verdict == Verdict::Stop {
            self.hint = Nanos::NONE;
            #[cfg(feature = "protection")]
            self.tell(started, error, ended, verdict, None, hooks);
            return Err(StopReason::NotRetryable);
        }
        let (exactly, at_least) = verdict.waits();
        let hinted = error.error().and_then(|error| hooks.hint(error));
        // The longer one satisfies both.
        let hint = match (hinted, at_least) {
            (Some(hinted), Some(at_least)) => Some(hinted.max(at_least)),
            (hinted, at_least) => hinted.or(at_least),
        };
        if hint.is_some() {
            self.hint = self.hint.get().max(hint).into();
        }
        // Known when it is compiled if no hook asks for a wait: then what follows is left out.
        let requested = if RoundsOf::<M>::PAIRS {
            self.hint.get()
        } else {
            hint
        };
        #[cfg(feature = "protection")]
        self.tell(started, error, ended, verdict, hint, hooks);
        let progressed = H::MAY_BEGIN_AGAIN && verdict == Verdict::RetryAnew;
        if progressed {
            let lived = ended.since(started.at);
            self.row.begin_again(&self.policy, self.attempts, lived);
            #[cfg(feature = "protection")]
            if let Some(guard) = self.outcome.guard() {
                guard.progressed();
            }
        }
        Ok(Answer {
            exactly,
            requested,
            progressed,
        })
    }

    /// The wait after a round, or the reason to stop: first the attempts, the wait and the deadline, which the core
    /// decides, then protection.
    fn plan<H: Hooks<M::Attempt>>(
        &mut self,
        answer: Answer,
        hooks: &mut H,
        clock: impl Fn() -> Nanos,
    ) -> Result<Duration, StopReason> {
        let Answer {
            exactly, requested, ..
        } = answer;
        if !self.is_attempt_left() {
            return Err(StopReason::Exhausted);
        }
        if exactly.is_none() && self.draws.get().is_none() {
            let seed = Seed::of_operation().ok_or(StopReason::Randomness)?;
            self.draws = seed.only_start().into();
        }
        // The curve is not called for a wait that is not drawn. For a hint it is: that never shortens its wait.
        let curve = if exactly.is_none() && self.policy.backoff() == Backoff::Custom {
            hooks.curve(self.row.waits.attempt())
        } else {
            None
        };
        let now = clock();
        let asked = Asked {
            exactly,
            requested,
            curve,
            remaining: self.remaining(now),
        };
        let source = self.draws.get().map(|start| DrawSource {
            start,
            round: self.rounds(),
        });
        // Copies: what is lent to a function lies in memory from its start on, and with it all of the operation.
        let (policy, mut waits) = (self.policy, self.row.waits);
        let decided = decide(&policy, &mut waits, source, &asked);
        self.row.waits = waits;
        let delay = decided?;
        #[cfg(feature = "protection")]
        if let Some(guard) = self.outcome.guard() {
            let (attempt, draws) = (self.attempts, &mut self.draws);
            guard.weigh(|| hooks.weight(attempt + 1));
            let draw = || protection_draw(draws, attempt, now);
            return guard.retry(now, delay, asked.remaining, &self.policy, draw);
        }
        Ok(delay)
    }

    /// Tells protection how an attempt failed.
    #[cfg(feature = "protection")]
    #[inline]
    fn tell(
        &mut self,
        started: Started,
        error: &AttemptError<M::Attempt>,
        ended: Nanos,
        verdict: Verdict,
        hint: Option<Duration>,
        hooks: &mut impl Hooks<M::Attempt>,
    ) {
        let timeout = self.outcome.attempt_timeout();
        let Some(guard) = self.outcome.guard() else {
            return;
        };
        let number = started.number;
        let signal = match error {
            AttemptError::Error(error) => hooks.signal(error).unwrap_or(verdict.into()),
            AttemptError::Timeout(TimeoutError::Attempt { .. }) => Signal::Failure,
            // A first attempt had all the time there was, unless it was held.
            AttemptError::Timeout(TimeoutError::Deadline { .. })
                if number == 1 && guard.held().is_zero() =>
            {
                Signal::Failure
            }
            AttemptError::Timeout(_) | AttemptError::Rejected(_) => Signal::Nothing,
        };
        let duration = ended.since(started.at);
        // How fast it failed says nothing.
        let tells = signal.is_success() || duration >= timeout;
        let failure = Failure {
            signal,
            hint,
            took: Some(duration).filter(|_| started.hedge.is_none() && tells),
        };
        let draws = &mut self.draws;
        let draw = || protection_draw(draws, number, ended);
        guard.failed(started.hedge, ended, failure, &self.policy, draw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::UNLIMITED;
    use crate::retry::Plain;
    use crate::retry::hooks::When;
    use crate::retry::nanos::PackedStart;

    #[test]
    fn without_randomness_it_ends_before_the_first_drawn_wait() {
        crate::entropy::MISSING.set(true);
        let policy = |max_attempts| RetryPolicy::default().with_max_attempts(max_attempts);
        let end = |policy, seed: Option<Seed>, verdict: Verdict| {
            let mut operation = Operation::new(policy, Plain::new());
            operation.draws = seed.map_or(PackedStart::NONE, |seed| seed.start(0).into());
            operation.begin(Nanos::ZERO);
            let mut hooks = When(|_: &&str| verdict, (), Into::into);
            let (started, error) = (operation.last().started(None), AttemptError::Error("own"));
            let answer = operation.judge(started, &error, Nanos::ZERO, &mut hooks)?;
            operation.plan(answer, &mut hooks, || Nanos::ZERO)
        };
        let unseeded = end(policy(UNLIMITED), None, Verdict::Retry);
        assert_eq!(unseeded, Err(StopReason::Randomness));
        // Nothing is drawn here.
        assert_eq!(
            end(policy(1), None, Verdict::Retry),
            Err(StopReason::Exhausted)
        );
        let exactly = Duration::from_secs(1);
        let output = end(policy(2), None, Verdict::RetryExactly(exactly));
        assert_eq!(output, Ok(exactly));
        assert!(end(policy(2), Some(Seed::new(1)), Verdict::Retry).is_ok());
    }
}
