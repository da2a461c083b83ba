// Types of what the driver knows of protection (src/js/protection), of a fetch (src/js/fetch) and of a policy
// (src/js/policy). Protection answers what to do, and the driver changes the operation, but for rounds, which make its
// attempts.

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
 * An attempt, as protection knows it.
 * @typedef {Pick<import('../protection/admission.js').Admission, 'fields' | 'verdict' | 'throttled' | 'timedOut' |
 *   'answered' | 'pays' | 'ownUntil' | 'close' | 'throttle' | 'classified'>} Admission
 *
 * The rounds of an operation that may have hedges, which make its attempts instead of the loop.
 * @typedef {{ failed(run: import('./operation.js').AttemptRun): void } &
 *   Pick<import('../protection/rounds.js').Rounds, 'hedges' | 'run'>} Rounds
 *
 * One operation, as protection knows it.
 * @typedef {Pick<import('../protection/guard.js').Guard, 'rejection' | 'enter' | 'retry' | 'settle'> &
 *   { rounds: Rounds | undefined }} Guard
 *
 * The state that several operations share, for one destination.
 * @typedef {{ of: (key: string) => Protection, use: () => Protection, hedge: object | undefined } &
 *   Pick<import('../protection/state.js').State, 'key' | 'pass' | 'passed' | 'admitted' | 'guard'>} Protection
 *
 * One attempt of a fetch: what an operation does otherwise, and what the end of the attempt tells about its
 * destination, whatever the request's method.
 * @typedef {{ another: () => Task } & Pick<import('../fetch/attempt.js').FetchAttempt, 'response' | 'failed' |
 *   'isCurable' | 'preparing' | 'slowsMs' | 'hintMs' | 'ask' | 'askedOption' | 'forbids' | 'hold' | 'discard' |
 *   'hides' | 'eventFields' | 'protection' | 'mayHedge' | 'send' | 'labels' | 'label' | 'report'>} Task
 */

/**
 * The counters of a policy.
 * @typedef {Omit<import('../policy/metrics.js').Metrics, 'snapshot'>} Counters
 */

// Types alone make no module.
export {};
