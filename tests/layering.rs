//! Exports know bindings, bindings know the core, the core knows nothing: no JavaScript, no clock, no
//! entropy, no other module of the crate. The simulations know the core and nothing else.
//!
//! The check reads the sources as the compiler would resolve their names: it knows comments, strings,
//! grouped imports and `super`. It is tried on planted violations first.

#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::Path;

/// Crates that touch the host.
const CRATES: &[&str] = &[
    "getrandom",
    "gloo",
    "js_sys",
    "serde_wasm_bindgen",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "web_sys",
];

/// Parts of `std` that touch the host: the clock above all.
const STD: &[&str] = &["env", "fs", "io", "net", "os", "process", "thread", "time"];

#[test]
fn the_core_names_nothing_outside_itself() {
    names_nothing_else("core");
}

/// Simulations are as pure, and made of the core's decisions.
#[test]
fn the_simulations_name_the_core_only() {
    names_nothing_else("simulation");
}

fn names_nothing_else(part: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(part);
    let mut files = 0;
    let mut found = Vec::new();
    each_source(&folder, &[part], &mut |path, module, source| {
        files += 1;
        let violations = violations(source, module);
        found.extend(
            violations
                .iter()
                .map(|what| format!("{}: {what}", path.display())),
        );
    });
    assert!(files >= 2, "only {files} files in {}", folder.display());
    assert!(
        found.is_empty(),
        "{part} reaches outside:\n{}",
        found.join("\n")
    );
}

#[test]
fn every_planted_violation_is_found() {
    for (planted, named) in [
        ("use js_sys::Function;", "js_sys"),
        (
            "fn f() -> wasm_bindgen::JsValue { todo!() }",
            "wasm_bindgen",
        ),
        ("extern crate web_sys;", "web_sys"),
        (
            "fn seed() { getrandom::fill(&mut []).unwrap() }",
            "getrandom",
        ),
        ("use std::time::Instant;", "std::time"),
        (
            "use std::{fmt, time::{Duration, Instant}};",
            "std::time::Duration",
        ),
        ("use ::std::thread::sleep;", "std::thread"),
        ("use crate::bindings;", "crate::bindings"),
        (
            "use crate::bindings::core::decide;",
            "crate::bindings::core::decide",
        ),
        ("use crate::{core::Jitter, entropy};", "crate::entropy"),
        ("pub(crate) use crate::RetryPolicy;", "crate::RetryPolicy"),
        ("use super::super::bindings;", "crate::bindings"),
        (
            "mod tests { use super::super::super::entropy::bits; }",
            "crate::entropy::bits",
        ),
        (
            "mod a { mod b {} } use super::super::bindings;",
            "crate::bindings",
        ),
        ("use super::super::*;", "crate::*"),
        (
            "#[path = \"../bindings/core.rs\"] mod decisions;",
            "#[path]",
        ),
        ("include!(\"../entropy.rs\");", "include!"),
        ("const Q: char = '\"'; use js_sys::Date;", "js_sys"),
        ("/* /* */ */ use js_sys::Date;", "js_sys"),
        ("const R: &str = r#\"\"\"#; use js_sys::Date;", "js_sys"),
        ("fn f<'a>(x: &'a str) { js_sys::eval(x) }", "js_sys"),
    ] {
        let found = violations(planted, &["core", "policy"]);
        assert!(
            found.iter().any(|what| what.contains(named)),
            "{planted}: {found:?}"
        );
    }
}

#[test]
fn the_core_is_open_to_the_simulations_and_nothing_else_is() {
    let of_simulation = |source| violations(source, &["simulation", "outage"]);
    for fine in [
        "use crate::core::{Seed, elementary::exp2};",
        "use super::check::Check; use super::super::core::Seed;",
        "use crate::simulation::Noise;",
    ] {
        assert_eq!(of_simulation(fine), Vec::<String>::new(), "{fine}");
    }
    for (planted, named) in [
        ("use crate::lab::Model;", "crate::lab::Model"),
        ("use crate::data::Value;", "crate::data::Value"),
        ("use crate::RetryPolicy;", "crate::RetryPolicy"),
        ("use super::super::bindings;", "crate::bindings"),
        ("use js_sys::Float64Array;", "js_sys"),
        ("use wasm_bindgen::JsValue;", "wasm_bindgen"),
        ("use std::time::Instant;", "std::time"),
    ] {
        let found = of_simulation(planted);
        assert!(
            found.iter().any(|what| what.contains(named)),
            "{planted}: {found:?}"
        );
    }
    // The core does not know the simulations.
    let found = violations("use crate::simulation::Noise;", &["core", "policy"]);
    assert_eq!(found, ["crate::simulation::Noise"]);
}

#[test]
fn nothing_else_is_found() {
    for fine in [
        "use super::jitter::Jitter;",
        "use crate::core::{Backoff, random::{Seed, mix}};",
        "use core::time;  use core::fmt;",
        "use std::{error::Error, fmt};",
        "mod tests { use super::*; use super::super::RetryPolicy; }",
        "// use js_sys::Function;",
        "/// Unlike js_sys, and never std::time.\n/* crate::bindings */ fn f() {}",
        "const A: &str = \"js_sys std::time \\\" crate::bindings\";",
        "const B: &str = r##\"crate::bindings \"# js_sys\"##;",
        "fn f(js: u32, time: u64) -> u64 { time + u64::from(js) }",
        "let x = self.time; self::helper();",
    ] {
        assert_eq!(
            violations(fine, &["core", "policy"]),
            Vec::<String>::new(),
            "{fine}"
        );
    }
}

/// Calls `check` with each Rust file under `folder`, its module path and its text.
fn each_source(folder: &Path, module: &[&str], check: &mut dyn FnMut(&Path, &[&str], &str)) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let inner = [module, &[stem.as_str()]].concat();
        if path.is_dir() {
            each_source(&path, &inner, check);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("the source is text");
            check(&path, if stem == "mod" { module } else { &inner }, &source);
        }
    }
}

/// Returns the names in `source`, the module `crate::<module>`, outside the core and its own part of the
/// crate.
fn violations(source: &str, module: &[&str]) -> Vec<String> {
    let tokens = tokens(source);
    let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    // The modules inside this file that are open, each with the depth of its brace.
    let mut inner: Vec<(&str, usize)> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while at < words.len() {
        match &words[at..] {
            ["#", "[", "path", ..] => found.push("#[path]".to_owned()),
            ["include", "!", ..] => found.push("include!".to_owned()),
            ["mod", name, "{", ..] => inner.push((name, depth)),
            _ => {}
        }
        match words[at] {
            "{" => depth += 1,
            "}" => {
                depth = usize::saturating_sub(depth, 1);
                inner.retain(|(_, opened)| *opened < depth);
            }
            word if is_word(word) && at.checked_sub(1).is_none_or(|i| words[i] != ".") => {
                let here: Vec<&str> = module
                    .iter()
                    .copied()
                    .chain(inner.iter().map(|(name, _)| *name))
                    .collect();
                let mut paths = Vec::new();
                let after = use_tree(&words, at, &[], &mut paths);
                found.extend(paths.iter().filter_map(|path| outside(path, &here)));
                // Braces of a group are not blocks; a path of one word ends where it starts.
                at = after.max(at + 1);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Collects the paths of the tree that starts at `at`, such as `a::{b, c::d}`; returns its end.
fn use_tree<'a>(
    words: &[&'a str],
    mut at: usize,
    prefix: &[&'a str],
    paths: &mut Vec<Vec<&'a str>>,
) -> usize {
    let mut path = prefix.to_vec();
    while let Some(word) = words.get(at).filter(|word| is_word(word) || **word == "*") {
        path.push(word);
        at += 1;
        if words.get(at) != Some(&"::") {
            break;
        }
        at += 1;
        if words.get(at) == Some(&"{") {
            at += 1;
            while words.get(at).is_some_and(|word| *word != "}") {
                // A comma is not a tree.
                at = use_tree(words, at, &path, paths).max(at + 1);
            }
            return at + 1;
        }
    }
    if path.len() > prefix.len() {
        paths.push(path);
    }
    at
}

/// The path as seen from the root, if it leads out of the core and the part in which it is written, `here`.
fn outside(path: &[&str], here: &[&str]) -> Option<String> {
    if path.iter().any(|word| CRATES.contains(word)) {
        return Some(path.join("::"));
    }
    let mut base = here.to_vec();
    let mut rest = path;
    match path {
        ["std", part, ..] if STD.contains(part) => return Some(path.join("::")),
        ["crate", after @ ..] => {
            base.clear();
            rest = after;
        }
        ["self", after @ ..] => rest = after,
        ["super", ..] => {}
        // A local name, or another crate: those that matter are in the list.
        _ => return None,
    }
    while let ["super", after @ ..] = rest {
        base.pop();
        rest = after;
    }
    // `super` and `crate` occur alone, in `pub(super)` and the like.
    let absolute = [base.as_slice(), rest].concat();
    let allowed = [Some(&"core"), here.first()];
    let escapes = !rest.is_empty() && !allowed.contains(&absolute.first());
    escapes.then(|| format!("crate::{}", absolute.join("::")))
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words, `::` and single characters; no comments, no literals.
fn tokens(source: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        rest = if rest.starts_with("//") {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if rest.starts_with("/*") {
            after_block_comment(rest)
        } else if let Some(after) = after_literal(rest) {
            after
        } else if let Some(after) = rest.strip_prefix("::") {
            // `use ::std` starts a path; formatted code has no space inside of one.
            if !source[..source.len() - rest.len()].ends_with(char::is_whitespace) {
                tokens.push("::".to_owned());
            }
            after
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            tokens.push(rest[..end].to_owned());
            &rest[end..]
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            &rest[c.len_utf8()..]
        };
    }
    tokens
}

fn after_block_comment(text: &str) -> &str {
    let mut depth = 0;
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("/*") {
            (depth, rest) = (depth + 1, after);
        } else if let Some(after) = rest.strip_prefix("*/") {
            (depth, rest) = (depth - 1, after);
        } else {
            let Some(c) = rest.chars().next() else {
                return "";
            };
            rest = &rest[c.len_utf8()..];
        }
        if depth == 0 {
            return rest;
        }
    }
}

/// Returns the text after the string or character literal at the start of `text`, if there is one.
fn after_literal(text: &str) -> Option<&str> {
    if let Some(body) = text.strip_prefix('"') {
        return Some(after_quoted(body, '"'));
    }
    if let Some(body) = text.strip_prefix('\'') {
        // Otherwise a lifetime.
        let escaped = body.starts_with('\\');
        let closed = body.chars().nth(1) == Some('\'');
        return (escaped || closed).then(|| after_quoted(body, '\''));
    }
    // Raw; `b` and `c` before it are read as words. `r#word` is not a string.
    let body = text.strip_prefix('r')?;
    let quoted = body.trim_start_matches('#');
    let hashes = body.len() - quoted.len();
    let end = format!("\"{}", "#".repeat(hashes));
    let content = quoted.strip_prefix('"')?;
    Some(content.split_once(&end).map_or("", |(_, after)| after))
}

fn after_quoted(body: &str, quote: char) -> &str {
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == quote => break,
            _ => {}
        }
    }
    chars.as_str()
}
