//! All steps that set something up: tools, browsers, builds.

use crate::plan::Plan;
use crate::{browsers, crate_checks, demo, pkg, published, scripts, servers, setup};

pub fn set_up_steps() -> Vec<Plan> {
    [
        setup::steps(),
        browsers::steps(),
        servers::steps(),
        pkg::steps(),
        published::steps(),
        crate_checks::set_up_steps(),
        demo::steps(),
        scripts::steps(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::with_needs;

    #[test]
    fn steps_of_the_set_up_need_only_steps_of_the_set_up() {
        assert!(set_up_steps().iter().all(|step| !step.is_test()));
        // Panics where a name is wrong.
        with_needs(set_up_steps(), |_| true);
    }
}
