//! The breaker: exact scenes, and what no clock and no caller can do to it.

use rejitter::internals::protection::{
    Admission, Breaker, BreakerNumbers, BreakerSettings, Change, Phase, Verdict,
};

use crate::common::{random::Random, some};

/// Openings from 5 s to a minute, and no row.
const LONG: BreakerSettings = BreakerSettings {
    failure_ratio: 0.5,
    minimum_calls: 10.0,
    window_ms: 10_000.0,
    consecutive_failures: f64::INFINITY,
    open_ms: 5_000.0,
    max_open_ms: 60_000.0,
    close_after: 1.0,
    lasting_failures: f64::INFINITY,
};

/// A breaker with its options, for short scenes. All draws are 0.5.
struct Scene {
    breaker: Breaker,
    options: BreakerSettings,
}

/// The ticket of an admitted attempt.
type Pass = f64;

impl Scene {
    fn new(options: BreakerSettings) -> Self {
        let breaker = Breaker::new(0.0);
        Self { breaker, options }
    }

    /// Admits an attempt, or returns how long it is rejected.
    fn ask(&mut self, now: f64) -> Result<Pass, f64> {
        self.ask_as(now, true)
    }

    fn ask_as(&mut self, now: f64, first: bool) -> Result<Pass, f64> {
        match self.breaker.admit(&self.options, now, first) {
            Admission::Admitted { ticket } => Ok(ticket),
            Admission::Rejected { retry_after_ms } => Err(retry_after_ms),
        }
    }

    fn admitted(&mut self, now: f64) -> Pass {
        self.ask(now).expect("admitted")
    }

    fn rejected(&mut self, now: f64) -> f64 {
        self.ask(now).expect_err("rejected")
    }

    fn end(&mut self, now: f64, pass: Pass, verdict: Verdict) -> Change {
        self.end_with(now, pass, verdict, 0.0)
    }

    fn end_with(&mut self, now: f64, pass: Pass, verdict: Verdict, hint: f64) -> Change {
        self.breaker
            .ended(&self.options, now, 0.5, pass, verdict, hint)
    }

    fn open(&mut self, now: f64, ms: f64) {
        self.breaker.open(&self.options, now, ms);
    }

    /// An attempt that ends at once.
    fn call(&mut self, now: f64, verdict: Verdict) -> Change {
        let pass = self.admitted(now);
        self.end(now, pass, verdict)
    }

    fn fails(&mut self, now: f64) -> Change {
        self.call(now, Verdict::Failure)
    }

    fn succeeds(&mut self, now: f64) -> Change {
        self.call(now, Verdict::Success)
    }

    /// Numbers of a copy: to ask changes nothing.
    fn numbers(&self, now: f64) -> BreakerNumbers {
        let mut copy = self.breaker;
        copy.numbers(&self.options, now)
    }

    fn counts(&self, now: f64) -> (f64, f64) {
        let numbers = self.numbers(now);
        (numbers.failures, numbers.calls)
    }
}

use Change::{Closed, None as Same, Opened};
use Verdict::{Failure, Nothing, Success};

#[test]
fn the_window_forgets() {
    let mut scene = Scene::new(LONG);
    for i in 0..6 {
        scene.succeeds(f64::from(i));
    }
    for i in 0..3 {
        assert_eq!(scene.fails(f64::from(i)), Same);
    }
    assert_eq!(scene.counts(9_999.0), (3.0, 9.0));
    // The slice before counts with the share of it that the window still covers.
    assert_eq!(scene.counts(15_000.0), (1.5, 4.5));
    assert_eq!(scene.counts(20_000.0), (0.0, 0.0));
    // And one that is empty hides it altogether.
    assert_eq!(scene.succeeds(25_000.0), Same);
    assert_eq!(scene.counts(25_000.0), (0.0, 1.0));
    assert_eq!(scene.counts(30_000.0), (0.0, 1.0));
    assert_eq!(scene.counts(35_000.0), (0.0, 0.5));
}

/// Opens the circuit by 10 failures at `now`.
fn break_it(scene: &mut Scene, now: f64) {
    for _ in 0..9 {
        assert_eq!(scene.fails(now), Same);
    }
    assert_eq!(scene.fails(now), Opened);
}

#[test]
fn openings_in_a_row_grow_to_the_longest() {
    let mut scene = Scene::new(LONG);
    break_it(&mut scene, 0.0);
    let mut now = 0.0;
    for times in [1.0, 2.0, 4.0, 8.0, 12.0, 12.0, 12.0] {
        let ms = scene.breaker.look(now);
        assert_eq!(ms, 5_000.0 * times * 0.75);
        now += ms;
        assert_eq!(scene.fails(now), Opened);
    }
    // To close does not start the count again, ...
    now += scene.breaker.look(now);
    assert_eq!(scene.succeeds(now), Closed);
    break_it(&mut scene, now + 9_999.0);
    assert_eq!(scene.breaker.look(now + 9_999.0), 45_000.0);
    now += 9_999.0 + 45_000.0;
    // ... to stay closed for a window does.
    assert_eq!(scene.succeeds(now), Closed);
    break_it(&mut scene, now + 10_000.0);
    assert_eq!(scene.breaker.look(now + 10_000.0), 3_750.0);
}

#[test]
fn a_failing_probe_with_a_hint_opens_for_at_least_that() {
    let mut scene = Scene::new(LONG);
    // A hint while it is closed says nothing.
    for _ in 0..10 {
        let pass = scene.admitted(0.0);
        scene.end_with(0.0, pass, Failure, 60_000.0);
    }
    assert_eq!(scene.breaker.look(0.0), 3_750.0);
    let probe = scene.admitted(3_750.0);
    assert_eq!(scene.end_with(4_000.0, probe, Failure, 50_000.0), Opened);
    assert_eq!(scene.breaker.look(4_000.0), 50_000.0);
    // The lease of the next probe is as long.
    let probe = scene.admitted(54_000.0);
    assert_eq!(scene.rejected(54_000.0), 50_000.0);
    // A shorter one does not shorten.
    assert_eq!(scene.end_with(55_000.0, probe, Failure, 1.0), Opened);
    assert_eq!(scene.breaker.look(55_000.0), 15_000.0);
    // No opening is longer than the longest.
    let probe = scene.admitted(70_000.0);
    assert_eq!(scene.end_with(70_000.0, probe, Failure, 300_000.0), Opened);
    assert_eq!(scene.breaker.look(70_000.0), 60_000.0);
}

#[test]
fn a_breaker_opened_by_hand_stays_open_until_it_is_closed() {
    let mut scene = Scene::new(LONG);
    let running = scene.admitted(0.0);
    scene.open(0.0, f64::INFINITY);
    assert_eq!(scene.rejected(1e12), f64::INFINITY);
    assert_eq!(scene.end(1e12, running, Success), Same);
    scene.breaker.close(1e12);
    assert_eq!(scene.succeeds(1e12), Same);
    // For a time: then a probe decides.
    scene.open(1e12, 100.0);
    assert_eq!(scene.rejected(1e12 + 40.0), 60.0);
    // On an open circuit, only the time is another. It may be longer than the longest opening.
    scene.open(1e12 + 40.0, 90_000.0);
    assert_eq!(scene.rejected(1e12 + 50.0), 89_990.0);
    scene.open(1e12 + 50.0, 50.0);
    // The lease of a probe is as long as that of an ordinary opening.
    scene.admitted(1e12 + 100.0);
    assert_eq!(scene.rejected(1e12 + 100.0), 5_000.0);
    assert_eq!(scene.numbers(1e12).opens, 0.0);
}

fn options(random: &Random) -> BreakerSettings {
    BreakerSettings {
        failure_ratio: random.one(&[0.001, 0.25, 0.5, 0.5, 0.9, 1.0]),
        minimum_calls: random.one(&[1.0, 2.0, 10.0, 10.0, 100.0, f64::INFINITY]),
        window_ms: random.one(&[100.0, 1_000.0, 10_000.0, 60_000.0]),
        consecutive_failures: random.one(&[1.0, 3.0, 20.0, f64::INFINITY, f64::INFINITY]),
        open_ms: random.one(&[1.0, 100.0, 5_000.0, 40_000.0]),
        max_open_ms: random.one(&[40_000.0, 480_000.0]),
        close_after: random.one(&[1.0, 1.0, 2.0, 5.0]),
        lasting_failures: random.one(&[1.0, 10.0, f64::INFINITY]),
    }
}

/// From any state, with a clock that jumps by up to ten years in both directions and attempts of which some never end:
/// no attempt waits longer than the latest opening, probes that hang are replaced, and a server that is well closes it.
#[test]
fn it_is_never_stuck() {
    let mut jumps = 0;
    for seed in 0..u64::from(some(500)) {
        let random = Random::new(1_000_000 + seed);
        let mut scene = Scene::new(options(&random));
        let mut longest = scene.options.max_open_ms;
        let mut now = 0.0;
        let mut running: Vec<Pass> = Vec::new();
        for _ in 0..300 {
            if random.chance(0.05) {
                now += (random.unit() - 0.5) * 6.3e11;
                jumps += 1;
            } else {
                now += random.unit() * scene.options.open_ms;
            }
            match random.below(20) {
                0 => {
                    let ms = 1.0 + 1e6 * random.unit();
                    scene.open(now, ms);
                    longest = longest.max(ms);
                }
                1..=12 => {
                    if let Ok(pass) = scene.ask(now) {
                        running.push(pass);
                    }
                }
                _ => {
                    if !running.is_empty() {
                        let index = random.below(u32::try_from(running.len()).expect("few"));
                        let pass = running.swap_remove(index as usize);
                        let verdict = random.one(&[Failure, Failure, Success, Nothing]);
                        scene.end(now, pass, verdict);
                    }
                }
            }
        }
        // Probes that never end: one is admitted in each opening, whatever the clock did before.
        now += (random.unit() - 0.5) * 6.3e11;
        scene.open(now, scene.options.open_ms);
        for _ in 0..10 {
            let wait = scene.numbers(now).retry_after_ms;
            assert!(wait <= longest, "seed {seed}: {wait}");
            // Rounded times of ten years are off by less than this.
            now += wait + 0.001;
            scene.admitted(now);
        }
        // And good ones close it.
        for _ in 0..5 {
            now += scene.numbers(now).retry_after_ms + 0.001;
            if scene.succeeds(now) == Closed {
                break;
            }
        }
        assert_eq!(scene.breaker.phase(), Phase::Closed, "seed {seed}");
    }
    assert!(cfg!(miri) || jumps > 1_000);
}

#[test]
fn a_clock_that_is_set_back_lengthens_nothing() {
    let mut scene = Scene::new(LONG);
    break_it(&mut scene, 1e12);
    assert_eq!(scene.rejected(5.0), 3_750.0);
    let probe = scene.admitted(3_755.0);
    // The lease as well.
    assert_eq!(scene.rejected(-1e12), 3_750.0);
    assert_eq!(scene.end(-1e12, probe, Success), Closed);
    // The window starts again, and its counts are not lost.
    scene.fails(-1e12);
    assert_eq!(scene.fails(-2e12), Same);
    assert_eq!(scene.counts(-2e12 + 9_999.0), (2.0, 2.0));
}

#[test]
fn a_clock_that_is_set_back_makes_no_breaker_young_again_for_long() {
    let mut scene = Scene::new(LONG);
    break_it(&mut scene, 1e12);
    assert_eq!(scene.succeeds(1e12 + 3_750.0), Closed);
    scene.succeeds(1e12 + 3_750.0);
    scene.succeeds(0.0);
    assert_eq!(scene.counts(9_999.0), (0.0, 2.0));
    assert_eq!(scene.counts(20_000.0), (0.0, 0.0));
    // It has been closed for a window: this is the first opening again.
    break_it(&mut scene, 20_000.0);
    assert_eq!(scene.breaker.look(20_000.0), 3_750.0);
}

#[test]
fn twenty_successes_end_a_series_of_openings() {
    let mut scene = Scene::new(LONG);
    break_it(&mut scene, 0.0);
    assert_eq!(scene.succeeds(4_000.0), Closed);
    for _ in 0..19 {
        scene.succeeds(4_000.0);
    }
    assert_eq!(scene.numbers(4_000.0).opens, 1.0);
    scene.succeeds(4_000.0);
    assert_eq!(scene.numbers(4_000.0).opens, 0.0);
}

#[test]
fn a_share_of_both_slices_is_that_share_of_the_window_however_it_rounds() {
    for tenth_ms in 1_001..1_001 + some(849) {
        let mut scene = Scene::new(BreakerSettings {
            failure_ratio: 0.125,
            minimum_calls: 9.0,
            window_ms: 100.0,
            ..LONG
        });
        let now = f64::from(tenth_ms) / 10.0;
        for time in [0.0, now] {
            for _ in 0..7 {
                assert_eq!(scene.succeeds(time), Same);
            }
            let change = if time == now { Opened } else { Same };
            assert_eq!(scene.fails(time), change, "{now} ms");
        }
    }
}
