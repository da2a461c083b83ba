/** The delay distributions: the chosen strategy large, and the grid of all of them, which is its selector. */
import { mountFigure } from '../charts/figure';
import { channel } from '../compute/client';
import { outageInput } from '../compute/outage';
import { cellsOf, isCellOf } from '../state/cells';
import { store } from '../state/store';
import { INITIAL, sameChoice, sameStrategy, withChoice } from '../state/strategy';
import { delays, type DelaysData } from './figure';
import { mountGrid } from './grid';
import './styles.css';

export function mountWaits(root: HTMLElement): void {
  const figure = mountFigure(root, delays(store.get().strategy.maxAttempts - 1));
  const grid = mountGrid(root);
  let shown: DelaysData | undefined;
  const waits = channel(
    'waits',
    'waits',
    (all) => {
      const { strategy } = store.get();
      grid.show(all);
      const chosen = all.find(({ choice }) => sameChoice(choice, strategy));
      if (!chosen) return;
      // At first, and without a wait, the outline is that of the usual advice.
      const usual = all.find(({ choice }) => sameChoice(choice, INITIAL));
      const advice = usual && { strategy: withChoice(strategy, INITIAL), chosen: usual };
      // The same waits, because only the seed is new: the outline of before stays.
      const isSame = shown && sameStrategy(shown.strategy, strategy);
      const before = isSame ? shown?.before : (shown ?? (strategy.baseMs === 0 ? advice : undefined));
      shown = { strategy, chosen, before };
      figure.show(shown);
    },
    figure.fail,
  );
  const fates = channel('simulations', 'fates', grid.showServed, () => grid.showServed([]));
  store.subscribe((state) => {
    const { strategy, seed } = state;
    const { backoff, jitter } = strategy;
    // Decorrelated jitter has one cell for all backoffs: the chosen one is among the cells, by its own name.
    const choices = cellsOf(strategy).all.map((cell) => (isCellOf(cell, strategy) ? { backoff, jitter } : cell));
    if (waits.order({ strategy, choices, seed })) figure.busy();
    if (fates.order({ ...outageInput(state), choices })) grid.showServed([]);
  });
}
