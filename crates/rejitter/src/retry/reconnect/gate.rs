//! The attempts of a connection as their protection sees them: each is an operation of one attempt.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use super::session::Time;
use crate::core::RetryPolicy;
use crate::retry::decision::DrawSource;
use crate::retry::nanos::Nanos;
use crate::retry::protection::{Failure, Next, PROTECTION_DRAW, Protected, Protection};
use crate::retry::{Signal, Sleeper, Verdict};

/// One attempt, until the connection is open.
pub(super) struct Gate(Option<Protected>);

impl Gate {
    pub(super) fn new(protection: Option<&Protection>, clockless: bool) -> Self {
        Self(protection.map(|protection| {
            let mut guard = protection.join();
            guard.start(clockless);
            guard
        }))
    }

    /// Waits for the attempt's turn. Returns how long it is held, or the hint of a rejection; `None` if it may start.
    pub(super) async fn enter<S: Sleeper>(
        &mut self,
        time: &mut Time<S>,
        policy: &RetryPolicy,
        source: DrawSource,
    ) -> Option<Result<Duration, Duration>> {
        let guard = self.0.as_mut()?;
        loop {
            let entered = poll_fn(|cx| {
                let (waker, draw) = (|| cx.waker().clone(), || draw(source));
                Poll::Ready(guard.enter(time.now(), Nanos::NONE, policy, &waker, draw))
            });
            match entered.await {
                Next::Begin => return None,
                Next::Queue(turn) => time.wait_for(turn).await,
                Next::Hold(wait) => return Some(Ok(wait)),
                Next::Rejected(rejected) => return Some(Err(rejected.retry_after)),
            }
        }
    }

    /// The connection is open.
    pub(super) fn opened(&mut self, now: Nanos) {
        if let Some(mut guard) = self.0.take() {
            guard.succeeded(None, None, || now);
        }
    }

    /// The session ended. To the protection that is nothing once it was open.
    pub(super) fn ended(
        self,
        verdict: Verdict,
        now: impl FnOnce() -> Nanos,
        policy: &RetryPolicy,
        source: DrawSource,
    ) {
        if let Some(mut guard) = self.0 {
            let failure = Failure {
                signal: Signal::from(verdict),
                hint: None,
                took: None,
            };
            guard.failed(None, now(), failure, policy, || draw(source));
        }
    }
}

fn draw(DrawSource { start, round }: DrawSource) -> f64 {
    start.draw(round, PROTECTION_DRAW)
}
