//! Results of the simulation of load.

use crate::simulation::served::MAX_TRACED;

/// Counts of each time bin: columns of equal length.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadBins {
    /// First attempts that arrived at the server.
    pub requests: Vec<u32>,
    /// Retries that arrived at the server.
    pub retries: Vec<u32>,
    /// Attempts that were answered in time and did not fail, when they were.
    pub successes: Vec<u32>,
    /// Attempts whose time limit passed, when it did.
    pub timeouts: Vec<u32>,
    /// Attempts that were answered in time with a failure, when they were.
    pub failures: Vec<u32>,
    /// Attempts that a breaker rejected: first ones, and retries before or after their wait.
    pub rejected_by_breaker: Vec<u32>,
    /// Retries that a budget rejected.
    pub rejected_by_budget: Vec<u32>,
    /// How long the last attempt that arrived in the bin has to wait for its answer, in ms (its
    /// client may not); NaN if none arrived.
    pub response_ms: Vec<f64>,
}

/// Sums since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LoadTotals {
    /// Requests that were started.
    pub requests: u64,
    /// Retries that were granted: some of them still wait, or a breaker rejected them after their wait.
    pub retries: u64,
    /// Requests that were answered in time, without a failure.
    pub successes: u64,
    /// Requests that ended without an answer.
    pub give_ups: u64,
    /// See [`LoadBins::rejected_by_breaker`].
    pub rejected_by_breaker: u64,
    /// See [`LoadBins::rejected_by_budget`].
    pub rejected_by_budget: u64,
    /// How often a breaker opened.
    pub openings: u64,
}

/// The changes of breakers in the order of time: three columns of equal length, at most 10^6 of them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LoadPhases {
    /// When it changed, in ms.
    pub times_ms: Vec<f64>,
    /// The process, starting at 0.
    pub processes: Vec<u32>,
    /// The phase that follows: [`LoadPhases::CLOSED`], [`LoadPhases::OPEN`] or [`LoadPhases::HALF_OPEN`].
    pub phases: Vec<u32>,
}

impl LoadPhases {
    /// All attempts are admitted, as at the start.
    pub const CLOSED: u32 = 0;
    /// No attempts are admitted.
    pub const OPEN: u32 = 1;
    /// One attempt at a time is admitted.
    pub const HALF_OPEN: u32 = 2;

    pub(super) fn add(&mut self, time_ms: f64, process: u32, phase: u32) {
        if self.times_ms.len() < MAX_TRACED {
            self.times_ms.push(time_ms);
            self.processes.push(process);
            self.phases.push(phase);
        }
    }
}
