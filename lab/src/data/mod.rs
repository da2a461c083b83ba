//! Simulations of data, and their results as columns: for the bindings and for tests.

mod results;
mod simulations;

pub use results::{Column, Columns, Study};
pub use simulations::simulate;
