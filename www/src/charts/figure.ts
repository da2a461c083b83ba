/** A figure on its card: title, drawing, table, files to take away. Drawn when it is looked at. */
import { colorOf, onColors } from './colors';
import { html, onWidth, svg } from './dom';
import { csvBlob, pngBlob, save, svgText } from './export';
import { onNear } from './near';
import type { Crosshair, Readout } from './readout';
import { tableElement, type Table } from './table';

export interface FigureSpec<D> {
  /** Names the elements, and the files that are saved. */
  readonly id: string;
  /** The question, or the finding. */
  readonly title: string;
  subtitle?(data: D): (Node | string)[];
  /** Of the drawing; without data, of what is most likely to come, so that nothing moves when it does. */
  height(width: number, data: D | undefined): number;
  draw(data: D, width: number): SVGElement[];
  /** The figure in words, with its numbers. */
  describe(data: D): string;
  table(data: D): Table;
  /** A crosshair over the drawing, and what it says. */
  readout?(data: D, width: number): Readout | undefined;
  /** Below the drawing: what acts and what does not, a legend. */
  note?(data: D): (Node | string)[];
}

export interface Figure<D> {
  readonly card: HTMLElement;
  /** Draws this, now or when the figure comes near. */
  show(data: D): void;
  /** Whether what is drawn is being replaced. */
  busy(is?: boolean): void;
  fail(message: string): void;
  /** Calls back when the figure comes near, and when it goes away. */
  onNear(changed: (near: boolean) => void): void;
}

export function mountFigure<D>(root: Element, spec: FigureSpec<D>, controls?: Node): Figure<D> {
  const title = html('h3', { id: `${spec.id}-title` }, spec.title);
  const subtitle = html('p', { class: 'subtitle' });
  const drawing = html('div', { class: 'drawing' });
  const table = html('div', { class: 'scroll table-view', tabindex: 0, role: 'region', 'aria-label': `${spec.title}, as a table` });
  const note = html('div', { class: 'note' });
  const buttons = html('div', { class: 'files' });
  const head = html('div', { class: 'card-head' }, html('div', {}, title, spec.subtitle ? subtitle : null), buttons);
  const card = html('figure', { class: 'card', id: spec.id, 'aria-labelledby': title.id, 'aria-busy': 'true' }, head, controls, drawing, table, spec.note ? note : null);
  table.hidden = true;
  root.append(card);
  // At once, not when the observer reports: what follows must not jump.
  drawing.style.minHeight = `${spec.height(drawing.clientWidth, undefined)}px`;

  let data: D | undefined;
  let width = 0;
  let near = false;
  let stale = false;
  let isBusy = true;

  function draw(): void {
    if (data === undefined || width === 0 || !near || !stale) return;
    stale = false;
    const height = spec.height(width, data);
    const picture = svg(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-labelledby': `${spec.id}-name ${spec.id}-desc` },
      svg('title', { id: `${spec.id}-name` }, spec.title),
      svg('desc', { id: `${spec.id}-desc` }, spec.describe(data)),
      ...spec.draw(data, width),
    );
    drawing.style.minHeight = `${height}px`;
    drawing.replaceChildren(picture);
    if (spec.subtitle) subtitle.replaceChildren(...spec.subtitle(data));
    if (spec.note) note.replaceChildren(...spec.note(data));
    if (!table.hidden) table.replaceChildren(tableElement(spec.table(data)));
    crosshair?.update(spec.readout?.(data, width));
    card.setAttribute('aria-busy', String(isBusy));
  }

  let crosshair: Crosshair | undefined;
  let loadsCrosshair = spec.readout !== undefined;
  /** The figure works without it, so that a failure is not told. */
  function loadCrosshair(): void {
    loadsCrosshair = false;
    void import('./readout').then(({ mountCrosshair }) => {
      crosshair = mountCrosshair(card, drawing, spec.title);
      if (data !== undefined && width > 0) crosshair.update(spec.readout?.(data, width));
    }, () => undefined);
  }

  function redraw(): void {
    stale = true;
    draw();
  }

  const toggle = html('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false', 'aria-label': `Table: ${spec.title}` }, 'Table');
  toggle.addEventListener('click', () => {
    table.hidden = !table.hidden;
    drawing.hidden = !table.hidden;
    toggle.setAttribute('aria-pressed', String(drawing.hidden));
    if (!table.hidden && data !== undefined) table.replaceChildren(tableElement(spec.table(data)));
  });

  const file = (kind: string, make: (data: D, picture: SVGSVGElement) => Blob | Promise<Blob>): HTMLButtonElement => {
    const button = html('button', { type: 'button', class: 'quiet', 'aria-label': `${kind} file: ${spec.title}` }, kind);
    button.addEventListener('click', async () => {
      const picture = drawing.querySelector('svg');
      if (data === undefined || !picture) return;
      // Styles can only be read from what is displayed.
      const wasHidden = drawing.hidden;
      drawing.hidden = false;
      try {
        save(`rejitter-${spec.id}.${kind.toLowerCase()}`, await make(data, picture));
      } finally {
        drawing.hidden = wasHidden;
      }
    });
    return button;
  };
  const text = (picture: SVGSVGElement): string => svgText(picture, `rgb(${colorOf('--card').join()})`);
  buttons.append(
    file('SVG', (_, picture) => new Blob([text(picture)], { type: 'image/svg+xml' })),
    file('PNG', (_, picture) => pngBlob(text(picture), picture.width.baseVal.value, picture.height.baseVal.value)),
    file('CSV', (shown) => csvBlob(spec.table(shown))),
    toggle,
  );

  onWidth(drawing, (now) => {
    width = now;
    drawing.style.minHeight = `${spec.height(width, data)}px`;
    redraw();
  });
  onNear(card, (now) => {
    near = now;
    if (near && loadsCrosshair) loadCrosshair();
    draw();
  });
  onColors(redraw);

  return {
    card,
    show(next) {
      data = next;
      isBusy = false;
      redraw();
    },
    busy(is = true) {
      isBusy = is;
      card.setAttribute('aria-busy', String(isBusy));
    },
    fail(message) {
      data = undefined;
      isBusy = false;
      drawing.replaceChildren(html('p', { class: 'error' }, message));
      card.setAttribute('aria-busy', 'false');
    },
    onNear: (changed) => onNear(card, changed),
  };
}
