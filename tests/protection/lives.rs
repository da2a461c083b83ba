//! Tapes of random lives: what each call of a machine got and gave, for the tests of the package that make the same
//! calls in JavaScript.

use std::collections::HashSet;

pub type Tape = Vec<f64>;

/// A truth value as a number of the tape.
pub fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Writes a tape per life, each behind its length. The test of the package sets the file and the number of lives.
/// Without a file, the lives are only played, and their digest is compared.
pub fn write(lives: u32, expected: u64, play: impl Fn(u32) -> Tape) {
    let lives =
        std::env::var("REJITTER_LIVES").map_or(lives, |many| many.parse().expect("a number"));
    let tapes: Vec<Tape> = (0..lives).map(play).collect();
    let bytes = |tape: &Tape| {
        let length = f64::from(u32::try_from(tape.len()).expect("short"));
        let numbers = std::iter::once(length).chain(tape.iter().copied());
        numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>()
    };
    if let Some(file) = std::env::var_os("REJITTER_LIFE_TAPES") {
        let all: Vec<u8> = tapes.iter().flat_map(bytes).collect();
        std::fs::write(file, all).expect("written");
    } else {
        // FNV-1a over the bits of numbers.
        let digest = tapes.iter().flatten().fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| {
            (hash ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01b3)
        });
        assert_eq!(digest, expected, "{digest:#x}");
    }
    // Different steps and answers: tapes that say something.
    let distinct: HashSet<Vec<u8>> = tapes.iter().map(bytes).collect();
    assert_eq!(distinct.len(), tapes.len());
}
