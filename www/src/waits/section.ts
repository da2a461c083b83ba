/** How long each retry waits: the grid, and the chosen strategy large. */
import { mountFigure } from '../charts/figure';
import type { Computer } from '../compute/client';
import { delays } from './figure';
import { cellsOf, isCellOf } from '../state/cells';
import type { Store } from '../state/store';
import { sameChoice } from '../state/strategy';
import { mountGrid } from './grid';

export function mountWaits(root: HTMLElement, store: Store, computer: Computer): void {
  const grid = mountGrid(root, store);
  const figure = mountFigure(root, delays);
  const channel = computer.channel(
    'waits',
    (all) => {
      const { strategy } = store.get();
      grid.show(all);
      const chosen = all.find(({ choice }) => sameChoice(choice, strategy));
      if (chosen) figure.show({ strategy, chosen });
    },
    figure.fail,
  );
  store.subscribe(({ strategy }) => {
    const cells = cellsOf(strategy).all;
    const { backoff, jitter } = strategy;
    // Decorrelated jitter has one cell for all backoffs: the chosen one is among the cells, by its own name.
    const choices = cells.map((cell) => (isCellOf(cell, strategy) ? { backoff, jitter } : cell));
    if (channel.order({ strategy, choices })) figure.busy();
  });
}
