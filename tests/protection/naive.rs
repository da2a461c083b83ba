//! A breaker that remembers everything: lists of what happened, from which it works each answer out.

use rejitter::internals::protection::{BreakerSettings, Phase, Verdict};

/// A change of phase, or a failing probe's new opening.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turn {
    Closed,
    Opened { ms: f64, by_hand: bool },
    HalfOpened,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Begun,
    Success,
    Failure,
}

/// An admitted attempt: the period in which it began, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pass {
    period: usize,
    number: usize,
}

pub(super) struct Naive {
    options: BreakerSettings,
    /// All changes with their times. The first one made the breaker.
    turns: Vec<(f64, Turn)>,
    /// Events since it was made or closed.
    events: Vec<(f64, Event)>,
    /// When each probe of this half-open period was admitted, and whether it has ended.
    probes: Vec<(f64, bool)>,
    good: f64,
}

impl Naive {
    pub(super) fn new(options: BreakerSettings, now: f64) -> Self {
        Self {
            options,
            turns: vec![(now, Turn::Closed)],
            events: Vec::new(),
            probes: Vec::new(),
            good: 0.0,
        }
    }

    fn latest(&self) -> (f64, Turn) {
        *self.turns.last().expect("it was made")
    }

    pub(super) fn phase(&self) -> Phase {
        match self.latest().1 {
            Turn::Closed => Phase::Closed,
            Turn::Opened { .. } => Phase::Open,
            Turn::HalfOpened => Phase::HalfOpen,
        }
    }

    fn last_open(&self) -> f64 {
        let opened = |(_, turn): &(f64, Turn)| match turn {
            Turn::Opened { ms, .. } => Some(*ms),
            _ => None,
        };
        self.turns.iter().rev().find_map(opened).unwrap_or(0.0)
    }

    /// Openings in a row, those by hand left out.
    pub(super) fn opens(&self) -> f64 {
        let mut opens = 0.0;
        for (i, (at, turn)) in self.turns.iter().enumerate() {
            if matches!(turn, Turn::Opened { by_hand: false, .. }) {
                let (before, previous) = self.turns[i - 1];
                if previous == Turn::Closed && at - before >= self.options.window_ms {
                    opens = 0.0;
                }
                opens += 1.0;
            }
        }
        opens
    }

    /// How long no attempt is admitted.
    pub(super) fn wait(&self, now: f64) -> f64 {
        let (at, turn) = self.latest();
        let until = match turn {
            Turn::Closed => now,
            Turn::Opened { ms, .. } => at + ms,
            Turn::HalfOpened => match self.probes.last() {
                Some((admitted, false)) => admitted + self.last_open(),
                _ => now,
            },
        };
        if until > now { until - now } else { 0.0 }
    }

    pub(super) fn admit(&mut self, now: f64) -> Result<Pass, f64> {
        let wait = self.wait(now);
        if wait > 0.0 {
            return Err(wait);
        }
        match self.phase() {
            Phase::Closed => self.events.push((now, Event::Begun)),
            Phase::Open => {
                self.turn(now, Turn::HalfOpened);
                self.probes.push((now, false));
            }
            Phase::HalfOpen => self.probes.push((now, false)),
        }
        Ok(Pass {
            period: self.turns.len(),
            number: self.probes.len(),
        })
    }

    pub(super) fn ended(&mut self, now: f64, pass: Pass, verdict: Verdict, draw: f64, hint: f64) {
        if pass.period != self.turns.len() {
            return;
        }
        match (self.phase(), verdict) {
            (Phase::Closed, Verdict::Nothing) => {}
            (Phase::Closed, Verdict::Success) => self.events.push((now, Event::Success)),
            (Phase::Closed, Verdict::Failure) => {
                self.events.push((now, Event::Failure));
                if self.is_too_much(now) {
                    self.trip(now, draw, 0.0);
                }
            }
            (Phase::HalfOpen, verdict) => {
                self.probes[pass.number - 1].1 = true;
                self.good += f64::from(u8::from(verdict == Verdict::Success));
                if verdict == Verdict::Failure {
                    self.trip(now, draw, hint);
                } else if self.good >= self.options.close_after {
                    self.turn(now, Turn::Closed);
                }
            }
            (Phase::Open, _) => panic!("nothing starts while it is open"),
        }
    }

    pub(super) fn open(&mut self, now: f64, ms: f64) {
        self.turn(now, Turn::Opened { ms, by_hand: true });
    }

    pub(super) fn close(&mut self, now: f64) {
        self.turn(now, Turn::Closed);
    }

    fn turn(&mut self, now: f64, turn: Turn) {
        self.turns.push((now, turn));
        self.events.clear();
        self.probes.clear();
        self.good = 0.0;
    }

    fn trip(&mut self, now: f64, draw: f64, hint: f64) {
        let by_hand = false;
        self.turn(now, Turn::Opened { ms: 0.0, by_hand });
        let k = self.opens();
        let ceiling = (self.options.open_ms * (k - 1.0).exp2()).min(12.0 * self.options.open_ms);
        let drawn = ceiling / 2.0 + draw * ceiling / 2.0;
        let ms = if hint > drawn { hint } else { drawn };
        *self.turns.last_mut().expect("just now") = (now, Turn::Opened { ms, by_hand });
    }

    /// How many events of a kind lie in the window: all of the present slice, and a share of those of the slice before,
    /// as large as the part of it that the window still covers.
    fn count(&self, now: f64, kind: Event) -> f64 {
        let window = self.options.window_ms;
        let (start, _) = self.latest();
        let slice = |at: f64| ((at - start) / window).floor();
        let in_slice = |wanted: f64| {
            let events = self.events.iter().rev();
            let recent = events.take_while(|(at, _)| slice(*at) >= wanted);
            let many = recent
                .filter(|(at, event)| *event == kind && slice(*at) == wanted)
                .count();
            f64::from(u32::try_from(many).expect("few"))
        };
        let age = now - start - slice(now) * window;
        in_slice(slice(now)) + in_slice(slice(now) - 1.0) * (1.0 - age / window)
    }

    pub(super) fn failures(&self, now: f64) -> f64 {
        self.count(now, Event::Failure)
    }

    pub(super) fn calls(&self, now: f64) -> f64 {
        let ended = self.count(now, Event::Success) + self.count(now, Event::Failure);
        if now - self.latest().0 < self.options.window_ms {
            ended.max(self.count(now, Event::Begun))
        } else {
            ended
        }
    }

    fn is_too_much(&self, now: f64) -> bool {
        let BreakerSettings {
            failure_ratio,
            minimum_calls,
            window_ms,
            consecutive_failures,
            ..
        } = self.options;
        let row: Vec<f64> = self
            .events
            .iter()
            .rev()
            .take_while(|(_, event)| *event != Event::Success)
            .filter(|(_, event)| *event == Event::Failure)
            .map(|(at, _)| *at)
            .collect();
        let in_row = f64::from(u32::try_from(row.len()).expect("few"));
        let since = *row.last().expect("a failure, just now");
        let calls = self.calls(now);
        let many = calls >= minimum_calls && self.failures(now) >= failure_ratio * calls;
        let lasting = minimum_calls.is_finite()
            && row.len() >= 5
            && now - since >= window_ms
            && in_row >= failure_ratio * self.count(now, Event::Begun);
        in_row >= consecutive_failures || many || lasting
    }
}
