/** The scene in words. Every number is one of the picture's, and every sentence holds for every setting. */
import { count, duration, plural, rate } from '../charts/format';
import { MOST_ATTEMPTS } from '../compute/patience';
import type { Scene, State } from '../state/state';
import { strategyInWords } from '../state/words';
import { sceneInput, type SceneResult } from './compute';

export const RETRY_WORDS: Readonly<Record<Scene['retry'], string>> = {
  atOnce: 'at once',
  '1s': 'after 1 s',
  doubling: 'after doubling waits',
  policy: 'with the policy below',
};
export const TIME_WORDS: Readonly<Record<Scene['times'], string>> = { inStep: 'in step', random: 'at random times' };
export const GIVE_UP_WORDS: Readonly<Record<Scene['giveUp'], string>> = {
  6: '6 attempts',
  10: '10',
  never: 'never',
};

/** The four steps, and what the next one is called. */
export const STEPS: readonly (Scene & { readonly next: string })[] = [
  { retry: 'atOnce', times: 'inStep', giveUp: 'never', next: 'Next: wait 1 s' },
  { retry: '1s', times: 'inStep', giveUp: 'never', next: 'Next: double each wait' },
  { retry: 'doubling', times: 'inStep', giveUp: 'never', next: 'Next: wait at random' },
  { retry: 'doubling', times: 'random', giveUp: 'never', next: 'What do you use today?' },
];

/** The step that the scene shows, or −1. */
export function stepOf({ retry, times, giveUp }: Scene): number {
  return STEPS.findIndex((step) => step.retry === retry && step.times === times && step.giveUp === giveUp);
}

/** `1,000 clients lose their server for 2 s.` */
export function opening({ herd }: Pick<State, 'herd'>): string {
  return `${count(herd.clients)} clients lose their server for ${duration(herd.downMs)}. They retry`;
}

/** The chosen policy, where words do not say it. */
export function policyInWords(state: State): string {
  return strategyInWords({ ...state, ...sceneInput(state) });
}

/** `446 of 1,000 served`. */
export function headline({ served, input }: SceneResult): string {
  return `${count(served)} of ${count(input.herd.clients)} served`;
}

export function isBad({ served, input }: SceneResult): boolean {
  return served < 0.99 * input.herd.clients;
}

/** `by 18.6 s, 8.0 calls each`. */
export function cost(result: SceneResult): string {
  const { input, served, gaveUp, lastServedMs, lastAttemptMs, untilMs, isCut, callsPerClient } = result;
  const waiting = input.herd.clients - served - gaveUp;
  const calls = `${callsPerClient < 100 ? callsPerClient.toFixed(1) : count(Math.round(callsPerClient))} calls each`;
  if (isCut) return `when the run was cut off after ${duration(untilMs)}, ${calls}`;
  if (waiting === 0 && gaveUp === 0) return `by ${duration(lastServedMs ?? 0)}, ${calls}`;
  const others = [
    ...(gaveUp > 0 ? [`${count(gaveUp)} gave up${waiting === 0 ? ` by ${duration(lastAttemptMs ?? 0)}` : ''}`] : []),
    ...(waiting > 0 ? [`${count(waiting)} still retry after ${duration(untilMs)}`] : []),
  ];
  return `${others.join(', ')}; ${calls}`;
}

/** A wave is one if it brings at least this share of those who wait. */
const TOGETHER = 0.4;

/** The place to look at, and why it comes to this. */
export function sentence(result: SceneResult): string {
  return [why(result), patience(result)].filter(Boolean).join(' ');
}

function why({ input, callsPerS, busiest, waves, served, untilMs }: SceneResult): string {
  const { clients, downMs, capacityPerS, rejectionCost } = input.herd;
  const { jitter } = input.strategy;
  if (busiest === 0) return 'No client calls after the outage.';
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
  const together = `After the outage at most ${plural(busiest, 'call')} come within the same 100\u00a0ms`;
  return served >= 0.99 * clients && busiest > able
    ? `${together}. The server can take ${count(able)} of them in that time; the others come again` +
        `${jitter === 'none' ? '' : ' at another moment'}.`
    : `${together}, and the server can take ${count(able)} in that time.`;
}

/** `The waits of 6 attempts take at most 3.1 s; this outage needs 10 attempts.` */
export function patience({ input, needs, longestMs }: SceneResult): string {
  const { maxAttempts, totalTimeoutMs, jitter } = input.strategy;
  if (needs === undefined) return '';
  if (needs === 'deadline') return `The deadline of ${duration(totalTimeoutMs)} is too short for this outage.`;
  const waits =
    maxAttempts === 1
      ? 'A single attempt never waits'
      : `The waits of ${plural(maxAttempts, 'attempt')} take at most ${duration(longestMs)}`;
  if (needs !== 'more') return `${waits}; this outage needs ${plural(needs, 'attempt')}.`;
  return maxAttempts < MOST_ATTEMPTS
    ? `${waits}. Even ${plural(MOST_ATTEMPTS, 'attempt')} do not serve 99%` +
        `${jitter === 'none' ? ': the calls come together' : ''}.`
    : `${waits}.`;
}

/** The moment of the playhead. */
export function moment(result: SceneResult, ms: number): string {
  const { spanMs, arrivals, accepted, served } = result;
  const bin = Math.min(arrivals.length - 1, Math.floor((ms * arrivals.length) / spanMs));
  const soFar = accepted.slice(0, bin + 1).reduce((a, b) => a + b, 0);
  const perS = ((arrivals[bin] ?? 0) * 1000 * arrivals.length) / spanMs;
  return `${duration(ms)}: ${count(ms >= spanMs ? Math.max(soFar, served) : soFar)} served, ${rate(perS)} calls`;
}

/** The picture in words, for readers who do not see it. */
export function described(result: SceneResult): string {
  return `${headline(result)}, ${cost(result)}. ${sentence(result)}`;
}
