//! Plans, notes, samples and distributions for JavaScript.
//!
//! A policy comes as the data that its `toJSON()` returns. Results are plain objects; long ones are
//! typed arrays. The names start with `lab` because these are the raw functions: lab/js/index.js
//! wraps them for users. Each function throws if the policy is invalid.

#![allow(clippy::missing_errors_doc)] // All for that one reason.

use js_sys::Float64Array;
use rejitter::internals::protection::{LimiterSettings, Rate};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use super::values::{count, data_of, rejected, seed_of, thrown};
use crate::{Distribution, Model, Sampler};

/// Values that are drawn before they are handed over: little memory, few crossings.
const CHUNK: u32 = 1 << 12;

fn model_of(policy: JsValue) -> Result<Model, JsValue> {
    Model::try_from(&data_of(policy)?).map_err(|errors| rejected(&errors))
}

fn written(answer: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(answer.serialize(&Serializer::json_compatible())?)
}

/// The distribution of wait `k`, from 1.
fn distribution_of(policy: JsValue, k: u32) -> Result<Distribution, JsValue> {
    let model = model_of(policy)?;
    let index = usize::try_from(k.saturating_sub(1)).unwrap_or(usize::MAX);
    // The iterator has no end.
    let distribution = model.distributions().nth(index);
    distribution.ok_or_else(|| thrown("k must be a positive integer", false))
}

/// Waits 1 to `waits` in numbers.
#[wasm_bindgen(js_name = labPlan, skip_typescript)]
pub fn plan(policy: JsValue, waits: u32) -> Result<JsValue, JsValue> {
    written(&crate::plan(&model_of(policy)?, waits))
}

/// Notes about the policy, whose protection may have a budget and a breaker, and whose results may be retried without
/// being classified for these. A limiter has a time of a unit, 0 without a limit; that of none is NaN.
#[wasm_bindgen(js_name = labExplain, skip_typescript)]
pub fn explain(
    policy: JsValue,
    has_budget: bool,
    has_breaker: bool,
    has_unclassified_results: bool,
    interval_ms: f64,
    concurrency: f64,
    max_queue: f64,
) -> Result<JsValue, JsValue> {
    let limiter = LimiterSettings {
        rate: Rate {
            interval_ms,
            burst: 1.0,
        },
        concurrency,
        max_queue,
    };
    let model = model_of(policy)?
        .with_budget(has_budget)
        .with_breaker(has_breaker)
        .with_unclassified_results(has_unclassified_results)
        .with_limiter((!interval_ms.is_nan()).then_some(limiter));
    written(&crate::explain(&model))
}

/// The waits of `operations` operations from `first_operation` on, operation by operation.
#[wasm_bindgen(js_name = labSample, skip_typescript)]
pub fn sample(
    policy: JsValue,
    seed_high: u32,
    seed_low: u32,
    waits: u32,
    first_operation: f64,
    operations: u32,
) -> Result<Float64Array, JsValue> {
    let model = model_of(policy)?;
    let sampler = Sampler::new(&model, seed_of(seed_high, seed_low), waits);
    let all = Float64Array::new_with_length(waits.saturating_mul(operations));
    // Whole operations at a time; one at least, however long.
    let at_once = (CHUNK / waits.max(1)).clamp(1, operations.max(1));
    let mut chunk = Vec::new();
    let start = count(first_operation);
    let mut first = 0;
    while first < operations {
        let many = at_once.min(operations - first);
        chunk.resize(many as usize * waits as usize, 0.0);
        sampler.fill(start.saturating_add(u64::from(first)), &mut chunk);
        let from = first * waits;
        all.subarray(from, from + many * waits).copy_from(&chunk);
        first += many;
    }
    Ok(all)
}

/// Wait `k`'s density as a flat list: start, end and probability of each cell.
#[wasm_bindgen(js_name = labCells, skip_typescript)]
pub fn cells(policy: JsValue, k: u32, resolution: u32) -> Result<Float64Array, JsValue> {
    let cells = distribution_of(policy, k)?.cells(resolution);
    let flat: Vec<f64> = cells
        .iter()
        .flat_map(|cell| [cell.from_ms, cell.to_ms, cell.probability])
        .collect();
    Ok(Float64Array::from(flat.as_slice()))
}

/// The probabilities of waits up to each of `ms`, for wait `k`.
#[wasm_bindgen(js_name = labCdf, skip_typescript)]
pub fn cdf(policy: JsValue, k: u32, ms: &[f64]) -> Result<Float64Array, JsValue> {
    let distribution = distribution_of(policy, k)?;
    Ok(each(&distribution, ms, Distribution::cdf))
}

/// The quantiles of wait `k` for each of `probabilities`.
#[wasm_bindgen(js_name = labQuantiles, skip_typescript)]
pub fn quantiles(policy: JsValue, k: u32, probabilities: &[f64]) -> Result<Float64Array, JsValue> {
    let distribution = distribution_of(policy, k)?;
    Ok(each(&distribution, probabilities, Distribution::quantile))
}

fn each(of: &Distribution, at: &[f64], value: fn(&Distribution, f64) -> f64) -> Float64Array {
    let values: Vec<f64> = at.iter().map(|at| value(of, *at)).collect();
    Float64Array::from(values.as_slice())
}
