/** What becomes of the clients, in numbers: of one herd, and of two beside one another. */
import { count, duration } from '../charts/format';
import { strategyInWords, title } from '../state/strategy';
import { herdsOf, type Herd, type SceneResult } from './compute';
import { sentence } from './words';

/** `446 of 1,000 served`, with a strategy before `60 → 446 of 1,000 served`. */
export function headline({ served, input, other }: SceneResult): string {
  const before = input.before && other ? `${count(other.served)} → ` : '';
  return `${before}${count(served)} of ${count(input.herd.clients)} served`;
}

/** `by 18.6 s, 8.0 calls each`, with a strategy before the calls and the longest wait of both. */
export function cost(result: SceneResult): string {
  const { input, other } = result;
  if (!input.before || !other) return costOf(result);
  const both = [other, result];
  const waits = both.map(({ longestWaitMs }) => duration(longestWaitMs));
  return `${both.map(calls).join(' → ')} calls each, longest wait ${waits.join(' → ')}`;
}

function calls({ callsPerClient }: Herd): string {
  return callsPerClient < 100 ? callsPerClient.toFixed(1) : count(Math.round(callsPerClient));
}

function costOf(herd: Herd): string {
  const { input, served, gaveUp, lastServedMs, lastAttemptMs, untilMs, isCut } = herd;
  const waiting = input.herd.clients - served - gaveUp;
  const n = calls(herd);
  const each = `${n} ${n === '1.0' ? 'call' : 'calls'} each`;
  if (isCut) return `when the run was cut off after ${duration(untilMs)}, ${each}`;
  if (waiting === 0 && gaveUp === 0) return `by ${duration(lastServedMs ?? 0)}, ${each}`;
  const others = [
    ...(gaveUp > 0 ? [`${count(gaveUp)} gave up${waiting === 0 ? ` by ${duration(lastAttemptMs ?? 0)}` : ''}`] : []),
    ...(waiting > 0 ? [`${count(waiting)} still retry after ${duration(untilMs)}`] : []),
  ];
  return `${others.join(', ')}; ${each}`;
}

/** What becomes of the clients in a half of the picture, and its strategy. */
export function halfInWords(herd: Herd, result: SceneResult): string {
  const { before } = result.input;
  const isOther = herd === result.other;
  const [which, name] = before
    ? ([isOther ? 'Before' : 'After', isOther ? before.name : undefined] as const)
    : [isOther ? 'Instead' : 'As chosen'];
  const served = `${count(herd.served)} of ${count(herd.input.herd.clients)} served`;
  return `${which}: ${served}, ${costOf(herd)} · ${name ?? title(herd.input.strategy)}`;
}

/** The picture in words, for readers who do not see it. */
export function described(result: SceneResult): string {
  const halves = herdsOf(result).length > 1 ? herdsOf(result).map((herd) => ` ${halfInWords(herd, result)}.`) : [];
  return `${headline(result)}, ${cost(result)}. ${sentence(result)}${halves.join('')}`;
}

/** One line for a pull request, with both strategies and the link that shows them. */
export function markdown(result: SceneResult, link: string): string {
  const { input } = result;
  const names = [input.before?.name, strategyInWords(input.strategy)].filter((name) => name !== undefined);
  const { clients, downMs } = input.herd;
  const scene = `${count(clients)} clients, an outage of ${duration(downMs)}, seed ${input.seed}`;
  return `**Retries:** ${names.join(' → ')}: **${headline(result)}**, ${cost(result)} ([${scene}](${link}))`.replaceAll(
    '\u00a0',
    ' ',
  );
}
