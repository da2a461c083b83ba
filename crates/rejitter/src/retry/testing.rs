//! For tests: time that passes only during waits.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::Sleeper;

/// A clock that stands still until something waits on it, for tests that take no time.
///
/// It is a [`Sleeper`], on wasm as natively, and a `BlockingSleeper`. Clones share the time.
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{RetryPolicy, retry};
/// use std::time::Duration;
///
/// const POLICY: RetryPolicy = RetryPolicy::exponential()
///     .with_base(Duration::from_secs(60))
///     .with_min(Duration::from_secs(30));
/// let time = VirtualTime::new();
/// let failed = time.block_on(retry(POLICY, || async { Err::<(), _>("busy") }).sleeper(&time));
/// assert_eq!(failed, Err("busy"));
/// assert!(time.now() >= Duration::from_secs(150)); // five waits
/// ```
#[derive(Debug, Clone, Default)]
pub struct VirtualTime {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    now: Duration,
    /// Number of started waits: distinguishes waits that end at the same time.
    begun: u64,
    /// The pending waits, ordered by their end.
    timers: BTreeMap<(Duration, u64), Option<Waker>>,
}

impl State {
    /// Ends of the pending waits. A wait that was never polled stays among the timers.
    #[inline]
    fn ends(&self) -> impl Iterator<Item = Duration> {
        let after = (Excluded((self.now, u64::MAX)), Unbounded);
        self.timers.range(after).map(|((end, _), _)| *end)
    }
}

impl VirtualTime {
    /// A clock that shows zero.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// The clock's reading.
    #[must_use]
    #[inline]
    pub fn now(&self) -> Duration {
        self.state().now
    }

    /// Number of pending waits: neither awaited to their end nor dropped.
    #[must_use]
    #[inline]
    pub fn waits(&self) -> usize {
        self.state().timers.len()
    }

    /// Advances the time and wakes the waits that end. It saturates.
    #[inline]
    pub fn advance(&self, duration: Duration) {
        let mut state = self.state();
        state.now = state.now.saturating_add(duration);
        let now = state.now;
        let over = state.timers.range_mut(..=(now, u64::MAX));
        let wakers: Vec<Waker> = over.filter_map(|(_, waker)| waker.take()).collect();
        // Wakers are foreign code.
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Runs a future to its end. Whenever it can go no further, time jumps to the end of the
    /// wait that ends first. The work of other threads does not stop it: an attempt that waits for a thread and for
    /// this clock, such as for its timeout, gets the timeout.
    ///
    /// # Panics
    /// If the future waits for something that no pending wait brings about.
    pub fn block_on<I: IntoFuture>(&self, future: I) -> I::Output {
        let mut future = pin!(future.into_future());
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let waker = Waker::from(woken.clone());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            if !woken.0.swap(false, Ordering::SeqCst) {
                let state = self.state();
                let now = state.now;
                let first = state.ends().next();
                drop(state);
                let end = first.expect("the future waits for something, but not on this clock");
                self.advance(end.saturating_sub(now));
            }
        }
    }

    /// No code of others runs while it is locked, so nothing was left half done.
    #[inline]
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    #[inline]
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Sleeper for VirtualTime {
    type Sleep = VirtualSleep;

    #[inline]
    fn sleep(&self, duration: Duration) -> VirtualSleep {
        let mut state = self.state();
        state.begun += 1;
        let key = (state.now.saturating_add(duration), state.begun);
        state.timers.insert(key, None);
        VirtualSleep {
            time: self.clone(),
            key,
        }
    }

    #[inline]
    fn now(&self) -> Option<Duration> {
        Some(VirtualTime::now(self))
    }
}

/// One wait on a [`VirtualTime`].
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct VirtualSleep {
    time: VirtualTime,
    key: (Duration, u64),
}

impl Future for VirtualSleep {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.time.state();
        if state.now >= self.key.0 {
            state.timers.remove(&self.key);
            return Poll::Ready(());
        }
        state.timers.insert(self.key, Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for VirtualSleep {
    #[inline]
    fn drop(&mut self) {
        self.time.state().timers.remove(&self.key);
    }
}
