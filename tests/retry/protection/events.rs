//! Events of a protection.

use std::cell::RefCell;
use std::future::ready;
use std::sync::{Arc, Mutex};

use rejitter::{BudgetOptions, CooldownOptions, Protection, ProtectionChange, Signal, retry};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{MS, NERVOUS, drop_probe, on, protected, steady, tokens};

#[test]
fn events_tell_what_changes() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (events, status) = (seen.clone(), Arc::new(Mutex::new(None::<Protection>)));
    let used = status.clone();
    let (time, api) = on(|p| {
        let parts = p
            .budget(tokens(1.0))
            .breaker(NERVOUS)
            .cooldown(CooldownOptions::default());
        parts.on_event(move |event| {
            // It may use the protection: nothing is locked.
            if let Some(api) = &*used.lock().unwrap() {
                let _ = api.status();
            }
            let text = match event.change {
                ProtectionChange::Opened(numbers) => format!("opened {}", numbers.opens),
                ProtectionChange::HalfOpen(_) => "half-open".into(),
                ProtectionChange::Closed(_) => "closed".into(),
                ProtectionChange::Rejected { by, .. } => format!("rejected by {}", by.as_str()),
                ProtectionChange::Held(_) => "held".into(),
                ProtectionChange::BudgetEmpty(numbers) => format!("empty {}", numbers.rejected),
                ProtectionChange::BudgetFull(numbers) => format!("full {}", numbers.tokens),
                other => panic!("{other:?}"),
            };
            events
                .lock()
                .unwrap()
                .push(format!("{} {text}", event.key.unwrap_or("-")));
        })
    });
    *status.lock().unwrap() = Some(api.clone());
    let run = |api: &Protection, outcomes: &[Result<(), Signal>]| {
        let left = RefCell::new(outcomes.iter());
        let call = retry(steady(2), || {
            ready(*left.borrow_mut().next().expect("an outcome"))
        });
        let _ = protected!(call.signal(|signal| Some(*signal)), *api, time);
        std::mem::take(&mut *seen.lock().unwrap())
    };
    let (no, down) = (Err(Signal::Declined), Err(Signal::Failure));
    assert_eq!(run(&api, &[no, no]), Vec::<String>::new());
    assert_eq!(run(&api, &[no]), ["- empty 1", "- rejected by budget"]);
    assert_eq!(run(&api, &[no]), ["- rejected by budget"]);
    assert_eq!(run(&api, &[down]), ["- opened 1", "- rejected by breaker"]);
    assert_eq!(run(&api, &[]), ["- rejected by breaker"]);
    time.advance(1_000 * MS);
    assert_eq!(run(&api, &[Ok(())]), ["- half-open", "- closed"]);

    let key = api.for_key("eu");
    assert_eq!(
        run(&key, &[Err(Signal::Busy(50 * MS)), Ok(())]),
        Vec::<String>::new()
    );
    assert_eq!(run(&key, &[no, no]), Vec::<String>::new());
    assert_eq!(
        run(&key, &[Err(Signal::Busy(50 * MS))]),
        ["eu empty 1", "eu rejected by budget"]
    );
    drop_probe(&key, &time);
    assert_eq!(run(&key, &[Ok(())]), ["eu held"]);
    key.open();
    key.close();
    key.close();
    let by_hand = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(by_hand, ["eu opened 0", "eu closed"]);

    // Tokens go back: full again.
    let refunds = {
        let events = seen.clone();
        let options = BudgetOptions {
            per_success: Some(1.0),
            ..tokens(1.0)
        };
        Protection::new().budget(options).on_event(move |event| {
            events.lock().unwrap().push(format!("{:?}", event.change));
        })
    };
    assert_eq!(run(&refunds, &[no, no]).len(), 0);
    assert_eq!(run(&refunds, &[no]).len(), 2);
    let full = run(&refunds, &[Ok(())]);
    assert!(
        full.len() == 1 && full[0].starts_with("BudgetFull"),
        "{full:?}"
    );
    *status.lock().unwrap() = None;
}
