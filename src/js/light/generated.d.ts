// The formulas as JavaScript: the build makes them of src/bindings/light.rs (xtask/npm/javascript.mjs).

type Unset = number | undefined;

/** Returns wait `k`, from 1, in ms, for a draw in [0, 1). The codes of jitters are 0 to 2: none, full, equal. */
export function delay(k: number, r: number, jitter: number, baseMs: Unset, capMs: Unset, factor: Unset): number;
/** Returns the wait in ms where `delay` returns `computed` with the same draw, and a server asks for `serverMs`. */
export function hinted(computed: number, r: number, baseMs: number, serverMs: number): number;
