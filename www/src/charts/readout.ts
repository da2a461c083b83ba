/** A crosshair over a figure: by pointer, by tap, and by the arrow keys. */
import { html, place } from './dom';
import type { Scale } from './scale';

export interface ReadoutRow {
  readonly name: string;
  readonly value: string;
}

/** The values of a figure at a place of its axis. */
export interface Readout {
  /** The horizontal axis of the drawing. */
  readonly scale: Scale;
  /** The crosshair's ends, in pixels of the drawing. */
  readonly top: number;
  readonly bottom: number;
  /** One press of an arrow key. */
  readonly step: number;
  /** Where the keyboard starts. */
  readonly start: number;
  /** The place in words, "3.1 s" say. */
  place(value: number): string;
  rows(value: number): readonly ReadoutRow[];
}

export interface Crosshair {
  /** The figure was drawn: its new scale and data, or none. */
  update(readout: Readout | undefined): void;
}

/** Time for the values to stop changing before a screen reader announces them. */
const QUIET_MS = 400;
/** From the crosshair to its box. */
const GAP = 10;
/** How many steps each key goes. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
};

export function mountCrosshair(card: HTMLElement, drawing: HTMLElement, title: string): Crosshair {
  const layer = html('div', { class: 'crosshair' });
  drawing.before(layer);
  const { area, line, box, spoken } = place<Record<'area' | 'line' | 'box' | 'spoken', HTMLElement>>(
    layer,
    `<div class="crosshair-area" role="slider" tabindex="0" aria-label="Crosshair: ${title}" data-as="area"></div>
    <div class="crosshair-line" data-as="line"></div>
    <div class="crosshair-box" aria-hidden="true" data-as="box"></div>
    <p class="spoken" role="status" data-as="spoken"></p>`,
  );
  let readout: Readout | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The value under the crosshair. */
  let current: number | undefined;

  function show(value: number | undefined, y?: number): void {
    line.hidden = box.hidden = true;
    if (!readout || value === undefined) return;
    const { scale, top, bottom } = readout;
    const [from, to] = scale.domain;
    if (value < from || value > to) return;
    line.hidden = box.hidden = false;
    const x = scale(value);
    Object.assign(line.style, { left: `${x}px`, top: `${top}px`, height: `${bottom - top}px` });
    const row = (one: ReadoutRow): HTMLElement =>
      html('span', {}, html('span', { class: 'hued' }, one.name), html('span', {}, one.value));
    box.replaceChildren(html('b', {}, readout.place(value)), ...readout.rows(value).map(row));
    const most = drawing.clientWidth - box.offsetWidth;
    const left = x + GAP > most ? x - GAP - box.offsetWidth : x + GAP;
    // Below the pointer, where there is one.
    const boxTop = y === undefined ? top : Math.max(top, Math.min(y + GAP, bottom - box.offsetHeight));
    Object.assign(box.style, { left: `${Math.max(0, Math.min(left, most))}px`, top: `${boxTop}px` });
    area.setAttribute('aria-valuenow', String(Math.round(value)));
    area.setAttribute('aria-valuetext', readout.place(value));
  }

  function set(value: number | undefined, y?: number): void {
    if (!readout) return;
    current = value;
    show(value, y);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const rows = current === undefined ? [] : (readout?.rows(current) ?? []);
      const said = rows.map((one) => `${one.name} ${one.value}`).join(', ');
      spoken.textContent = current === undefined || !readout ? '' : `${readout.place(current)}: ${said}`;
    }, QUIET_MS);
  }

  function follow(event: MouseEvent): void {
    const { left, top } = drawing.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const [from, to] = readout?.scale.range ?? [Infinity, 0];
    if (readout && x >= from && x <= to && y >= readout.top && y <= readout.bottom) set(readout.scale.invert(x), y);
    else leave();
  }
  const leave = (): void => {
    if (current !== undefined && !area.matches(':focus')) set(undefined);
  };

  // A finger that moves scrolls; a tap is a click.
  card.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && follow(event));
  card.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && leave());
  card.addEventListener('click', follow);
  area.addEventListener('focus', () => set(current ?? readout?.start));
  area.addEventListener('blur', () => set(undefined));
  area.addEventListener('keydown', (event) => {
    const steps = KEYS[event.key];
    if (!readout || steps === undefined) return;
    event.preventDefault();
    const [from, to] = readout.scale.domain;
    set(Math.max(from, Math.min(to, (current ?? readout.start) + steps * readout.step)));
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && current !== undefined) set(undefined);
  });

  show(undefined);
  return {
    update(next) {
      readout = next;
      area.hidden = next === undefined;
      if (!next) return show(undefined);
      const { scale, top, bottom } = next;
      const [from, to] = scale.range;
      const rect = { left: from, width: to - from, top, height: bottom - top };
      for (const [side, pixels] of Object.entries(rect)) area.style.setProperty(side, `${pixels}px`);
      area.setAttribute('aria-valuenow', String(Math.round(current ?? next.start)));
      area.setAttribute('aria-valuemin', String(Math.round(scale.domain[0])));
      area.setAttribute('aria-valuemax', String(Math.round(scale.domain[1])));
      show(current);
    },
  };
}
