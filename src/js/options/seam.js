// @ts-check
// Types of the seam between the driver (src/js/run) and protection (src/js/protection). The main entries know nothing
// else of protection. Without a gate, nothing happens at the places that call it.

/** @typedef {import('./settings.js').Settings} Settings */

/**
 * The state that protection keeps of one operation (gate.js).
 * @typedef {object} Gate
 * @property {object | undefined} held fields that it adds to the record of the last attempt: how long it held it, for
 *   one
 * @property {{ retryAfterMs: number } | undefined} refusal when asking again makes sense, for the report
 * @property {number} hedges number of hedges so far
 * @property {(operation: any, hold: number, round: number) => number | string | undefined} enter asks for an attempt:
 *   `hold` if that has to wait, the time being in `pending`; `round` if a round makes it: then `fn` starts the round,
 *   and returns a promise of the function that goes on after it; a reason to stop; or undefined
 * @property {(operation: any, hintMs: number | undefined) => void} heard receives the wait that the server asked for,
 *   at most once per attempt, and only if it asked
 * @property {(operation: any, again: boolean) => void} ended follows the decision about an outcome: whether another
 *   attempt may follow
 * @property {(operation: any, delayMs: number) => number | string} retry asks for a retry: the wait, or a reason to
 *   stop
 * @property {(operation: any, reason: string) => string} settle follows the end of the operation. Returns its reason: a
 *   round that was cut may know better
 */

/**
 * The state that several operations share, for one destination (state.js).
 * @typedef {object} Protection
 * @property {(key: string) => Protection} of another destination
 * @property {() => Protection} use the state of the moment, for an operation that starts
 * @property {(driver: Driver, settings: Settings, fn: any, index: number) => Promise<any> | undefined} run runs an
 *   operation that nothing else watches, unless it has to wait
 * @property {() => Gate} gate for an operation that starts
 * @property {string | undefined} key
 * @property {{ refuseSync: () => never } | undefined} hedge
 */

/**
 * The parts of the driver that protection needs to run an operation (run/run.js).
 * @typedef {object} Driver
 * @property {new (settings: Settings, attempt: number, startedAt: number, deadlineAt: number, previous: undefined) =>
 *   any} Attempt
 * @property {(value: unknown) => unknown} mistakeIn
 * @property {(...operation: any) => Promise<any>} resume goes on after the first attempt
 */

// Types alone make no module.
export {};
