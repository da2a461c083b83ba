//! An operation asks its protection, and tells it how attempts end.

use std::task::Waker;
use std::time::Duration;

use super::facts::{Failure, Next, Pass, Turn};
use super::guard::Protected;
use crate::StopReason;
use crate::core::Seed;
use crate::retry::nanos::{Nanos, PackedStart};
use crate::retry::operation::{Operation, Step};
use crate::retry::rounds::Ended;
use crate::retry::row::Started;
use crate::retry::{Attempt, AttemptError, Hooks, Outcome, Signal, TimeoutError, Verdict};

/// Which draw of an attempt is protection's: the first two are those of its wait.
pub(in crate::retry) const PROTECTION_DRAW: u64 = 2;

/// A draw for protection, apart from those of the waits after `attempt`. Without randomness the time has to do.
fn draw(draws: &mut PackedStart, attempt: u64, now: Nanos) -> f64 {
    let fresh = || Seed::of_operation().map(Seed::only_start);
    let start = draws.get().or_else(fresh);
    *draws = start.map_or(PackedStart::NONE, Into::into);
    let start = start.unwrap_or(Seed::new(now.bits()).start(0));
    start.draw(attempt, PROTECTION_DRAW)
}

impl<M: Outcome> Operation<M> {
    pub(in crate::retry) fn start_guard(&mut self, clockless: bool) {
        if let Some(guard) = self.outcome.guard() {
            guard.start(clockless);
        }
    }

    /// Whether its attempt waits for its turn.
    pub(in crate::retry) fn is_queued(&mut self) -> bool {
        self.outcome.guard().is_some_and(|guard| guard.is_queued())
    }

    /// Before an attempt: whether protection lets it start. Ends the operation if it rejects it. It is woken by what
    /// the function makes.
    #[inline]
    pub(in crate::retry) fn enter(
        &mut self,
        now: Nanos,
        hooks: &mut impl Hooks<M::Attempt>,
        waker: &dyn Fn() -> Waker,
    ) -> Result<Step, M::Error> {
        let (attempts, remaining) = (self.attempts, self.remaining(now));
        let Some(guard) = self.outcome.guard() else {
            return Ok(Step::Begin);
        };
        guard.weigh(|| hooks.weight(attempts + 1));
        let (policy, draws) = (&self.policy, &mut self.draws);
        match guard.enter(now, remaining, policy, waker, || draw(draws, attempts, now)) {
            Next::Begin => Ok(Step::Begin),
            Next::Hold(duration) => Ok(Step::Hold(duration)),
            Next::Queue(turn) => Ok(Step::Queue(turn)),
            Next::Rejected(rejected) => {
                self.end_early(rejected.by, now, AttemptError::Rejected(rejected))
            }
        }
    }

    /// How long the wait for a turn was, whose timer has ended. Zero for other waits, whose time is known before.
    pub(in crate::retry) fn waited_for_turn(&mut self) -> Duration {
        let turn = self.outcome.guard().and_then(Protected::take_turn);
        turn.map_or(Duration::ZERO, Turn::longest)
    }

    /// How long the attempt was held, and how long it waited for its turn.
    pub(in crate::retry) fn waited(&mut self) -> (Duration, Duration) {
        let guard = self.outcome.guard();
        guard.map_or_else(Default::default, |guard| (guard.held(), guard.queued()))
    }

    /// Number of hedges that were started.
    pub(in crate::retry) fn hedges(&mut self) -> u64 {
        self.outcome.guard().map_or(0, |guard| guard.hedges())
    }

    /// See [`Attempts::hedge_delay`](crate::retry::rounds::Attempts::hedge_delay).
    pub(in crate::retry) fn hedge_delay(&mut self, now: Nanos) -> Option<Duration> {
        let remaining = self.remaining(now);
        let left = self.is_attempt_left();
        let delay = self.outcome.guard().filter(|_| left)?.hedge_delay(now)?;
        Some(delay).filter(|delay| Nanos::from(*delay) < remaining)
    }

    /// Starts a hedge, unless its time has passed or protection forbids it.
    pub(in crate::retry) fn begin_hedge(
        &mut self,
        now: Nanos,
        hooks: &mut impl Hooks<M::Attempt>,
    ) -> Option<(Pass, Attempt)> {
        if self.remaining(now) == Nanos::ZERO {
            return None;
        }
        let attempts = self.attempts;
        let guard = self.outcome.guard()?;
        guard.weigh(|| hooks.weight(attempts + 1));
        let pass = guard.start_hedge(now)?;
        Some((pass, self.begin_attempt(now)))
    }

    /// An attempt succeeded, and with it the operation.
    pub(in crate::retry) fn succeed(&mut self, end: impl Ended, clock: impl FnOnce() -> Nanos) {
        let winner = end.attempt(self.last());
        if let Some(guard) = self.outcome.guard() {
            let mut both = [Some(winner), end.other()].into_iter().flatten();
            let attempt = both.find(|started| started.hedge.is_none());
            guard.succeeded(winner.hedge, attempt.map(|attempt| attempt.at), clock);
        }
    }

    /// How an attempt failed. `hint`: the wait that the server asked for.
    #[inline]
    pub(in crate::retry) fn tell(
        &mut self,
        started: Started,
        error: &AttemptError<M::Attempt>,
        ended: Nanos,
        verdict: Verdict,
        hint: Option<Duration>,
        hooks: &mut impl Hooks<M::Attempt>,
    ) {
        let timeout = self.limits().attempt;
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
        let draw = || draw(draws, number, ended);
        guard.failed(started.hedge, ended, failure, &self.policy, draw);
    }

    /// A failed attempt made progress.
    pub(in crate::retry) fn progressed(&mut self) {
        if let Some(guard) = self.outcome.guard() {
            guard.progressed();
        }
    }

    /// The round's attempt is dropped after this time, because its hedge ended the operation without success.
    pub(in crate::retry) fn superseded(&mut self, now: Nanos, took: Duration) {
        if let Some(guard) = self.outcome.guard() {
            guard.superseded(now, took);
        }
    }

    /// Before a wait of the policy: returns it, or a longer one if others are held longer.
    pub(in crate::retry) fn may_retry(
        &mut self,
        now: Nanos,
        delay: Duration,
        hooks: &mut impl Hooks<M::Attempt>,
    ) -> Result<Duration, StopReason> {
        let (attempts, remaining) = (self.attempts, self.remaining(now));
        let Some(guard) = self.outcome.guard() else {
            return Ok(delay);
        };
        guard.weigh(|| hooks.weight(attempts + 1));
        let draws = &mut self.draws;
        let draw = || draw(draws, attempts, now);
        guard.retry(now, delay, remaining, &self.policy, draw)
    }

    /// The end of the operation: releases what it holds. Returns when asking again makes sense, if it was rejected.
    pub(in crate::retry) fn release(&mut self) -> Option<Duration> {
        let guard = self.outcome.guard()?;
        guard.release();
        guard.retry_after()
    }
}
