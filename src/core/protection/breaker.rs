//! The breaker: rejects attempts while most of them fail, and lets one through now and then.

use super::window::Window;

/// Settings of a [`Breaker`], validated by the caller.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct BreakerSettings {
    /// The circuit opens if failures are at least this share of the calls. In `(0, 1]`.
    pub failure_ratio: f64,
    /// Calls below which the ratio says nothing. A positive integer, or infinity: the ratio never opens the circuit.
    pub minimum_calls: f64,
    /// Length of the window in which calls and failures are counted, in ms. Positive and finite.
    pub window_ms: f64,
    /// Failures in a row that open the circuit whatever the ratio. A positive integer or infinity.
    pub consecutive_failures: f64,
    /// Upper bound of the first opening, in ms. Each further one lasts up to twice as long. Positive and finite.
    pub open_ms: f64,
    /// Successes that close a half-open circuit. A positive integer.
    pub close_after: f64,
}

/// Failures in a row that open the circuit when they have lasted for a whole window: a service of ten calls a minute
/// never reaches `minimum_calls`.
const LASTING_ROW: f64 = 5.0;

/// Openings in a row grow up to `open_ms` times this number.
const LONGEST_OPENING: f64 = 12.0;

// Codes of [`Phase`], as JavaScript reads them.
const CLOSED: f64 = 0.0;
const OPEN: f64 = 1.0;
const HALF_OPEN: f64 = 2.0;

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
    /// The attempt may start. When it ends, [`Breaker::ended`] wants both numbers back.
    Admitted {
        /// Number of the period between two changes of phase.
        generation: f64,
        /// Number of the probe's lease within the period.
        lease: f64,
    },
    /// The attempt must not start.
    Refused {
        /// Time after which asking again makes sense, in ms.
        retry_after_ms: f64,
    },
}

/// Judgement of an attempt's end about the destination.
// JavaScript has the same codes (src/js/protection/machines.js).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Verdict {
    /// Nothing: for example, the caller aborted it. Only frees the probe's place.
    Nothing = 0,
    /// It works.
    Success = 1,
    /// It does not.
    Failure = 2,
}

/// How the end of an attempt changed a breaker.
// JavaScript has the same codes, too.
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

/// A circuit breaker without a timer.
///
/// The circuit opens when `failures ≥ failure_ratio · calls` of at least `minimum_calls`, when
/// `consecutive_failures` came in a row, or when 5 failures in a row lasted a whole window. The k-th opening in a row
/// lasts `c/2 + draw · c/2` ms with `c = min(12 · open_ms, open_ms · 2^(k − 1))`, so that a fleet does not probe in
/// step.
///
/// A probe holds its place for one opening at most (its lease), so a call that never settles cannot block the others
/// for ever. Its outcome still counts when it comes later: the call began after the opening, so it is evidence.
/// Outcomes of calls that began before the last change of phase count for nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Breaker {
    window: Window,
    phase: f64,
    /// Failures without a success between them.
    in_row: f64,
    row_since: f64,
    /// End of the opening, or of the lease of the probe.
    until: f64,
    /// Length of the latest opening, in ms.
    last_open: f64,
    /// Openings in a row.
    opens: f64,
    /// Time since which it is closed: made or closed then.
    closed_at: f64,
    /// Grows when the circuit opens, becomes half-open after an opening, and closes.
    generation: f64,
    /// Leases that ended before their probe did. Compared within a generation only, so it never starts again.
    lease: f64,
    /// Whether a probe holds the place: 0 or 1.
    running: f64,
    /// Successes since it became half-open.
    good: f64,
}

impl Breaker {
    /// A closed breaker without calls.
    #[must_use]
    pub const fn new(now: f64) -> Self {
        Self {
            window: Window::new(now),
            phase: CLOSED,
            in_row: 0.0,
            row_since: 0.0,
            until: 0.0,
            last_open: 0.0,
            opens: 0.0,
            closed_at: now,
            generation: 0.0,
            lease: 0.0,
            running: 0.0,
            good: 0.0,
        }
    }

    /// Returns the phase. An open circuit stays open after its time, until an attempt wants to start.
    #[must_use]
    pub fn phase(&self) -> Phase {
        if self.phase == OPEN {
            Phase::Open
        } else if self.phase == HALF_OPEN {
            Phase::HalfOpen
        } else {
            Phase::Closed
        }
    }

    /// Returns the time in ms during which the circuit certainly admits no attempt, 0 if it may admit one. Takes no
    /// probe. A running probe is not certain: it may end any time.
    #[must_use]
    pub fn look(&mut self, now: f64) -> f64 {
        if self.phase == OPEN {
            self.left(now)
        } else {
            0.0
        }
    }

    /// Asks for an attempt. One that is admitted has to be [`ended`](Self::ended).
    #[must_use]
    pub fn admit(&mut self, options: &BreakerSettings, now: f64) -> Admission {
        let retry_after_ms = self.wait(now);
        if retry_after_ms > 0.0 {
            return Admission::Refused { retry_after_ms };
        }
        if self.phase == CLOSED {
            self.turn(options, now);
            self.window.current.begun += 1.0;
        } else {
            if self.phase == OPEN {
                self.enter(HALF_OPEN);
            } else {
                // 1 if the lease of a probe has ended.
                self.lease += self.running;
            }
            self.running = 1.0;
            self.until = now + self.last_open;
        }
        Admission::Admitted {
            generation: self.generation,
            lease: self.lease,
        }
    }

    /// Takes in the end of an attempt, with the numbers that [`admit`](Self::admit) gave it.
    ///
    /// `draw`, in `[0, 1)`, varies the length of an opening. A failing probe opens the circuit for at least `hint_ms`,
    /// the time that the server asked for; NaN or 0 if it did not ask.
    #[allow(clippy::too_many_arguments)]
    pub fn ended(
        &mut self,
        options: &BreakerSettings,
        now: f64,
        draw: f64,
        generation: f64,
        lease: f64,
        verdict: Verdict,
        hint_ms: f64,
    ) -> Change {
        if generation != self.generation {
            return Change::None;
        }
        if self.phase == CLOSED {
            self.turn(options, now);
            match verdict {
                Verdict::Nothing => {}
                Verdict::Success => {
                    self.window.current.successes += 1.0;
                    self.in_row = 0.0;
                }
                Verdict::Failure => {
                    self.window.current.failures += 1.0;
                    if self.in_row == 0.0 || self.row_since > now {
                        self.row_since = now;
                    }
                    self.in_row += 1.0;
                    if self.fails(options, now) {
                        if now - self.closed_at >= options.window_ms {
                            self.opens = 0.0;
                        }
                        return self.trip(options, now, draw, 0.0);
                    }
                }
            }
            return Change::None;
        }
        if lease == self.lease {
            self.running = 0.0;
        }
        match verdict {
            Verdict::Nothing => Change::None,
            Verdict::Success => {
                self.good += 1.0;
                if self.good < options.close_after {
                    return Change::None;
                }
                self.close(now);
                Change::Closed
            }
            Verdict::Failure => self.trip(options, now, draw, hint_ms),
        }
    }

    /// Opens the circuit by hand for `ms`, above 0; infinity until [`close`](Self::close).
    pub fn open(&mut self, now: f64, ms: f64) {
        self.enter(OPEN);
        self.until = now + ms;
        self.last_open = ms;
    }

    /// Closes the circuit, with an empty window. Calls that are running count for nothing from here on.
    pub fn close(&mut self, now: f64) {
        self.enter(CLOSED);
        self.window = Window::new(now);
        self.in_row = 0.0;
        self.closed_at = now;
    }

    /// Returns the numbers of the window at `now`. Turns the window as any call does: to change nothing, ask a copy.
    #[must_use]
    pub fn numbers(&mut self, options: &BreakerSettings, now: f64) -> BreakerNumbers {
        let retry_after_ms = self.wait(now);
        self.turn(options, now);
        BreakerNumbers {
            retry_after_ms,
            failures: self.window.counts(options.window_ms, now).failures,
            calls: self.calls(options, now),
            opens: self.opens,
        }
    }

    /// Returns whether the breaker behaves as a new one would: forgetting it changes nothing. Turns the window, too.
    #[must_use]
    pub fn is_fresh(&mut self, options: &BreakerSettings, now: f64) -> bool {
        self.turn(options, now);
        let counts = self.window.counts(options.window_ms, now);
        let history = counts.successes + counts.failures + counts.begun + self.in_row;
        let forgets = self.opens == 0.0 || now - self.closed_at >= options.window_ms;
        self.phase == CLOSED && history == 0.0 && forgets
    }

    /// The time in ms during which no attempt is admitted, unless a probe ends.
    fn wait(&mut self, now: f64) -> f64 {
        if self.phase == OPEN || self.running != 0.0 {
            self.left(now)
        } else {
            0.0
        }
    }

    /// The rest of an opening or a lease in ms. After the clock was set back, none lasts longer than it did before.
    // Never inlined, so that the JavaScript that the build makes of the breaker has it once.
    #[inline(never)]
    fn left(&mut self, now: f64) -> f64 {
        self.until = self.until.min(now + self.last_open);
        (self.until - now).max(0.0)
    }

    /// Whether the failures are enough to open a closed circuit. Called at a failure, after the window's turn.
    fn fails(&self, options: &BreakerSettings, now: f64) -> bool {
        let counts = self.window.counts(options.window_ms, now);
        let calls = self.calls(options, now);
        let ratio = options.failure_ratio;
        // An infinite minimum turns the ratio off, and with it the rule for services that never reach a minimum.
        let lasting = self.in_row >= LASTING_ROW
            && options.minimum_calls != f64::INFINITY
            && now - self.row_since >= options.window_ms
            && self.in_row >= ratio * counts.begun;
        self.in_row >= options.consecutive_failures
            || calls >= options.minimum_calls && counts.failures >= ratio * calls
            || lasting
    }

    /// The calls of the window. In the first window after the breaker was made or closed, calls that still run count
    /// too: failures come faster than successes, and a ratio of what has ended would open the circuit of a healthy
    /// service.
    fn calls(&self, options: &BreakerSettings, now: f64) -> f64 {
        let counts = self.window.counts(options.window_ms, now);
        let ended = counts.successes + counts.failures;
        if now - self.closed_at < options.window_ms {
            ended.max(counts.begun)
        } else {
            ended
        }
    }

    /// Opens the circuit once more in a row.
    fn trip(&mut self, options: &BreakerSettings, now: f64, draw: f64, at_least: f64) -> Change {
        self.opens += 1.0;
        let longest = LONGEST_OPENING * options.open_ms;
        let mut ceiling = options.open_ms;
        let mut k = 1.0;
        while k < self.opens && ceiling < longest {
            ceiling *= 2.0;
            k += 1.0;
        }
        let ceiling = ceiling.min(longest);
        self.open(now, (ceiling / 2.0 + draw * ceiling / 2.0).max(at_least));
        Change::Opened
    }

    /// Changes the phase. Nothing that is running is a probe of the new one.
    // Never inlined, as `left`.
    #[inline(never)]
    fn enter(&mut self, phase: f64) {
        self.phase = phase;
        self.generation += 1.0;
        self.running = 0.0;
        self.good = 0.0;
    }

    /// Turns the window. It starts no earlier than the breaker was closed, and neither lies in the future.
    fn turn(&mut self, options: &BreakerSettings, now: f64) {
        self.window.turn(options.window_ms, now);
        self.closed_at = self.closed_at.min(now);
    }
}
