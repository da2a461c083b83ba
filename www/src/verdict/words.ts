/** The recommendation in words: what to pick, and where that holds. */
import { count, duration, plural, rate, share } from '../charts/format';
import { sameChoice, title } from '../state/strategy';
import { recommend, type Costs, type VerdictResult } from './compute';

/** The headline, its numbers, and the strategy to use, unless all are equal, none serves a client, or it is chosen. */
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
  const none = { scope, use: undefined };
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
  return {
    headline: reaches(pick)
      ? `For these ${clients}: ${either(best.map(({ choice }) => title(choice)))}.`
      : `No strategy serves 99% of these ${clients}. Most are served by ${either(best.map(({ choice }) => title(choice)))}.`,
    reason: [
      ofPick(pick, herd.clients),
      level.length > 0 ? tie(pick, level, seeds) : `It is the best in ${pick.bestIn} of ${seeds} seeds.`,
      !reaches(pick) && !pick.isCut && strategy.maxAttempts !== Infinity
        ? 'The other clients give up: allow more attempts or longer waits.'
        : undefined,
      isChosen ? `The scene shows ${title(chosen)}.` : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
    scope,
    use: isChosen ? undefined : pick.choice,
  };
}

/** Whether 99% of the clients are served in the median run. */
function reaches({ enoughMs }: Costs): boolean {
  return enoughMs.p50 !== Infinity;
}

/** As many are served, and the intervals of the calls overlap. */
function isSame(a: Costs, b: Costs): boolean {
  const [ofA, ofB] = [a.callsPerClient, b.callsPerClient];
  return a.served.p50 === b.served.p50 && ofA.p5 <= ofB.p95 && ofB.p5 <= ofA.p95;
}

function tie(pick: Costs, level: readonly Costs[], seeds: number): string {
  const others = level.slice(0, 2).map(({ choice, bestIn }) => `, ${title(choice)} in ${bestIn}`);
  return (
    `The difference is within the noise: ${title(pick.choice)} is the best, or within 1% of it, in ` +
    `${pick.bestIn} of ${seeds} seeds${others.join('')}.`
  );
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

function limitsOf({ maxAttempts, totalTimeoutMs }: VerdictResult['input']['strategy']): string {
  const attempts = maxAttempts === Infinity ? 'no limit of attempts' : plural(maxAttempts, 'attempt');
  return totalTimeoutMs === Infinity ? attempts : `${attempts}, a deadline of ${duration(totalTimeoutMs)}`;
}

function either(names: readonly string[]): string {
  if (names.length > 3) return `${names[0]}, ${names[1]} or ${names.length - 2} others`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
