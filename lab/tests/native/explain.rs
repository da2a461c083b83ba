//! `explain`: each note appears where it should and not next to there, and says what is so.

use rejitter::data::PolicyData;
use rejitter::internals::protection::LimiterOptions;
use rejitter_lab::{Model, Note, Severity, explain};
use serde_json::{Value, json};

/// The notes about the options of a row, and what no data say.
fn notes(row: &Value) -> Vec<Note> {
    let mut data = row["options"].clone();
    data["version"] = json!(1);
    let data: PolicyData = serde_json::from_value(data).expect("valid data");
    let model = Model::try_from(&data).expect("valid options");
    let beside = row["beside"].as_array().into_iter().flatten();
    explain(&beside.fold(model, |model, part| match part.as_str() {
        Some("budget") => model.with_budget(true),
        Some("breaker") => model.with_breaker(true),
        Some(part @ ("limit" | "concurrency")) => {
            let options = LimiterOptions {
                limit: (part == "limit").then_some(2.0),
                concurrency: (part == "concurrency").then_some(2),
                ..LimiterOptions::DEFAULT
            };
            model.with_limiter(Some(options.settings()))
        }
        Some("unclassified results") => model.with_unclassified_results(true),
        _ => panic!("{part}"),
    }))
}

fn text(row: &Value, code: &str) -> Option<String> {
    let found: Vec<Note> = notes(row)
        .into_iter()
        .filter(|note| note.code == code)
        .collect();
    assert!(found.len() <= 1, "{code} twice for {row}");
    found.into_iter().next().map(|note| note.text)
}

/// Options with a note and its text, and options, mostly a step away, for which it must not appear.
fn rows() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../tests/vectors/notes.json")).expect("JSON")
}

#[test]
fn each_note_appears_where_it_should_and_says_what_is_so() {
    for row in rows() {
        let found = text(&row, row["code"].as_str().unwrap());
        assert_eq!(found.as_deref(), row["text"].as_str(), "{row}");
    }
}

#[test]
fn all_codes_are_tested_and_in_the_declarations() {
    let declared = include_str!("../../package/index.d.ts");
    let types = declared.split("export type NoteCode =").nth(1).unwrap();
    let types = types.split(';').next().unwrap();
    let documented: Vec<&str> = types
        .lines()
        .filter_map(|line| line.trim().strip_prefix("| '")?.split('\'').next())
        .collect();
    assert_eq!(documented.len(), 22);
    let rows = rows();
    for code in &documented {
        let (with, without): (Vec<_>, Vec<_>) = (rows.iter())
            .filter(|row| row["code"] == *code)
            .partition(|row| row["text"].is_string());
        assert!(!with.is_empty() && without.len() >= 2, "{code}");
    }
    // And what appears anywhere is one of them.
    for note in rows.iter().flat_map(notes) {
        assert!(documented.contains(&note.code), "{}", note.code);
    }
}

#[test]
fn warnings_come_first() {
    // Nothing is wrong with the defaults.
    let defaults = notes(&json!({ "options": {} }));
    assert!(defaults.iter().all(|note| note.severity == Severity::Info));
    let notes = notes(&json!({ "options": { "jitter": "none", "totalTimeoutMs": 1000 } }));
    let severities: Vec<Severity> = notes.iter().map(|note| note.severity).collect();
    assert!(severities.contains(&Severity::Warning) && severities.contains(&Severity::Info));
    assert!(severities.is_sorted_by_key(|severity| *severity != Severity::Warning));
}
