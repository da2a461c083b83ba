/** The scene in words. Every number is one of the picture's, and every sentence holds for every setting. */
import { count, duration, plural, rate } from '../charts/format';
import { ENOUGH, MOST_ATTEMPTS } from '../compute/outage';
import type { State } from '../state/state';
import type { Story } from '../state/story';
import { AT_ONCE, INITIAL, curveActs, jitterName, waitsNothing, type Strategy } from '../state/strategy';
import type { Herd, SceneResult } from './compute';

/** A part of the sentence: its words, and the settings that they stand for. */
export interface Part {
  readonly name: string;
  /** For readers who do not see the sentence around it. */
  readonly label: string;
  readonly words: readonly { readonly text: string; readonly set: (strategy: Strategy) => Strategy }[];
  /** The word of a strategy: one of these, or one of its own. */
  readonly said: (strategy: Strategy) => string;
}

/** Only a jitter that draws from the curve leaves these waits as they are. */
const waiting =
  (part: Partial<Strategy>) =>
  (strategy: Strategy): Strategy => {
    const next = { ...strategy, ...part };
    return {
      ...next,
      jitter: curveActs(next) ? next.jitter : 'full',
      capMs: Math.max(next.capMs, next.baseMs, next.minMs),
    };
  };

const { backoff, baseMs, capMs, factor } = INITIAL;
export const PARTS: readonly Part[] = [
  {
    name: 'retry',
    label: 'They retry',
    words: [
      { text: 'at once', set: waiting({ backoff: 'fixed', baseMs: 0, minMs: 0 }) },
      { text: 'after 1\u00a0s', set: waiting({ backoff: 'fixed', baseMs: 1000 }) },
      { text: 'after doubling waits', set: waiting({ backoff, baseMs, capMs, factor }) },
    ],
    said: waitsInWords,
  },
  {
    name: 'times',
    label: 'When they retry',
    words: [
      { text: 'in step', set: (strategy) => ({ ...strategy, jitter: 'none' }) },
      { text: 'at random times', set: (strategy) => ({ ...strategy, jitter: 'full' }) },
    ],
    said: (strategy) =>
      ({ none: 'in step', full: 'at random times' })[strategy.jitter as string] ??
      `with ${jitterName(strategy)} jitter`,
  },
  {
    name: 'giveUp',
    label: 'They give up after',
    words: [
      { text: '6\u00a0attempts', set: (strategy) => ({ ...strategy, maxAttempts: 6 }) },
      { text: '10', set: (strategy) => ({ ...strategy, maxAttempts: 10 }) },
      { text: 'never', set: (strategy) => ({ ...strategy, maxAttempts: Infinity }) },
    ],
    said: ({ maxAttempts }) =>
      ({ 6: '6\u00a0attempts', 10: '10', Infinity: 'never' })[maxAttempts] ?? plural(maxAttempts, 'attempt'),
  },
];

/** `after doubling waits`, or what is unlike it. */
function waitsInWords(strategy: Strategy): string {
  const { baseMs: base, capMs: most, minMs, factor: growth, truncateAt } = strategy;
  const from = duration(base);
  const doubling = base === INITIAL.baseMs ? 'doubling waits' : `doubling waits from ${from}`;
  const curves: Record<Strategy['backoff'], string> = {
    fixed: from,
    linear: `waits that grow by ${from}`,
    truncated: `waits that double from ${from} until wait ${truncateAt}`,
    fibonacci: `Fibonacci waits from ${from}`,
    exponential: growth === 1 ? from : growth === 2 ? doubling : `waits that grow ${growth}-fold from ${from}`,
  };
  const waits = curveActs(strategy) ? curves[strategy.backoff] : `waits from ${from}`;
  const isFixedAtOnce = strategy.backoff === 'fixed' && base === 0 && curveActs(strategy);
  const isAtOnce = isFixedAtOnce || waitsNothing({ ...strategy, maxAttempts: Infinity });
  return [
    isAtOnce ? 'at once' : `after ${waits}`,
    ...(most === INITIAL.capMs || strategy.backoff === 'fixed'
      ? []
      : [most === Infinity ? 'without a cap' : `up to ${duration(most)}`]),
    ...(minMs === 0 ? [] : [`at least ${duration(minMs)}`]),
  ].join(', ');
}

/** From nobody to everybody. */
export const STORY: Story<SceneResult> = {
  parts: [],
  steps: [
    { state: { strategy: AT_ONCE }, next: 'From the start, in four steps' },
    { state: { strategy: { ...AT_ONCE, baseMs: 1000 } }, next: 'Next: wait 1\u00a0s' },
    { state: { strategy: { ...INITIAL, jitter: 'none', maxAttempts: Infinity } }, next: 'Next: double each wait' },
    { state: { strategy: { ...INITIAL, maxAttempts: Infinity } }, next: 'Next: wait at random' },
  ],
  end: { href: '#delays-heading', next: 'See the delay distributions' },
};

/** `1,000 clients lose their server for 2 s. They retry`. With one attempt, there is nothing to say of retries. */
export function opening({ clients, downMs, strategy }: Pick<State, 'clients' | 'downMs' | 'strategy'>): string {
  const lost =
    downMs === 0
      ? `${count(clients)} clients call at once, and no server is down.`
      : `${count(clients)} clients lose their server for ${duration(downMs)}.`;
  return `${lost} They ${strategy.maxAttempts === 1 ? 'give up after' : 'retry'}`;
}

/** The end of the sentence. */
export function ending({ totalTimeoutMs }: Strategy): string {
  return totalTimeoutMs === Infinity ? '.' : ` or ${duration(totalTimeoutMs)}.`;
}

export function isBad({ served, input }: Herd): boolean {
  return served < ENOUGH * input.herd.clients;
}

/** A wave is one if it brings at least this share of those who wait. */
const TOGETHER = 0.4;

/** The place to look at, and why it comes to this. */
export function sentence(result: SceneResult): string {
  return [nothingToDraw(result.input.strategy), why(result), patience(result)].filter(Boolean).join(' ');
}

/** Why jitter changes nothing, where it does not. */
function nothingToDraw(strategy: Strategy): string {
  return waitsNothing(strategy) && strategy.jitter !== 'none' && strategy.maxAttempts > 1
    ? 'There is no wait to draw: random times need a wait.'
    : '';
}

function why({ input, callsPerS, callsPerClient, busiest, waves, served, untilMs }: SceneResult): string {
  const { clients, downMs, capacityPerS, rejectionCost } = input.herd;
  const { jitter } = input.strategy;
  if (busiest === 0) return 'No client calls after the outage.';
  const after = downMs > 0 ? 'After the outage at most' : 'At most';
  if (callsPerS * rejectionCost >= capacityPerS)
    return (
      `The clients send ${count(Number(callsPerS.toPrecision(2)))} calls a second. To reject them takes more than ` +
      `all of the server’s capacity, so it serves ${served === 0 ? 'nobody' : `only ${count(served)}`}.`
    );
  const able = Math.max(1, Math.floor(capacityPerS / 10));
  const large = waves?.filter(({ calls }) => calls >= TOGETHER * Math.max(1, clients - served)) ?? [];
  const last = large.at(-1);
  const pauses = large.slice(1).map(({ atMs }, i) => atMs - (large[i]?.toMs ?? 0));
  const areApart = pauses.every((pauseMs, i) => pauseMs > (large[i]?.toMs ?? 0) - (large[i]?.atMs ?? 0));
  if (
    jitter === 'none' &&
    last &&
    pauses.length > 0 &&
    areApart &&
    large.length === waves?.length &&
    last.calls > 2 * able
  ) {
    const most = Math.max(...large.map(({ accepted }) => accepted));
    const rarer = (pauses.at(-1) ?? 0) > 1.5 * (pauses[0] ?? 0);
    return rarer
      ? `The waits grow together, so the waves become rarer, not smaller: ${large.length} in ` +
          `${duration(Math.max(0, untilMs - downMs))}, and the last one still brings ${count(last.calls)} calls. The ` +
          `server takes at most ${count(most)} of each wave, and has nothing to do in between.`
      : `All clients wait equally long, so they come back together: ${large.length} waves, the last one of ` +
          `${count(last.calls)} calls. The server takes at most ${count(most)} of each, and has nothing to do in between.`;
  }
  const together = `${after} ${plural(busiest, 'call')} ${busiest === 1 ? 'comes' : 'come'} within the same 100\u00a0ms`;
  // What the server has saved up is enough for these.
  if (callsPerClient === 1 && served === clients) return `${together}, and the server takes all of them.`;
  return served >= ENOUGH * clients && busiest > able && callsPerClient > 1
    ? `${together}. The server can take ${count(able)} of them in that time; the others come again` +
        `${jitter === 'none' ? '' : ' at another moment'}.`
    : `${together}, and the server can take ${count(able)} in that time.`;
}

/** `The waits of 6 attempts take at most 3.1 s; this outage needs 10 attempts.` */
export function patience({ input, needs, longestMs }: SceneResult): string {
  const { maxAttempts, totalTimeoutMs, jitter } = input.strategy;
  const { downMs } = input.herd;
  if (needs === undefined) return '';
  if (needs === 'deadline')
    return `The deadline of ${duration(totalTimeoutMs)} is too short for this ${downMs > 0 ? 'outage' : 'server'}.`;
  const waits =
    maxAttempts === 1
      ? 'A single attempt never waits'
      : `The waits of ${plural(maxAttempts, 'attempt')} take at most ${duration(longestMs)}`;
  if (needs !== 'more')
    return `${waits}; ${downMs > 0 ? 'this outage needs' : 'this server needs'} ${plural(needs, 'attempt')}.`;
  return maxAttempts < MOST_ATTEMPTS
    ? `${waits}. Even ${plural(MOST_ATTEMPTS, 'attempt')} do not serve 99%` +
        `${jitter === 'none' ? ': the calls come together' : ''}.`
    : `${waits}.`;
}

/** When the sentence can be seen in the picture. */
export function momentOf({ input, waves, lastServedMs, spanMs }: SceneResult): number {
  const { downMs } = input.herd;
  const third = waves && waves.length < 100 ? waves[2]?.toMs : undefined;
  return Math.min(spanMs, third ?? Math.max(downMs + 0.1 * spanMs, 0.5 * (lastServedMs ?? 0)));
}

/** What the server does at a moment: calls a second, by what becomes of them. */
export function momentAt({ spanMs, arrivals, accepted, served, input }: Herd, ms: number) {
  const bin = Math.min(arrivals.length - 1, Math.floor((ms * arrivals.length) / spanMs));
  const sum = (counts: readonly number[], from: number): number =>
    counts.slice(Math.max(0, from), bin + 1).reduce((a, b) => a + b, 0);
  // The last second: in less of it, clients that wait for one would seem to be gone.
  const shown = Math.max(1, Math.round((1000 * arrivals.length) / spanMs));
  const perS = (1000 * arrivals.length) / (Math.min(shown, bin + 1) * spanMs);
  const [calls, taken] = [sum(arrivals, bin + 1 - shown) * perS, sum(accepted, bin + 1 - shown) * perS];
  const soFar = sum(accepted, 0);
  return {
    served: ms >= spanMs ? Math.max(soFar, served) : soFar,
    servedPerS: taken,
    rejectedPerS: calls - taken,
    isDown: ms < input.herd.downMs,
  };
}

/** `3.2 s: serves 120/s, rejects 880/s`. */
export function momentInWords({ isDown, servedPerS, rejectedPerS }: ReturnType<typeof momentAt>, ms: number): string {
  const does = isDown
    ? `down, rejects ${rate(rejectedPerS)}`
    : `serves ${rate(servedPerS)}, rejects ${rate(rejectedPerS)}`;
  return `${duration(ms)}: ${does}`;
}
