//! The simulations for JavaScript: numbers in, typed arrays out, advanced in slices.
//!
//! A worker makes one, calls `step` until its third number is 1, posting progress and reading
//! messages between two calls, and takes the results as typed arrays of its own, which it can
//! transfer. To stop, it calls `free` instead.
//!
//! A policy comes as 12 numbers in the order of [`decide`](super::decide): backoff, jitter and cap
//! rule by their codes, base, cap, min, factor, step, `truncate_at`, spread, `max_retry_after_ms`,
//! `max_attempts`; NaN for what is not given. A seed comes as its two halves. Refused options
//! throw a `RangeError` that lists all of them.

// JavaScript knows no such attribute.
#![allow(clippy::must_use_candidate)]

use js_sys::RangeError;
use wasm_bindgen::prelude::*;

use super::numeric::{backoff_of, cap_rule_of, count, given, jitter_of};
use crate::core::{OptionErrors, RetryOptions, RetryPolicy, Seed};
use crate::simulation::{self as model, Simulation};

mod contention;
mod layers;
mod load;
mod outage;
mod stations;

/// All the problems, with the options' names as JavaScript spells them.
fn range_error(errors: &OptionErrors) -> JsValue {
    let mut text = String::new();
    let mut capital = false;
    for c in errors.to_string().chars() {
        if c == '_' {
            capital = true;
        } else {
            text.push(if capital { c.to_ascii_uppercase() } else { c });
            capital = false;
        }
    }
    RangeError::new(&text).into()
}

fn seed_of(high: u32, low: u32) -> Seed {
    Seed::new(u64::from(high) << 32 | u64::from(low))
}

fn policy_of(numbers: &[f64]) -> Result<RetryPolicy, JsValue> {
    let [
        backoff,
        jitter,
        cap_rule,
        base_ms,
        cap_ms,
        min_ms,
        factor,
        step_ms,
        truncate_at,
        spread,
        max_retry_after_ms,
        max_attempts,
    ] = *numbers
    else {
        return Err(RangeError::new("a policy is 12 numbers").into());
    };
    RetryPolicy::new(RetryOptions {
        backoff: backoff_of(whole("backoff", backoff)?),
        jitter: jitter_of(whole("jitter", jitter)?, spread),
        cap_rule: cap_rule_of(whole("capRule", cap_rule)?),
        base_ms: given(base_ms),
        cap_ms: given(cap_ms),
        min_ms: given(min_ms),
        factor: given(factor),
        step_ms: given(step_ms),
        truncate_at: given(truncate_at)
            .map(|n| whole("truncateAt", n))
            .transpose()?,
        max_retry_after_ms: given(max_retry_after_ms),
        max_attempts: given(max_attempts).map(count),
        ..RetryOptions::default()
    })
    .map_err(|errors| range_error(&errors))
}

/// A number that must be whole; above 2^32 − 1 it is that, which is refused.
fn whole(option: &str, number: f64) -> Result<u32, JsValue> {
    if number.fract() != 0.0 || number < 0.0 {
        let text = format!("{option} is {number}; it must be a whole number");
        return Err(RangeError::new(&text).into());
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = number as u32;
    Ok(whole)
}

/// A class whose instances are advanced in slices.
macro_rules! simulations {
    ($($(#[$doc:meta])* $name:ident $js_name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            #[wasm_bindgen(js_name = $js_name, skip_typescript)]
            pub struct $name(model::$name);

            #[wasm_bindgen(js_class = $js_name)]
            impl $name {
                /// Handles at most so many events (infinitely many: all of them), and answers with
                /// the events so far, the share that is done and 1 at the end, 0 before.
                #[wasm_bindgen(skip_typescript)]
                pub fn step(&mut self, max_events: f64) -> Vec<f64> {
                    let progress = self.0.step(count(max_events));
                    // Exact for the next 20 years.
                    #[allow(clippy::cast_precision_loss)]
                    let events = progress.events as f64;
                    vec![events, progress.share, f64::from(u8::from(progress.done))]
                }
            }
        )*
    };
}

simulations! {
    /// Clients after an outage.
    Outage OutageSimulation;
    /// Clients that compete for one row.
    Contention ContentionSimulation;
    /// Load over time.
    Load LoadSimulation;
    /// Layers that each retry.
    Amplification AmplificationSimulation;
    /// Stations that share a channel.
    Ethernet EthernetSimulation;
}
