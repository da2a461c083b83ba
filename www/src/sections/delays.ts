/** The section on waits: the grid, the chosen strategy in detail, and what its waits add up to. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import type { Computer } from '../compute/client';
import type { Distribution } from '../compute/waits';
import { waitsSource } from '../compute/waits-source';
import { delays } from '../figures/delays';
import { landing } from '../figures/landing';
import { success } from '../figures/success';
import type { Store } from '../state/store';
import { sameChoice, type Choice } from '../state/strategy';
import { mountGrid } from './grid';

export function mountDelays(root: HTMLElement, store: Store, computer: Computer): void {
  const grid = mountGrid(root, store);
  const pair = html('div', { class: 'pair' });
  root.append(pair);
  const figures = {
    delays: mountFigure(pair, delays),
    success: mountFigure(pair, success),
    landing: mountFigure(root, landing),
  };

  const source = waitsSource(store, computer);
  source.subscribe({
    waits(all) {
      const { strategy, compared } = store.get();
      const of = (choice: Choice): Distribution | undefined => all.find((cell) => sameChoice(cell.choice, choice));
      const [chosen, other] = [of(strategy), of(compared)];
      grid.show(all);
      if (chosen && other) figures.delays.show({ strategy, chosen, compared: other });
    },
    totals(result) {
      figures.landing.show(result);
      figures.success.show({ ...result, failureRate: store.get().failureRate });
    },
    busy(what) {
      if (what === 'waits') return figures.delays.busy();
      figures.landing.busy();
      figures.success.busy();
    },
    fail(message) {
      for (const figure of Object.values(figures)) figure.fail(message);
    },
  });
  source.wantCells();
}
