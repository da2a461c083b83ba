//! Nothing: see `benches`.
