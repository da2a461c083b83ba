/** The grid of all sixteen strategies, which is also their selector. */
import { html } from '../charts/dom';
import { duration } from '../charts/format';
import type { Distribution } from '../compute/waits';
import { cellDrawing, mostOf } from '../figures/grid';
import type { Store } from '../state/store';
import { BACKOFFS, CHOICES, JITTERS, capitalised, curveFormula, jitterFormula, sameChoice, title, type Choice, type Jitter } from '../state/strategy';

export interface Grid {
  show(cells: readonly Distribution[]): void;
}

const CELL_HEIGHT = 62;

/** Where an arrow key leads: rows and columns to go. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

export function mountGrid(root: HTMLElement, store: Store): Grid {
  const buttons = CHOICES.map((choice) => html('button', { type: 'button', role: 'radio', class: 'cell', 'data-jitter': choice.jitter, 'data-backoff': choice.backoff }));
  const grid = html('div', { class: 'grid', role: 'radiogroup', 'aria-labelledby': 'delays-heading' });
  const heads = html('div', { class: 'grid-heads', 'aria-hidden': 'true' }, html('span'));
  for (const jitter of JITTERS) {
    heads.append(html('span', {}, html('i', { class: 'dot', 'data-jitter': jitter }), html('b', {}, ...headOf(jitter)), html('code', {}, jitterFormula(jitter))));
  }
  grid.append(heads);
  for (const [row, backoff] of BACKOFFS.entries()) {
    const { base, exponent } = curveFormula(backoff);
    const formula = html('code', {}, `c = ${base}`, exponent ? html('sup', {}, exponent) : null);
    grid.append(html('div', { class: 'grid-row', role: 'presentation' }, html('span', { class: 'grid-name', 'aria-hidden': 'true' }, html('b', {}, capitalised(backoff)), formula), ...buttons.slice(4 * row, 4 * row + 4)));
  }
  root.append(grid);

  let cells: readonly Distribution[] = [];
  let width = 0;

  const choose = (choice: Choice): void => store.set({ strategy: { ...store.get().strategy, ...choice } });
  for (const [i, button] of buttons.entries()) {
    const choice = CHOICES[i] as Choice;
    button.addEventListener('click', ({ shiftKey }) => (shiftKey ? store.set({ compared: choice }) : choose(choice)));
    button.addEventListener('keydown', (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const from = event.shiftKey ? CHOICES.findIndex((choice) => sameChoice(choice, store.get().compared)) : i;
      const row = (Math.floor(from / 4) + step[0] + 4) % 4;
      const column = ((from % 4) + step[1] + 4) % 4;
      const next = 4 * row + column;
      if (event.shiftKey) return store.set({ compared: CHOICES[next] as Choice });
      buttons[next]?.focus();
      choose(CHOICES[next] as Choice);
    });
  }

  function mark(): void {
    const { strategy, compared } = store.get();
    for (const [i, button] of buttons.entries()) {
      const choice = CHOICES[i] as Choice;
      const chosen = sameChoice(choice, strategy);
      button.setAttribute('aria-checked', String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      button.classList.toggle('is-compared', !chosen && sameChoice(choice, compared));
      button.setAttribute('aria-label', labelOf(choice, cells[i]) + (!chosen && sameChoice(choice, compared) ? '. Compared.' : ''));
    }
  }

  function draw(): void {
    if (width === 0 || cells.length === 0) return;
    for (const row of BACKOFFS.keys()) {
      // The curves of a row share a scale; decorrelated jitter has no curve and a scale of its own.
      const inRow = cells.slice(4 * row, 4 * row + 4);
      const most = mostOf(inRow.slice(0, 3));
      for (const [column, cell] of inRow.entries()) {
        const end = column < 3 ? most : mostOf([cell]);
        const scale = html('span', { class: 'cell-scale', 'aria-hidden': 'true' }, html('span', {}, '0'), html('span', {}, duration(end)));
        buttons[4 * row + column]?.replaceChildren(cellDrawing(cell, end, { width, height: CELL_HEIGHT }), scale);
      }
    }
  }

  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry?.contentRect.width ?? 0);
    if (now === width || now === 0) return;
    width = now;
    draw();
  }).observe(buttons[0] as HTMLElement);
  store.subscribe(mark);

  return {
    show(next) {
      cells = next;
      draw();
      mark();
    },
  };
}

/** On a phone there is no room for the long one. */
function headOf(jitter: Jitter): (Node | string)[] {
  if (jitter !== 'decorrelated') return [capitalised(jitter)];
  return ['Decorr', html('span', { class: 'wide' }, 'elated'), html('span', { class: 'narrow' }, '.')];
}

function labelOf(choice: Choice, cell: Distribution | undefined): string {
  const name = choice.jitter === 'decorrelated' ? `${capitalised(choice.backoff)} · decorrelated jitter` : title(choice);
  if (!cell) return name;
  return `${name}: median waits ${cell.waits.map(({ p50Ms }) => duration(p50Ms)).join(', ')}`;
}
