//! Protections with hedges, and attempts that take set times.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{HedgeOptions, HedgeStatus, Protection, Sleeper};

use super::MS;

pub(super) const AFTER_50_MS: HedgeOptions =
    HedgeOptions::DEFAULT.with_delay(Duration::from_millis(50));

/// A protection on virtual time, with hedges after 50 ms and these parts.
pub(super) fn on(parts: impl FnOnce(Protection) -> Protection) -> (VirtualTime, Protection) {
    super::on(|p| parts(p.hedge(AFTER_50_MS)))
}

pub(super) fn hedges(api: &Protection) -> HedgeStatus {
    api.status().hedge.expect("hedges")
}

pub(super) type Ends = Result<&'static str, &'static str>;

/// Attempts that take these times and end so. Counts those that are alive, and notes when each started.
pub(super) struct Script<'a, T> {
    time: &'a VirtualTime,
    ends: Vec<(u32, T)>,
    calls: RefCell<Vec<Duration>>,
    pub(super) alive: Cell<usize>,
}

struct Alive<'a>(&'a Cell<usize>);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl<'a, T: Clone> Script<'a, T> {
    pub(super) fn new(time: &'a VirtualTime, ends: &[(u32, T)]) -> Self {
        Self {
            time,
            ends: ends.to_vec(),
            calls: RefCell::default(),
            alive: Cell::new(0),
        }
    }

    pub(super) fn attempt(&self) -> impl Future<Output = T> {
        self.calls.borrow_mut().push(self.time.now());
        let (takes, end) = self.ends[self.calls.borrow().len() - 1].clone();
        self.alive.set(self.alive.get() + 1);
        let alive = Alive(&self.alive);
        let wait = Sleeper::sleep(self.time, MS * takes);
        async move {
            let _alive = alive;
            wait.await;
            end
        }
    }

    pub(super) fn calls(&self) -> Vec<u128> {
        self.calls
            .borrow()
            .iter()
            .map(Duration::as_millis)
            .collect()
    }
}
