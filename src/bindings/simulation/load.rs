//! Load over time for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::{Fields, read};
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::data_of;
use rejitter::simulation::{
    Arrivals, BudgetOptions, Load, LoadBreaker, LoadBudget, LoadOptions, LoadPhases, LoadProtection,
};

/// See [`LoadOptions`]. The time limit of an attempt defaults to the policy's.
#[wasm_bindgen(js_name = labLoad, skip_typescript)]
pub fn load(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    options: JsValue,
) -> Result<Running, JsValue> {
    let mut data = data_of(policy)?;
    let (policy, curve) = clients_of(&mut data)?;
    let mut fields = Fields::read_all(options)?;
    let mut options = LoadOptions {
        curve,
        ..LoadOptions::new(policy, seed_of(seed_high, seed_low))
    };
    if let Some(timeout) = data.attempt_timeout_ms {
        options.timeout_ms = timeout;
    }
    if let Some(arrivals) = arrivals(&mut fields) {
        options.arrivals = arrivals;
    }
    fields.numbers("", &mut |name, number| options.set(name, number));
    options.protection = protection(&mut fields);
    fields.finish(Load::new(options)).map(Running::new)
}

fn arrivals(fields: &mut Fields) -> Option<Arrivals> {
    fields.section("arrivals", "arrivals.");
    let (mut per_s, mut clients, mut think_ms) = (f64::NAN, 0, f64::NAN);
    fields.read("arrivals.per_s", &mut per_s);
    fields.read("arrivals.clients", &mut clients);
    fields.read("arrivals.think_ms", &mut think_ms);
    match fields.text("arrivals.type")? {
        "regular" => Some(Arrivals::Regular { per_s }),
        "poisson" => Some(Arrivals::Poisson { per_s }),
        _ => Some(Arrivals::Closed { clients, think_ms }),
    }
}

fn protection(fields: &mut Fields) -> LoadProtection {
    let mut protection = LoadProtection::default();
    if fields.section("protection", "protection.") {
        if fields.section("protection.budget", "budget.") {
            protection.budget = Some(budget(fields));
        }
        if fields.section("protection.breaker", "breaker.") {
            protection.breaker = Some(breaker(fields));
        }
    }
    protection
}

fn budget(fields: &mut Fields) -> LoadBudget {
    if fields.has("budget.maxTokens") || fields.has("budget.tokenRatio") {
        let (mut max_tokens, mut token_ratio) = (f64::NAN, f64::NAN);
        fields.read("budget.max_tokens", &mut max_tokens);
        fields.read("budget.token_ratio", &mut token_ratio);
        return LoadBudget::Grpc {
            max_tokens,
            token_ratio,
        };
    }
    let mut options = match fields.text("budget.preset") {
        Some("awsSdk2026") => BudgetOptions::AWS_SDK_2026,
        _ => BudgetOptions::default(),
    };
    if fields.has("budget.cost") {
        options.throttled_cost = None;
    }
    read!(fields, options "budget.": capacity per_success cost refund);
    let (mut per_request, mut per_second) = (0.0, 0.0);
    fields.read("budget.per_request", &mut per_request);
    fields.read("budget.per_second", &mut per_second);
    LoadBudget::Tokens {
        options,
        per_request,
        per_second,
    }
}

fn breaker(fields: &mut Fields) -> LoadBreaker {
    let mut breaker = LoadBreaker::default();
    let options = &mut breaker.options;
    read!(fields, options "breaker.": failure_ratio minimum_calls window_ms consecutive_failures);
    read!(fields, options "breaker.": open_ms max_open_ms close_after);
    read!(fields, breaker "breaker.": draw);
    breaker
}

impl Study for Load {
    fn result(&self) -> Record {
        const _: () = assert!(
            LoadPhases::CLOSED == 0 && LoadPhases::OPEN == 1 && LoadPhases::HALF_OPEN == 2,
            "the numbers that JavaScript knows"
        );
        let (bins, totals, phases) = (self.bins(), self.totals(), self.phases());
        let totals = Record::new()
            .count("requests", totals.requests)
            .count("retries", totals.retries)
            .count("successes", totals.successes)
            .count("giveUps", totals.give_ups)
            .count("rejectedByBreaker", totals.rejected_by_breaker)
            .count("rejectedByBudget", totals.rejected_by_budget)
            .count("openings", totals.openings);
        let phases = Record::new()
            .floats("timesMs", &phases.times_ms)
            .counts("processes", &phases.processes)
            .counts("phases", &phases.phases);
        Record::new()
            .with("binMs", self.bin_ms())
            .counts("requests", &bins.requests)
            .counts("retries", &bins.retries)
            .counts("successes", &bins.successes)
            .counts("timeouts", &bins.timeouts)
            .counts("failures", &bins.failures)
            .counts("rejectedByBreaker", &bins.rejected_by_breaker)
            .counts("rejectedByBudget", &bins.rejected_by_budget)
            .floats("responseMs", &bins.response_ms)
            .with("totals", totals)
            .with("phases", phases)
            .with("recoveredAfterMs", self.recovered_after_ms())
            .with("admittedAfterMs", self.admitted_after_ms())
    }
}
