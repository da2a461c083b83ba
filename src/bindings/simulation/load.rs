//! Load over time for JavaScript.

use wasm_bindgen::prelude::*;

use super::fields::{Fields, variant, whole};
use super::record::Record;
use super::{Running, Study, clients_of, seed_of};
use crate::bindings::values::data_of;
use crate::data::Value;
use crate::simulation::{
    Arrivals, BudgetOptions, Load, LoadBreaker, LoadBudget, LoadOptions, LoadPhases, LoadProtection,
};

const ARRIVALS: &str = "{ type: 'regular', perS }, { type: 'poisson', perS } or \
                        { type: 'closed', clients, thinkMs } with an integer of clients";
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
    let mut fields = Fields::read(options)?;
    let mut options = LoadOptions {
        curve,
        ..LoadOptions::new(policy, seed_of(seed_high, seed_low))
    };
    if let Some(timeout) = data.attempt_timeout_ms {
        options.timeout_ms = timeout;
    }
    fields.other("arrivals", &mut options.arrivals, ARRIVALS, arrivals);
    fields.number("capacityPerS", &mut options.capacity_per_s);
    fields.number("timeoutMs", &mut options.timeout_ms);
    fields.number("downFromMs", &mut options.down_from_ms);
    fields.number("downMs", &mut options.down_ms);
    fields.number("horizonMs", &mut options.horizon_ms);
    fields.number("binMs", &mut options.bin_ms);
    fields.whole("processes", &mut options.processes);
    options.protection = protection(&mut fields);
    fields.finish(Load::new(options)).map(Running::new)
}

fn arrivals(value: &Value) -> Option<Arrivals> {
    if let Some([per_s]) = variant(value, ("type", "regular"), ["perS"]) {
        return Some(Arrivals::Regular { per_s });
    }
    if let Some([per_s]) = variant(value, ("type", "poisson"), ["perS"]) {
        return Some(Arrivals::Poisson { per_s });
    }
    let [clients, think_ms] = variant(value, ("type", "closed"), ["clients", "thinkMs"])?;
    Some(Arrivals::Closed {
        clients: whole(&Value::Number(clients))?,
        think_ms,
    })
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
        fields.number("budget.maxTokens", &mut max_tokens);
        fields.number("budget.tokenRatio", &mut token_ratio);
        return LoadBudget::Grpc {
            max_tokens,
            token_ratio,
        };
    }
    let mut options = BudgetOptions::default();
    fields.other(
        "budget.preset",
        &mut options,
        "'awsSdk2026'",
        |value| match value {
            Value::Text(name) if name == "awsSdk2026" => Some(BudgetOptions::AWS_SDK_2026),
            _ => None,
        },
    );
    fields.optional("budget.capacity", &mut options.capacity);
    fields.optional("budget.perSuccess", &mut options.per_success);
    if fields.has("budget.cost") {
        options.throttled_cost = None;
    }
    fields.optional("budget.cost", &mut options.cost);
    fields.switch("budget.refund", &mut options.refund);
    let (mut per_request, mut per_second) = (0.0, 0.0);
    fields.number("budget.perRequest", &mut per_request);
    fields.number("budget.perSecond", &mut per_second);
    LoadBudget::Tokens {
        options,
        per_request,
        per_second,
    }
}

fn breaker(fields: &mut Fields) -> LoadBreaker {
    let LoadBreaker {
        mut options,
        mut draw,
    } = LoadBreaker::default();
    fields.optional("breaker.failureRatio", &mut options.failure_ratio);
    fields.count("breaker.minimumCalls", &mut options.minimum_calls);
    fields.optional("breaker.windowMs", &mut options.window_ms);
    let consecutive = &mut options.consecutive_failures;
    fields.count("breaker.consecutiveFailures", consecutive);
    fields.optional("breaker.openMs", &mut options.open_ms);
    fields.optional("breaker.maxOpenMs", &mut options.max_open_ms);
    if fields.has("breaker.closeAfter") {
        let many = options.close_after.insert(0);
        fields.whole("breaker.closeAfter", many);
    }
    fields.optional("breaker.draw", &mut draw);
    LoadBreaker { options, draw }
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
            .counts("rejectedByBreaker", &bins.rejected_by_breaker)
            .counts("rejectedByBudget", &bins.rejected_by_budget)
            .floats("responseMs", &bins.response_ms)
            .with("totals", totals)
            .with("phases", phases)
            .with("recoveredAfterMs", self.recovered_after_ms())
            .with("admittedAfterMs", self.admitted_after_ms())
    }
}
