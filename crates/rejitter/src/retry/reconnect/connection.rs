//! One connection, as its session and its keeper share it.

use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

#[derive(Debug, Default)]
struct State {
    opened: bool,
    heard: bool,
    ping_due: bool,
    keeper: Option<Waker>,
    /// Those who wait for a ping, by their numbers.
    waiters: Vec<(u64, Waker)>,
    /// Number of the next one.
    next: u64,
}

/// One connection, as its session receives it and reports to it. Clones share it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connection {
    /// Number of this attempt in a row. The first of all is 1. The end of a stable connection counts as the row's first
    /// failure, so the attempt after it is 2.
    pub attempt: u64,
    /// Number of connections that were open before this one. Above 0, resume or catch up.
    pub connections: u64,
    state: Arc<Mutex<State>>,
}

impl Connection {
    pub(super) fn new(attempt: u64, connections: u64) -> Self {
        Self {
            attempt,
            connections,
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the keeper.
    fn report(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let keeper = state.keeper.take();
        // Wakers are foreign code.
        drop(state);
        keeper.into_iter().for_each(Waker::wake);
    }

    /// Says that the connection is usable: authenticated, acknowledged, subscribed.
    pub fn opened(&self) {
        self.report(|state| state.opened = true);
    }

    /// Says that something was heard: call it for each message.
    pub fn alive(&self) {
        self.report(|state| state.heard = true);
    }

    /// Waits until a ping is due: select on it beside the messages. If several tasks wait, one of them gets the ping.
    pub async fn ping_due(&self) {
        let waiter = Waiter::new(self);
        poll_fn(|cx| {
            let mut state = self.state();
            if mem::take(&mut state.ping_due) {
                return Poll::Ready(());
            }
            state.waiters.retain(|(number, _)| *number != waiter.number);
            state.waiters.push((waiter.number, cx.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Returns whether the connection is open, and whether anything was heard since the last call. The next change
    /// wakes the keeper.
    pub(super) fn look(&self, waker: &Waker) -> (bool, bool) {
        let mut state = self.state();
        state.keeper = Some(waker.clone());
        (state.opened, mem::take(&mut state.heard))
    }

    /// Makes a ping due.
    pub(super) fn ping(&self) {
        let mut state = self.state();
        state.ping_due = true;
        // All of them, because the first may be of a future that nobody polls.
        let waiters = mem::take(&mut state.waiters);
        drop(state);
        for (_, waker) in waiters {
            waker.wake();
        }
    }
}

/// One call that waits for a ping. It leaves nothing behind.
struct Waiter<'a> {
    connection: &'a Connection,
    number: u64,
}

impl<'a> Waiter<'a> {
    fn new(connection: &'a Connection) -> Self {
        let mut state = connection.state();
        state.next += 1;
        Self {
            connection,
            number: state.next,
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut state = self.connection.state();
        state.waiters.retain(|(number, _)| *number != self.number);
    }
}
