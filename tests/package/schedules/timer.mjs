// What takes time in the reference: timers, and steps that wait.

const MAX_TIMER = 2 ** 31 - 1;

/** What is awaited ends early. */
export const INTERRUPTED = Symbol('interrupted');

export const now = () => performance.now();

/** The clock may step back: no time is negative. */
export const elapsed = (from, to) => Math.max(0, to - from);

/** Each `setTimeout` that has fired before its time: the clock is not that of its timers. */
const fakes = new WeakSet();

/** How much of a timer is left, below 0 if it is late: hosts fire early; a clock that has hardly moved is a fake. */
function restOf(ms, from, time) {
  const further = Math.max(0, Math.ceil(ms) - MAX_TIMER);
  const missing = from + ms - time;
  const early = missing - further;
  if (early <= 0 || (early <= 2 && time - from >= early)) return missing;
  fakes.add(globalThis.setTimeout);
  return further;
}

/** A timer that ends something may be late by so much. If it is later, the host then has so many turns to read. */
const LATE = 50;
const TURNS = [4, 4, 4, 4, 4];

/** Calls `done` after `ms`, with whether it was late; a wait has no turn. Returns a function that cancels it. */
export function timer(ms, unref, done, ends = true) {
  let from = now();
  let handle;
  const arm = (wake, ms) => {
    handle = setTimeout(wake, Math.min(MAX_TIMER, Math.ceil(ms)));
    if (unref) handle.unref();
  };
  const wake = () => {
    const time = now();
    ms = restOf(ms, from, time);
    from = time;
    if (ms > 0) arm(wake, ms);
    else if (ends && ms < -LATE && !fakes.has(globalThis.setTimeout)) read(...TURNS);
    else done(false);
  };
  const read = (turn, ...further) => (turn === undefined ? done(true) : arm(() => read(...further), turn));
  arm(wake, ms);
  return () => clearTimeout(handle);
}

/** Follows a value as `await` does, which ignores a promise's own `then`. */
export const adopt = (value, ...handlers) => Promise.prototype.then.apply(Promise.resolve(value), handlers);

/**
 * Of operations that begin one after the other, each waits for none, one or two more turns of promises at each step.
 */
const PACES = 3;
let paces = PACES;
let begun = 0;
const nextPace = () => {
  begun += 1;
  return (begun - 1) % paces;
};

/** Begins with the first pace. Where operations wake others in one turn, they have one pace: their order counts. */
export function restart(even = false) {
  begun = 0;
  paces = even ? 1 : PACES;
}

/** Takes steps that wait for promises: nothing may depend on how many turns that takes. */
export async function steps(generator, pace = nextPace()) {
  for (let step = generator.next(); ; ) {
    if (step.done) return step.value;
    let [answer, failed] = [undefined, false];
    try {
      answer = await step.value;
    } catch (error) {
      [answer, failed] = [error, true];
    }
    for (let turn = 0; turn < pace; turn += 1) await undefined;
    step = failed ? generator.throw(answer) : generator.next(answer);
  }
}

/** Takes steps of which none waits. */
export function blocking(generator) {
  let step = generator.next();
  while (!step.done) step = generator.next(step.value);
  return step.value;
}
