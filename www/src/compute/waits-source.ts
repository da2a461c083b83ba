/** The waits of the page's state, computed once for the summary at the side and for the section on waits. */
import { cellsOf } from '../state/cells';
import type { Store } from '../state/store';
import { sameChoice, withChoice, type Choice } from '../state/strategy';
import type { Computer } from './client';
import type { TotalsResult } from './totals';
import type { Distribution } from './waits';

export interface WaitsView {
  waits(all: readonly Distribution[]): void;
  totals(result: TotalsResult): void;
  /** The shown result is being replaced. */
  busy?(what: 'waits' | 'totals'): void;
  fail(message: string): void;
}

export interface WaitsSource {
  subscribe(view: WaitsView): void;
  /** From now on, all cells of the grid are computed, not the chosen and the compared strategy alone. */
  wantCells(): void;
}

const sources = new WeakMap<Computer, WaitsSource>();

export function waitsSource(store: Store, computer: Computer): WaitsSource {
  const known = sources.get(computer);
  if (known) return known;
  const source = create(store, computer);
  sources.set(computer, source);
  return source;
}

function create(store: Store, computer: Computer): WaitsSource {
  const views: WaitsView[] = [];
  let hasCells = false;
  /** Whether the worker computes waits. */
  let isOpen = false;
  let last: { waits?: readonly Distribution[]; totals?: TotalsResult } = {};
  const fail = (message: string): void => {
    for (const view of views) view.fail(message);
  };
  const waits = computer.channel(
    'waits',
    (all) => {
      last = { ...last, waits: all };
      isOpen = false;
      for (const view of views) view.waits(all);
    },
    fail,
  );
  const totals = computer.channel(
    'totals',
    (result) => {
      last = { ...last, totals: result };
      for (const view of views) view.totals(result);
    },
    fail,
  );

  function order(): void {
    const { strategy, compared, failureRate, seed } = store.get();
    const cells = hasCells ? cellsOf(strategy, compared).all : [];
    const chosen = [strategy, compared].map(({ backoff, jitter }): Choice => ({ backoff, jitter }));
    const choices = [...cells, ...chosen.filter((choice) => !cells.some((cell) => sameChoice(cell, choice)))];
    const isNew = waits.order({ strategy, choices });
    for (const view of views) {
      if (isNew) view.busy?.('waits');
      // Another compared strategy, whose waits are there.
      else if (last.waits && !isOpen) view.waits(last.waits);
    }
    isOpen ||= isNew;
    const strategies = sameChoice(strategy, compared) ? [strategy] : [strategy, withChoice(strategy, compared)];
    if (totals.order({ strategies, failureRate, seed })) for (const view of views) view.busy?.('totals');
  }

  store.subscribe(order);
  return {
    subscribe(view) {
      views.push(view);
      if (last.waits) view.waits(last.waits);
      if (last.totals) view.totals(last.totals);
    },
    wantCells() {
      if (hasCells) return;
      hasCells = true;
      order();
    },
  };
}
