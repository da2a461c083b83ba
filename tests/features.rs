//! Features only add: a program that compiles goes on compiling when another crate of its build asks for more of them.

use std::fs;
use std::path::Path;

/// Returns what features add to types whose fields or variants programs may list, and to traits that they implement.
/// `source`: of one file.
fn breaking(source: &str) -> Vec<String> {
    let lines = source.lines().map(str::trim);
    let (mut found, mut is_open, mut is_cfg) = (Vec::new(), false, false);
    let mut owner = String::new();
    for line in lines {
        match line {
            "#[non_exhaustive]" => is_open = true,
            _ if line.starts_with("#[cfg(") && line.contains("feature") => is_cfg = true,
            _ if line.starts_with("#[") || line.starts_with("//") || line.is_empty() => {}
            _ => {
                let is_type = line.starts_with("pub struct ") || line.starts_with("pub enum ");
                let is_trait = line.starts_with("pub trait ");
                if is_type || is_trait {
                    let kind = if is_open { "open " } else { "" };
                    owner = format!("{kind}{}", line.trim_end_matches(" {"));
                } else if line == "}" {
                    owner.clear();
                } else if is_cfg {
                    let is_field = line.starts_with("pub ") && line.ends_with(',');
                    let is_variant =
                        owner.starts_with("pub enum ") && line.starts_with(char::is_uppercase);
                    let is_required = owner.starts_with("pub trait ")
                        && line.starts_with("fn ")
                        && line.ends_with(';');
                    let breaks =
                        is_field && !owner.starts_with("open ") || is_variant || is_required;
                    if breaks {
                        found.push(format!("{owner}: {line}"));
                    }
                }
                (is_open, is_cfg) = (false, false);
            }
        }
    }
    found
}

fn sources(folder: &Path, read: &mut impl FnMut(&Path, String)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, read);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            read(&path, text);
        }
    }
}

#[test]
fn no_feature_adds_what_programs_may_have_listed_without_it() {
    let mut files = 0;
    for folder in ["crates/rejitter/src", "lab/src"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        sources(&folder, &mut |path, source| {
            files += 1;
            assert_eq!(breaking(&source), [""; 0], "{}", path.display());
        });
    }
    assert!(files > 100);
}

#[test]
fn a_field_a_variant_and_a_required_function_would_be_found() {
    let source = r#"
        pub struct Options {
            #[cfg(feature = "protection")]
            /// Shared.
            pub protection: Option<Protection>,
        }
        #[non_exhaustive]
        pub struct Record {
            #[cfg(feature = "protection")]
            pub held: Duration,
        }
        pub enum Error {
            Own,
            #[cfg(feature = "protection")]
            Rejected(RejectedError),
        }
        pub trait Sleeper {
            #[cfg(feature = "std")]
            fn now(&self) -> Duration;
            #[cfg(feature = "std")]
            fn later(&self) -> Duration {
                Duration::ZERO
            }
        }
    "#;
    let found = [
        "pub struct Options: pub protection: Option<Protection>,",
        "pub enum Error: Rejected(RejectedError),",
        "pub trait Sleeper: fn now(&self) -> Duration;",
    ];
    assert_eq!(breaking(source), found);
}
