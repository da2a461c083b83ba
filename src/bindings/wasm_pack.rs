//! Exports of `wasm-pack build`: the functions of the npm package, over the same driver.
//!
//! The driver is plain JavaScript and calls every callback itself. No user code runs while Rust
//! holds a borrow, and a callback that throws, re-enters or never settles cannot leave this
//! module in a bad state, for it has none.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

// The hand-written types of these exports, and the driver's modules, which wasm-bindgen copies beside the wasm file.
// `src/build.rs` writes both.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!(concat!(env!("OUT_DIR"), "/declarations.d.ts"));
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
include!(concat!(env!("OUT_DIR"), "/modules.rs"));

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
                    #[wasm_bindgen(reexport, skip_typescript)]
                    fn $name();
                )*
            }
        };
    };
}

reexports! {
    "/src/js/entries/index.js":
    RetryError RetryPolicy TimeoutError isPermanent isProgrammingError isRetryAfter isTransientError permanent
    retryAfter retryReport retrySync
}

reexports! {
    "/src/js/entries/fetch.js": HttpStatusError createFetch fetchWithRetry rateLimitHint retryAfterMs
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
