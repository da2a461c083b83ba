/** The grid of strategies, which is also their selector. All cells have one scale. */
import { densityMarks } from '../charts/density';
import { html, svg } from '../charts/dom';
import { duration } from '../charts/format';
import { linear } from '../charts/scale';
import { MOST_DRAWN, type Distribution, type Wait } from './compute';
import { CURVE_JITTERS, cellsOf, isCellOf, neighbour, type Arrow, type Cells } from '../state/cells';
import type { Store } from '../state/store';
import {
  capitalised,
  curveActs,
  curveFormula,
  jitterFormula,
  jitterName,
  title,
  withChoice,
  type Backoff,
  type Choice,
  type Jitter,
} from '../state/strategy';

export interface Grid {
  show(cells: readonly Distribution[]): void;
}

interface Cell {
  readonly choice: Choice;
  readonly button: HTMLButtonElement;
  readonly name: HTMLElement;
  readonly plot: HTMLElement;
  readonly spread: HTMLElement;
}

/** Where nothing is laid out: as in the style sheet. */
const PLOT_HEIGHT = 46;

/** How many times smaller the zoomed scales end. */
const ZOOMS = [1, 10, 100] as const;

export function mountGrid(root: HTMLElement, store: Store): Grid {
  const zooms = html('select', { 'aria-label': 'Scale of all cells' });
  const bar = html('label', { class: 'grid-scales' }, 'Scale of all cells ', zooms);
  const grid = html('div', { class: 'grid', role: 'radiogroup', 'aria-labelledby': 'delays-heading' });
  root.append(bar, grid);

  const sizes = new WeakMap<Element, CellSize>();
  let layout: Cells;
  let cells: readonly Cell[] = [];
  let distributions: readonly Distribution[] = [];
  let zoom: (typeof ZOOMS)[number] = 1;
  /** Where the arrow keys came from into the cell that is in all rows. */
  let row = 0;

  zooms.addEventListener('change', () => {
    zoom = ZOOMS[zooms.selectedIndex] ?? 1;
    draw();
  });

  /** Cells outside the rows have the chosen backoff. */
  const current = (choice: Choice): Choice =>
    CURVE_JITTERS.includes(choice.jitter) ? choice : { ...choice, backoff: store.get().strategy.backoff };
  const choose = (choice: Choice): void => store.set({ strategy: withChoice(store.get().strategy, current(choice)) });

  function build(): void {
    layout = cellsOf(store.get().strategy);
    const made = new Map<Choice, Cell>(layout.all.map((choice) => [choice, cell(choice)]));
    cells = [...made.values()];
    const buttonsOf = (choices: readonly Choice[]) => choices.map((choice) => made.get(choice)?.button);
    grid.style.setProperty('--rows', String(layout.rows.length));
    grid.replaceChildren(
      html(
        'div',
        { class: 'grid-heads', 'aria-hidden': 'true' },
        html('span'),
        ...[...CURVE_JITTERS, 'decorrelated' as const].map(headOf),
      ),
      ...layout.rows.map(({ backoff, choices }) =>
        html('div', { class: 'grid-row', role: 'presentation' }, rowHead(backoff), ...buttonsOf(choices)),
      ),
      html('div', { class: 'grid-tall', role: 'presentation' }, ...buttonsOf([layout.decorrelated])),
      html(
        'div',
        { class: 'grid-row grid-last', role: 'presentation' },
        html('span', { class: 'grid-name', 'aria-hidden': 'true' }, html('b', {}, 'More jitters')),
        ...buttonsOf(layout.last),
      ),
    );
    for (const { plot } of cells) resizes.observe(plot);
  }

  function cell(choice: Choice): Cell {
    const { backoff, jitter } = choice;
    const name = html('span', { class: 'cell-name', 'aria-hidden': 'true' });
    const plot = html('span', { class: 'cell-plot' });
    const spread = html('span', { class: 'cell-spread', 'aria-hidden': 'true' });
    const inRow = CURVE_JITTERS.includes(jitter);
    const button = html(
      'button',
      {
        type: 'button',
        role: 'radio',
        class: 'cell',
        'data-jitter': jitter,
        'data-backoff': inRow ? backoff : undefined,
      },
      inRow ? null : name,
      plot,
      spread,
    );
    button.addEventListener('click', () => choose(choice));
    button.addEventListener('keydown', (event) => {
      if (!(event.key in { ArrowUp: 0, ArrowDown: 0, ArrowLeft: 0, ArrowRight: 0 })) return;
      event.preventDefault();
      const next = neighbour(layout, choice, event.key as Arrow, row);
      const left = layout.rows.findIndex(({ choices }) => choices.some((other) => isCellOf(other, choice)));
      if (left >= 0) row = left;
      choose(next);
      cells.find((other) => isCellOf(other.choice, next))?.button.focus();
    });
    return { choice, button, name, plot, spread };
  }

  function mark(): void {
    const { strategy } = store.get();
    for (const { choice, button, name } of cells) {
      const isChosen = isCellOf(choice, strategy);
      button.setAttribute('aria-checked', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      const shown = withChoice(strategy, current(choice));
      name.replaceChildren(html('i', { class: 'dot', 'data-jitter': choice.jitter }), capitalised(jitterName(shown)));
      const found = distributions.find((one) => isCellOf(choice, one.choice));
      button.setAttribute('aria-label', labelOf(shown, found));
    }
    for (const head of grid.querySelectorAll<HTMLElement>('.grid-ratio'))
      head.textContent = capitalised(jitterName({ ...strategy, jitter: 'proportional' }));
  }

  function draw(): void {
    if (distributions.length === 0) return;
    const end = mostOf(distributions.filter(({ choice }) => layout.all.some((other) => isCellOf(other, choice))));
    zooms.replaceChildren(...ZOOMS.map((times) => html('option', {}, `0 to ${duration(scaleEnd(end, times))}`)));
    zooms.selectedIndex = ZOOMS.indexOf(zoom);
    const most = scaleEnd(end, zoom);
    for (const { choice, plot, spread } of cells) {
      const found = distributions.find((one) => isCellOf(choice, one.choice));
      const size = sizes.get(plot);
      if (!found || !size || size.width === 0) continue;
      plot.replaceChildren(cellDrawing(found, most, size));
      const ms = spreadOf(found);
      spread.replaceChildren(...(ms === 0 ? ['no spread'] : ['spread ', html('b', { 'data-ms': ms }, duration(ms))]));
    }
  }

  const resizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries)
      sizes.set(target, {
        width: Math.floor(contentRect.width),
        height: Math.floor(contentRect.height || PLOT_HEIGHT),
      });
    // Not within the observer: what is drawn may change a size.
    requestAnimationFrame(draw);
  });
  store.subscribe((_, before) => {
    const { strategy } = store.get();
    const next = cellsOf(strategy);
    const isSame = before !== undefined && next.all.length === layout.all.length;
    if (isSame) {
      // The same cells, of which those without a row follow the chosen backoff.
      layout = next;
    } else {
      const had = grid.contains(document.activeElement);
      resizes.disconnect();
      build();
      if (had) cells.find(({ choice }) => isCellOf(choice, strategy))?.button.focus();
    }
    mark();
    if (!isSame) draw();
  });

  return {
    show(next) {
      distributions = next;
      draw();
      mark();
    },
  };
}

/** The longest wait, or a power of ten below it. */
function scaleEnd(mostMs: number, times: (typeof ZOOMS)[number]): number {
  return times === 1 ? mostMs : 10 ** Math.ceil(Math.log10(mostMs) - 1e-9) / times;
}

function headOf(jitter: Jitter): HTMLElement {
  const name =
    jitter === 'proportional'
      ? html('b', { class: 'grid-ratio' })
      : html('b', {}, capitalised(jitterName({ backoff: 'exponential', jitter })));
  return html(
    'span',
    {},
    html('i', { class: 'dot', 'data-jitter': jitter }),
    name,
    html('code', {}, jitterFormula(jitter)),
  );
}

function rowHead(backoff: Backoff): HTMLElement {
  const { base, exponent } = curveFormula(backoff);
  const formula = html('code', {}, `c = ${base}`, exponent ? html('sup', {}, exponent) : null);
  return html('span', { class: 'grid-name', 'aria-hidden': 'true' }, html('b', {}, capitalised(backoff)), formula);
}

function labelOf(strategy: Choice, cell: Distribution | undefined): string {
  if (!cell) return title(strategy);
  return `${title(strategy)}: spread ${duration(spreadOf(cell))}, median waits ${cell.waits
    .slice(0, 12)
    .map(({ p50Ms }) => duration(p50Ms))
    .join(', ')}`;
}

interface CellSize {
  readonly width: number;
  readonly height: number;
}

const INSET = 8;

/** The waits of one strategy, a row each, on the scale of all cells. */
function cellDrawing({ choice, waits }: Distribution, mostMs: number, { width, height }: CellSize): SVGSVGElement {
  const drawn = waits.slice(0, MOST_DRAWN);
  const scale = linear([0, mostMs], [INSET, width - INSET]);
  const row = (height - INSET) / Math.max(1, drawn.length);
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    'aria-hidden': 'true',
    'data-jitter': choice.jitter,
  });
  for (const [i, wait] of drawn.entries()) {
    const base = Math.round(INSET + row * (i + 1)) - 0.5;
    drawing.append(
      svg('line', { x1: INSET, x2: width - INSET, y1: base, y2: base, class: 'baseline' }),
      svg('g', { 'data-wait': wait.k }, ...densityMarks(wait, { scale, base, height: row - 1 })),
    );
  }
  return drawing;
}

/**
 * The end of the scale: the longest wait of all curves. A jitter without a curve may have a long tail of rare waits, so
 * for these 95% of the waits count.
 */
function mostOf(cells: readonly Distribution[]): number {
  const ends = cells.flatMap(({ choice, waits }) =>
    waits.slice(0, MOST_DRAWN).map((wait) => (curveActs(choice) ? wait.hiMs : wait.p95Ms)),
  );
  return Math.max(1, ...ends);
}

/** The wait with the widest spread: how long the middle 90% of the clients are spread over. */
function spreadOf({ waits }: Pick<Distribution, 'waits'>): number {
  return Math.max(0, ...waits.slice(0, MOST_DRAWN).map(widthOf));
}

function widthOf({ p05Ms, p95Ms }: Wait): number {
  return p95Ms - p05Ms;
}
