/** A figure on its card: title, drawing, and its picture and link to take away. Drawn when it is near the screen. */
import { copies, html, onNear, onWidth, place, say, svg } from './dom';
import { store } from '../state/store';

/** What a figure is made of, and what can be done with it. */
export interface FigureSpec<D> {
  /** Names the elements, and the files that are saved. */
  readonly id: string;
  /** The question, or the finding. */
  readonly title: string;
  /** What it shows, in a sentence with its numbers; and what stands beside it. */
  finding?(data: D): string;
  subtitle?(data: D): (Node | string)[];
  /** Height of the drawing; without data, the likeliest height, so that nothing moves when the data come. */
  height(width: number, data: D | undefined): number;
  draw(data: D, width: number): SVGElement[];
  /** The rest of the figure in words, for readers who do not see it. */
  describe?(data: D): string;
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
}

export function mountFigure<D>(root: Element, spec: FigureSpec<D>, controls?: Node): Figure<D> {
  const { id, title } = spec;
  type Parts = Record<'card' | 'subtitle' | 'drawing' | 'png' | 'copy', HTMLElement> & { note?: HTMLElement };
  const { card, subtitle, drawing, note, png, copy } = place<Parts>(
    root,
    `<figure class="card" id="${id}" aria-labelledby="${id}-title" aria-busy="true" data-as="card">
      <div class="card-head">
        <h3 id="${id}-title">${title}</h3><p class="subtitle" data-as="subtitle"></p>
        <div class="tools"><button type="button" class="quiet" aria-label="PNG of “${title}”" data-as="png">PNG</button
          ><button type="button" class="quiet" aria-label="Link to “${title}”" data-as="copy">Link</button></div>
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

  const link = (): string => new URL(store.linkTo({}, `#${id}`), location.href).href;
  copies(copy, link);
  png.addEventListener('click', async () => {
    if (data === undefined) return say('This figure has no numbers yet.');
    try {
      // Most visitors save none, so its code comes with the first one.
      const { saveFigure } = await import('./export');
      await saveFigure({ spec: spec as FigureSpec<unknown>, data, card, subtitle, link: link() });
      say('Saved');
    } catch (error) {
      say(`That failed: ${String(error)}`);
    }
  });

  function busy(is: boolean): void {
    isBusy = is;
    card.setAttribute('aria-busy', String(is));
  }

  function draw(isPrinted = false): void {
    if (data === undefined || width === 0 || !stale || !(near || isPrinted)) return;
    stale = false;
    const height = spec.height(width, data);
    const names = `${id}-name ${id}-desc`;
    const finding = spec.finding?.(data);
    subtitle.replaceChildren(
      ...(finding === undefined ? [] : [html('b', { class: 'finding' }, finding), ' ']),
      ...(spec.subtitle?.(data) ?? []),
    );
    const picture = svg(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-labelledby': names },
      svg('title', { id: `${id}-name` }, title),
      svg('desc', { id: `${id}-desc` }, `${subtitle.textContent} ${spec.describe?.(data) ?? ''}`.trim()),
      ...spec.draw(data, width),
    );
    drawing.style.minHeight = `${height}px`;
    drawing.replaceChildren(picture);
    note?.replaceChildren(...(spec.note?.(data) ?? []));
    busy(isBusy);
  }

  function redraw(): void {
    stale = true;
    draw();
  }

  onWidth(drawing, (now) => {
    width = now;
    drawing.style.minHeight = `${spec.height(width, data)}px`;
    redraw();
  });
  addEventListener('beforeprint', () => draw(true));
  onNear(card, (now) => {
    near = now;
    draw();
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
  };
}
