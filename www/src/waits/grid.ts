/** The grid of strategies, each with its waits and the clients that it serves: the selector. */
import { html, path, place, svg } from '../charts/dom';
import { count, duration, share } from '../charts/format';
import { CURVE_JITTERS, cellsOf, isCellOf, type Cells } from '../state/cells';
import type { State } from '../state/state';
import { store } from '../state/store';
import { CURVES, DRAWS, capitalised, curveActs, jitterName, title, withChoice } from '../state/strategy';
import type { Backoff, Choice, Jitter } from '../state/strategy';
import { cheaper, drawnOf, type CellFate, type Distribution } from './compute';
import { mostOf, ridgeOf, ridgePath, sticks, waitScale } from './ridge';

/** Medians in the line below the grid. */
const FEW = 4;

interface Cell {
  readonly choice: Choice;
  readonly label: HTMLElement;
  readonly input: HTMLInputElement;
  readonly plot: HTMLElement;
}

export function mountGrid(root: HTMLElement) {
  const grid = html('div', { class: 'grid', role: 'radiogroup', 'aria-labelledby': 'delays-heading' });
  const chosen = html('a', { class: 'grid-chosen', href: '#waits', 'aria-hidden': 'true', tabindex: -1 });
  const hair = html('p', { class: 'note', role: 'status' });
  root.append(grid, chosen, hair);

  let layout: Cells;
  let cells: readonly Cell[] = [];
  let distributions: readonly Distribution[] = [];
  let fates: readonly CellFate[] = [];

  /** Cells outside the rows have the chosen backoff. */
  const current = (choice: Choice): Choice =>
    CURVE_JITTERS.includes(choice.jitter) ? choice : { ...choice, backoff: store.get().strategy.backoff };
  const choose = (choice: Choice): void => store.set({ strategy: withChoice(store.get().strategy, current(choice)) });

  function build(): void {
    cells = layout.all.map(cell);
    const labels = (choices: readonly Choice[]) =>
      cells.filter(({ choice }) => choices.includes(choice)).map(({ label }) => label);
    const group = (name: string, head: Node | null, choices: readonly Choice[]): HTMLElement =>
      html('div', { class: name, role: 'presentation' }, head, ...labels(choices));
    const { rows, tall, last } = layout;
    const heads = [...CURVE_JITTERS, 'decorrelated' as const].map(headOf);
    grid.style.setProperty('--rows', String(rows.length));
    grid.replaceChildren(
      html('div', { class: 'grid-heads', 'aria-hidden': 'true' }, html('span'), ...heads),
      ...rows.map((all) => group('grid-row', rowHead(all[0]?.backoff ?? 'fixed'), all)),
      group('grid-tall', null, [tall]),
      group('grid-row grid-last', rowHead(), last),
    );
    resizes.disconnect();
    for (const { label } of cells) resizes.observe(label);
  }

  function cell(choice: Choice): Cell {
    const { backoff, jitter } = choice;
    const isInRow = CURVE_JITTERS.includes(jitter);
    const made = place<Omit<Cell, 'choice'>>(
      html('div'),
      `<label class="cell" data-jitter="${jitter}" data-as="label"${isInRow ? ` data-backoff="${backoff}"` : ''}>
        <input type="radio" name="cell" data-as="input" />
        ${isInRow ? '' : '<span class="cell-name" aria-hidden="true"></span>'}<span class="cell-plot" aria-hidden="true" data-as="plot"></span
        ><span class="cell-served" aria-hidden="true"></span></label>`,
    );
    made.input.addEventListener('change', () => choose(choice));
    return { choice, ...made };
  }

  function mark(): void {
    const { strategy, clients } = store.get();
    for (const { choice, label, input } of cells) {
      input.checked = isCellOf(choice, strategy);
      const shown = withChoice(strategy, current(choice));
      const dot = html('i', { class: 'dot', 'data-jitter': choice.jitter });
      label.querySelector('.cell-name')?.replaceChildren(dot, capitalised(jitterName(shown)));
      const fate = fates.find((one) => isCellOf(choice, one.choice));
      const of = html('span', {}, `${fate?.isCut ? ' so far,' : ''} of ${count(clients)}`);
      const served = label.querySelector('.cell-served');
      served?.classList.toggle('pending', !fate);
      served?.replaceChildren(...(fate ? [html('b', {}, count(fate.served)), of, ' served'] : ['…']));
      const found = distributions.find((one) => isCellOf(choice, one.choice));
      const medians = found ? drawnOf(found).map(({ quantiles: { p50 } }) => duration(p50)) : [];
      const waits = medians.length > 0 ? `, median waits ${medians.join(', ')}` : '';
      input.setAttribute('aria-label', `${title(shown)}: ${served?.textContent}${waits}`);
      // Where the large figure is above the screen, the effect of a tap is here.
      const first = medians.length > FEW ? [...medians.slice(0, FEW), '…'] : medians;
      if (input.checked) chosen.textContent = `${title(shown)}: ${served?.textContent}, waits ${first.join(', ')} ↑`;
    }
    for (const head of grid.querySelectorAll<HTMLElement>('.grid-heads [data-jitter="proportional"] + b'))
      head.textContent = capitalised(jitterName({ ...strategy, jitter: 'proportional' }));
  }

  /** All on one axis. A jitter without a curve may have a long tail of rare waits, and is cut there. */
  function draw(): void {
    if (distributions.length === 0) return;
    const { capMs } = store.get().strategy;
    const curves = distributions.filter(({ choice }) => curveActs(choice));
    const most = Math.max(...curves.map((one) => mostOf({ waits: drawnOf(one), landings: [] }, capMs)));
    // All places are read before one is written: otherwise each of them is a layout of its own.
    const places = cells.map(({ plot }) => plot.getBoundingClientRect());
    for (const [i, { choice, plot }] of cells.entries()) {
      const found = distributions.find((one) => isCellOf(choice, one.choice));
      const [width, height] = [Math.floor(places[i]?.width ?? 0), Math.floor(places[i]?.height ?? 0)];
      const shown = `${found?.key} ${most} ${width} ${height}`;
      if (!found || width === 0 || plot.dataset.shown === shown) continue;
      plot.dataset.shown = shown;
      plot.replaceChildren(thumbnail(found, most, width, height));
    }
  }

  const resizes = new ResizeObserver(() => requestAnimationFrame(draw));
  store.subscribe(({ strategy }, before) => {
    const next = cellsOf(strategy);
    // The same cells, of which those without a row follow the chosen backoff.
    const isSame = before !== undefined && next.all.length === layout.all.length;
    layout = next;
    if (!isSame) {
      const had = grid.contains(document.activeElement);
      build();
      if (had) cells.find(({ choice }) => isCellOf(choice, strategy))?.input.focus();
    }
    mark();
  });

  return {
    show(next: readonly Distribution[]): void {
      distributions = next;
      draw();
      mark();
    },
    /** What is known of the clients that each strategy serves. */
    showServed(next: readonly CellFate[]): void {
      fates = next;
      hair.textContent = byAHair(fates, store.get());
      mark();
    },
  };
}

/** Why a row has one cell that fails: it may be a question of a few calls. */
export function byAHair(
  fates: readonly CellFate[],
  { rejectionCost, clients }: Pick<State, 'rejectionCost' | 'clients'>,
): string {
  const found = fates.find(({ cheaply }) => cheaply !== undefined);
  if (found?.cheaply === undefined) return '';
  const [cost, less] = [rejectionCost, cheaper(rejectionCost)].map(share);
  return (
    `${title(found.choice)} fails by a hair, with ${count(found.served)} of ${count(clients)}: if a rejection cost ${less} ` +
    `of a served call instead of ${cost}, it would serve ${count(found.cheaply)}.`
  );
}

function headOf(jitter: Jitter): HTMLElement {
  const [name, draw] = DRAWS[jitter];
  const dot = html('i', { class: 'dot', 'data-jitter': jitter });
  return html('span', {}, dot, html('b', {}, capitalised(name)), html('code', {}, draw));
}

function rowHead(backoff?: Backoff): HTMLElement {
  const name = html('b', {}, backoff ? capitalised(backoff) : 'More jitters');
  const [base, exponent] = backoff ? (CURVES[backoff] as readonly [string, string?]) : [];
  const formula = base && html('code', {}, `c = ${base}`, exponent ? html('sup', {}, exponent) : null);
  return html('span', { class: 'grid-name', 'aria-hidden': 'true' }, name, formula);
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
    { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'data-jitter': one.choice.jitter },
    ...drawn.map((wait, i) => {
      const box = { base: Math.round(12 + pitch * (i + 1)) - 0.5, unit, most: high };
      const ridge = ridges[i];
      return svg('g', {}, ridge ? path(ridgePath(ridge, box), 'shape') : null, ...sticks(wait, scale, box));
    }),
  );
}
