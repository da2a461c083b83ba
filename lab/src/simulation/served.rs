//! The requests that a server saw, by time and by client.

use rejitter::internals::getters;

use super::check::bin_of;
use super::statistics::count_one;

/// Requests at the server, by time: bin b is from b·`bin_ms` (included) to the next bin's start.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    bin_ms: f64,
    arrivals: Vec<u32>,
    accepted: Vec<u32>,
    rejected: Vec<u32>,
}

/// The busiest bin.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Peak {
    /// Start of the bin, in ms.
    pub start_ms: f64,
    /// The requests that arrived in it.
    pub arrivals: u32,
}

impl Bins {
    pub(super) fn new(bin_ms: f64) -> Self {
        Self {
            bin_ms,
            arrivals: Vec::new(),
            accepted: Vec::new(),
            rejected: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, time_ms: f64, accepted: bool) {
        let bin = bin_of(time_ms, self.bin_ms);
        if bin >= self.arrivals.len() {
            for column in [&mut self.arrivals, &mut self.accepted, &mut self.rejected] {
                column.resize(bin + 1, 0);
            }
        }
        count_one(&mut self.arrivals[bin]);
        if accepted {
            count_one(&mut self.accepted[bin]);
        } else {
            count_one(&mut self.rejected[bin]);
        }
    }

    getters! {
        /// The width of a bin, in ms.
        bin_ms: f64,
        /// The requests that arrived, up to the last bin with any.
        arrivals: &[u32],
        /// Those of them that the server accepted.
        accepted: &[u32],
        /// Those that it did not.
        rejected: &[u32],
    }

    /// Returns the first of the busiest bins that start at `from_ms` or later.
    #[must_use]
    pub fn peak(&self, from_ms: f64) -> Option<Peak> {
        let mut peak: Option<Peak> = None;
        let mut start_ms = 0.0;
        for (bin, arrivals) in (0_u32..).zip(&self.arrivals) {
            if start_ms >= from_ms && peak.is_none_or(|peak| peak.arrivals < *arrivals) {
                peak = Some(Peak {
                    start_ms,
                    arrivals: *arrivals,
                });
            }
            start_ms = f64::from(bin + 1) * self.bin_ms;
        }
        peak
    }
}

/// The attempts of a few clients, in the order of time: three columns of equal length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traces {
    clients: Vec<u32>,
    times_ms: Vec<f64>,
    outcomes: Vec<u32>,
}

/// How many attempts are traced at most: what a page can draw, many times over.
pub(super) const MAX_TRACED: usize = 1_000_000;

impl Traces {
    /// The attempt was rejected, and the client tries again.
    pub const REJECTED: u32 = 0;
    /// The attempt was accepted.
    pub const ACCEPTED: u32 = 1;
    /// The attempt was rejected, and the client gave up.
    pub const GAVE_UP: u32 = 2;

    pub(super) fn add(&mut self, client: u32, time_ms: f64, outcome: u32) {
        if self.clients.len() < MAX_TRACED {
            self.clients.push(client);
            self.times_ms.push(time_ms);
            self.outcomes.push(outcome);
        }
    }

    getters! {
        /// Whose attempt it was.
        clients: &[u32],
        /// When it arrived, in ms.
        times_ms: &[f64],
        /// Outcome: [`Traces::REJECTED`], [`Traces::ACCEPTED`] or [`Traces::GAVE_UP`].
        outcomes: &[u32],
    }
}
