// Types of what the driver knows of protection (src/js/protection), of a fetch (src/js/fetch) and of a policy
// (src/js/policy). Protection answers what to do, and the driver changes the operation, but for rounds, which make its
// attempts.

/** @import { AttemptRun, Operation } from './operation.js' */
/** @import { Stop } from './steps.js' */

/**
 * Fields that protection adds to the record of an attempt.
 * @typedef {{ heldMs?: number, hedge?: true, superseded?: true }} RecordFields
 *
 * Protection answers what to do: begin the attempt, hold it for a time and ask again, wait before the retry, or stop.
 * To stop has a reason, and the error of an operation that has no outcome of its own.
 * @typedef {{ do: 'begin', admission: Admission }} Beginning
 * @typedef {{ do: 'hold', ms: number }} Holding
 * @typedef {{ do: 'wait', ms: number }} Waiting
 * @typedef {{ do: 'stop', reason: string, error: Error | undefined }} Stopping
 */

/**
 * An attempt, as protection knows it (protection/admission.js).
 * @typedef {object} Admission
 * @property {RecordFields | undefined} fields of its record
 * @property {number} verdict on its end, once that is known
 * @property {boolean} throttled whether its failure asked to come less often
 * @property {boolean} timedOut whether its own timeout ended it
 * @property {boolean} answered whether its end is an answer of the destination
 * @property {boolean} pays whether its retry takes tokens, and is no first attempt: of a round, if one end is no answer
 * @property {number} ownUntil the end of the cooldown that its failure set
 * @property {(run: AttemptRun, reason: string) => void} close follows the end of an attempt that ends with its operation
 * @property {(run: AttemptRun, hintMs?: number) => void} throttle follows a server that may ask everyone to slow down
 * @property {(run: AttemptRun, again: boolean) => void} classified follows the caller's verdict on an outcome: whether
 *   another attempt may follow
 */

/**
 * The rounds of an operation that may have hedges (protection/rounds.js).
 * @typedef {object} Rounds
 * @property {number} hedges so far
 * @property {(time: number) => Promise<Stop> | Stop} run returns why the operation stops
 * @property {(run: AttemptRun) => void} failed follows an attempt that has ended, unless that decides the operation
 */

/**
 * One operation, as protection knows it (protection/guard.js).
 * @typedef {object} Guard
 * @property {{ retryAfterMs: number } | undefined} rejection when asking again makes sense, for the report
 * @property {Rounds | undefined} rounds make an attempt instead of the loop, and its hedge if it is slow
 * @property {(op: Operation, time: number) => Beginning | Holding | Stopping} enter asks for an attempt
 * @property {(op: Operation, delayMs: number) => Waiting | Stopping} retry asks for a retry after the wait that was
 *   computed
 * @property {(op: Operation, reason: string) => Stopping} settle follows the end of the operation, and answers why it
 *   ended
 */

/**
 * The state that several operations share, for one destination (protection/state.js).
 * @typedef {object} Protection
 * @property {string | undefined} key
 * @property {(key: string) => Protection} of another destination
 * @property {() => Protection} use the state of the moment, for an operation that starts
 * @property {(time: number) => number} pass the ticket of a first attempt that passes at once; 0 if it has to ask
 * @property {(ticket: number) => void} passed follows the success of an attempt that passed
 * @property {(ticket: number) => Admission} admitted makes the admission of an attempt that passed
 * @property {(op: Operation, driver: import('./run.js').Driver) => Guard} guard of an operation that starts
 * @property {object | undefined} hedge
 */

/**
 * One attempt of a fetch: what an operation does otherwise, and what the end of the attempt tells about its
 * destination, whatever the request's method.
 * @typedef {object} Task
 * @property {any} response undefined if there is none
 * @property {boolean} failed whether the network failed
 * @property {() => boolean} isCurable returns whether the default rules send the request again for the response
 * @property {boolean} preparing whether a callback of the caller's failed, and not the request
 * @property {number} slowsMs the wait that the response of a request that failed asks for; NaN for none
 * @property {number} hintMs the wait that the response asks for; NaN for none
 * @property {(run: AttemptRun) => unknown} ask answers as `retryIf` and `retryOnResult`, which it replaces
 * @property {string} askedOption name of the option that answered
 * @property {(run: AttemptRun) => Stop} forbids returns why a request must not, or cannot, be sent again
 * @property {(op: Operation) => void} hold follows the decision for another attempt
 * @property {() => void} discard releases a response that is never read
 * @property {(name: string, failed: boolean | undefined) => boolean} hides whether a hook is not called now
 * @property {() => object} eventFields of events about an outcome
 * @property {Protection | undefined} protection of the destination
 * @property {boolean} mayHedge whether two copies of the request do no more than one
 * @property {() => Task} another returns one for another attempt of the same request
 * @property {(attempt: import('./attempt.js').Attempt) => unknown} send
 * @property {object} labels of the request, for the tracing channel and for events
 * @property {(error: Error) => void} label names the request in an error
 * @property {import('./report.js').Report | undefined} report receives that of an operation that was given up
 */

/**
 * The counters of a policy (policy/metrics.js).
 * @typedef {{ started: () => void, attempted: (number: number) => void, hedged: () => void, waits: (ms: number) => void,
 *   succeeded: (number: number) => void, failed: (reason: string) => void }} Counters
 */

// Types alone make no module.
export {};
