//! Connections that stay: sessions one after the other, with the policy's waits between them.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::failure::{Asked, decide};
use super::sleeper::LONGEST;
use super::verdict::IntoVerdict;
#[cfg(feature = "protection")]
use super::{
    Protection, Signal,
    operation::PROTECTION_DRAW,
    protection::{Failure, Next, Protected},
};
use super::{Sleeper, Verdict};
use crate::core::{RetryPolicy, Seed, UNLIMITED, Waits};

/// Parts of the time for an answer to a ping: a timer that is late, as after a sleep, counts for one of them.
const PARTS: u32 = 4;

/// Options of [`keep_connected`].
#[derive(Debug, Clone)]
pub struct ReconnectOptions {
    /// Time from the start of a session until [`Connection::opened`]. Defaults to 10 s; [`Duration::MAX`] means no
    /// limit.
    pub connect_timeout: Duration,
    /// A connection that was open for this time is stable: after its end, attempts count from 1. Defaults to 15 s,
    /// half of the cap of [`RetryPolicy::reconnecting`].
    pub stable: Duration,
    /// After half of this time without [`Connection::alive`], a ping is due ([`Connection::ping_due`]). After as long
    /// again, the connection ends. Defaults to [`Duration::MAX`], no limit.
    pub silence: Duration,
    /// Seed of the waits; outage n is its operation n. Defaults to fresh randomness.
    pub seed: Option<Seed>,
    /// Protection that other connections or operations may share. To it, each attempt is an operation of one attempt,
    /// which succeeds at [`Connection::opened`]. An attempt that is rejected waits, and does not count.
    #[cfg(feature = "protection")]
    pub protection: Option<Protection>,
}

impl Default for ReconnectOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            stable: Duration::from_secs(15),
            silence: Duration::MAX,
            seed: None,
            #[cfg(feature = "protection")]
            protection: None,
        }
    }
}

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

#[derive(Debug, Default)]
struct State {
    opened: bool,
    heard: bool,
    ping_due: bool,
    keeper: Option<Waker>,
    pinger: Option<Waker>,
}

/// One connection, as its session receives it and reports to it. Clones share it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connection {
    /// Number of this attempt in a row: since the last stable connection, or since the start. The first is 1.
    pub attempt: u64,
    /// Number of connections that were open before this one. Above 0, resume or catch up.
    pub connections: u64,
    state: Arc<Mutex<State>>,
}

impl Connection {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the task that waits for the change.
    fn tell(&self, change: impl FnOnce(&mut State) -> Option<Waker>) {
        // Wakers are foreign code: the lock is gone when they run.
        let waker = change(&mut self.state());
        waker.into_iter().for_each(Waker::wake);
    }

    /// Says that the connection is usable: authenticated, acknowledged, subscribed.
    pub fn opened(&self) {
        self.tell(|state| {
            state.opened = true;
            state.keeper.take()
        });
    }

    /// Says that something was heard: call it for each message.
    pub fn alive(&self) {
        self.tell(|state| {
            state.heard = true;
            state.keeper.take()
        });
    }

    /// Returns whether the connection is open, and whether anything was heard since the last call. The next change
    /// wakes the keeper.
    fn look(&self, waker: &Waker) -> (bool, bool) {
        let mut state = self.state();
        state.keeper = Some(waker.clone());
        (state.opened, std::mem::take(&mut state.heard))
    }

    fn ping(&self) {
        self.tell(|state| {
            state.ping_due = true;
            state.pinger.take()
        });
    }

    /// Waits until a ping is due: select on it beside the messages.
    pub async fn ping_due(&self) {
        poll_fn(|cx| {
            let mut state = self.state();
            if std::mem::take(&mut state.ping_due) {
                return Poll::Ready(());
            }
            state.pinger = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl RetryPolicy {
    /// The policy for [`keep_connected`]: full jitter below 5 s, then twice as long up to 30 s, without a limit of
    /// attempts. A server's own wait is followed up to an hour.
    ///
    /// While a server is down, n clients arrive n / 15 times a second: a larger fleet needs a longer cap.
    pub const fn reconnecting() -> Self {
        Self::exponential()
            .with_cap(Duration::from_secs(30))
            .with_base(Duration::from_secs(5))
            .with_max_retry_after(Duration::from_secs(60 * 60))
            .with_max_attempts(UNLIMITED)
    }
}

/// Keeps a connection: calls `session` whenever there is none, one at a time. A session that returns has ended, whether
/// or not with an error, and so has one that is not open in time or falls silent: its future is dropped, and with it
/// the connection. Then `on_end` decides, as [`Retry::when`](crate::Retry::when) does: [`Verdict::RetryAtLeast`] is a
/// wait that a server asks for, and is cut to the policy's longest.
///
/// Returns the last end once `on_end` says [`Verdict::Stop`], or after the policy's `max_attempts` in a row without a
/// stable connection. Drop the future to end everything.
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{End, ReconnectOptions, RetryPolicy, Sleeper, keep_connected};
/// use std::time::Duration;
///
/// let time = VirtualTime::new();
/// let kept = keep_connected(
///     RetryPolicy::reconnecting(),
///     ReconnectOptions::default(),
///     &time,
///     |connection| {
///         let time = &time;
///         async move {
///             connection.opened(); // after the handshake
///             Sleeper::sleep(time, Duration::from_secs(60)).await; // messages
///             if connection.connections < 2 { Err("reset by peer") } else { Err("401") }
///         }
///     },
///     |end| *end != End::Failed("401"),
/// );
/// assert_eq!(time.block_on(kept), End::Failed("401"));
/// assert!(time.now() >= Duration::from_secs(180));
/// ```
pub async fn keep_connected<S, F, Fut, E, V>(
    policy: RetryPolicy,
    options: ReconnectOptions,
    sleeper: S,
    mut session: F,
    mut on_end: impl FnMut(&End<E>) -> V,
) -> End<E>
where
    S: Sleeper,
    F: FnMut(Connection) -> Fut,
    Fut: Future<Output = Result<(), E>>,
    V: IntoVerdict,
{
    let now = || sleeper.now().unwrap_or_default();
    let fresh = || Seed::of_operation().unwrap_or(Seed::new(u64::from(now().subsec_nanos())));
    let seed = options.seed.unwrap_or_else(fresh);
    // A hint that is longer than the policy follows is cut: to stop at it would end the keeper.
    let policy = policy.with_capped_retry_after(true);
    let (mut outage, mut connections, mut waits) = (0, 0, Waits::default());
    loop {
        #[cfg(feature = "protection")]
        let mut guard = options.protection.as_ref().map(Protected::new);
        #[cfg(feature = "protection")]
        while let Some(guard) = &mut guard {
            let draw = || seed.draw(outage, waits.attempt(), PROTECTION_DRAW);
            let wait = match guard.enter(now(), f64::INFINITY, &policy, draw) {
                Next::Begin => break,
                Next::Hold(wait) => wait,
                Next::Rejected(rejected) => {
                    let asked = Asked {
                        requested: Some(rejected.retry_after),
                        ..Asked::default()
                    };
                    let unlimited = policy.with_max_attempts(UNLIMITED);
                    // The server has not seen this attempt, which does not count, and waits as the first.
                    let mut again = Waits::default();
                    decide(&unlimited, &mut again, Some(seed), outage, &asked).unwrap_or_default()
                }
            };
            sleeper.sleep(wait).await;
        }
        let connection = Connection {
            attempt: waits.attempt(),
            connections,
            state: Arc::default(),
        };
        let on_open = || {
            connections += 1;
            #[cfg(feature = "protection")]
            if let Some(mut guard) = guard.take() {
                guard.succeeded(None, None, now);
            }
        };
        let running = session(connection.clone());
        let (end, open) = run(&connection, running, &options, &sleeper, on_open).await;
        if open.is_some_and(|open| open >= options.stable) {
            (outage, waits) = (outage + 1, Waits::default());
        }
        let verdict = on_end(&end).into_verdict();
        #[cfg(feature = "protection")]
        if let Some(mut guard) = guard {
            let failure = Failure {
                signal: Signal::from(verdict),
                hint: None,
                took: None,
            };
            let draw = || seed.draw(outage, waits.attempt(), PROTECTION_DRAW);
            guard.failed(None, now(), failure, &policy, draw);
        }
        if verdict == Verdict::Stop {
            return end;
        }
        let mut asked = Asked::default();
        (asked.exactly, asked.requested) = verdict.waits();
        let Ok(wait) = decide(&policy, &mut waits, Some(seed), outage, &asked) else {
            return end;
        };
        sleeper.sleep(wait).await;
    }
}

/// Events that [`run`] acts on while a session is running.
enum Event<E> {
    Ended(End<E>),
    Opened,
    /// A message that came while a ping was unanswered.
    Heard,
    /// The timer fired.
    Due,
}

/// Runs one session. Returns its end, and how long the connection was open. Drops the session's future, and with it
/// the connection.
async fn run<E>(
    connection: &Connection,
    session: impl Future<Output = Result<(), E>>,
    options: &ReconnectOptions,
    sleeper: &impl Sleeper,
    on_open: impl FnOnce(),
) -> (End<E>, Option<Duration>) {
    let now = || sleeper.now().unwrap_or_default();
    let (half, part) = (options.silence / 2, options.silence / 2 / PARTS);
    let mut session = pin!(session);
    let (mut on_open, mut opened_at, mut heard_at) = (Some(on_open), None, Duration::ZERO);
    // Parts that are left for an answer to a ping.
    let mut left = 0;
    let mut limit = options.connect_timeout;
    let end = loop {
        let mut timer = pin!((limit <= LONGEST).then(|| sleeper.sleep(limit)));
        let event = poll_fn(|cx| {
            let ended = session.as_mut().poll(cx);
            let (opened, heard) = connection.look(cx.waker());
            if let Some(on_open) = on_open.take_if(|_| opened) {
                on_open();
                heard_at = now();
                opened_at = Some(heard_at);
                if ended.is_pending() {
                    return Poll::Ready(Event::Opened);
                }
            }
            if let Poll::Ready(result) = ended {
                let end = result.map_or_else(End::Failed, |()| End::Closed);
                return Poll::Ready(Event::Ended(end));
            }
            if heard {
                heard_at = now();
                if left > 0 {
                    return Poll::Ready(Event::Heard);
                }
            }
            let timer = timer.as_mut().as_pin_mut();
            timer.map_or(Poll::Pending, |timer| timer.poll(cx).map(|_| Event::Due))
        })
        .await;
        limit = match event {
            Event::Ended(end) => break end,
            Event::Due if opened_at.is_none() => break End::ConnectTimeout,
            Event::Due if left == 1 => break End::Silent,
            Event::Due if left > 1 => {
                left -= 1;
                part
            }
            Event::Due => {
                let rest = (heard_at + half).saturating_sub(now());
                if rest.is_zero() {
                    left = PARTS;
                    connection.ping();
                    part
                } else {
                    rest
                }
            }
            Event::Opened | Event::Heard => {
                left = 0;
                half
            }
        };
    };
    (end, opened_at.map(|at| now().saturating_sub(at)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::sleep_fn;
    use crate::testing::VirtualTime;

    #[test]
    fn no_setting_asks_a_sleeper_for_more_than_the_longest_wait() {
        let (time, longest) = (VirtualTime::new(), Cell::new(Duration::ZERO));
        let sleeper = sleep_fn(|duration| {
            longest.set(longest.get().max(duration));
            time.sleep(duration)
        });
        let options = ReconnectOptions {
            connect_timeout: LONGEST + Duration::from_nanos(1),
            ..ReconnectOptions::default()
        };
        let mut verdicts = [Verdict::RetryExactly(Duration::MAX), Verdict::Stop].into_iter();
        let kept = keep_connected(
            RetryPolicy::reconnecting(),
            options,
            sleeper,
            |_| async { Err("refused") },
            |_| verdicts.next().unwrap(),
        );
        assert_eq!(time.block_on(kept), End::Failed("refused"));
        assert_eq!(longest.get(), LONGEST);
    }
}
