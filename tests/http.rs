//! What HTTP says about a retry, against the tables that the JavaScript tests read too.

#![cfg(not(target_arch = "wasm32"))]

mod common;

use common::http;

#[test]
fn hints_are_those_of_the_table() {
    let (cases, ignored) = http::check_hints();
    assert!(cases >= 150, "only {cases} cases");
    assert!(ignored >= 60, "only {ignored} malformed values");
}

#[test]
fn failures_are_those_of_the_table() {
    assert!(http::check_failures() >= 80);
}

#[test]
fn statuses_and_methods() {
    http::check_statuses_and_methods();
}

#[test]
fn every_day_in_three_forms_and_no_noise() {
    http::check_dates_and_noise();
}
