// The declarations of rejitter-lab, in a strict project of a user's.

const POSITIVE = `
export type Exported = [PlannedWait];
const policy = new RetryPolicy({ maxAttempts: 3 });
for (const wait of [...plan(policy), ...plan(policy, 3), ...plan({ jitter: 'equal' })]) {
  same<typeof wait.quantiles.p50, number>(true);
  same<typeof wait.latticeMs, number | undefined>(true);
  for (const { ms, probability } of wait.atoms) same<typeof ms | typeof probability, number>(true);
}
for (const { code, severity, text } of explain(policy)) {
  same<typeof severity, 'info' | 'warning'>(true);
  same<typeof text, string>(true);
  if (code === 'no-jitter') break;
}
const waits = sample({ backoff: [1, 2] }, { waits: 2, operations: 3, seed: 1n });
for (const list of [waits, sample(policy), sample(policy, { seed: undefined }), density(policy, 1), density(policy, 1, 8), cdf(policy, 1, [1]), quantiles(policy, 1, waits)]) {
  same<typeof list.length, number>(true);
  const numbers: Float64Array = list;
  void numbers;
}
async function simulate(signal: AbortSignal): Promise<void> {
  using outage = simulateOutage(policy, { clients: 5, capacityPerS: Infinity, seed: 1n });
  const { events, share, done } = outage.step(5);
  same<[typeof events, typeof share, typeof done], [number, number, boolean]>(true);
  const result = await outage.run({ signal, onProgress: (progress) => same<typeof progress, SimulationProgress>(true), sliceEvents: 10 });
  same<typeof result, OutageResult>(true);
  same<ReturnType<typeof timeToServeMs>, number | undefined>(true);
  void [timeToServeMs(result, 0.5), peakOf(result)?.startMs, peakOf(result, 5)?.arrivals];
  structuredClone(result, { transfer: [result.arrivals.buffer as ArrayBuffer] });
  const contention = [simulateContention(policy), simulateContention({ maxAttempts: 3 }), simulateContention({ figure: 'none' }), simulateContention({ figure: 'full', capMs: 5 }, { hopSdMs: 0 })];
  for (const simulation of contention) same<ReturnType<typeof simulation.result>['callsSummary']['ci95'], number>(true);
  for (const arrivals of [{ type: 'regular', perS: 1 }, { type: 'poisson', perS: 1 }, { type: 'closed', clients: 1, thinkMs: 1 }] as const) {
    const load: Simulation<LoadResult> = simulateLoad({}, { arrivals, protection: { budget: { capacity: 1, perSecond: 2, preset: 'awsSdk2026' }, breaker: { draw: 0.5 } }, processes: 2 });
    same<ReturnType<typeof load.result>['recoveredAfterMs'], number | undefined>(true);
    same<ReturnType<typeof load.result>['phases']['timesMs'], Float64Array>(true);
  }
  const limited: Simulation<RateLimitResult> = simulateRateLimit(policy, { hints: 'followed', protection: { cooldown: { maxHoldMs: Infinity } } });
  same<ReturnType<typeof limited.result>['totals']['endMs'], number>(true);
  const hedging: Simulation<HedgingResult> = simulateHedging({
    service: { slowShare: 0 },
    hedge: { delayMs: 50, maxRatio: Infinity },
    load: { servers: 5, utilisation: 0.7 },
    seed: 'x',
  });
  const { survival, p99Ms, totals, exact } = hedging.result();
  same<[typeof survival, typeof p99Ms, typeof totals.won], [Float64Array, number, number]>(true);
  type Exact = { survival: Float64Array; p50Ms: number; p99Ms: number; p999Ms: number; extra: number };
  same<typeof exact, Exact | undefined>(true);
  void [simulateLoad(policy, { protection: { budget: { maxTokens: 10, tokenRatio: 0.1 } } })];
}
void simulate;
`;
const NEGATIVE = `
plan(3); // wrong: no policy
explain({ retries: 3 }); // wrong: an option of no name
plan({}, '3'); // wrong: text for a number
sample({}, { wait: 3 }); // wrong: an option that sample has not
explain({}).some(({ code }) => code === 'no-jitters'); // wrong: no code
plan({})[0]!.meanMs = 3; // wrong: a result is not to be changed
cdf({}, 1, 3); // wrong: no list
simulateOutage({}, { seed: null }); // wrong: no seed
simulateOutage(); // wrong: a policy is needed
simulateContention({ figure: 'half' }); // wrong: no line of the figure
simulateLoad({}, { arrivals: { type: 'closed', perS: 3 } }); // wrong: closed arrivals have clients
simulateLoad({}, { protection: { budget: { maxTokens: 1 } } }); // wrong: the rule of gRPC has two numbers
simulateRateLimit({}, { hints: 'shared' }); // wrong: hints are followed or ignored
simulateHedging({ hedge: { delay: 5 } }); // wrong: a hedge has other options
simulateHedging().result().exact.extra; // wrong: the closed form may be undefined
peakOf(simulateHedging().result()); // wrong: a result of another simulation
simulateHedging().step().share = 3; // wrong: progress is not to be changed
`;

export default { entries: ['rejitter-lab', 'rejitter'], positive: POSITIVE, negative: NEGATIVE };
