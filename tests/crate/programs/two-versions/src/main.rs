//! Two incompatible versions in one build, as dependencies of dependencies bring them.

fn main() {
    let (now, next) = (now::internals::VERSION, next::internals::VERSION);
    assert_eq!(next, "99.0.0");
    assert_ne!(now, next, "the code of one version replaced that of the other");
}
