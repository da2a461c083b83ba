/** A crosshair over a figure: by pointer, by tap, and by the arrow keys. */
import { html } from './dom';
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
const FAR = 10;
/** From the crosshair to its box. */
const GAP = 10;

export function mountCrosshair(card: HTMLElement, drawing: HTMLElement, title: string): Crosshair {
  const line = html('div', { class: 'crosshair-line' });
  const box = html('div', { class: 'crosshair-box', 'aria-hidden': 'true' });
  const slider = html('div', {
    class: 'crosshair-area',
    role: 'slider',
    tabindex: 0,
    'aria-label': `Crosshair: ${title}`,
    'aria-valuenow': 0,
  });
  const spoken = html('p', { class: 'spoken', role: 'status' });
  const layer = html('div', { class: 'crosshair' }, slider, line, box, spoken);
  drawing.before(layer);
  let readout: Readout | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** The value under the crosshair. */
  let current: number | undefined;

  function show(value: number | undefined, y?: number): void {
    const [from, to] = readout?.scale.domain ?? [0, 0];
    const shown = readout !== undefined && value !== undefined && value >= from && value <= to;
    line.hidden = box.hidden = !shown;
    if (!shown || !readout) return;
    const { scale, top, bottom } = readout;
    const x = scale(value);
    Object.assign(line.style, { left: `${x}px`, top: `${top}px`, height: `${bottom - top}px` });
    const rows = readout.rows(value);
    box.replaceChildren(
      html('b', {}, readout.place(value)),
      ...rows.map(({ name, value: text }) =>
        html('span', {}, html('span', { class: 'hued' }, name), html('span', {}, text)),
      ),
    );
    const width = drawing.clientWidth;
    const left = x + GAP + box.offsetWidth > width ? x - GAP - box.offsetWidth : x + GAP;
    // Below the pointer, where there is one.
    const boxTop = y === undefined ? top : Math.max(top, Math.min(y + GAP, bottom - box.offsetHeight));
    Object.assign(box.style, { left: `${Math.max(0, Math.min(left, width - box.offsetWidth))}px`, top: `${boxTop}px` });
    slider.setAttribute('aria-valuenow', String(Math.round(value)));
    slider.setAttribute('aria-valuetext', readout.place(value));
  }

  function speak(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!readout || current === undefined) spoken.textContent = '';
      else
        spoken.textContent = `${readout.place(current)}: ${readout
          .rows(current)
          .map((row) => `${row.name} ${row.value}`)
          .join(', ')}`;
    }, QUIET_MS);
  }

  function set(value: number | undefined, y?: number): void {
    if (!readout) return;
    current = value;
    show(value, y);
    speak();
  }

  /** The axis value under a pointer; undefined outside the plot. */
  function under(event: MouseEvent): { value: number; y: number } | undefined {
    if (!readout || drawing.hidden) return undefined;
    const { left, top } = drawing.getBoundingClientRect();
    const { scale } = readout;
    const [x, y] = [event.clientX - left, event.clientY - top];
    const [from, to] = scale.range;
    if (x < from || x > to || y < readout.top || y > readout.bottom) return undefined;
    return { value: scale.invert(x), y };
  }

  function follow(event: MouseEvent): void {
    const at = under(event);
    if (at) set(at.value, at.y);
    else if (current !== undefined && !slider.matches(':focus')) set(undefined);
  }

  // A finger that moves scrolls; a tap is a click.
  card.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && follow(event));
  card.addEventListener(
    'pointerleave',
    (event) => event.pointerType !== 'touch' && !slider.matches(':focus') && set(undefined),
  );
  card.addEventListener('click', follow);

  slider.addEventListener('focus', () => readout && set(current ?? readout.start));
  slider.addEventListener('blur', () => set(undefined));
  slider.addEventListener('keydown', (event) => {
    if (!readout) return;
    const { step, start, scale } = readout;
    const [from, to] = scale.domain;
    const value = current ?? start;
    const next = {
      ArrowRight: value + step,
      ArrowUp: value + step,
      ArrowLeft: value - step,
      ArrowDown: value - step,
      PageUp: value + FAR * step,
      PageDown: value - FAR * step,
      Home: from,
      End: to,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(Math.max(from, Math.min(to, next)));
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && current !== undefined) set(undefined);
  });

  show(undefined);
  return {
    update(next) {
      readout = next;
      slider.hidden = next === undefined;
      if (!next) return show(undefined);
      const { scale, top, bottom } = next;
      const [from, to] = scale.range;
      Object.assign(slider.style, {
        left: `${from}px`,
        width: `${to - from}px`,
        top: `${top}px`,
        height: `${bottom - top}px`,
      });
      slider.setAttribute('aria-valuemin', String(Math.round(scale.domain[0])));
      slider.setAttribute('aria-valuemax', String(Math.round(scale.domain[1])));
      show(current);
    },
  };
}
