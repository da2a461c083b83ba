//! The bindings: the core's decisions for the JavaScript driver, and the driver for `wasm-pack`.

mod numeric;

#[cfg(feature = "full")]
mod exports;
