//! The rules of HTTP, against the table that the JavaScript tests read too.

use crate::common::http;

#[test]
fn hints_are_those_of_the_table() {
    let (cases, ignored) = http::check_hints();
    assert!(cases >= 150, "only {cases} cases");
    assert!(ignored >= 60, "only {ignored} malformed values");
}

#[test]
fn statuses_and_methods() {
    http::check_statuses_and_methods();
}

#[test]
fn random_headers() {
    http::check_random_headers();
}

#[test]
fn every_day_in_three_forms() {
    http::check_dates();
}
