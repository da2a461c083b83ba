/** The section on waits: the grid, the chosen strategy in detail, and what its waits add up to. */
import { byId, html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, share } from '../charts/format';
import type { Computer } from '../compute/client';
import type { TotalsResult } from '../compute/totals';
import type { Distribution } from '../compute/waits';
import { delays, longestMs } from '../figures/delays';
import { landing } from '../figures/landing';
import { success } from '../figures/success';
import type { Store } from '../state/store';
import { cellsOf } from '../state/cells';
import { sameChoice, withChoice, type Choice } from '../state/strategy';
import { mountGrid } from './grid';

export function mountDelays(root: HTMLElement, store: Store, computer: Computer): void {
  const grid = mountGrid(root, store);
  const pair = html('div', { class: 'pair' });
  root.append(pair);
  const figures = { delays: mountFigure(pair, delays), success: mountFigure(pair, success), landing: mountFigure(root, landing) };
  const fail = (message: string): void => {
    for (const figure of Object.values(figures)) figure.fail(message);
  };

  let cells: readonly Distribution[] | undefined;
  /** Whether the deadline can end the waits: then their mean is a sampled one. */
  let isCut = false;
  const waits = computer.channel('waits', (answer) => {
    cells = answer;
    showWaits(answer);
  }, fail);

  function showWaits(all: readonly Distribution[]): void {
    const { strategy, compared } = store.get();
    const of = (choice: Choice): Distribution => all.find((cell) => sameChoice(cell.choice, choice)) as Distribution;
    const chosen = of(strategy);
    grid.show(all);
    figures.delays.show({ strategy, chosen, compared: of(compared) });
    const isEndless = chosen.totalWorstMs === Infinity;
    showTime('total-worst', isEndless && strategy.totalTimeoutMs === Infinity ? Infinity : longestMs(chosen.waits, strategy.totalTimeoutMs));
    isCut = strategy.totalTimeoutMs !== Infinity && (isEndless || longestMs(chosen.waits, Infinity) >= strategy.totalTimeoutMs);
    if (!isCut) showTime('total-mean', chosen.totalMeanMs);
  }

  const totals = computer.channel('totals', (result) => {
    figures.landing.show(result);
    figures.success.show({ ...result, failureRate: store.get().failureRate });
    summarise(result);
    if (isCut) showTime('total-mean', result.totals[0]?.meanMs);
  }, fail);

  store.subscribe(({ strategy, compared, failureRate, seed }) => {
    const inGrid = cellsOf(strategy, compared).all;
    const beside = [strategy, compared].map(({ backoff, jitter }) => ({ backoff, jitter }));
    const choices = [...inGrid, ...beside.filter((choice) => !inGrid.some((cell) => sameChoice(cell, choice)))];
    if (waits.order({ strategy, choices })) figures.delays.busy();
    else if (cells) showWaits(cells);
    const strategies = sameChoice(strategy, compared) ? [strategy] : [strategy, withChoice(strategy, compared)];
    if (totals.order({ strategies, failureRate, seed })) {
      figures.landing.busy();
      figures.success.busy();
    }
  });
}

function summarise({ totals: [chosen] }: TotalsResult): void {
  if (!chosen) return;
  showTime('half-succeed', chosen.p50Ms);
  showTime('most-succeed', chosen.p95Ms);
  byId('gives-up').textContent = share(1 - chosen.plateau);
}

/** With the unrounded number beside it, for programs. */
function showTime(id: string, ms: number | undefined): void {
  const element = byId(id);
  element.textContent = ms === undefined ? 'never' : duration(ms);
  element.dataset.ms = String(ms);
}
