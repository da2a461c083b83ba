/** Which strategy to pick: its two costs, and how its peak grows with the herd. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import type { Computer } from '../compute/client';
import { herdSource } from '../compute/herd-source';
import { CLIENTS } from '../compute/peaks';
import { cost } from '../figures/cost';
import { costData } from '../figures/cost-data';
import { peaks } from '../figures/peaks';
import type { Store } from '../state/store';
import '../styles/cost.css';

export function mountCost(root: HTMLElement, store: Store, computer: Computer): void {
  const pair = html('div', { class: 'pair' });
  root.append(pair);
  const costs = mountFigure(pair, cost);

  const source = herdSource(store, computer);
  source.subscribe({
    show: (result, whole) => {
      if (whole) costs.show(costData(result));
    },
    busy: costs.busy,
    fail: costs.fail,
  });
  costs.onNear((near) => source.want('cost', near));

  mountPeaks(pair, store, computer);
}

function mountPeaks(root: HTMLElement, store: Store, computer: Computer): void {
  const figure = mountFigure(root, peaks);
  const channel = computer.channel(
    'peaks',
    (result, whole) => {
      figure.show(result);
      if (!whole) figure.busy();
    },
    figure.fail,
  );
  let near = false;

  function order(): void {
    const { strategy, herd, seed } = store.get();
    const { downMs, capacityPerS, rejectionCost, limits } = herd;
    const ordered = channel.order({ strategy, herd: { downMs, capacityPerS, rejectionCost, limits }, clients: CLIENTS, seed });
    if (ordered) figure.busy();
  }

  figure.onNear((now) => {
    near = now;
    if (near) order();
  });
  // Far away, what is outdated is not computed any further.
  store.subscribe(() => (near ? order() : channel.cancel()));
}
