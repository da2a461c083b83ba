//! Misuse has texts of our own, which each program of tests/ui lists behind `//~`, after the lines that they are about.
//! The compiler's own words are not compared, because they change from version to version.

use std::fs;
use std::process::Command;

use serde_json::Value;

/// The compiler whose messages these are: their length differs from version to version.
const COMPILER: &str = "1.95.0";

/// An error: its program, the line that it is about, its texts as `error: …` and `note: …`, and its length in lines.
struct Found {
    program: String,
    line: usize,
    texts: Vec<String>,
    length: usize,
}

fn errors() -> Vec<Found> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ui");
    let output = Command::new("rustup")
        .args(["run", "--install", COMPILER, "cargo"])
        // Cargo's own, which ran this test.
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .args(["check", "--offline", "--keep-going", "--bins"])
        .args(["--features", "misuse", "--message-format", "json"])
        .arg("--target-dir")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/target/ui"))
        .current_dir(folder)
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let errors = events.filter(|event| event["message"]["level"] == "error");
    let found = errors.filter_map(|event| {
        let message = &event["message"];
        let parts = [message]
            .into_iter()
            .chain(message["children"].as_array().unwrap());
        let text = |part: &Value, name: &str| part[name].as_str().unwrap().to_owned();
        let spans = message["spans"].as_array().unwrap().iter();
        let mut lines = spans.filter(|span| span["is_primary"] == true);
        Some(Found {
            program: text(&event["target"], "name"),
            // Without a span it sums up the others.
            line: usize::try_from(lines.next()?["line_start"].as_u64()?).unwrap(),
            texts: parts
                .map(|part| text(part, "level") + ": " + &text(part, "message"))
                .collect(),
            // Not the empty line at its end.
            length: message["rendered"].as_str().unwrap().lines().count() - 1,
        })
    });
    let found: Vec<_> = found.collect();
    assert!(
        !found.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    found
}

#[test]
fn misuse_has_texts_of_our_own() {
    let errors = errors();
    let mut checked = 0;
    for program in ["types", "borrows", "constants", "unused"] {
        let path = format!("{}/tests/ui/{program}.rs", env!("CARGO_MANIFEST_DIR"));
        let source = fs::read_to_string(path).unwrap();
        // The first line of what the next texts are about.
        let (mut from, mut listed) = (1, false);
        for (number, line) in (1..).zip(source.lines()) {
            let Some(expected) = line.trim_start().strip_prefix("//~ ") else {
                if std::mem::take(&mut listed) {
                    from = number;
                }
                continue;
            };
            listed = true;
            let found: Vec<_> = (errors.iter())
                .filter(|found| found.program == program && (from..number).contains(&found.line))
                .collect();
            assert!(!found.is_empty(), "{program}, line {from} compiles");
            // The names of closures and async blocks hold paths.
            let (start, end) = expected.split_once("`…`").unwrap_or((expected, ""));
            let fits = |text: &String| text.starts_with(start) && text.ends_with(end);
            let most = expected
                .strip_prefix("at most ")
                .and_then(|rest| rest.strip_suffix(" lines"));
            let texts: Vec<_> = found.iter().flat_map(|found| &found.texts).collect();
            let holds = match most {
                Some(most) => found
                    .iter()
                    .all(|found| found.length <= most.parse().unwrap()),
                None => texts.iter().any(|text| fits(text)),
            };
            assert!(
                holds,
                "{program}, line {from}: {expected}\nfound: {texts:#?}"
            );
            checked += 1;
        }
    }
    assert_eq!((errors.len(), checked), (16, 29));
}
