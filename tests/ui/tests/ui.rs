//! Misuse has texts of our own, which each example lists behind `//~`. The compiler's own words are not compared,
//! because they change from version to version.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The compiler whose messages these are: their length differs from version to version.
const COMPILER: &str = "1.95.0";

/// The errors of each example, with their notes, as `error: …` and `note: …`, and the length of each as `lines: …`.
fn errors() -> BTreeMap<String, Vec<String>> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let output = Command::new("rustup")
        .args(["run", "--install", COMPILER, "cargo"])
        // Cargo's own, which ran this test.
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .args(["check", "--offline", "--keep-going", "--examples"])
        .args(["--features", "examples", "--message-format", "json"])
        .arg("--target-dir")
        .arg(Path::new(folder).join("../../target/ui"))
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let message = &event["message"];
        if event["reason"] != "compiler-message" || message["level"] != "error" {
            continue;
        }
        let texts = errors
            .entry(event["target"]["name"].as_str().unwrap().to_owned())
            .or_default();
        for part in [message]
            .into_iter()
            .chain(message["children"].as_array().unwrap())
        {
            let text = |name: &str| part[name].as_str().unwrap();
            texts.push(format!("{}: {}", text("level"), text("message")));
        }
        let rendered = message["rendered"].as_str().unwrap();
        // Not the empty line at its end.
        texts.push(format!("lines: {}", rendered.lines().count() - 1));
    }
    assert!(
        !errors.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

#[test]
fn misuse_has_texts_of_our_own() {
    let errors = errors();
    let examples = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).unwrap();
    let mut checked = 0;
    for example in examples {
        let path = example.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(&path).unwrap();
        let found = errors
            .get(&name)
            .unwrap_or_else(|| panic!("{name} compiles"));
        for expected in source.lines().filter_map(|line| line.strip_prefix("//~ ")) {
            // The names of closures and async blocks hold paths.
            let (start, end) = expected.split_once("`…`").unwrap_or((expected, ""));
            let fits = |text: &String| text.starts_with(start) && text.ends_with(end);
            let most = expected
                .strip_prefix("at most ")
                .and_then(|rest| rest.strip_suffix(" lines"));
            let short = |most: usize| {
                let mut lengths = found.iter().filter_map(|text| text.strip_prefix("lines: "));
                lengths.all(|length| length.parse::<usize>().unwrap() <= most)
            };
            assert!(
                most.map_or_else(
                    || found.iter().any(fits),
                    |most| short(most.parse().unwrap())
                ),
                "{name}: {expected}\nfound:\n{}",
                found.join("\n")
            );
            checked += 1;
        }
    }
    assert_eq!((errors.len(), checked), (11, 27));
}
