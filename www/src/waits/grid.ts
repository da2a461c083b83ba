/** The grid of strategies, each with its waits and the clients that it serves: the selector. */
import { html, svg } from '../charts/dom';
import { count, duration } from '../charts/format';
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
import { drawnOf, type Distribution } from './compute';
import type { CellFate } from './fates';
import { mostOf, ridgeOf, ridgePath, sticks, waitScale } from './ridge';

export interface Grid {
  show(cells: readonly Distribution[]): void;
  /** What is known of the clients that each strategy serves. */
  showServed(fates: readonly CellFate[]): void;
}

interface Cell {
  readonly choice: Choice;
  readonly button: HTMLButtonElement;
  readonly name: HTMLElement;
  readonly plot: HTMLElement;
  readonly served: HTMLElement;
}

export function mountGrid(root: HTMLElement, store: Store): Grid {
  const grid = html('div', { class: 'grid', role: 'radiogroup', 'aria-labelledby': 'delays-heading' });
  root.append(grid);

  let layout: Cells;
  let cells: readonly Cell[] = [];
  let distributions: readonly Distribution[] = [];
  let fates: readonly CellFate[] = [];
  /** Where the arrow keys came from into the cell that is in all rows. */
  let row = 0;

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
    resizes.disconnect();
    for (const { plot } of cells) resizes.observe(plot);
  }

  function cell(choice: Choice): Cell {
    const { backoff, jitter } = choice;
    const name = html('span', { class: 'cell-name', 'aria-hidden': 'true' });
    const plot = html('span', { class: 'cell-plot', 'aria-hidden': 'true' });
    const served = html('span', { class: 'cell-served', 'aria-hidden': 'true' });
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
      served,
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
    return { choice, button, name, plot, served };
  }

  function mark(): void {
    const { strategy, herd } = store.get();
    for (const { choice, button, name, served } of cells) {
      const isChosen = isCellOf(choice, strategy);
      button.setAttribute('aria-checked', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      const shown = withChoice(strategy, current(choice));
      name.replaceChildren(html('i', { class: 'dot', 'data-jitter': choice.jitter }), capitalised(jitterName(shown)));
      const fate = fates.find((one) => isCellOf(choice, one.choice));
      const of = `${fate?.isCut ? ' so far, ' : ' '}of ${count(herd.clients)} served`;
      served.replaceChildren(...(fate ? [html('b', {}, count(fate.served)), html('span', {}, of)] : ['…']));
      const found = distributions.find((one) => isCellOf(choice, one.choice));
      button.setAttribute('aria-label', labelOf(shown, found, served.textContent ?? ''));
    }
    for (const head of grid.querySelectorAll<HTMLElement>('.grid-ratio'))
      head.textContent = capitalised(jitterName({ ...strategy, jitter: 'proportional' }));
  }

  /** All on one axis. A jitter without a curve may have a long tail of rare waits, and is cut there. */
  function draw(): void {
    if (distributions.length === 0) return;
    const { capMs } = store.get().strategy;
    const curves = distributions.filter(({ choice }) => curveActs(choice));
    const most = Math.max(...curves.map((one) => mostOf({ waits: drawnOf(one), landings: [] }, capMs)));
    for (const { choice, plot } of cells) {
      const found = distributions.find((one) => isCellOf(choice, one.choice));
      const { width, height } = plot.getBoundingClientRect();
      if (found && width > 0) plot.replaceChildren(thumbnail(found, most, Math.floor(width), Math.floor(height)));
    }
  }

  const resizes = new ResizeObserver(() => requestAnimationFrame(draw));
  store.subscribe((_, before) => {
    const next = cellsOf(store.get().strategy);
    const isSame = before !== undefined && next.all.length === layout.all.length;
    if (isSame) {
      // The same cells, of which those without a row follow the chosen backoff.
      layout = next;
    } else {
      const had = grid.contains(document.activeElement);
      build();
      if (had) cells.find(({ choice }) => isCellOf(choice, store.get().strategy))?.button.focus();
    }
    mark();
  });

  return {
    show(next) {
      distributions = next;
      draw();
      mark();
    },
    showServed(next) {
      fates = next;
      mark();
    },
  };
}

function headOf(jitter: Jitter): HTMLElement {
  const name =
    jitter === 'proportional'
      ? html('b', { class: 'grid-ratio' })
      : html('b', {}, capitalised(jitterName({ backoff: 'exponential', jitter })));
  const formula = html('code', {}, jitterFormula(jitter));
  return html('span', {}, html('i', { class: 'dot', 'data-jitter': jitter }), name, formula);
}

function rowHead(backoff: Backoff): HTMLElement {
  const { base, exponent } = curveFormula(backoff);
  const formula = html('code', {}, `c = ${base}`, exponent ? html('sup', {}, exponent) : null);
  return html('span', { class: 'grid-name', 'aria-hidden': 'true' }, html('b', {}, capitalised(backoff)), formula);
}

function labelOf(strategy: Choice, cell: Distribution | undefined, served: string): string {
  const medians = cell ? drawnOf(cell).map(({ p50Ms }) => duration(p50Ms)) : [];
  return `${title(strategy)}: ${served}${medians.length > 0 ? `, median waits ${medians.join(', ')}` : ''}`;
}

const INSET = 6;

/** The waits of one strategy as ridges, one behind the other. */
function thumbnail(one: Distribution, most: number, width: number, height: number): SVGSVGElement {
  const drawn = drawnOf(one);
  const scale = waitScale(most, INSET, width - INSET, 8);
  const pitch = (height - 14) / Math.max(1, drawn.length);
  const ridges = drawn.map((wait) => ridgeOf(wait, scale));
  const high = Math.max(10, Math.min(26, 0.9 * pitch));
  const unit = high / Math.max(1, ...ridges.map((ridge) => ridge?.peak ?? 0));
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, 'data-jitter': one.choice.jitter },
    ...drawn.map((wait, i) => {
      const box = { base: Math.round(12 + pitch * (i + 1)) - 0.5, unit, most: high };
      const ridge = ridges[i];
      return svg(
        'g',
        { 'data-wait': wait.k },
        ridge ? svg('path', { d: ridgePath(ridge, box), class: 'shape' }) : null,
        ...sticks(wait, scale, box),
      );
    }),
  );
}
