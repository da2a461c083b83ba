/** A figure on its card: title, drawing, and its picture and link to take away. Drawn when it is near the screen. */
import { html, onWidth, svg } from './dom';
import { SAID_MS, isCopied } from './clipboard';
import { onNear } from './near';
import type { Crosshair } from './readout';
import type { Figure, FigureSpec } from './spec';
import { store } from '../state/page';

export function mountFigure<D>(root: Element, spec: FigureSpec<D>, controls?: Node): Figure<D> {
  const title = html('h3', { id: `${spec.id}-title` }, spec.title);
  const subtitle = html('p', { class: 'subtitle' });
  const drawing = html('div', { class: 'drawing' });
  const note = html('div', { class: 'note' });
  const said = html('span', { class: 'copied', role: 'status' });
  const button = (label: string, text: string, act: () => Promise<string>): HTMLButtonElement => {
    const made = html(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `${text} ${label} “${spec.title}”` },
      text,
    );
    made.addEventListener('click', async () => {
      said.textContent = await act().catch((error: unknown) => `That failed: ${String(error)}`);
      setTimeout(() => (said.textContent = ''), SAID_MS);
    });
    return made;
  };
  const link = (): string => new URL(store.linkTo({}, `#${spec.id}`), location.href).href;
  const tools = html(
    'div',
    { class: 'tools' },
    button('of', 'PNG', async () => {
      if (data === undefined) return 'This figure has no numbers yet.';
      // Most visitors save none, so its code comes with the first one.
      const { saveFigure } = await import('./export');
      await saveFigure({ spec: spec as FigureSpec<unknown>, data, card, subtitle, link: link() });
      return 'Saved';
    }),
    button('to', 'Link', async () => {
      if (await isCopied(link())) return 'Copied';
      prompt('Copy:', link());
      return '';
    }),
    said,
  );
  const head = html('div', { class: 'card-head' }, html('div', {}, title, spec.subtitle ? subtitle : null), tools);
  const card = html(
    'figure',
    { class: 'card', id: spec.id, 'aria-labelledby': title.id, 'aria-busy': 'true' },
    head,
    controls,
    drawing,
    spec.note ? note : null,
  );
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
      {
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: 'img',
        'aria-labelledby': `${spec.id}-name ${spec.id}-desc`,
      },
      svg('title', { id: `${spec.id}-name` }, spec.title),
      svg('desc', { id: `${spec.id}-desc` }, spec.describe(data)),
      ...spec.draw(data, width),
    );
    drawing.style.minHeight = `${height}px`;
    drawing.replaceChildren(picture);
    if (spec.subtitle) subtitle.replaceChildren(...spec.subtitle(data));
    if (spec.note) note.replaceChildren(...spec.note(data));
    crosshair?.update(spec.readout?.(data, width));
    card.setAttribute('aria-busy', String(isBusy));
  }

  let crosshair: Crosshair | undefined;
  let loadsCrosshair = spec.readout !== undefined;
  /** The figure works without it, so a failure is not shown. */
  function loadCrosshair(): void {
    loadsCrosshair = false;
    void import('./readout').then(
      ({ mountCrosshair }) => {
        crosshair = mountCrosshair(card, drawing, spec.title);
        if (data !== undefined && width > 0) crosshair.update(spec.readout?.(data, width));
      },
      () => undefined,
    );
  }

  function redraw(): void {
    stale = true;
    draw();
  }

  onWidth(drawing, (now) => {
    width = now;
    drawing.style.minHeight = `${spec.height(width, data)}px`;
    // Also far from the screen: it must not be wider than the card.
    if (data !== undefined) crosshair?.update(spec.readout?.(data, width));
    redraw();
  });
  onNear(card, (now) => {
    near = now;
    if (near && loadsCrosshair) loadCrosshair();
    draw();
  });

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
