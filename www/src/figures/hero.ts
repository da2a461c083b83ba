/** The first thing to see: the same clients and the same outage, without jitter and with. */
import { html, svg } from '../charts/dom';
import { duration, short } from '../charts/format';
import { span, type HerdResult, type HerdRun, type Outage } from '../compute/herd';
import { capitalised, type Choice } from '../state/strategy';
import { createPainter } from './traffic';

export function heroSentence(herd: Outage): string {
  const { clients, downMs, capacityPerS } = herd;
  return (
    `${short(clients)}\u00a0clients, server down for ${duration(downMs)}, then ${short(capacityPerS)} calls a second. ` +
    `Each strip is ${duration(span(herd).horizonMs)} of traffic; pink is more than the server can take.`
  );
}

function heroLabel({ jitter }: Choice): string {
  return jitter === 'none' ? 'No jitter' : `${capitalised(jitter)} jitter`;
}

/** A tenth of a second below ten seconds, whole seconds above: never earlier than it was. */
export function outcomeOf({ allServedMs, untilMs }: HerdRun): { text: string; isBad: boolean } {
  if (allServedMs === undefined) return { text: `still failing at ${duration(untilMs)}`, isBad: true };
  const step = allServedMs < 10_000 ? 100 : 1000;
  return { text: `all served by ${duration(step * Math.ceil(allServedMs / step))}`, isBad: false };
}

const WIDTH = 800;
const HEIGHT = 24;

/** As wide as it is given room: the picture has no text that would be stretched. */
export function heroStrip({ input, binMs }: HerdResult, run: HerdRun): SVGSVGElement {
  const { downMs, capacityPerS } = input.herd;
  const peak = run.peakPerS === undefined ? '' : `, ${short(run.peakPerS)} calls a second at the busiest moment after the outage`;
  const words = `${heroLabel(run.choice)}: ${outcomeOf(run).text}${peak}`;
  const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words });
  drawing.append(
    createPainter()(
      { arrivals: run.arrivals, binMs, capacityPerS, downFromMs: 0, downToMs: downMs },
      { x: 0, y: 0, width: WIDTH, height: HEIGHT },
    ),
  );
  return drawing;
}

export function heroRow(choice: Choice): { row: HTMLElement; strip: HTMLElement; outcome: HTMLElement } {
  const strip = html('div', { class: 'hero-strip' });
  const outcome = html('b', { class: 'hero-outcome' });
  const row = html('div', { class: 'hero-row' }, html('b', { class: 'hero-label hued', 'data-jitter': choice.jitter }, heroLabel(choice)), strip, outcome);
  return { row, strip, outcome };
}
