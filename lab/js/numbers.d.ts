// The names of the numbers that simulations take as options, by the struct of Rust that has them: the build makes them
// of lab/src/simulation (xtask/npm/simulations.mjs).
export const NUMBERS: Record<string, string[]>;
