//! Keeps a connection: sessions one after the other.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::connection::Connection;
use super::gate::Gate;
use super::session::{End, Limits, Time, run};
use crate::core::{RetryPolicy, Seed, UNLIMITED, Waits};
use crate::retry::decision::{DrawSource, Terms, decide};
use crate::retry::protection::Protection;
use crate::retry::verdict::IntoVerdict;
use crate::retry::{DefaultSleeper, SleepFn, Sleeper, Verdict, sleep_fn};

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

/// Keeps a connection: calls `session` whenever there is none, one at a time.
///
/// A session that returns has ended, whether or not with an error, and so has one that is not open in time or falls
/// silent: its future is dropped, and with it the connection. Then [`when`](KeepConnected::when) decides, and the
/// policy's wait follows. [`KeepConnected::run`] starts it.
pub fn keep_connected<F, Fut, E>(policy: RetryPolicy, session: F) -> KeepConnected<F, E>
where
    F: FnMut(Connection) -> Fut,
    Fut: Future<Output = Result<(), E>>,
{
    KeepConnected {
        session,
        sleeper: DefaultSleeper::default(),
        when: |_| Verdict::Retry,
        settings: Settings {
            policy,
            limits: Limits {
                connect_timeout: Duration::from_secs(10),
                stable: Duration::from_secs(15),
                silence: Duration::MAX,
            },
            seed: None,
            protection: None,
        },
        error: PhantomData,
    }
}

/// A connection to be kept, made by [`keep_connected`] and started by [`run`](Self::run).
#[must_use = "nothing happens until it runs"]
pub struct KeepConnected<F, E, S = DefaultSleeper, W = fn(&End<E>) -> Verdict> {
    session: F,
    sleeper: S,
    when: W,
    settings: Settings,
    error: PhantomData<fn() -> E>,
}

#[derive(Debug)]
struct Settings {
    policy: RetryPolicy,
    limits: Limits,
    seed: Option<Seed>,
    protection: Option<Protection>,
}

impl<F, E, S, W> fmt::Debug for KeepConnected<F, E, S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeepConnected")
            .field(&self.settings)
            .finish()
    }
}

impl<F, E, S, W> KeepConnected<F, E, S, W> {
    /// Sets the function that decides, after the end of a session, whether another follows. It returns a `bool` or a
    /// [`Verdict`], as that of [`Retry::when`](crate::Retry::when). [`Verdict::RetryAtLeast`] is a wait that a server
    /// asks for, and is cut to the policy's longest. [`Verdict::RetryAnew`] is [`Verdict::Retry`] here:
    /// [`stable_after`](Self::stable_after) says when a row begins again. Defaults to another session after every end.
    pub fn when<C, V>(self, when: C) -> KeepConnected<F, E, S, C>
    where
        C: FnMut(&End<E>) -> V,
        V: IntoVerdict,
    {
        self.with(|sleeper, _| (sleeper, when))
    }

    /// Sets the time from the start of a session until [`Connection::opened`]. Defaults to 10 s. [`Duration::MAX`]
    /// means no limit.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.limits.connect_timeout = timeout;
        self
    }

    /// Sets the time for which a connection must be open to be stable. Its end is the first failure of a
    /// new row. Defaults to 15 s, half of the cap of [`RetryPolicy::reconnecting`].
    pub fn stable_after(mut self, open: Duration) -> Self {
        self.settings.limits.stable = open;
        self
    }

    /// Sets the time without [`Connection::alive`] after which a connection ends. After half of it, a ping is due
    /// ([`Connection::ping_due`]). Defaults to [`Duration::MAX`], no limit.
    pub fn silence(mut self, silence: Duration) -> Self {
        self.settings.limits.silence = silence;
        self
    }

    /// Makes the waits reproducible: outage n is operation n of this seed. Defaults to fresh randomness.
    pub fn seed(mut self, seed: impl Into<Seed>) -> Self {
        self.settings.seed = Some(seed.into());
        self
    }

    #[cfg(feature = "protection")]
    /// Shares this [`Protection`] with other connections or operations. To it, each attempt is an operation of one
    /// attempt, which succeeds at [`Connection::opened`]. An attempt that is rejected waits, and does not count.
    pub fn protection(mut self, protection: &Protection) -> Self {
        self.settings.protection = Some(protection.clone());
        self
    }

    /// Waits with this function of a runtime. See [`Retry::sleep`](crate::Retry::sleep).
    pub fn sleep<K, Sleep>(self, sleep: K) -> KeepConnected<F, E, SleepFn<K>, W>
    where
        K: Fn(Duration) -> Sleep,
        Sleep: Future,
    {
        self.sleeper(sleep_fn(sleep))
    }

    /// Waits and reads the time with this [`Sleeper`].
    pub fn sleeper<S2: Sleeper>(self, sleeper: S2) -> KeepConnected<F, E, S2, W> {
        self.with(|_, when| (sleeper, when))
    }

    fn with<S2, W2>(self, change: impl FnOnce(S, W) -> (S2, W2)) -> KeepConnected<F, E, S2, W2> {
        let (sleeper, when) = change(self.sleeper, self.when);
        KeepConnected {
            session: self.session,
            sleeper,
            when,
            settings: self.settings,
            error: self.error,
        }
    }

    /// Keeps the connection. Returns the last end once [`when`](Self::when) says [`Verdict::Stop`], or after the
    /// policy's `max_attempts` in a row without a stable connection. Drop the future to end everything.
    pub async fn run<Fut, V>(self) -> End<E>
    where
        S: Sleeper,
        F: FnMut(Connection) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        W: FnMut(&End<E>) -> V,
        V: IntoVerdict,
    {
        let Self {
            mut session,
            sleeper,
            mut when,
            settings,
            ..
        } = self;
        let clockless = sleeper.now().is_none();
        let mut time = Time::new(sleeper);
        let fresh = || Seed::of_operation().unwrap_or(Seed::new(time.now().bits()));
        let seed = settings.seed.unwrap_or_else(fresh);
        // A hint that is longer than the policy follows is cut: to stop at it would end the keeper.
        let policy = settings.policy.with_capped_retry_after(true);
        let drawn = |outage, round| DrawSource {
            start: seed.start(outage),
            round,
        };
        let (mut outage, mut connections, mut waits) = (0, 0, Waits::default());
        loop {
            let mut gate = Gate::new(settings.protection.as_ref(), clockless);
            let source = drawn(outage, waits.attempt());
            while let Some(held) = gate.enter(&mut time, &policy, source).await {
                let wait = held.unwrap_or_else(|hint| {
                    let terms = Terms {
                        hint: Some(hint),
                        ..Terms::default()
                    };
                    // The server has not seen this attempt, which does not count, and waits as the first.
                    let mut again = Waits::default();
                    let source = drawn(outage, again.attempt());
                    decide(&policy, &mut again, Some(source), &terms).unwrap_or_default()
                });
                time.sleep(wait).await;
            }
            let connection = Connection::new(waits.attempt(), connections);
            let on_open = |now| {
                connections += 1;
                gate.opened(now);
            };
            let running = session(connection.clone());
            let limits = settings.limits;
            let (end, was_stable) = run(&connection, running, limits, &mut time, on_open).await;
            if was_stable {
                (outage, waits) = (outage + 1, Waits::default());
            }
            let verdict = when(&end).into_verdict();
            let source = drawn(outage, waits.attempt());
            gate.ended(verdict, || time.now(), &policy, source);
            if verdict == Verdict::Stop {
                return end;
            }
            let mut terms = Terms::default();
            (terms.exact, terms.hint) = verdict.waits();
            if waits.attempt() >= policy.max_attempts() {
                return end;
            }
            let Ok(wait) = decide(&policy, &mut waits, Some(source), &terms) else {
                return end;
            };
            time.sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::retry::sleeper::LONGEST;
    use crate::testing::VirtualTime;

    #[test]
    fn no_setting_asks_a_sleeper_for_more_than_the_longest_wait() {
        let (time, longest) = (VirtualTime::new(), Cell::new(Duration::ZERO));
        let sleeper = sleep_fn(|duration| {
            longest.set(longest.get().max(duration));
            time.sleep(duration)
        });
        let mut verdicts = [Verdict::RetryExactly(Duration::MAX), Verdict::Stop].into_iter();
        let kept = keep_connected(RetryPolicy::reconnecting(), |_| async { Err("refused") })
            .when(|_| verdicts.next().unwrap())
            .connect_timeout(LONGEST + Duration::from_nanos(1))
            .sleeper(sleeper);
        assert_eq!(time.block_on(kept.run()), End::Failed("refused"));
        assert_eq!(longest.get(), LONGEST);
    }
}
