// @ts-check
// Types of what an operation does otherwise if it is a fetch (src/js/fetch).

/** @typedef {import('./steps.js').Operation} Operation */

/**
 * What the end of an attempt says about its destination, whatever the request's method.
 * @typedef {object} Facts
 * @property {any} response undefined if there is none
 * @property {boolean} failed whether the network failed
 * @property {boolean} preparing whether a callback of the caller's failed, and not the request
 * @property {number} hintMs the wait that the response asks for; NaN for none
 */

/**
 * One attempt of a fetch.
 * @typedef {object} Task
 * @property {(op: Operation) => unknown} ask answers as `retryIf` and `retryOnResult`, which it replaces
 * @property {string} askedOption name of the option that answered
 * @property {(op: Operation) => import('./steps.js').Stop} forbids returns why a request must not, or cannot, be sent
 *   again
 * @property {() => void} hold follows the decision for another attempt
 * @property {() => void} discard releases a response that is never read
 * @property {(name: string, failed: boolean) => boolean} hides whether a hook is not called now
 * @property {() => object} eventFields of events about an outcome
 * @property {Facts | undefined} facts of the attempt, once it has ended
 * @property {import('./guard.js').Protection | undefined} protection of the destination
 * @property {boolean} mayHedge whether two copies of the request do no more than one
 * @property {() => Task} another returns one for another attempt of the same request
 * @property {(attempt: import('./attempt.js').Attempt) => unknown} send
 * @property {object} labels for the tracing channel
 * @property {object} report receives that of an operation that was given up
 */

// Types alone make no module.
export {};
