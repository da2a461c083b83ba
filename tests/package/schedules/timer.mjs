// What takes time in the reference: timers, and steps that wait.

const MAX_TIMER = 2 ** 31 - 1;

/** What is awaited ends early. */
export const INTERRUPTED = Symbol('interrupted');

export const now = () => performance.now();

/** How much of a timer is left: hosts fire early; if the clock has hardly moved, it is not that of the timers. */
function restOf(ms, from, time) {
  const further = Math.max(0, Math.ceil(ms) - MAX_TIMER);
  const missing = from + ms - time;
  if (missing <= further) return Math.max(0, missing);
  return missing - further <= 2 && time - from >= missing - further ? missing : further;
}

/** Calls `done` after `ms`. Returns a function that cancels it. */
export function timer(ms, unref, done) {
  let from = now();
  let handle;
  const arm = () => {
    handle = setTimeout(wake, Math.min(MAX_TIMER, Math.ceil(ms)));
    if (unref) handle.unref();
  };
  const wake = () => {
    const time = now();
    ms = restOf(ms, from, time);
    from = time;
    if (ms > 0) arm();
    else done();
  };
  arm();
  return () => clearTimeout(handle);
}

/** Follows a value as `await` does, which ignores a promise's own `then`. */
export const adopt = (value, ...handlers) => Promise.prototype.then.apply(Promise.resolve(value), handlers);

/** Takes steps that wait for promises. */
export async function steps(generator) {
  for (let step = generator.next(); ; ) {
    if (step.done) return step.value;
    try {
      step = generator.next(await step.value);
    } catch (error) {
      step = generator.throw(error);
    }
  }
}

/** Takes steps of which none waits. */
export function blocking(generator) {
  let step = generator.next();
  while (!step.done) step = generator.next(step.value);
  return step.value;
}
