//! Lives of machines: random steps whose answers are the same natively, in wasm and in the JavaScript made of it.
//!
//! `tests/package/protection/differential.cargo.test.mjs` makes the calls of the tape: kinds, arguments and answers are in
//! the same order there.

use std::collections::HashSet;

use rejitter::internals::protection::{
    Admission, Breaker, BreakerSettings, Budget, Change, Cooldown, Phase, Verdict,
};

use super::lives::{Tape, flag, write};
use crate::common::words::Words;

/// Steps per life.
const STEPS: u32 = 100;

struct Life {
    words: Words,
    tape: Tape,
    now: f64,
    /// Usual time between two steps, in ms.
    scale: f64,
    options: BreakerSettings,
    breaker: Breaker,
    running: Vec<f64>,
    capacity: f64,
    budget: Budget,
    cooldown: Cooldown,
}

impl Life {
    fn new(index: u32) -> Self {
        const SCALES: [f64; 6] = [0.01, 1.0, 30.0, 500.0, 7_000.0, 60_000.0];
        const COUNTS: [f64; 4] = [1.0, 3.0, 10.0, f64::INFINITY];
        let mut words = Words::new(index);
        let scale = SCALES[words.below(6) as usize];
        let now = 1e6 * words.unit();
        let failure_ratio = 1.0 - words.unit();
        let minimum_calls = COUNTS[words.below(4) as usize];
        let window_ms = 100.0 + scale * 40.0 * words.unit();
        let consecutive_failures = COUNTS[words.below(4) as usize];
        let open_ms = 0.5 + scale * 10.0 * words.unit();
        let options = BreakerSettings {
            failure_ratio,
            minimum_calls,
            window_ms,
            consecutive_failures,
            open_ms,
            max_open_ms: open_ms * COUNTS[words.below(4) as usize],
            close_after: f64::from(1 + words.below(3)),
            lasting_failures: COUNTS[words.below(4) as usize],
        };
        let capacity = f64::from(1 + words.below(5_000));
        let tape = vec![
            now,
            options.failure_ratio,
            options.minimum_calls,
            options.window_ms,
            options.consecutive_failures,
            options.open_ms,
            options.max_open_ms,
            options.close_after,
            options.lasting_failures,
            capacity,
        ];
        Self {
            words,
            tape,
            now,
            scale,
            options,
            breaker: Breaker::new(now),
            running: Vec::new(),
            capacity,
            budget: Budget::new(capacity),
            cooldown: Cooldown::new(),
        }
    }

    fn step(&mut self) {
        let leap = self.words.below(50);
        let part = self.words.unit();
        self.now += match leap {
            0 => 1e9 * (part - 0.5),
            1 => 0.0,
            2 => -self.scale * part,
            _ => self.scale * part,
        };
        let now = self.now;
        self.tape.push(now);
        match self.words.below(16) {
            0..=4 => {
                let first = self.words.below(4) > 0;
                let answer = match self.breaker.admit(&self.options, now, first) {
                    Admission::Admitted { ticket } => {
                        self.running.push(ticket);
                        ticket
                    }
                    Admission::Rejected { .. } => 0.0,
                };
                self.tape.extend([0.0, flag(first), answer]);
            }
            5..=10 => self.end(),
            11 => self.by_hand(),
            12 | 13 => {
                let cost = 1.0 + (self.words.unit() * self.capacity / 3.0).floor();
                let [before, after] = [(); 2].map(|()| f64::from(self.words.below(200)));
                self.budget.credit(before);
                let granted = self.budget.take(self.capacity, cost);
                self.budget.credit(after);
                self.tape.extend([3.0, before, cost, after, flag(granted)]);
            }
            14 => {
                let hint = self.scale * 20.0 * self.words.unit();
                let is_set = self.cooldown.start(now, hint);
                self.tape.extend([4.0, hint, flag(is_set)]);
            }
            _ => {
                let base = self.scale * self.words.unit();
                let draw = self.words.unit();
                let left = self.cooldown.left_ms(now);
                let hold = self.cooldown.hold_ms(now, base, draw);
                let probed = flag(self.cooldown.is_probed());
                let then = self.words.below(4);
                match then {
                    0 => self.cooldown.probe(),
                    1 => self.cooldown.end(self.cooldown.until()),
                    _ => {}
                }
                let answers = [left, hold, probed];
                self.tape.extend([5.0, base, draw, f64::from(then)]);
                self.tape.extend(answers);
            }
        }
        self.look();
    }

    /// Now and then the circuit is opened or closed.
    fn by_hand(&mut self) {
        let hand = self.words.below(40);
        let ms = self.scale * 10.0 * self.words.unit();
        match hand {
            0 | 1 => self.breaker.open(&self.options, self.now, ms),
            2 => self.breaker.close(self.now),
            _ => {}
        }
        let look = self.breaker.look(self.now);
        let mut copy = self.breaker;
        let fresh = copy.is_fresh(&self.options, self.now);
        self.tape
            .extend([2.0, f64::from(hand), ms, look, flag(fresh)]);
    }

    /// Ends one of the attempts that are running.
    fn end(&mut self) {
        let verdicts = [
            Verdict::Nothing,
            Verdict::Success,
            Verdict::Failure,
            Verdict::Failure,
        ];
        let verdict = self.words.below(4);
        let draw = self.words.unit();
        let hint = [0.0, f64::NAN, self.scale * 20.0][self.words.below(3) as usize];
        let word = self.words.word();
        let many = u32::try_from(self.running.len()).expect("few");
        if many == 0 {
            self.tape.push(6.0);
            return;
        }
        let ticket = self.running.remove((word % many) as usize);
        let change = self.breaker.ended(
            &self.options,
            self.now,
            draw,
            ticket,
            verdicts[verdict as usize],
            hint,
        );
        let change = match change {
            Change::None => 0.0,
            Change::Opened => 1.0,
            Change::Closed => 2.0,
        };
        let verdict = f64::from(verdict.min(2));
        self.tape.extend([1.0, draw, ticket, verdict, hint, change]);
    }

    fn look(&mut self) {
        // Reading changes nothing in JavaScript.
        let mut copy = self.breaker;
        let numbers = copy.numbers(&self.options, self.now);
        let phase = match self.breaker.phase() {
            Phase::Closed => 0.0,
            Phase::Open => 1.0,
            Phase::HalfOpen => 2.0,
        };
        self.tape.extend([
            phase,
            numbers.retry_after_ms,
            numbers.failures,
            numbers.calls,
            numbers.opens,
            self.budget.tokens(self.capacity),
        ]);
    }
}

fn play(index: u32) -> Tape {
    let mut life = Life::new(index);
    for _ in 0..STEPS {
        life.step();
    }
    life.tape
}

#[test]
fn tapes_are_written_per_life() {
    write(1_000, 0xf9fc_d3ff_7872_1001, play);
}

#[test]
fn lives_reach_every_phase() {
    let mut phases = HashSet::new();
    let (mut opens, mut rejected, mut retries) = (0, 0, 0);
    for index in 0..1_000 {
        let mut life = Life::new(index);
        for _ in 0..STEPS {
            let before = life.breaker.phase();
            life.step();
            let after = life.breaker.phase();
            phases.insert(format!("{before:?} {after:?}"));
            opens += u32::from(before != Phase::Open && after == Phase::Open);
            rejected += u32::from(life.breaker.look(life.now) > 0.0);
            retries += u32::from(life.running.iter().any(|ticket| ticket.fract() > 0.0));
        }
    }
    // All but one: a closed circuit becomes half-open by way of an open one.
    assert_eq!(phases.len(), 8, "{phases:?}");
    let many = [opens, rejected, retries];
    assert!(many.iter().all(|many| *many > 1_000), "{many:?}");
}
