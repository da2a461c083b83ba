//! The machines of protection, with clocks that go anywhere: no panic, and each answer is a number that can be waited.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use rejitter::decide::MAX_MS;
use rejitter::internals::protection::{
    Admission, Breaker, BreakerSettings, Budget, Cooldown, Latency, Limiter, Rate, Verdict,
};

#[derive(Debug, Arbitrary)]
enum Step {
    Time(i32),
    Leap(f64),
    Admit(bool),
    End(u8, u8, u16),
    Hand(Option<u16>),
    Budget(u16, u16),
    Hint(u32),
    Hold(u8),
    Start(u8, bool),
    Answer(u16),
}

#[derive(Debug, Arbitrary)]
struct Life {
    breaker: [u16; 6],
    rate: (u16, u16, u8),
    capacity: u16,
    steps: Vec<Step>,
}

fn waited(ms: f64) {
    assert!(ms >= 0.0, "{ms}");
}

fuzz_target!(|life: Life| {
    let [ratio, calls, window, row, open, closes] = life.breaker.map(|each| f64::from(each) + 1.0);
    let settings = BreakerSettings {
        failure_ratio: ratio / 65_536.0,
        minimum_calls: calls,
        window_ms: window,
        consecutive_failures: row,
        open_ms: open,
        max_open_ms: open * 16.0,
        close_after: closes,
        lasting_failures: row,
    };
    let (limit, per_ms, burst) = life.rate;
    let (limit, burst) = (f64::from(limit) + 1.0, f64::from(burst) + 1.0);
    let rate = Rate::new(limit, f64::from(per_ms) + 1.0, burst.min(limit));
    let capacity = f64::from(life.capacity);
    let mut now = 0.0;
    let (mut breaker, mut budget, mut cooldown) =
        (Breaker::new(now), Budget::new(capacity), Cooldown::new());
    let (mut limiter, mut latency, mut tickets) = (Limiter::new(), Latency::new(now), Vec::new());
    for step in life.steps {
        match step {
            Step::Time(by) => now += f64::from(by),
            // A host's clock is finite, and exact to the ms.
            Step::Leap(to) => now = if to.abs() < 9e15 { to } else { now },
            Step::Admit(first) => match breaker.admit(&settings, now, first) {
                Admission::Admitted { ticket } => tickets.push(ticket),
                Admission::Rejected { retry_after_ms } => waited(retry_after_ms),
            },
            Step::End(verdict, draw, hint) => {
                let Some(ticket) = tickets.pop() else {
                    continue;
                };
                let ends = [Verdict::Nothing, Verdict::Success, Verdict::Failure];
                let verdict = ends[usize::from(verdict) % 3];
                let draw = f64::from(draw) / 256.0;
                let _ = breaker.ended(&settings, now, draw, ticket, verdict, f64::from(hint));
                waited(breaker.look(now));
            }
            Step::Hand(Some(ms)) => breaker.open(&settings, now, f64::from(ms)),
            Step::Hand(None) => breaker.close(now),
            Step::Budget(credit, cost) => {
                budget.credit(f64::from(credit));
                let before = budget.tokens(capacity);
                assert_eq!(
                    budget.take(capacity, f64::from(cost)),
                    before >= f64::from(cost)
                );
                assert!((0.0..=capacity).contains(&budget.tokens(capacity)));
            }
            Step::Hint(ms) => {
                let _ = cooldown.start(now, f64::from(ms));
                limiter.pause(now, f64::from(ms), 100.0, 0.5);
            }
            Step::Hold(draw) => {
                let ms = cooldown.hold_ms(now, 100.0, f64::from(draw) / 256.0);
                assert!((0.0..=MAX_MS).contains(&ms), "{ms}");
            }
            Step::Start(weight, waited_for) => {
                let weight = f64::from(weight);
                let ms = limiter.wait_ms(&rate, now, weight, 0.0);
                assert!((0.0..=MAX_MS).contains(&ms), "{ms}");
                if ms == 0.0 {
                    limiter.start(&rate, now, weight, waited_for);
                }
            }
            Step::Answer(ms) => {
                latency.record(now, f64::from(ms));
                if let Some(delay) = latency.delay_ms(now, 0.95) {
                    waited(delay);
                }
            }
        }
    }
    let numbers = breaker.numbers(&settings, now);
    assert!(numbers.failures <= numbers.calls, "{numbers:?}");
    waited(numbers.retry_after_ms);
});
