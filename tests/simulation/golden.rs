//! Every simulation, bit for bit, and what each rejects (`tests/vectors/simulations.json`): natively, in Node and in
//! browsers. The package plays the same table through its own names.

use rejitter::data::{PolicyData, camel_case};
use rejitter::simulation::{
    Arrivals, Contention, ContentionOptions, HedgeDelay, HedgeRule, Hedging, HedgingOptions, Load,
    LoadBreaker, LoadBudget, LoadOptions, Noise, Normal, Outage, OutageOptions, RateHints,
    RateLimit, RateLimitOptions, ServerLoad, Simulation, Strategy, Summary,
};
use rejitter::{OptionErrors, RetryPolicy, Seed};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::fields::{self, Field, read};
use crate::common::number;

const SEED: u64 = 2_015;

/// FNV-1a over the bits of numbers.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, numbers: impl IntoIterator<Item = f64>) {
        for number in numbers {
            // One NaN is as good as another, and stands for what is missing.
            let bits = if number.is_nan() { 0 } else { number.to_bits() };
            self.0 = (self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// What a result consists of.
trait Numbers {
    fn list(&self) -> Vec<f64>;
}

impl Numbers for [f64] {
    fn list(&self) -> Vec<f64> {
        self.to_vec()
    }
}

impl Numbers for [u32] {
    fn list(&self) -> Vec<f64> {
        self.iter().map(|count| f64::from(*count)).collect()
    }
}

impl Numbers for f64 {
    fn list(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl Numbers for Option<f64> {
    fn list(&self) -> Vec<f64> {
        vec![self.unwrap_or(f64::NAN)]
    }
}

impl Numbers for u64 {
    fn list(&self) -> Vec<f64> {
        vec![*self as f64]
    }
}

impl Numbers for Summary {
    fn list(&self) -> Vec<f64> {
        vec![self.ci95, self.mean, self.sd]
    }
}

macro_rules! add {
    ($digest:ident: $($numbers:expr),+ $(,)?) => { $($digest.add($numbers.list());)+ };
}

/// Adds all that a simulation reports, in the alphabetical order of the package's names.
trait Report: Simulation {
    fn add_to(&self, digest: &mut Digest);
}

impl Report for Contention {
    fn add_to(&self, digest: &mut Digest) {
        add!(digest: self.calls(), self.calls_summary(), self.give_ups(), self.time_summary(), self.times_ms());
    }
}

impl Report for Outage {
    fn add_to(&self, digest: &mut Digest) {
        let (bins, traces, (latency, work)) = (self.bins(), self.traces(), self.costs());
        add!(digest: bins.accepted(), bins.arrivals(), self.attempts(), bins.bin_ms());
        add!(digest: u64::from(self.give_ups()), self.latencies_ms(), work.mean, latency.mean);
        add!(digest: bins.rejected(), self.served_ms(), traces.clients(), traces.outcomes(), traces.times_ms());
    }
}

impl Report for Load {
    fn add_to(&self, digest: &mut Digest) {
        let (bins, phases, totals) = (self.bins(), self.phases(), self.totals());
        add!(digest: self.admitted_after_ms(), self.bin_ms(), bins.failures);
        add!(digest: phases.phases, phases.processes, phases.times_ms, self.recovered_after_ms());
        add!(digest: bins.rejected_by_breaker, bins.rejected_by_budget, bins.requests, bins.response_ms);
        add!(digest: bins.retries, bins.successes, bins.timeouts, totals.give_ups, totals.openings);
        add!(digest: totals.rejected_by_breaker, totals.rejected_by_budget, totals.requests, totals.retries);
        add!(digest: totals.successes);
    }
}

impl Report for RateLimit {
    fn add_to(&self, digest: &mut Digest) {
        let (bins, totals) = (self.bins(), self.totals());
        add!(digest: bins.accepted(), bins.arrivals(), bins.bin_ms(), bins.rejected(), totals.done, totals.end_ms);
        add!(digest: totals.failed, totals.rejected, totals.rejected_by_cooldown, totals.requests);
    }
}

impl Report for Hedging {
    fn add_to(&self, digest: &mut Digest) {
        match self.exact() {
            None => digest.add([f64::NAN]),
            Some(exact) => {
                add!(digest: exact.extra, exact.p50_ms, exact.p999_ms, exact.p99_ms, exact.survival);
            }
        }
        let quantiles = [0.5, 0.001, 0.01].map(|share| self.exceeded_by(share));
        let totals = self.totals();
        add!(digest: self.mean_ms(), quantiles, self.survival(), Self::times_ms());
        add!(digest: totals.hedges, totals.rejected, totals.requests, totals.won);
    }
}

fn budget(row: &Value) -> LoadBudget {
    if let Some(max_tokens) = row.get("maxTokens") {
        return LoadBudget::Grpc {
            max_tokens: number(max_tokens),
            token_ratio: number(&row["tokenRatio"]),
        };
    }
    LoadBudget::Tokens {
        options: fields::budget(row),
        per_request: row.get("perRequest").map_or(0.0, number),
        per_second: row.get("perSecond").map_or(0.0, number),
    }
}

fn breaker(row: &Value) -> LoadBreaker {
    LoadBreaker {
        options: fields::breaker(row),
        draw: row.get("draw").map(number),
    }
}

fn arrivals(row: &Value) -> Arrivals {
    match row["type"].as_str() {
        Some("regular") => Arrivals::Regular {
            per_s: number(&row["perS"]),
        },
        Some("poisson") => Arrivals::Poisson {
            per_s: number(&row["perS"]),
        },
        _ => Arrivals::Closed {
            clients: Field::of(&row["clients"]),
            think_ms: number(&row["thinkMs"]),
        },
    }
}

fn hedge(row: &Value) -> HedgeRule {
    let mut rule = HedgeRule::default();
    if let Some(ms) = row.get("delayMs") {
        rule.delay = HedgeDelay::Fixed(number(ms));
    }
    if let Some(quantile) = row.get("quantile") {
        rule.delay = HedgeDelay::Learned(number(quantile));
    }
    read!(row, rule; max_ratio);
    rule
}

fn line_of_the_figure(row: &Value) -> Option<RetryPolicy> {
    let line = row.get("figure")?;
    let mut lines = Strategy::ALL.into_iter();
    let strategy = lines.find(|each| *line == format!("{each:?}").to_lowercase());
    let ms = |name: &str, default| row.get(name).map_or(default, number);
    Some(
        strategy?
            .policy(ms("baseMs", 5.0), ms("capMs", 2_000.0))
            .unwrap(),
    )
}

type Made = Result<Box<dyn Report>, OptionErrors>;

/// The simulation of a row.
fn made(name: &str, policy: &Value, row: &Value) -> Made {
    fn boxed(made: Result<impl Report + 'static, OptionErrors>) -> Made {
        made.map(|simulation| Box::new(simulation) as Box<dyn Report>)
    }
    let seed = Seed::new(SEED);
    if name == "hedging" {
        let mut options = HedgingOptions::new(seed);
        read!(row, options; requests);
        read!(row["service"], options.service; mean_ms slow_share slow_from_ms slow_mean_ms);
        options.hedge = row.get("hedge").map(hedge);
        options.load = row.get("load").map(|row| {
            let mut load = ServerLoad::default();
            read!(row, load; servers utilisation);
            load
        });
        return boxed(Hedging::new(options));
    }
    let line = line_of_the_figure(policy);
    let mut data = policy.clone();
    data.as_object_mut().unwrap().retain(|_, _| line.is_none());
    data["version"] = json!(1);
    let data: PolicyData = serde_json::from_value(data).expect("a policy");
    let policy = line.unwrap_or_else(|| data.policy().expect("a valid policy"));
    let curve = data.curve.unwrap_or_default();
    let protection = &row["protection"];
    match name {
        "contention" => {
            let mut options = ContentionOptions {
                curve,
                ..ContentionOptions::new(policy, seed)
            };
            read!(row, options; clients hop_mean_ms hop_sd_ms runs);
            boxed(Contention::new(options))
        }
        "outage" => {
            let mut options = OutageOptions {
                curve,
                ..OutageOptions::new(policy, seed)
            };
            options.deadline_ms = data.total_timeout_ms.unwrap_or(options.deadline_ms);
            read!(row, options; clients spread_ms down_ms capacity_per_s burst rejection_cost latency_ms deadline_ms);
            read!(row, options; horizon_ms bin_ms traced);
            boxed(Outage::new(options))
        }
        "load" => {
            let mut options = LoadOptions {
                curve,
                ..LoadOptions::new(policy, seed)
            };
            options.timeout_ms = data.attempt_timeout_ms.unwrap_or(options.timeout_ms);
            options.arrivals = row.get("arrivals").map_or(options.arrivals, arrivals);
            options.protection.budget = protection.get("budget").map(budget);
            options.protection.breaker = protection.get("breaker").map(breaker);
            read!(row, options; capacity_per_s timeout_ms down_from_ms down_ms failure_share horizon_ms bin_ms);
            read!(row, options; processes);
            boxed(Load::new(options))
        }
        "rateLimit" => {
            let mut options = RateLimitOptions {
                curve,
                ..RateLimitOptions::new(policy, seed)
            };
            read!(row, options; jobs workers limit window_ms latency_ms horizon_ms bin_ms);
            let longest = policy.max_retry_after_ms();
            options.hints = match protection.get("cooldown") {
                Some(cooldown) => RateHints::Shared {
                    max_hold_ms: cooldown.get("maxHoldMs").map_or(longest, number),
                },
                None if row["hints"] == "ignored" => RateHints::Ignored,
                None => RateHints::Followed,
            };
            boxed(RateLimit::new(options))
        }
        _ => panic!("{name} is no simulation"),
    }
}

fn table() -> Value {
    serde_json::from_str(include_str!("../vectors/simulations.json")).expect("JSON")
}

/// The digest of a simulation's results, which are the same in slices.
fn digest(runs: &Value) -> String {
    let name = runs["simulation"].as_str().unwrap();
    let [mut digest, mut of_slices] = [(); 2].map(|()| Digest::new());
    for case in runs["cases"].as_array().unwrap() {
        let (row, policy) = case.as_array().unwrap().split_last().unwrap();
        let policy = policy.first().unwrap_or(&Value::Null);
        let [mut whole, mut sliced] = [(); 2].map(|()| made(name, policy, row).unwrap());
        assert!(whole.finish().done);
        let mut before = sliced.step(0);
        while !before.done {
            let progress = sliced.step(997);
            assert!(progress.events <= before.events + 997 && progress.share >= before.share);
            before = progress;
        }
        assert_eq!(before.share, 1.0);
        whole.add_to(&mut digest);
        sliced.add_to(&mut of_slices);
    }
    assert_eq!(digest.0, of_slices.0, "{name}");
    format!("{:016x}", digest.0)
}

#[test]
fn all_results_are_those_of_the_table() {
    let table = table();
    let runs = table["runs"].as_array().unwrap();
    let found: Vec<String> = runs.iter().map(digest).collect();
    let expected: Vec<_> = runs
        .iter()
        .map(|runs| runs["digest"].as_str().unwrap())
        .collect();
    assert_eq!(found, expected);
}

/// The only complaint about these options is this one.
fn refused(name: &str, policy: &Value, row: &Value, option: &str) {
    let Err(errors) = made(name, policy, row) else {
        panic!("{name} accepts {row}");
    };
    let [problem] = errors.problems() else {
        panic!("{row}: {errors}");
    };
    let sections = problem.option.split('.').map(camel_case);
    assert_eq!(sections.collect::<Vec<_>>().join("."), option, "{row}");
}

#[test]
fn each_option_has_the_bounds_of_the_table() {
    let table = table();
    for (name, options) in table["refusals"].as_object().unwrap() {
        for (path, values) in options.as_object().unwrap() {
            for value in values.as_array().unwrap() {
                let row = path
                    .rsplit('.')
                    .fold(value.clone(), |inner, name| json!({ name: inner }));
                refused(
                    name,
                    &json!({}),
                    &row,
                    path.trim_start_matches("protection."),
                );
            }
        }
    }
    for row in table["refused"].as_array().unwrap() {
        let text = |i: usize| row[i].as_str().unwrap();
        refused(text(0), &row[1], &row[2], text(3));
    }
    // A list that no data can hold, and all problems at once.
    let errors = Outage::new(OutageOptions {
        curve: vec![5.0, -1.0],
        clients: 0,
        bin_ms: f64::NAN,
        ..OutageOptions::new(RetryPolicy::default(), Seed::new(0))
    });
    let errors = errors.unwrap_err();
    let names: Vec<_> = errors
        .problems()
        .iter()
        .map(|problem| problem.option)
        .collect();
    assert_eq!(names, ["clients", "bin_ms", "curve"]);
}

#[test]
fn normal_and_exponential_variates() {
    let (normal, mut noise) = (Normal::new(), Noise::new(Seed::new(SEED), 1));
    let mut digest = Digest::new();
    digest.add(
        (0..200_000)
            .map(|_| normal.draw(&mut noise))
            .collect::<Vec<_>>(),
    );
    digest.add((0..50_000).map(|_| noise.exponential()).collect::<Vec<_>>());
    assert_eq!(digest.0, 0x8b4e_588d_32a7_6605);
}
