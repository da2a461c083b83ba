//! The vocabulary of a breaker: verdicts that it is told, and its answers.

/// Rule by which a breaker admits attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Admits all.
    Closed,
    /// Rejects all. It has no timer: the first attempt after its end makes it half-open.
    Open,
    /// Admits one at a time, a probe.
    HalfOpen,
}

/// The answer to an attempt that wants to start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Admission {
    /// The attempt may start. When it ends, [`Breaker::ended`](super::Breaker::ended) wants its ticket back.
    Admitted {
        /// Tickets grow. Those of retries that a closed circuit admits are not whole numbers.
        ticket: f64,
    },
    /// The attempt must not start.
    Rejected {
        /// Time after which asking again makes sense, in ms.
        retry_after_ms: f64,
    },
}

/// Judgement of an attempt's end about the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Verdict {
    /// Nothing: for example, the caller aborted it. The attempt is as if it had never been admitted.
    Nothing = 0,
    /// It works.
    Success = 1,
    /// It does not.
    Failure = 2,
}

/// How the end of an attempt changed a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Change {
    /// The phase is the same.
    None = 0,
    /// It opened.
    Opened = 1,
    /// It closed.
    Closed = 2,
}

/// Numbers of a breaker, for reports.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct BreakerNumbers {
    /// Time after which asking for admission makes sense, in ms.
    pub retry_after_ms: f64,
    /// Failures in the window.
    pub failures: f64,
    /// Calls in the window.
    pub calls: f64,
    /// Openings in a row.
    pub opens: f64,
}
