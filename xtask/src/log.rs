//! The log files of steps: their names, and what is read from them.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Marks the lines of a log that are the commands.
pub const COMMAND: &str = "$ ";

/// The whole text of a log, commands included.
pub fn read(log: &Path) -> String {
    fs::read(log)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

/// Leaves out the lines that are the commands.
pub fn output(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(COMMAND));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The last few hundred bytes.
pub fn tail(log: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = fs::File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(400)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// The last line with something to read in it, without control characters.
pub fn last_line(text: &str) -> String {
    text.lines()
        .rev()
        .filter(|line| !line.starts_with(COMMAND))
        .map(|line| without_escapes(line).trim().to_owned())
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// Without the colours and cursor movements of terminals.
pub fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.peek() == Some(&'[') {
            // "[" and all up to the letter that ends the sequence.
            chars.next();
            while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
        } else if c == '\n' || c == '\t' || !c.is_control() {
            plain.push(c);
        }
    }
    plain
}

pub fn name(number: usize, step: &str) -> String {
    let keep = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let words: String = step.chars().map(keep).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    format!("{number:02}-{}.log", words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_names_are_plain() {
        assert_eq!(name(3, "wasm: Node (full)"), "03-wasm-node-full.log");
        assert_eq!(name(12, "esm.test.mjs"), "12-esm.test.mjs.log");
    }

    #[test]
    fn progress_shows_the_last_readable_line() {
        assert_eq!(last_line("one\n\u{1b}[32mtwo\u{1b}[0m\r\n  \n"), "two");
        assert_eq!(last_line("one\n$ a command\n"), "one");
        assert_eq!(last_line(""), "");
    }

    #[test]
    fn escapes_go_and_text_stays() {
        assert_eq!(
            without_escapes("\u{1b}[1;31mred\u{1b}[0m [plain]\n"),
            "red [plain]\n"
        );
    }
}
