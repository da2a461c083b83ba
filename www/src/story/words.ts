/** The sentences of the story. Their numbers are those of the runs that the pictures show. */
import { count, duration, plural } from '../charts/format';
import { FIRST_CALLS_MS, TRACED, WINDOW_MS } from '../compute/herd';
import { factsOf, type Facts } from './facts';
import { SPEED } from './player';
import { CAPACITY_PER_WINDOW, FIXED_WAIT_MS, HORIZON_MS, OUTAGE, type SceneName, type SceneRun } from './runs';

export interface SceneWords {
  readonly title: string;
  readonly sentence: string;
  /** The clients' result in the end. */
  readonly outcome: string;
}

/** In the order of the story. */
export const SCENES: readonly SceneName[] = ['atOnce', 'fixed', 'backoff', 'jitter'];

export const TITLES: Readonly<Record<SceneName, string>> = {
  atOnce: 'Retry at once',
  fixed: `Wait ${duration(FIXED_WAIT_MS)} each time`,
  backoff: 'Back off: double the wait',
  jitter: 'Add jitter: random waits',
};

const SENTENCES: Readonly<Record<SceneName, (facts: Facts) => string>> = {
  atOnce: ({ callsPerS, served }) =>
    `${count(OUTAGE.clients)} clients send ${count(Number(callsPerS.toPrecision(2)))} calls a second. ` +
    `Turning them away takes all the server's capacity, so it serves ` +
    `${served === 0 ? 'nobody' : `only ${count(served)}`}.`,
  fixed: ({ waves, busiest }) =>
    'Waiting keeps the clients together: ' +
    `${busiest >= OUTAGE.clients ? `all ${count(OUTAGE.clients)}` : count(busiest)} come back within the same ` +
    `${duration(WINDOW_MS)}. ` +
    `The server can take ${most(waves)} of them, then has nothing to do until the next wave.`,
  backoff: ({ waves }) =>
    `Now the waves are rare, ${waves.length} in ${duration(HORIZON_MS - OUTAGE.downMs)}, but no smaller: ` +
    `the last one still brings ${count(waves.at(-1)?.calls ?? 0)} clients, and the server takes ` +
    `${waves.at(-1)?.accepted ?? 0}.`,
  jitter: ({ busiest, mostServedMs }) =>
    `Each client waits a random part of that time, so they no longer come together: at most ${count(busiest)} ` +
    `within ${duration(WINDOW_MS)}.` +
    `${mostServedMs === undefined ? '' : ` After ${duration(roundedUp(mostServedMs))}, nine in ten are served.`}`,
};

export function wordsOf(run: SceneRun): SceneWords {
  const facts = factsOf(run);
  return { title: TITLES[run.scene], sentence: SENTENCES[run.scene](facts), outcome: outcomeOf(facts) };
}

export function outcomeOf({ served, allServedMs }: Facts): string {
  const all = `of ${count(OUTAGE.clients)} served`;
  return allServedMs === undefined
    ? `${count(served)} ${all} after ${duration(HORIZON_MS)}`
    : `${count(served)} ${all} within ${duration(roundedUp(allServedMs))}`;
}

/** A tenth of a second, never earlier than it was. */
function roundedUp(ms: number): number {
  return 100 * Math.ceil(ms / 100);
}

function most(waves: Facts['waves']): number {
  return Math.max(0, ...waves.map(({ accepted }) => accepted));
}

export function comparisonTitle(): string {
  return `Served after ${duration(HORIZON_MS)}`;
}

export function introduction(): string {
  return (
    `${count(OUTAGE.clients)} clients lose their server for ${duration(OUTAGE.downMs)}. Afterwards it can serve ` +
    `${count(OUTAGE.capacityPerS)} calls a second. ` +
    `The pictures show the same ${duration(HORIZON_MS)} four times; only the waits between the calls differ.`
  );
}

/** How to read the pictures, and what is simulated. */
export function legend(): string {
  return (
    `Each row of a picture is one of ${TRACED} clients. All make their first call within ` +
    `${duration(FIRST_CALLS_MS)}, and no client gives up. ` +
    `A rejected call takes ${100 * OUTAGE.rejectionCost}% of the capacity that a served one takes; within ` +
    `${duration(WINDOW_MS)} the server can serve ${CAPACITY_PER_WINDOW}. ` +
    `Time runs ${SPEED} times as fast, and calls are drawn slower than they travel.`
  );
}

/** The picture in words, for readers who do not see it. */
export function described(run: SceneRun): string {
  const { clients, outcomes } = run.traces;
  const rejected = new Map<number, number>();
  let served = 0;
  for (const [i, client] of clients.entries()) {
    if (outcomes[i] === 1) served++;
    else rejected.set(client, (rejected.get(client) ?? 0) + 1);
  }
  const counts = [...rejected.values()];
  const { waves, busiest, calls } = factsOf(run);
  return (
    `${TITLES[run.scene]}. Of the ${new Set(clients).size} clients shown, ${served} are served within ` +
    `${duration(HORIZON_MS)}; ` +
    `each has ${count(Math.min(...counts))} to ${count(Math.max(...counts))} calls rejected. ` +
    `All ${count(OUTAGE.clients)} clients together make ${plural(calls, 'call')}, at most ${count(busiest)} ` +
    `within ${duration(WINDOW_MS)} after the outage` +
    `${waves.length > 1 && waves.length < 50 ? `, in ${waves.length} waves` : ''}.`
  );
}

export interface Comparison {
  readonly scene: SceneName;
  readonly name: string;
  readonly served: number;
  readonly callsPerClient: string;
}

const SHORT: Readonly<Record<SceneName, string>> = {
  atOnce: 'At once',
  fixed: `Fixed ${duration(FIXED_WAIT_MS)}`,
  backoff: 'Backoff',
  jitter: 'Backoff and jitter',
};

export function compared(runs: readonly SceneRun[]): Comparison[] {
  return SCENES.flatMap((scene) => {
    const run = runs.find((one) => one.scene === scene);
    if (!run) return [];
    const { served, calls } = factsOf(run);
    const perClient = calls / OUTAGE.clients;
    return {
      scene,
      name: SHORT[scene],
      served,
      callsPerClient: perClient < 100 ? perClient.toFixed(1) : count(Math.round(perClient)),
    };
  });
}

/** The gain from jitter, in one line. */
export function closing(all: readonly Comparison[]): string {
  const [backoff, jitter] = (['backoff', 'jitter'] as const).map((scene) => all.find((one) => one.scene === scene));
  if (!backoff || !jitter) return '';
  return (
    `Same clients, same outage, same backoff: jitter turns ${count(backoff.served)} served clients into ` +
    `${count(jitter.served)}, ` +
    `with ${jitter.callsPerClient} calls per client instead of ${backoff.callsPerClient}.`
  );
}
