/** Why the code is not that of the scene, or what is wrong with it. */
import { count, duration, plural } from '../charts/format';
import { MOST_ATTEMPTS, isEnough, type Fate } from '../compute/outage';
import type { HandedOut } from '../compute/remedy';
import { title } from '../state/strategy';

/** Nothing for a strategy that serves nearly all clients. */
export function handedInWords({ input, own, remedy }: HandedOut, isOwn: boolean): string {
  const { clients, downMs } = input.herd;
  if (isEnough(input, own) && !own.isCut) return '';
  const fate = ({ strategy, served, isCut, callsPerClient }: Fate): string =>
    `${title(strategy)}, ${plural(strategy.maxAttempts, 'attempt')}: ${count(served)} of ${count(clients)} are served` +
    (isCut ? `, with ${plural(Math.round(callsPerClient), 'call')} each,` : '');
  const where = downMs === 0 ? 'with no outage' : `after an outage of ${duration(downMs)}`;
  if (isOwn) return `Not for use. ${fate(own)} ${where}.`;
  if (!remedy)
    return `Not for use. ${fate(own)} ${where}, and ${plural(MOST_ATTEMPTS, 'attempt')} of full jitter do not serve 99%.`;
  return `${fate(own)} ${where}. This is what serves ${count(remedy.served)}: ${title(remedy.strategy)}.`;
}
