/** A crosshair over a figure: by pointer, by tap, and by the keys of a slider. */
import { bisectCenter } from 'd3-array';
import { html, place } from './dom';

/** The values of a figure at places of its axis. */
export interface Readout {
  /** Where the places are, in pixels of the drawing. */
  readonly xs: readonly number[];
  /** The crosshair's ends. */
  readonly top: number;
  readonly bottom: number;
  /** Where the keyboard starts. */
  readonly start: number;
  /** The place in words, "at 3.1 s" say. */
  place(index: number): string;
  rows(index: number): readonly { readonly name: string; readonly value: string }[];
}

/** From the crosshair to its box. */
const GAP = 10;

/** Returns what is called when the figure was drawn, with its new places and data, or none. */
export function mountCrosshair(drawing: HTMLElement, title: string): (next: Readout | undefined) => void {
  const layer = html('div', { class: 'crosshair' });
  drawing.before(layer);
  const { area, line, box } = place<Record<'line' | 'box', HTMLElement> & { area: HTMLInputElement }>(
    layer,
    `<input type="range" class="crosshair-area" min="0" aria-label="Crosshair: ${title}" data-as="area" />
    <div class="crosshair-line" data-as="line" hidden></div>
    <div class="crosshair-box" aria-hidden="true" data-as="box" hidden></div>`,
  );
  let readout: Readout | undefined;

  function show(index: number | undefined): void {
    line.hidden = box.hidden = index === undefined || !readout;
    if (index === undefined || !readout) return;
    const { xs, top, bottom } = readout;
    const [x = 0, where, rows] = [xs[index], readout.place(index), readout.rows(index)];
    area.valueAsNumber = index;
    area.setAttribute('aria-valuetext', [where, ...rows.map(({ name, value }) => `${name} ${value}`)].join(', '));
    Object.assign(line.style, { left: `${x}px`, top: `${top}px`, height: `${bottom - top}px` });
    box.replaceChildren(
      html('b', {}, where),
      ...rows.map(({ name, value }) =>
        html('span', {}, html('span', { class: 'hued' }, name), html('span', {}, value)),
      ),
    );
    const most = drawing.clientWidth - box.offsetWidth;
    const left = x + GAP > most ? x - GAP - box.offsetWidth : x + GAP;
    Object.assign(box.style, { left: `${Math.max(0, Math.min(left, most))}px`, top: `${top}px` });
  }

  function follow({ clientX }: MouseEvent): void {
    if (readout) show(bisectCenter(readout.xs, clientX - drawing.getBoundingClientRect().left));
  }
  // A finger that moves scrolls; a tap is a click.
  drawing.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && follow(event));
  drawing.addEventListener('pointerleave', () => document.activeElement !== area && show(undefined));
  drawing.addEventListener('click', follow);
  for (const type of ['focus', 'input']) area.addEventListener(type, () => show(area.valueAsNumber));
  area.addEventListener('blur', () => show(undefined));
  addEventListener('keydown', ({ key }) => key === 'Escape' && show(undefined));

  return (next) => {
    readout = next;
    area.hidden = !next;
    area.max = String((next?.xs.length ?? 1) - 1);
    if (box.hidden) area.valueAsNumber = next?.start ?? 0;
    else show(Math.min(area.valueAsNumber, Number(area.max)));
  };
}
