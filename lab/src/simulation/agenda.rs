//! Models whose events come from one queue, up to a horizon.

use super::{EventQueue, Progress};

/// The events that are still to happen in a model, and how far it has come.
#[derive(Debug, Clone)]
pub(super) struct Agenda {
    pub(super) queue: EventQueue,
    horizon_ms: f64,
    /// The time of the last event.
    pub(super) now_ms: f64,
    events: u64,
    /// No event is left before the horizon.
    pub(super) over: bool,
}

impl Agenda {
    pub(super) fn new(horizon_ms: f64) -> Self {
        Self {
            queue: EventQueue::new(),
            horizon_ms,
            now_ms: 0.0,
            events: 0,
            over: false,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, time: f64, event: u32) {
        self.queue.push(time, event);
    }

    /// The next event before the horizon, if as many as are `left` to handle allow one.
    #[inline]
    pub(super) fn next(&mut self, left: &mut u64) -> Option<(f64, u32)> {
        if *left == 0 || self.over {
            return None;
        }
        let next = self.queue.pop();
        let next = next.filter(|(now, _)| *now < self.horizon_ms);
        if let Some((now, _)) = next {
            *left -= 1;
            self.events += 1;
            self.now_ms = now;
        } else {
            self.over = true;
        }
        next
    }

    /// Returns the progress of a model of which `ended` of `all` pieces of work are done.
    pub(super) fn progress_of(&self, ended: u64, all: u32) -> Progress {
        // At most 10^7.
        #[allow(clippy::cast_precision_loss)]
        self.progress(ended as f64 / f64::from(all))
    }

    /// Returns the progress of a model by the share of its work that is done, before the end.
    pub(super) fn progress(&self, share: f64) -> Progress {
        Progress {
            events: self.events,
            share: if self.over { 1.0 } else { share },
            done: self.over,
        }
    }
}
