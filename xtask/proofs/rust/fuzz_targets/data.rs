//! Policies as data: what was read is a policy, whose waits are within its bounds, and what is written of it is read as
//! the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rejitter::data::PolicyData;
use rejitter::decide::MAX_MS;

fuzz_target!(|text: &[u8]| {
    let Ok(data) = serde_json::from_slice::<PolicyData>(text) else {
        return;
    };
    let policy = data.policy().expect("what was read is valid");
    for wait in policy.delays(1).take(5) {
        assert!(wait.as_secs_f64() * 1000.0 <= MAX_MS);
    }
    let written = serde_json::to_string(&data).expect("what was read can be written");
    let again: PolicyData = serde_json::from_str(&written).expect("what was written is read");
    assert_eq!(again, data, "{written}");
});
