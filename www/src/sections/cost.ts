/** Which strategy to pick: its two costs, how its peak grows with the herd, and the figure that started it all. */
import { html } from '../charts/dom';
import { mountFigure, type Figure } from '../charts/figure';
import type { Channel, Computer } from '../compute/client';
import type { InputOf, JobName } from '../compute/jobs';
import { CLIENTS } from '../compute/peaks';
import { cost } from '../figures/cost';
import { costData } from '../figures/cost-data';
import { peaks } from '../figures/peaks';
import type { State } from '../state/state';
import type { Store } from '../state/store';
import { CHOICES } from '../state/strategy';
import { mountContention } from './contention';

export function mountCost(root: HTMLElement, store: Store, computer: Computer): void {
  const pair = html('div', { class: 'pair' });
  root.append(pair);
  const costs = mountFigure(pair, cost);
  const peakLoads = mountFigure(pair, peaks);

  const herd = computer.channel('herd', (result, whole) => whole && costs.show(costData(result)), costs.fail);
  follow(store, costs, herd, ({ strategy, herd: { clients, downMs, capacityPerS }, seed }) => ({
    strategy,
    herd: { clients, downMs, capacityPerS },
    seed,
    choices: CHOICES,
  }));

  const bySize = computer.channel('peaks', peakLoads.show, peakLoads.fail);
  follow(store, peakLoads, bySize, ({ strategy, herd: { downMs, capacityPerS }, seed }) => ({
    strategy,
    herd: { downMs, capacityPerS },
    clients: CLIENTS,
    seed,
  }));

  mountContention(root, store);
}

/** Orders what the state asks for while the figure is near; far away, what is outdated is not computed. */
function follow<N extends JobName, D>(store: Store, figure: Figure<D>, channel: Channel<N>, inputOf: (state: State) => InputOf<N>): void {
  let near = false;
  const order = (): void => {
    if (channel.order(inputOf(store.get()))) figure.busy();
  };
  figure.onNear((now) => {
    near = now;
    if (near) order();
  });
  store.subscribe(() => (near ? order() : channel.cancel()));
}
