/** The recommendation in words: what to pick, what the others cost, and where that holds. */
import { count, duration, plural, rate, share } from '../charts/format';
import type { Range } from '../compute/outage';
import type { Costs } from './compute';
import { curveActs, sameChoice, title, type Choice } from '../state/strategy';
import { reachesTarget, type CostData } from './data';

export interface VerdictWords {
  readonly headline: string;
  /** The numbers behind it. */
  readonly reason: string;
  readonly others: readonly { readonly choice: Choice; readonly text: string }[];
  readonly scope: string;
}

/** Rivals that are compared even if the chosen strategy is not among them. */
const MOST_RIVALS = 2;

export function verdictWords(data: CostData): VerdictWords {
  const { recommendation, herd, seeds, chosen, strategy } = data;
  const { pick, level } = recommendation;
  const clients = plural(herd.clients, 'client');
  const limits = herd.limits === 'served' ? 'no limit of attempts' : limitsOf(strategy);
  const scope =
    `This holds for this scenario only: ${clients}, an outage of ${duration(herd.downMs)}, ` +
    `${rate(herd.capacityPerS)}, ` +
    `${share(herd.rejectionCost)} of a served call for a rejected one, ${limits}. With other numbers another ` +
    'strategy can win.';
  if (!pick) {
    const why =
      herd.limits === 'set'
        ? 'All clients give up too early. Allow more attempts or longer waits.'
        : 'The server spends its capacity on rejections.';
    return { headline: 'No strategy serves a single client here.', reason: why, others: [], scope };
  }
  const names = [pick, ...level].map(({ choice }) => title(choice));
  const isTie = level.length > 0;
  const rivals = rivalsOf(data, pick);
  return {
    headline: reachesTarget(pick)
      ? `For these ${clients} and this outage: ${either(names)}.`
      : `No strategy serves 99% of these ${clients}. Most are served by ${either(names)}.`,
    reason: [
      ofPick(pick, data),
      isTie ? tie([pick, ...level], seeds) : `It is the best in ${pick.bestIn} of ${seeds} seeds.`,
      !reachesTarget(pick) && herd.limits === 'set'
        ? 'The other clients give up: allow more attempts or longer waits.'
        : undefined,
      sameChoice(pick.choice, chosen) ? 'You have chosen it.' : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
    others: rivals.map((rival) => ({
      choice: rival.choice,
      text:
        `${sameChoice(rival.choice, chosen) ? 'Your choice, ' : ''}${named(rival, chosen)} ` +
        `${compared(rival, pick, herd.clients)}`,
    })),
    scope,
  };
}

function tie([pick, ...level]: readonly Costs[], seeds: number): string {
  const others = level.slice(0, 2).map(({ choice, bestIn }) => `, ${title(choice)} in ${bestIn}`);
  return pick
    ? `The difference is within the noise: ${title(pick.choice)} is the best, or within 1% of it, in ` +
        `${pick.bestIn} of ${seeds} seeds${others.join('')}.`
    : '';
}

/** The runners-up, the chosen strategy, and the two that readers expect: no jitter, and decorrelated. */
function rivalsOf({ recommendation, chosen, costs }: CostData, pick: Costs): Costs[] {
  const { level, others } = recommendation;
  const { backoff } = curveActs(pick.choice) ? pick.choice : chosen;
  const runnersUp = [...level, ...others].slice(0, MOST_RIVALS);
  const expected = (one: Costs): boolean =>
    sameChoice(one.choice, chosen) ||
    one.choice.jitter === 'decorrelated' ||
    (one.choice.jitter === 'none' && one.choice.backoff === backoff);
  return [...new Set([...runnersUp, ...costs.filter((one) => one !== pick && expected(one)).reverse()])];
}

function ofPick(pick: Costs, { herd, seeds }: CostData): string {
  const calls = `${digits(pick.callsPerClient.p50)} calls per client`;
  const span = `the median of ${plural(seeds, 'seed')}; 5th to 95th percentile`;
  if (!reachesTarget(pick))
    return (
      `${title(pick.choice)} serves ${count(pick.served.p50)} of ${count(herd.clients)} with ${calls} (${span}: ` +
      `${count(pick.served.p5)} to ${count(pick.served.p95)} served).`
    );
  const { p5, p95, p50 } = pick.timeMs;
  const to = p95 === Infinity ? `${duration(p5)} to never` : `${duration(p5)} to ${duration(p95)}`;
  return `99% are served after ${duration(p50)}, with ${calls} (${span}: ${to}).`;
}

function compared(rival: Costs, pick: Costs, clients: number): string {
  if (!reachesTarget(rival)) {
    const { p50 } = rival.served;
    if (p50 === 0) return 'serves no client.';
    const calls = rival.isCut ? `, and was stopped after ${digits(rival.callsPerClient.p50)} calls per client` : '';
    return reachesTarget(pick) || p50 < pick.served.p50
      ? `serves only ${count(p50)} of ${count(clients)}${calls}.`
      : `serves ${count(p50)} of ${count(clients)}${calls}.`;
  }
  const calls = difference(rival.callsPerClient, pick.callsPerClient);
  const time = difference(rival.timeMs, pick.timeMs);
  const ratio = rival.callsPerClient.p50 / pick.callsPerClient.p50;
  const later = rival.timeMs.p50 - pick.timeMs.p50;
  if (calls === 0 && time === 0) return 'costs the same, within the noise.';
  if (calls > 0 && time > 0)
    return `is worse on both counts: ${relative(ratio)} more calls and ${duration(later)} longer.`;
  const parts = [
    calls === 0 ? 'makes about as many calls' : `makes ${relative(ratio)} ${calls > 0 ? 'more' : 'fewer'} calls`,
    time === 0 ? 'takes about as long' : `takes ${duration(Math.abs(later))} ${time > 0 ? 'longer' : 'less'}`,
  ];
  return `${parts.join(' and ')}.`;
}

/** 1 or −1 if the values of one are above or below those of the other; 0 if their intervals overlap. */
function difference(a: Range, b: Range): -1 | 0 | 1 {
  if (a.p5 > b.p95) return 1;
  return a.p95 < b.p5 ? -1 : 0;
}

function relative(ratio: number): string {
  return share(Math.abs(ratio - 1));
}

function limitsOf({ maxAttempts, totalTimeoutMs }: CostData['strategy']): string {
  const attempts = maxAttempts === Infinity ? 'no limit of attempts' : plural(maxAttempts, 'attempt');
  return totalTimeoutMs === Infinity ? attempts : `${attempts}, a deadline of ${duration(totalTimeoutMs)}`;
}

function named(rival: Costs, chosen: Choice): string {
  const name = title(rival.choice);
  return sameChoice(rival.choice, chosen) ? `${name},` : name;
}

function either(names: readonly string[]): string {
  if (names.length > 3) return `${names[0]}, ${names[1]} or ${names.length - 2} others`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function digits(n: number): string {
  return count(Number(n.toPrecision(3)));
}
