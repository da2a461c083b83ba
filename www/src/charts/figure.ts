/** A figure on its card: title, drawing, and its picture and link to take away. Drawn when it is near the screen. */
import { SAID_MS, html, isCopied, onNear, onWidth, place, svg } from './dom';
import type { Crosshair, Readout } from './readout';
import { store } from '../state/store';

/** What a figure is made of, and what can be done with it. */
export interface FigureSpec<D> {
  /** Names the elements, and the files that are saved. */
  readonly id: string;
  /** The question, or the finding. */
  readonly title: string;
  subtitle(data: D): (Node | string)[];
  /** Height of the drawing; without data, the likeliest height, so that nothing moves when the data come. */
  height(width: number, data: D | undefined): number;
  draw(data: D, width: number): SVGElement[];
  /** The figure in words, with its numbers. */
  describe(data: D): string;
  /** A crosshair over the drawing, and what it says. */
  readout?(data: D, width: number): Readout | undefined;
  /** The settings behind the numbers, for exported pictures. */
  settings(data: D): string;
  /** Below the drawing: what acts and what does not, a legend. */
  note?(data: D): (Node | string)[];
}

export interface Figure<D> {
  readonly card: HTMLElement;
  /** Draws this, now or when the figure comes near; `isWhole` unless more is to come. */
  show(data: D, isWhole?: boolean): void;
  /** Whether what is drawn is being replaced. */
  busy(): void;
  fail(message: string): void;
  /** Calls back when the figure comes near, and when it goes away. */
  onNear(changed: (near: boolean) => void): void;
}

export function mountFigure<D>(root: Element, spec: FigureSpec<D>, controls?: Node): Figure<D> {
  const { id, title } = spec;
  type Parts = Record<'card' | 'subtitle' | 'drawing' | 'said' | 'png' | 'copy', HTMLElement> & { note?: HTMLElement };
  const { card, subtitle, drawing, note, said, png, copy } = place<Parts>(
    root,
    `<figure class="card" id="${id}" aria-labelledby="${id}-title" aria-busy="true" data-as="card">
      <div class="card-head">
        <h3 id="${id}-title">${title}</h3><p class="subtitle" data-as="subtitle"></p>
        <div class="tools"><button type="button" class="quiet" aria-label="PNG of “${title}”" data-as="png">PNG</button
          ><button type="button" class="quiet" aria-label="Link to “${title}”" data-as="copy">Link</button
          ><span class="copied" role="status" data-as="said"></span></div>
      </div>
      <div class="drawing" data-as="drawing"></div>
      ${spec.note ? '<div class="note" data-as="note"></div>' : ''}
    </figure>`,
  );
  if (controls) drawing.before(controls);
  // At once, not when the observer reports: what follows must not jump.
  drawing.style.minHeight = `${spec.height(drawing.clientWidth, undefined)}px`;

  let data: D | undefined;
  let width = 0;
  let near = false;
  let stale = false;
  let isBusy = true;
  let crosshair: Crosshair | undefined;
  let loadsCrosshair = spec.readout !== undefined;

  const link = (): string => new URL(store.linkTo({}, `#${id}`), location.href).href;
  const takeAway = (button: HTMLElement, act: () => Promise<string>): void =>
    button.addEventListener('click', async () => {
      said.textContent = await act().catch((error: unknown) => `That failed: ${String(error)}`);
      setTimeout(() => (said.textContent = ''), SAID_MS);
    });
  takeAway(png, async () => {
    if (data === undefined) return 'This figure has no numbers yet.';
    // Most visitors save none, so its code comes with the first one.
    const { saveFigure } = await import('./export');
    await saveFigure({ spec: spec as FigureSpec<unknown>, data, card, subtitle, link: link() });
    return 'Saved';
  });
  takeAway(copy, async () => {
    if (await isCopied(link())) return 'Copied';
    prompt('Copy:', link());
    return '';
  });

  function busy(is: boolean): void {
    isBusy = is;
    card.setAttribute('aria-busy', String(is));
  }

  const aim = (): void => {
    if (data !== undefined && width > 0) crosshair?.update(spec.readout?.(data, width));
  };

  function draw(isPrinted = false): void {
    if (data === undefined || width === 0 || !stale || !(near || isPrinted)) return;
    stale = false;
    const height = spec.height(width, data);
    const names = `${id}-name ${id}-desc`;
    const picture = svg(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-labelledby': names },
      svg('title', { id: `${id}-name` }, title),
      svg('desc', { id: `${id}-desc` }, spec.describe(data)),
      ...spec.draw(data, width),
    );
    drawing.style.minHeight = `${height}px`;
    drawing.replaceChildren(picture);
    subtitle.replaceChildren(...spec.subtitle(data));
    note?.replaceChildren(...(spec.note?.(data) ?? []));
    aim();
    busy(isBusy);
  }

  function redraw(): void {
    stale = true;
    draw();
  }

  onWidth(drawing, (now) => {
    width = now;
    drawing.style.minHeight = `${spec.height(width, data)}px`;
    // Also far from the screen: it must not be wider than the card.
    aim();
    redraw();
  });
  addEventListener('beforeprint', () => draw(true));
  onNear(card, async (now) => {
    near = now;
    draw();
    if (!near || !loadsCrosshair) return;
    loadsCrosshair = false;
    // The figure works without it, so a failure is not shown.
    const module = await import('./readout').catch(() => undefined);
    crosshair = module?.mountCrosshair(card, drawing, title);
    aim();
  });

  return {
    card,
    show(next, isWhole = true) {
      data = next;
      isBusy = !isWhole;
      redraw();
    },
    busy: () => busy(true),
    fail(message) {
      data = undefined;
      drawing.replaceChildren(html('p', { class: 'error' }, message));
      busy(false);
    },
    onNear: (changed) => onNear(card, changed),
  };
}
