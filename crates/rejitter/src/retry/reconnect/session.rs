//! One session, from its start to its end.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use super::connection::Connection;
use crate::retry::Sleeper;
use crate::retry::nanos::Nanos;
use crate::retry::protection::Turn;
use crate::retry::sleeper::LONGEST;
use crate::retry::waiting::{Passed, Pause};

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum End<E> {
    /// The session returned.
    Closed,
    /// The session returned an error.
    Failed(E),
    /// The session did not call [`Connection::opened`] in time, and was dropped.
    ConnectTimeout,
    /// The session did not call [`Connection::alive`] in time, and was dropped.
    Silent,
}

/// Parts of the time for an answer to a ping: a timer that is late, as after a sleep, counts for one of them.
const PARTS: u32 = 4;

/// Limits of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) connect_timeout: Duration,
    pub(super) stable: Duration,
    pub(super) silence: Duration,
}

/// Timers one after the other, and the time, which is never behind those that have ended.
pub(super) struct Time<S> {
    pub(super) sleeper: S,
    passed: Passed,
}

impl<S: Sleeper> Time<S> {
    pub(super) fn new(sleeper: S) -> Self {
        let mut passed = Passed::ZERO;
        passed.start(|| sleeper.now());
        Self { sleeper, passed }
    }

    pub(super) fn now(&self) -> Nanos {
        self.passed.read(true, || self.sleeper.now())
    }

    pub(super) async fn sleep(&mut self, duration: Duration) {
        Pause::new(duration, &self.sleeper).await;
        self.passed.add(duration);
    }

    /// Waits for a turn, or until the task is woken.
    pub(super) async fn wait_for(&mut self, turn: Turn) {
        if Pause::for_turn(turn, &self.sleeper).await {
            self.passed.add(turn.longest());
        }
    }

    /// A timer, unless it would never end.
    fn timer(&self, duration: Duration) -> Option<S::Sleep> {
        (duration <= LONGEST).then(|| self.sleeper.sleep(duration))
    }
}

/// Polls a timer that may be set, and drops it at its end. Returns whether it has ended.
fn ends<Sleep: Future>(mut timer: Pin<&mut Option<Sleep>>, cx: &mut Context<'_>) -> bool {
    let running = timer.as_mut().as_pin_mut();
    let ended = running.is_some_and(|timer| timer.poll(cx).is_ready());
    if ended {
        timer.set(None);
    }
    ended
}

/// Events that [`run`] acts on while a session is running.
enum Event<E> {
    Ended(End<E>),
    Opened,
    /// A message that came while a ping was unanswered, or that nothing but a timer can date.
    Heard,
    /// The timer has ended.
    Due,
}

/// Runs one session. Returns its end, and whether the connection was stable. Drops the session's future, and with it
/// the connection.
pub(super) async fn run<E, S: Sleeper>(
    connection: &Connection,
    session: impl Future<Output = Result<(), E>>,
    limits: Limits,
    time: &mut Time<S>,
    on_open: impl FnOnce(Nanos),
) -> (End<E>, bool) {
    let half = limits.silence / 2;
    let part = half / PARTS;
    let (mut session, mut until_stable) = (pin!(session), pin!(None));
    let (mut on_open, mut heard_at, mut is_stable) = (Some(on_open), Nanos::ZERO, false);
    // Parts that are left for an answer to a ping.
    let mut left = 0;
    let mut limit = limits.connect_timeout;
    let end = loop {
        let mut timer = pin!(time.timer(limit));
        let event = poll_fn(|cx| {
            // Before the session, as in `Limited`. Whatever the session does in this poll was in time.
            is_stable |= ends(until_stable.as_mut(), cx);
            let due = ends(timer.as_mut(), cx);
            let ended = session.as_mut().poll(cx);
            let (opened, heard) = connection.look(cx.waker());
            let opens = on_open.take_if(|_| opened);
            let is_new = opens.is_some();
            if let Some(on_open) = opens {
                heard_at = time.now();
                on_open(heard_at);
                is_stable = limits.stable.is_zero();
            }
            if let Poll::Ready(result) = ended {
                let end = result.map_or_else(End::Failed, |()| End::Closed);
                return Poll::Ready(Event::Ended(end));
            }
            if is_new {
                until_stable.set(time.timer(limits.stable));
                return Poll::Ready(Event::Opened);
            }
            if heard && half <= LONGEST {
                if left > 0 || time.sleeper.now().is_none() {
                    return Poll::Ready(Event::Heard);
                }
                heard_at = time.now();
            }
            if due {
                Poll::Ready(Event::Due)
            } else {
                Poll::Pending
            }
        })
        .await;
        if let Event::Due = event {
            time.passed.add(limit);
        }
        limit = match event {
            Event::Ended(end) => break end,
            Event::Due if on_open.is_some() => break End::ConnectTimeout,
            Event::Due if left == 1 => break End::Silent,
            Event::Due if left > 1 => {
                left -= 1;
                part
            }
            Event::Due => {
                let rest = heard_at.plus(half.into()).since(time.now());
                if rest == Nanos::ZERO {
                    left = PARTS;
                    connection.ping();
                    part
                } else {
                    rest.duration()
                }
            }
            Event::Opened | Event::Heard => {
                left = 0;
                half
            }
        };
    };
    (end, is_stable)
}
