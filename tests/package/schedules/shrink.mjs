// The smallest schedule that still breaks the same invariant: parts are taken away and numbers made
// small, again and again, as long as the finding stays.

const copy = (schedule) => structuredClone(schedule);
/** How many candidates are tried at most: a finding is worth a few seconds, not minutes. */
const MOST = 3000;

/**
 * @param {object} schedule
 * @param {(candidate: object) => Promise<boolean>} fails whether the finding is still there
 * @param {(schedule: object) => Iterable<(candidate: object) => void>} changes that make it smaller
 */
export async function shrink(schedule, fails, changes) {
  let smallest = schedule;
  let tried = 0;
  for (let changed = true; changed && tried < MOST; ) {
    changed = false;
    for (const change of changes(smallest)) {
      if ((tried += 1) > MOST) break;
      const candidate = copy(smallest);
      change(candidate);
      if (JSON.stringify(candidate, plain) === JSON.stringify(smallest, plain) || !(await attempted(candidate, fails)))
        continue;
      smallest = candidate;
      changed = true;
      break;
    }
  }
  return smallest;
}

/** Drops a candidate that makes no sense, such as rejected options. */
async function attempted(candidate, fails) {
  try {
    return await fails(candidate);
  } catch {
    return false;
  }
}

const plain = (key, value) => (typeof value === 'number' ? String(value) : value);

/** Lists the parts of a policy's schedule that may be taken away. */
export function* changes(schedule) {
  const { operations, events, options, uses } = schedule;
  if (operations.length > 1)
    for (let i = operations.length - 1; i > 0; i -= 1)
      yield (s) => {
        s.operations.splice(i, 1);
        s.events = s.events.filter((event) => event.signal !== i);
      };
  if (operations.length === 1 && !schedule.single)
    yield (s) => {
      s.single = true;
    };
  for (const i of events.keys())
    yield (s) => {
      s.events.splice(i, 1);
    };
  if (schedule.traced)
    yield (s) => {
      s.traced = false;
    };
  if (schedule.policySignal)
    yield (s) => {
      s.policySignal = undefined;
    };
  if (schedule.core)
    yield (s) => {
      s.core = undefined;
    };
  // Waits from the host's randomness differ from run to run.
  if (options.seed === undefined && !uses.random)
    yield (s) => {
      s.options.seed = 1;
    };
  for (const name of Object.keys(options))
    yield (s) => {
      delete s.options[name];
    };
  for (const name of uses.hooks)
    yield (s) => {
      s.uses.hooks = s.uses.hooks.filter((other) => other !== name);
    };
  for (const name of ['retryIf', 'retryOnResult', 'beforeRetry', 'random'])
    if (uses[name])
      yield (s) => {
        s.uses[name] = false;
      };
  for (const [i, op] of operations.entries()) {
    if (op.signal)
      yield (s) => {
        s.operations[i].signal = undefined;
      };
    if (op.via === 'wrap')
      yield (s) => {
        s.operations[i].via = 'run';
      };
    for (const [part, steps] of lists(op)) {
      for (let k = steps.length - 1; k >= 0; k -= 1) {
        yield (s) => {
          within(s.operations[i], part).splice(k, 1);
        };
        for (const a of steps[k].before.keys())
          yield (s) => {
            within(s.operations[i], part)[k].before.splice(a, 1);
          };
        const { end } = steps[k];
        if (!['return', 'throw', 'never'].includes(end.how))
          yield (s) => {
            within(s.operations[i], part)[k].end.how = end.ok ? 'return' : 'throw';
          };
        if (!end.ok && end.value && (end.value.kind !== 'error' || end.value.layers))
          yield (s) => {
            within(s.operations[i], part)[k].end.value = { kind: 'error' };
          };
        if (end.ms > 1 && !Number.isInteger(end.ms))
          yield (s) => {
            within(s.operations[i], part)[k].end.ms = Math.round(end.ms);
          };
      }
    }
  }
  yield (s) => {
    s.clock.early = 0;
  };
  yield (s) => {
    s.clock.late = 0;
  };
  yield (s) => {
    s.clock.start = 0;
  };
  for (const i of events.keys())
    yield (s) => {
      s.events[i].at = Math.round(s.events[i].at);
    };
}

function* lists(op) {
  for (const part of ['attempts', 'verdicts', 'results', 'befores', 'draws', 'curve']) yield [[part], op[part]];
  for (const name of Object.keys(op.hooks)) yield [['hooks', name], op.hooks[name]];
}

const within = (op, path) => path.reduce((part, key) => part[key], op);
