/** The delay distributions: the chosen strategy large, and the grid of all of them, which is its selector. */
import { mountFigure } from '../charts/figure';
import { channel } from '../compute/client';
import { outageInput } from '../compute/outage';
import { beforeOf } from '../state/before';
import { cellsOf, isCellOf } from '../state/cells';
import type { State } from '../state/state';
import { store } from '../state/store';
import { INITIAL, title, waitsNothing } from '../state/strategy';
import { delays, type Shown } from './figure';
import { mountGrid } from './grid';
import './styles.css';

/**
 * What the large figure shows: the strategy of the scene, with the one before as an outline. Where nothing is waited,
 * there is nothing to show of it: then it is the outline of the usual advice.
 */
export function largeOf({ strategy, vs }: Pick<State, 'strategy' | 'vs'>): readonly Omit<Shown, 'chosen'>[] {
  const before = beforeOf(vs);
  if (before) return [{ strategy }, before];
  return waitsNothing(strategy)
    ? [
        { strategy: INITIAL, name: ADVICE },
        { strategy, name: 'the scene' },
      ]
    : [{ strategy }];
}

const ADVICE = `The scene waits for nothing. Recommended: ${title(INITIAL)}`;

export function mountWaits(root: HTMLElement): void {
  const figure = mountFigure(root, delays((largeOf(store.get())[0]?.strategy ?? INITIAL).maxAttempts - 1));
  const grid = mountGrid(root);
  const waits = channel(
    'waits',
    'waits',
    ({ cells, large }) => {
      grid.show(cells);
      const [shown, before] = largeOf(store.get()).flatMap((one, i) => {
        const chosen = large[i];
        return chosen ? [{ ...one, chosen }] : [];
      });
      if (shown) figure.show({ ...shown, before });
    },
    figure.fail,
  );
  const fates = channel('simulations', 'fates', grid.showServed, () => grid.showServed([]));
  store.subscribe((state) => {
    const { strategy, seed } = state;
    const { backoff, jitter } = strategy;
    // Decorrelated jitter has one cell for all backoffs: the chosen one is among the cells, by its own name.
    const choices = cellsOf(strategy).all.map((cell) => (isCellOf(cell, strategy) ? { backoff, jitter } : cell));
    const large = largeOf(state).map((one) => one.strategy);
    if (waits.order({ strategy, choices, large, seed })) figure.busy();
    if (fates.order({ ...outageInput(state), choices })) grid.showServed([]);
  });
}
