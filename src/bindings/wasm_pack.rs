//! Exports of `wasm-pack build`: the functions of the npm package, over the same driver.
//!
//! The driver is plain JavaScript and calls every callback itself. No user code runs while Rust
//! holds a borrow, and a callback that throws, re-enters or never settles cannot leave this
//! module in a bad state, for it has none.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

// The types of these exports are written by hand, once, for both packages. Here they are one file.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = after_imports(include_str!("../../pkg-template/index.d.ts"));
#[wasm_bindgen(typescript_custom_section)]
const OPTION_TYPES: &str = after_imports(include_str!("../../pkg-template/options.d.ts"));
#[wasm_bindgen(typescript_custom_section)]
const PROTECTION_TYPE: &str = "
/** The numbers that operations share. `protect` of the npm package's `rejitter/protection` makes it. */
export interface Protection {
  /** Returns the same parts with a state for this key. */
  for(key: string): Protection;
  /** Returns the keys that have a state. */
  keys(): string[];
}
";
#[wasm_bindgen(typescript_custom_section)]
const EVENT_TYPES: &str = after_imports(include_str!("../../pkg-template/events.d.ts"));
#[wasm_bindgen(typescript_custom_section)]
const FETCH_TYPES: &str = after_imports(include_str!("../../pkg-template/fetch.d.ts"));

/// Declarations without what stands at their top: imports from, and exports of, the other files.
// Its uses are in constants, which the lint does not follow.
#[allow(dead_code)]
const fn after_imports(declarations: &str) -> &str {
    let (text, end) = (declarations.as_bytes(), b".js';\n");
    let (mut start, mut i) = (0, 0);
    while i + end.len() <= text.len() {
        let mut same = 0;
        while same < end.len() && text[i + same] == end[same] {
            same += 1;
        }
        i += 1;
        if same == end.len() {
            start = i + same - 1;
        }
    }
    match std::str::from_utf8(text.split_at(start).1) {
        Ok(rest) => rest,
        Err(_) => panic!("cut within a character"),
    }
}

#[wasm_bindgen(module = "/src/js/wasm/core.js")]
extern "C" {
    fn bind(exports: &JsValue);
}

/// Exports what needs no Rust between it and its callers. Declared as functions, classes too,
/// because only then the generated types leave them to the hand-written ones.
macro_rules! reexports {
    ($module:literal: $($name:ident)*) => {
        // By itself: a module below may export the same name.
        const _: () = {
            #[wasm_bindgen(module = $module)]
            extern "C" {
                $(
                    #[allow(dead_code, non_snake_case)]
                    #[wasm_bindgen(reexport, skip_typescript)]
                    fn $name();
                )*
            }
        };
    };
}

reexports! {
    "/src/js/entries/index.js":
    RetryError RetryPolicy TimeoutError isPermanent isProgrammingError isTransientError permanent retryAfter retryReport
    retrySync
}

reexports! {
    "/src/js/entries/fetch.js": HttpStatusError createFetch fetchWithRetry rateLimitHint retryAfterMs
}

/// Names the other modules that these import, so that wasm-bindgen copies them next to it.
macro_rules! copied {
    ($($module:literal $export:ident;)*) => {
        $(
            #[wasm_bindgen(module = $module)]
            extern "C" {
                #[allow(dead_code)]
                fn $export();
            }
        )*
    };
}

copied! {
    "/src/js/data/write.js" toData;
    "/src/js/failures/classes.js" failureClass;
    "/src/js/failures/network.js" isNetworkMessage;
    "/src/js/failures/status.js" statusOf;
    "/src/js/failures/transient.js" isTransientError;
    "/src/js/fetch/attempt.js" FetchAttempt;
    "/src/js/fetch/body.js" isRequest;
    "/src/js/fetch/call.js" FetchCall;
    "/src/js/fetch/http.js" retryAfterMs;
    "/src/js/fetch/index.js" createFetchApi;
    "/src/js/fetch/inner.js" placeOf;
    "/src/js/fetch/limits.js" rateLimitHint;
    "/src/js/fetch/options.js" isKey;
    "/src/js/fetch/repeats.js" keyOf;
    "/src/js/fetch/request.js" FetchRequest;
    "/src/js/fetch/response.js" discard;
    "/src/js/options/checks.js" isMs;
    "/src/js/options/codes.js" hasOwnCurve;
    "/src/js/options/curve.js" contradictions;
    "/src/js/options/messages.js" show;
    "/src/js/options/reader.js" read;
    "/src/js/options/rules.js" RULES;
    "/src/js/options/settings.js" readOptions;
    "/src/js/policy/delays.js" delaysOf;
    "/src/js/policy/metrics.js" Metrics;
    "/src/js/policy/policy.js" policyOf;
    "/src/js/run/attempt.js" abortAttempt;
    "/src/js/run/decision.js" decide;
    "/src/js/run/directives.js" readDirectives;
    "/src/js/run/hooks.js" adopt;
    "/src/js/run/limits.js" Limits;
    "/src/js/run/operation.js" Operation;
    "/src/js/run/randomness.js" freshSeed;
    "/src/js/run/report.js" retryReport;
    "/src/js/run/run.js" run;
    "/src/js/run/settle.js" settle;
    "/src/js/run/signals.js" follow;
    "/src/js/run/steps.js" review;
    "/src/js/run/sync.js" syncOf;
    "/src/js/run/timer.js" now;
    "/src/js/run/tracing.js" subscribed;
}

/// Binds the driver to this instance when the module is loaded.
#[wasm_bindgen(start, private, skip_typescript)]
pub fn start() {
    bind(&wasm_bindgen::exports());
}

/// One function per strategy; what each does is said in the hand-written types.
macro_rules! retry_functions {
    ($($name:ident $js_name:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($js_name), "` of the npm package, for callers in Rust.")]
            ///
            /// # Errors
            /// Never: bad options reject the promise.
            pub fn $name(operation: &Function, options: &JsValue) -> Result<Promise, JsValue> {
                #[wasm_bindgen(module = "/src/js/entries/index.js")]
                extern "C" {
                    #[wasm_bindgen(catch, js_name = $js_name)]
                    fn driver(operation: &Function, options: &JsValue) -> Result<Promise, JsValue>;
                }
                // Test runners skip the start function.
                start();
                driver(operation, options)
            }
        )*
        // JavaScript calls the driver itself, which can say in words that `init()` was forgotten.
        reexports! { "/src/js/entries/index.js": $($js_name)* }
    };
}

retry_functions! {
    retry retry;
    retry_with_full_jitter retryWithFullJitter;
    retry_with_equal_jitter retryWithEqualJitter;
    retry_with_decorrelated_jitter retryWithDecorrelatedJitter;
    retry_with_exponential_backoff retryWithExponentialBackoff;
    retry_with_linear_backoff retryWithLinearBackoff;
    retry_with_fixed_delay retryWithFixedDelay;
    retry_with_truncated_backoff retryWithTruncatedBackoff;
}
