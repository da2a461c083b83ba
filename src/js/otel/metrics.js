// @ts-check
// Counters of operations and attempts: their quotient is the amplification. Gauges of protections.

/** Values of the gauge of a circuit. */
const STATES = ['closed', 'half-open', 'open'];

const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** @param {any} meter @param {boolean} keys whether the attributes name keys */
export function metersOf(meter, keys) {
  const operations = meter?.createCounter('rejitter.operations', { description: 'Operations that ended' });
  const attempts = meter?.createCounter('rejitter.attempts', { description: 'Attempts that started' });
  const waits = meter?.createHistogram('rejitter.wait.duration', {
    unit: 's',
    description: 'Waits between attempts',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
  const tokens = meter?.createObservableGauge('rejitter.budget.tokens', { description: 'Tokens left' });
  const states = meter?.createObservableGauge('rejitter.circuit.state', {
    description: '0: closed, 1: half-open, 2: open',
  });

  return {
    /** @param {string} hook @param {any} event @param {{ key?: string }} trace */
    on(hook, { attempt, name, hedge, delayMs, reason }, { key }) {
      const labels = {
        ...(name !== undefined && { 'rejitter.name': name }),
        ...(key !== undefined && { 'rejitter.key': key }),
      };
      if (hook === 'onAttempt') {
        const kind = hedge ? 'hedge' : attempt > 1 ? 'retry' : 'first';
        attempts?.add(1, { ...labels, 'rejitter.attempt.kind': kind });
      } else if (hook === 'onRetry') {
        waits?.record(delayMs / 1000, labels);
      } else if (hook === 'onSuccess') {
        operations?.add(1, { ...labels, 'rejitter.outcome': 'success' });
      } else if (hook === 'onGiveUp') {
        operations?.add(1, { ...labels, 'rejitter.outcome': 'failure', 'rejitter.reason': reason });
      }
    },

    /**
     * Observes a protection and the states of its keys. Without `keys`: the worst of all.
     * @param {any} protection
     * @param {string} name
     */
    protection(protection, name) {
      meter?.addBatchObservableCallback(
        (/** @type {any} */ result) => {
          const found = protection.keys().map((/** @type {string} */ key) => [key, protection.for(key).status()]);
          const own = [undefined, protection.status()];
          const all = keys || found.length === 0 ? [own, ...found] : [worst([own, ...found])];
          for (const [key, { budget, breaker }] of all) {
            const labels = { 'rejitter.name': name, ...(key !== undefined && { 'rejitter.key': key }) };
            if (budget) result.observe(tokens, budget.tokens, labels);
            if (breaker) result.observe(states, STATES.indexOf(breaker.state), labels);
          }
        },
        [tokens, states],
      );
    },
  };
}

/** Returns the fewest tokens and the worst state. @param {any[]} all */
function worst(all) {
  const statuses = all.map(([, status]) => status);
  const { budget, breaker } = statuses[0];
  const state = Math.max(...statuses.map((status) => STATES.indexOf(status.breaker?.state)));
  const left = Math.min(...statuses.map((status) => status.budget?.tokens));
  return [undefined, { budget: budget && { tokens: left }, breaker: breaker && { state: STATES[state] } }];
}
