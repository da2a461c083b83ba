/** The recommendation in words: what to pick, what the others cost, and where that holds. */
import { count, duration, plural, rate, share } from '../charts/format';
import type { Range } from '../compute/outage';
import { curveActs, sameChoice, title } from '../state/strategy';
import { recommend, type Costs, type VerdictResult } from './compute';

const MOST_RIVALS = 3;

/** The headline, the numbers behind it, and the strategy to use, unless all are equal, none serves a client, or it is chosen. */
export function verdictWords(result: VerdictResult) {
  const { input, seeds, chosen } = result;
  const { herd, strategy } = input;
  const { pick, level, others } = recommend(result);
  const clients = plural(herd.clients, 'client');
  const outage = herd.downMs === 0 ? 'no outage' : `an outage of ${duration(herd.downMs)}`;
  const scope =
    `This holds for this scenario only: ${clients}, ${outage}, ${rate(herd.capacityPerS)}, ` +
    `${share(herd.rejectionCost)} of a served call for a rejected one, ${limitsOf(strategy)}. Medians of ` +
    `${plural(seeds, 'seed')}; the scene and the grid show seed ${input.seed} only.`;
  const none = { others: [], scope, use: undefined };
  if (!pick) {
    const isEndless = strategy.maxAttempts === Infinity;
    const reason = isEndless
      ? 'The server spends its capacity on rejections.'
      : 'All clients give up too early. Allow more attempts or longer waits.';
    return { headline: 'No strategy serves a single client here.', reason, ...none };
  }
  const best = [pick, ...level];
  if (others.length === 0 && best.every((one) => isSame(one, pick))) {
    const reason = strategy.maxAttempts === 1 ? 'With a single attempt, nothing is waited for.' : '';
    return { headline: `All strategies come to the same here: ${fate(pick, herd.clients)}.`, reason, ...none };
  }
  const isChosen = best.some(({ choice }) => sameChoice(choice, chosen));
  const rivals = rivalsOf(result, pick, [...level, ...others]);
  return {
    headline: reaches(pick)
      ? `For these ${clients}: ${either(best.map(({ choice }) => title(choice)))}.`
      : `No strategy serves 99% of these ${clients}. Most are served by ${either(best.map(({ choice }) => title(choice)))}.`,
    reason: [
      ofPick(pick, herd.clients),
      level.length > 0 ? tie(best, seeds) : `It is the best in ${pick.bestIn} of ${seeds} seeds.`,
      !reaches(pick) && !pick.isCut && strategy.maxAttempts !== Infinity
        ? 'The other clients give up: allow more attempts or longer waits.'
        : undefined,
      isChosen ? `The scene shows ${title(chosen)}.` : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
    others: rivals.map((rival) => ({
      choice: rival.choice,
      text:
        `${title(rival.choice)}${sameChoice(rival.choice, chosen) ? ', in the scene,' : ''} ` +
        compared(rival, pick, herd.clients),
    })),
    scope,
    use: isChosen ? undefined : pick.choice,
  };
}

/** Whether 99% of the clients are served in the median run. */
function reaches({ enoughMs }: Costs): boolean {
  return enoughMs.p50 !== Infinity;
}

function isSame(a: Costs, b: Costs): boolean {
  return a.served.p50 === b.served.p50 && difference(a.callsPerClient, b.callsPerClient) === 0;
}

function tie([pick, ...level]: readonly Costs[], seeds: number): string {
  const others = level.slice(0, 2).map(({ choice, bestIn }) => `, ${title(choice)} in ${bestIn}`);
  return pick
    ? `The difference is within the noise: ${title(pick.choice)} is the best, or within 1% of it, in ` +
        `${pick.bestIn} of ${seeds} seeds${others.join('')}.`
    : '';
}

/** The chosen strategy, the two that readers expect, no jitter and decorrelated, and then the runners-up. */
function rivalsOf({ chosen }: VerdictResult, pick: Costs, all: readonly Costs[]): Costs[] {
  const { backoff } = curveActs(pick.choice) ? pick.choice : chosen;
  const expected = (one: Costs): boolean =>
    sameChoice(one.choice, chosen) ||
    one.choice.jitter === 'decorrelated' ||
    (one.choice.jitter === 'none' && one.choice.backoff === backoff);
  return [...new Set([...all.filter(expected), ...all.slice(0, MOST_RIVALS)])].slice(0, MOST_RIVALS);
}

function fate({ served, enoughMs, callsPerClient }: Costs, clients: number): string {
  const calls = `${plural(Number(callsPerClient.p50.toPrecision(2)), 'call')} per client`;
  return enoughMs.p50 === Infinity
    ? `${count(served.p50)} of ${count(clients)} are served, with ${calls}`
    : `99% are served after ${duration(Number(enoughMs.p50.toPrecision(3)))}, with ${calls}`;
}

function ofPick(pick: Costs, clients: number): string {
  const { served, enoughMs, isCut } = pick;
  const never = enoughMs.p95 === Infinity ? 'never' : duration(enoughMs.p95);
  const few = `${count(served.p5)} to ${count(served.p95)} served`;
  const range = reaches(pick) ? `${duration(enoughMs.p5)} to ${never}` : few;
  // In a run that is stopped, they would say when.
  if (isCut && !reaches(pick)) return `${title(pick.choice)}: ${fate(pick, clients)}, when the runs were stopped.`;
  return `${reaches(pick) ? '' : `${title(pick.choice)}: `}${fate(pick, clients)} (5th to 95th percentile: ${range}).`;
}

function compared(rival: Costs, pick: Costs, clients: number): string {
  if (!reaches(rival)) {
    const { p50 } = rival.served;
    if (p50 === 0) return 'serves no client.';
    const each = count(Number(rival.callsPerClient.p50.toPrecision(2)));
    const calls = rival.isCut ? `, and was stopped after ${each} calls per client` : '';
    const only = reaches(pick) || p50 < pick.served.p50 ? 'only ' : '';
    return `serves ${only}${count(p50)} of ${count(clients)}${calls}.`;
  }
  const calls = difference(rival.callsPerClient, pick.callsPerClient);
  const time = difference(rival.enoughMs, pick.enoughMs);
  const ratio = share(Number(Math.abs(rival.callsPerClient.p50 / pick.callsPerClient.p50 - 1).toPrecision(2)));
  const later = duration(Number(Math.abs(rival.enoughMs.p50 - pick.enoughMs.p50).toPrecision(2)));
  if (calls === 0 && time === 0) return 'costs the same, within the noise.';
  if (calls > 0 && time > 0) return `is worse on both counts: ${ratio} more calls and ${later} longer.`;
  const parts = [
    calls === 0 ? 'makes about as many calls' : `makes ${ratio} ${calls > 0 ? 'more' : 'fewer'} calls`,
    time === 0 ? 'takes about as long' : `takes ${later} ${time > 0 ? 'longer' : 'less'}`,
  ];
  return `${parts.join(' and ')}.`;
}

/** 1 or −1 if the values of one are above or below those of the other; 0 if their intervals overlap. */
function difference(a: Range, b: Range): -1 | 0 | 1 {
  if (a.p5 > b.p95) return 1;
  return a.p95 < b.p5 ? -1 : 0;
}

function limitsOf({ maxAttempts, totalTimeoutMs }: VerdictResult['input']['strategy']): string {
  const attempts = maxAttempts === Infinity ? 'no limit of attempts' : plural(maxAttempts, 'attempt');
  return totalTimeoutMs === Infinity ? attempts : `${attempts}, a deadline of ${duration(totalTimeoutMs)}`;
}

function either(names: readonly string[]): string {
  if (names.length > 3) return `${names[0]}, ${names[1]} or ${names.length - 2} others`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
