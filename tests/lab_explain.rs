//! `lab::explain`: each note appears where it should and not next to there, and says what is so.

#![cfg(all(not(target_arch = "wasm32"), feature = "lab"))]

use rejitter::data::PolicyData;
use rejitter::lab::{Model, Note, Severity, explain};
use serde_json::{Value, json};

fn notes(options: &Value) -> Vec<Note> {
    let mut data = options.clone();
    data["version"] = json!(1);
    let data: PolicyData = serde_json::from_value(data).expect("valid data");
    explain(&data.model().expect("valid options"))
}

fn text(options: &Value, code: &str) -> Option<String> {
    let found: Vec<Note> = notes(options)
        .into_iter()
        .filter(|note| note.code == code)
        .collect();
    assert!(found.len() <= 1, "{code} twice for {options}");
    found.into_iter().next().map(|note| note.text)
}

/// Options with a note and its text, and options, mostly a step away, for which it must not appear.
fn rows() -> Vec<Value> {
    serde_json::from_str(include_str!("vectors/notes.json")).expect("JSON")
}

#[test]
fn each_note_appears_where_it_should_and_says_what_is_so() {
    for row in rows() {
        let found = text(&row["options"], row["code"].as_str().unwrap());
        assert_eq!(found.as_deref(), row["text"].as_str(), "{row}");
    }
}

#[test]
fn who_has_a_budget_is_not_told_to_have_one() {
    let data: PolicyData = serde_json::from_value(json!({ "version": 1 })).unwrap();
    let model = data.model().unwrap();
    let codes = |model: &Model| -> Vec<&str> {
        let notes = explain(model);
        notes.iter().map(|note| note.code).collect()
    };
    let mut without = codes(&model);
    let budgeted = model.with_budget();
    assert!(budgeted.has_budget());
    without.retain(|code| *code != "no-budget");
    assert_eq!(codes(&budgeted), without);
}

#[test]
fn all_codes_are_tested_and_in_the_declarations() {
    let declared = include_str!("../pkg-template/lab.d.ts");
    let types = declared.split("export type NoteCode =").nth(1).unwrap();
    let types = types.split(';').next().unwrap();
    let documented: Vec<&str> = types
        .lines()
        .filter_map(|line| line.trim().strip_prefix("| '")?.split('\'').next())
        .collect();
    assert_eq!(documented.len(), 17);
    let rows = rows();
    for code in &documented {
        let (with, without): (Vec<_>, Vec<_>) = (rows.iter())
            .filter(|row| row["code"] == *code)
            .partition(|row| row["text"].is_string());
        assert!(!with.is_empty() && without.len() >= 2, "{code}");
    }
    // And what appears anywhere is one of them.
    for note in rows.iter().flat_map(|row| notes(&row["options"])) {
        assert!(documented.contains(&note.code), "{}", note.code);
    }
}

#[test]
fn warnings_come_first() {
    let notes = notes(&json!({ "jitter": "none", "totalTimeoutMs": 1000 }));
    let severities: Vec<Severity> = notes.iter().map(|note| note.severity).collect();
    assert!(severities.contains(&Severity::Warning) && severities.contains(&Severity::Info));
    assert!(severities.is_sorted_by_key(|severity| *severity != Severity::Warning));
}
