// @ts-check
// Types of what the driver knows of protection (src/js/protection). Protection answers; the driver changes the
// operation. Without a guard, nothing happens at the places that call it.

/** @typedef {import('./steps.js').Operation} Operation */

/**
 * Fields that protection adds to the record of an attempt.
 * @typedef {{ heldMs?: number, hedge?: true, superseded?: true }} RecordFields
 *
 * An answer of protection: how long to wait, or why to stop, with the error of an operation that has no outcome of its
 * own.
 * @typedef {{ waitMs?: number, stop?: string, error?: Error }} Answer
 */

/**
 * The present attempt, as protection knows it (protection/admission.js).
 * @typedef {object} Admission
 * @property {RecordFields | undefined} fields of its record
 * @property {(op: Operation) => void} failed follows a failure, or a result that may be one
 * @property {(op: Operation, hintMs: number) => void} throttle follows a server that asks everyone to slow down
 * @property {(op: Operation, again: boolean) => void} ended follows the decision about an outcome: whether another
 *   attempt may follow
 */

/**
 * One operation, as protection knows it (protection/guard.js).
 * @typedef {object} Guard
 * @property {Admission} admission of the present attempt
 * @property {{ retryAfterMs: number } | undefined} rejection when asking again makes sense, for the report
 * @property {number} hedges number of hedges so far
 * @property {Rounds | undefined} rounds make the attempts instead of the loop, if there may be hedges
 * @property {(op: Operation, time: number) => Answer | undefined} enter asks for an attempt: undefined lets it pass
 * @property {(op: Operation, delayMs: number) => Answer} retry asks for a retry after the wait that was computed
 * @property {(op: Operation, reason: string) => Answer} settle follows the end of the operation, and answers why it
 *   ended
 */

/**
 * Makes an attempt, and its hedge if it is slow (protection/rounds.js). Returns why the operation stops.
 * @typedef {{ run: (time: number) => Promise<Stop> | Stop }} Rounds
 */

/**
 * A first attempt that protection lets pass at once.
 * @typedef {object} Pass
 * @property {number} startedAt
 * @property {() => void} succeeded
 * @property {() => Guard} guard of an operation that goes on
 */

/**
 * The state that several operations share, for one destination (protection/state.js).
 * @typedef {object} Protection
 * @property {string | undefined} key
 * @property {(key: string) => Protection} of another destination
 * @property {() => Protection} use the state of the moment, for an operation that starts
 * @property {(time: number) => Pass | undefined} pass
 * @property {(op: Operation, driver: import('./driver.js').Driver) => Guard} guard of an operation that starts
 * @property {{ rejectSync: () => never } | undefined} hedge
 */

/** @typedef {import('./steps.js').Stop} Stop */

// Types alone make no module.
export {};
