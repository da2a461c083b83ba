/** A figure on its card: title, drawing, a menu. Drawn when it is near the screen. */
import { onColors } from './colors';
import { html, onWidth, svg } from './dom';
import type { Menu } from './menu';
import { onNear } from './near';
import type { Crosshair } from './readout';
import type { Figure, FigureSpec } from './spec';

export function mountFigure<D>(root: Element, spec: FigureSpec<D>, controls?: Node): Figure<D> {
  const title = html('h3', { id: `${spec.id}-title` }, spec.title);
  const subtitle = html('p', { class: 'subtitle' });
  const drawing = html('div', { class: 'drawing' });
  const table = html('div', {
    class: 'scroll table-view',
    tabindex: 0,
    role: 'region',
    'aria-label': `${spec.title}, as a table`,
  });
  const note = html('div', { class: 'note' });
  const button = html(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': `Menu: ${spec.title}`,
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
    },
    '⋯',
  );
  const tools = html('div', { class: 'tools' }, button);
  const head = html('div', { class: 'card-head' }, html('div', {}, title, spec.subtitle ? subtitle : null), tools);
  const card = html(
    'figure',
    { class: 'card', id: spec.id, 'aria-labelledby': title.id, 'aria-busy': 'true' },
    head,
    controls,
    drawing,
    table,
    spec.note ? note : null,
  );
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
    menu?.drawn();
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

  let menu: Menu | undefined;
  let loading: Promise<void> | undefined;
  /** Most visitors open no menu, so its code comes with the first one. */
  function load(): Promise<void> {
    loading ??= import('./menu').then(({ createMenu }) => {
      menu = createMenu({
        spec: spec as FigureSpec<unknown>,
        data: () => data,
        card,
        button,
        drawing,
        table,
        subtitle,
      });
    });
    return loading;
  }
  button.addEventListener('pointerenter', () => void load().catch(() => (loading = undefined)));
  button.addEventListener('click', () => {
    load().then(
      () => menu?.toggle(),
      () => {
        loading = undefined;
        tools.append(html('span', { class: 'copied', role: 'alert' }, 'The menu did not load. Reload the page.'));
      },
    );
  });

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
