//! The breaker: rejects attempts while most of them fail, and lets one through now and then.

use core::mem::offset_of;

use super::breaker_facts::{Admission, BreakerNumbers, Change, Phase, Verdict};
use super::breaker_options::BreakerSettings;
use super::place;
use super::window::Window;
use crate::core::elementary::floor;

/// Failures are a row only if they are at least this share of the attempts in it. The share does not follow
/// `failure_ratio`: only a row shows an overload whose server works off a queue, and only the window rejects calls of
/// which nearly half succeed.
const ROW_RATIO: f64 = 0.5;

/// How long a row has to last, in ms, to be one of `lasting_failures`.
const LASTING_MS: f64 = 1_000.0;

/// Successes after which a circuit that was closed has recovered: its next opening is a first one again.
const RECOVERED: f64 = 20.0;

// Codes of [`Phase`], as JavaScript reads them in the order of this list.
const CLOSED: f64 = 0.0;
const OPEN: f64 = 1.0;
const HALF_OPEN: f64 = 2.0;

/// A circuit breaker without a timer.
///
/// A closed circuit opens at a failure when `failures ≥ failure_ratio · calls` of at least `minimum_calls`, or when
/// `consecutive_failures` of those that were admitted after the last success have failed, and they are half of them at
/// least. If the first of them was admitted a second ago, `lasting_failures` are enough.
///
/// The k-th opening in a row lasts `c/2 + draw · c/2` ms with `c = min(max_open_ms, open_ms · 2^(k − 1))`, so that a
/// fleet does not probe in step.
///
/// While it is closed, the failure of a retry says nothing: with n attempts, a share of 1/(n + 1) of failing operations
/// would look like half of the calls. The success of a retry counts as any other.
///
/// A probe holds its place for one opening at most (its lease), so a call that never settles cannot block the others
/// for ever. Its outcome still counts when it comes later: the call began after the opening, so it is evidence.
/// Outcomes of calls that began before the last change of phase count for nothing. Neither do old failures: an open
/// circuit that nobody has asked for a window is closed when asked.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Breaker {
    window: Window,
    phase: f64,
    /// The last ticket.
    tickets: f64,
    /// The first ticket of the present phase. Half-open after an opening is one phase, whatever its probes.
    since: f64,
    /// The first ticket after the last success.
    row_since: f64,
    /// First attempts admitted since then, and those of them that failed.
    row_begun: f64,
    in_row: f64,
    /// When the first of them was admitted.
    row_at: f64,
    /// Ticket of the probe that holds the place, 0 if it is free.
    probe: f64,
    /// Successes in the present phase.
    good: f64,
    /// Openings in a row.
    opens: f64,
    /// Start of the present phase.
    changed_at: f64,
    /// End of the opening, or of the lease of the probe, and how long that was to last.
    until: f64,
    longest: f64,
    /// Length of the next lease.
    lease: f64,
}

impl Breaker {
    /// Place of the attempts that were admitted in the present slice of the window.
    pub const BEGUN: u32 = place(offset_of!(Self, window.current.begun));
    /// Place of the start of that slice.
    pub const STARTED_AT: u32 = place(offset_of!(Self, window.started_at));
    /// Place of the code of the phase.
    pub const PHASE: u32 = place(offset_of!(Self, phase));
    /// Place of the first attempts that were admitted after the last success.
    pub const ROW_BEGUN: u32 = place(offset_of!(Self, row_begun));
    /// Place of the start of the present phase.
    pub const CHANGED_AT: u32 = place(offset_of!(Self, changed_at));
    /// Number of fields.
    pub const FIELDS: u32 = place(size_of::<Self>());

    /// A closed breaker without calls.
    #[must_use]
    pub const fn new(now: f64) -> Self {
        Self {
            window: Window::new(now, 0.0),
            phase: CLOSED,
            tickets: 0.0,
            since: 0.0,
            row_since: 0.0,
            row_begun: 0.0,
            in_row: 0.0,
            row_at: 0.0,
            probe: 0.0,
            good: 0.0,
            opens: 0.0,
            changed_at: now,
            until: 0.0,
            longest: 0.0,
            lease: 0.0,
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

    /// Asks for an attempt: the first one of its operation, or a retry or a hedge. One that is admitted has to be
    /// [`ended`](Self::ended).
    #[must_use]
    pub fn admit(&mut self, options: &BreakerSettings, now: f64, first: bool) -> Admission {
        let retry_after_ms = self.wait(now);
        if retry_after_ms > 0.0 {
            return Admission::Rejected { retry_after_ms };
        }
        if self.phase == OPEN {
            if now - self.until >= options.window_ms {
                self.shut(now);
            } else {
                self.enter(HALF_OPEN, now);
            }
        }
        let mut ticket = self.tickets + 1.0;
        if self.phase == HALF_OPEN {
            self.changed_at = self.changed_at.min(now);
            self.probe = ticket;
            self.longest = self.lease;
            self.until = now + self.lease;
        } else {
            self.turn(options, now);
            if first {
                self.window.current.begun += 1.0;
                if self.row_begun == 0.0 {
                    self.row_at = now;
                }
                self.row_begun += 1.0;
            } else {
                ticket += 0.5;
            }
        }
        self.tickets += 1.0;
        Admission::Admitted { ticket }
    }

    /// Takes in the end of an attempt, with the ticket that [`admit`](Self::admit) gave it.
    ///
    /// `draw`, in `[0, 1)`, varies the length of an opening. A failing probe opens the circuit for at least `hint_ms`,
    /// the time that the server asked for, as far as openings last; NaN or 0 if it did not ask. The time is not read if
    /// the verdict is [`Verdict::Nothing`] and the circuit closed.
    pub fn ended(
        &mut self,
        options: &BreakerSettings,
        now: f64,
        draw: f64,
        ticket: f64,
        verdict: Verdict,
        hint_ms: f64,
    ) -> Change {
        if ticket < self.since {
            return Change::None;
        }
        if self.phase != CLOSED {
            if ticket == self.probe {
                self.probe = 0.0;
            }
            if verdict == Verdict::Failure {
                return self.trip(options, now, draw, hint_ms);
            }
            let closes = if verdict == Verdict::Success {
                self.good += 1.0;
                self.good >= options.close_after
            } else {
                // Nobody can tell whether it works. Better to let all ask than one at a time for ever.
                now - self.changed_at >= options.window_ms
            };
            if closes {
                self.shut(now);
                return Change::Closed;
            }
            return Change::None;
        }
        let first = floor(ticket) == ticket;
        let of_row = first && ticket >= self.row_since;
        if verdict == Verdict::Nothing {
            if first {
                self.window.take_back(ticket);
            }
            if of_row {
                self.row_begun -= 1.0;
            }
            return Change::None;
        }
        self.turn(options, now);
        if verdict == Verdict::Success {
            self.window.current.ended += 1.0;
            self.good += 1.0;
            self.start_row();
        } else if first {
            self.window.current.ended += 1.0;
            self.window.current.failures += 1.0;
            if of_row {
                self.in_row += 1.0;
            }
            if self.fails(options, now) {
                return self.trip(options, now, draw, 0.0);
            }
        }
        Change::None
    }

    /// Opens the circuit by hand for `ms`, above 0; infinity until [`close`](Self::close). An open one stays open for
    /// that long instead.
    pub fn open(&mut self, options: &BreakerSettings, now: f64, ms: f64) {
        if self.phase != OPEN {
            self.enter(OPEN, now);
        }
        self.last(now, ms);
        self.lease = ms.max(options.open_ms).min(options.max_open_ms);
    }

    /// Closes the circuit by hand, with an empty window, as if it had never opened. Calls that are running count for
    /// nothing from here on.
    pub fn close(&mut self, now: f64) {
        self.shut(now);
        self.opens = 0.0;
    }

    /// Returns the numbers of the window at `now`. Turns the window as any call does: to change nothing, ask a copy.
    #[must_use]
    pub fn numbers(&mut self, options: &BreakerSettings, now: f64) -> BreakerNumbers {
        let retry_after_ms = self.wait(now);
        self.turn(options, now);
        BreakerNumbers {
            retry_after_ms,
            failures: self.window.failures(options.window_ms, now),
            calls: self.window.calls(options.window_ms, now),
            opens: self.opens,
        }
    }

    /// Returns whether the breaker behaves as a new one would: forgetting it changes nothing. Turns the window, too.
    #[must_use]
    pub fn is_fresh(&mut self, options: &BreakerSettings, now: f64) -> bool {
        self.turn(options, now);
        let calls = self.window.calls(options.window_ms, now);
        self.phase == CLOSED && calls + self.row_begun + self.opens == 0.0
    }

    /// The time in ms during which no attempt is admitted, unless a probe ends.
    fn wait(&mut self, now: f64) -> f64 {
        if self.phase == OPEN || self.probe != 0.0 {
            self.left(now)
        } else {
            0.0
        }
    }

    /// The rest of an opening or a lease in ms. After the clock was set back, none lasts longer than it did before.
    // Never inlined, so that the JavaScript that the build makes of the breaker has it once.
    #[inline(never)]
    fn left(&mut self, now: f64) -> f64 {
        self.until = self.until.min(now + self.longest);
        (self.until - now).max(0.0)
    }

    /// Whether the failures are enough to open a closed circuit. Called at a failure, after the window's turn.
    // Without branches, of which the build makes long JavaScript.
    #[allow(clippy::needless_bitwise_bool)]
    fn fails(&self, options: &BreakerSettings, now: f64) -> bool {
        let failures = self.window.failures(options.window_ms, now);
        let calls = self.window.calls(options.window_ms, now);
        let mut row = options.consecutive_failures;
        if now - self.row_at >= LASTING_MS {
            row = row.min(options.lasting_failures);
        }
        (calls >= options.minimum_calls) & (failures >= options.failure_ratio * calls)
            | (self.in_row >= row) & (self.in_row >= ROW_RATIO * self.row_begun)
    }

    /// Opens the circuit once more in a row.
    fn trip(&mut self, options: &BreakerSettings, now: f64, draw: f64, at_least: f64) -> Change {
        self.opens += 1.0;
        let mut ceiling = options.open_ms;
        let mut k = 1.0;
        while k < self.opens && ceiling < options.max_open_ms {
            ceiling *= 2.0;
            k += 1.0;
        }
        let ceiling = ceiling.min(options.max_open_ms);
        let drawn = ceiling / 2.0 + draw * ceiling / 2.0;
        let ms = drawn.max(at_least).min(options.max_open_ms);
        self.enter(OPEN, now);
        self.last(now, ms);
        self.lease = ms;
        Change::Opened
    }

    /// The opening lasts that long.
    fn last(&mut self, now: f64, ms: f64) {
        self.until = now + ms;
        self.longest = ms;
    }

    /// Closes the circuit, with an empty window and an empty row.
    #[inline(never)]
    fn shut(&mut self, now: f64) {
        self.enter(CLOSED, now);
        self.window = Window::new(now, self.since);
        self.start_row();
    }

    /// A row of failures is what was admitted after the last success.
    fn start_row(&mut self) {
        self.row_since = self.tickets + 1.0;
        self.row_begun = 0.0;
        self.in_row = 0.0;
    }

    /// Changes the phase. Nothing that is running is a probe of the new one.
    // Never inlined, as `left`.
    #[inline(never)]
    fn enter(&mut self, phase: f64, now: f64) {
        self.phase = phase;
        self.changed_at = now;
        self.since = self.tickets + 1.0;
        self.probe = 0.0;
        self.good = 0.0;
    }

    /// Turns the window. It starts no earlier than the breaker was closed. No start lies in the future.
    fn turn(&mut self, options: &BreakerSettings, now: f64) {
        self.window.turn(options.window_ms, now, self.tickets + 1.0);
        self.changed_at = self.changed_at.min(now);
        self.row_at = self.row_at.min(now);
        let lasts = now - self.changed_at >= options.window_ms || self.good >= RECOVERED;
        if lasts && self.phase == CLOSED {
            self.opens = 0.0;
        }
    }
}
