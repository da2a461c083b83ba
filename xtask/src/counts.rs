//! How many tests a runner says it ran.

use std::ops::AddAssign;

use crate::log::without_escapes;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u32,
    pub failed: u32,
    /// Ignored, skipped or still to be done: neither passed nor failed, but not to be overlooked.
    pub skipped: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Who printed the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// `cargo test` and wasm-bindgen's runner: one `test result:` line per test binary.
    Cargo,
    /// `node --test`: one summary at the end.
    Node,
    /// A command that is right or wrong as a whole.
    Check,
    /// The same, of cargo; wrong, too, if it prints a warning.
    Silent,
}

impl Runner {
    /// Counts reported by a command that ended with (`true`) or without success. A failure is never lost:
    /// a runner that died before its summary counts as one failed test.
    pub fn count(self, output: &str, success: bool) -> Counts {
        let output = without_escapes(output);
        let mut counts = match self {
            Self::Cargo => cargo(&output),
            Self::Node => node(&output),
            Self::Check => Counts {
                passed: u32::from(success),
                ..Counts::default()
            },
            Self::Silent => {
                let warns = output.lines().any(|line| line.starts_with("warning"));
                Counts {
                    passed: u32::from(success && !warns),
                    failed: u32::from(warns),
                    skipped: 0,
                }
            }
        };
        if !success && counts.failed == 0 {
            counts.failed = 1;
        }
        counts
    }
}

fn cargo(output: &str) -> Counts {
    let mut sum = Counts::default();
    // Not only at the start of a line: the runner's progress may stand before it.
    for line in output
        .lines()
        .filter_map(|line| line.split_once("test result: "))
    {
        let number_of = |what: &str| {
            line.1
                .split([';', '.'])
                .find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok())
                .unwrap_or(0)
        };
        sum += Counts {
            passed: number_of("passed"),
            failed: number_of("failed"),
            skipped: number_of("ignored"),
        };
    }
    sum
}

/// The last whole summary: a test that prints the output of a runner of its own comes before it.
fn node(output: &str) -> Counts {
    let mut last = Counts::default();
    let mut lines = output.lines().filter_map(summary_line).peekable();
    while let Some((what, _)) = lines.next() {
        if what != "tests" {
            continue;
        }
        let mut counts = Counts::default();
        while let Some((what, number)) = lines.next_if(|(what, _)| *what != "tests") {
            match what {
                "pass" => counts.passed = number,
                "fail" | "cancelled" => counts.failed += number,
                "skipped" | "todo" => counts.skipped += number,
                _ => {}
            }
        }
        last = counts;
    }
    last
}

/// `# pass 3` (TAP) or `ℹ pass 3` (spec).
fn summary_line(line: &str) -> Option<(&str, u32)> {
    let rest = line
        .strip_prefix("# ")
        .or_else(|| line.strip_prefix("ℹ "))?;
    let (what, number) = rest.split_once(' ')?;
    Some((what, number.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    const SPEC: &str = "\
✔ a test (1.2ms)
✖ another (0.3ms)
ℹ tests 5
ℹ suites 1
ℹ pass 2
ℹ fail 1
ℹ cancelled 1
ℹ skipped 1
ℹ todo 0
ℹ duration_ms 61.5

✖ failing tests:
";

    #[test]
    fn every_binary_of_cargo_test_counts() {
        let output = "\
running 3 tests
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 0 filtered out; finished in 0.5s
";
        assert_eq!(Runner::Cargo.count(output, false), counts(4, 2, 4));
    }

    #[test]
    fn wasm_bindgens_runner_counts_behind_its_progress() {
        let output = "Loading…\r\u{1b}[2Ktest result: \u{1b}[32mok\u{1b}[0m. 7 passed; 0 failed; \
                      0 ignored; 0 filtered out; finished in 0.10s\n";
        assert_eq!(Runner::Cargo.count(output, true), counts(7, 0, 0));
    }

    #[test]
    fn no_tests_are_no_passed_tests() {
        assert_eq!(
            Runner::Cargo.count("no tests to run!\n", true),
            counts(0, 0, 0)
        );
        assert_eq!(Runner::Node.count("", true), counts(0, 0, 0));
    }

    #[test]
    fn both_reporters_of_node_are_read() {
        assert_eq!(Runner::Node.count(SPEC, false), counts(2, 2, 1));
        assert_eq!(
            Runner::Node.count(&SPEC.replace('ℹ', "#"), false),
            counts(2, 2, 1)
        );
    }

    #[test]
    fn the_summary_of_a_runner_inside_a_test_is_not_ours() {
        let inner = SPEC
            .replace("pass 2", "pass 99")
            .replace("fail 1", "fail 98");
        let outer =
            "ℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n";
        assert_eq!(
            Runner::Node.count(&format!("{inner}{outer}"), true),
            counts(1, 0, 0)
        );
        let indented = format!("{outer}    # pass 7\n  ℹ fail 3\n");
        assert_eq!(Runner::Node.count(&indented, true), counts(1, 0, 0));
    }

    #[test]
    fn a_runner_that_died_counts_as_failed() {
        for runner in [Runner::Cargo, Runner::Node, Runner::Check, Runner::Silent] {
            assert_eq!(
                runner.count("error: it does not compile\n", false),
                counts(0, 1, 0)
            );
        }
        assert_eq!(Runner::Check.count("", true), counts(1, 0, 0));
    }

    #[test]
    fn a_warning_is_a_failure_where_none_may_be() {
        let warned = "   Packaging rejitter\n\u{1b}[33mwarning\u{1b}[0m: manifest has no license\n";
        assert_eq!(Runner::Silent.count(warned, true), counts(0, 1, 0));
        assert_eq!(
            Runner::Silent.count("   Packaging rejitter\n", true),
            counts(1, 0, 0)
        );
    }
}
