/** Retry budgets: what to do when new requests keep coming while the old ones retry. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, share, short } from '../charts/format';
import { sliderField } from '../charts/slider';
import type { Computer } from '../compute/client';
import { DEMANDS, type SweepResult } from '../compute/load';
import { load } from '../figures/load';
import { sweepFigure } from '../figures/sweep';
import type { Store } from '../state/store';
import '../styles/cost.css';

export function mountBudget(root: HTMLElement, store: Store, computer: Computer): void {
  const sub = html('p', { class: 'sub' });
  const controls = html('div', { class: 'herd-controls budget-controls' });
  root.append(sub, controls);
  const demand = sliderField(
    controls,
    { id: 'demand', label: 'New requests', stops: DEMANDS, text: (value) => `${share(value)} of the capacity` },
    (value) => store.set({ herd: { ...store.get().herd, demand: value } }),
  );
  store.subscribe(({ herd }) => {
    demand.show(herd.demand);
    sub.textContent =
      `${short(herd.demand * herd.capacityPerS)} new requests a second reach a server that can handle ` +
      `${short(herd.capacityPerS)}. Then it stops for ${duration(herd.downMs)}, ` +
      'as in the herd. Backoff only moves a retry to a later second, and that second has new requests too.';
  });
  mountLoad(root, store, computer);
  mountSweep(root, store, computer);
}

function mountLoad(root: HTMLElement, store: Store, computer: Computer): void {
  const figure = mountFigure(root, load);
  const channel = computer.channel('load', (result, whole) => whole && figure.show(result), figure.fail);
  let near = false;

  function order(): void {
    const { strategy, herd, seed } = store.get();
    const { downMs, capacityPerS, demand } = herd;
    if (channel.order({ strategy, herd: { downMs, capacityPerS, demand }, seed })) figure.busy();
  }
  figure.onNear((now) => {
    near = now;
    if (near) order();
  });
  store.subscribe(() => (near ? order() : channel.cancel()));
}

function mountSweep(root: HTMLElement, store: Store, computer: Computer): void {
  const figure = mountFigure(root, sweepFigure);
  const channel = computer.channel(
    'sweep',
    (found, whole) => {
      if (!whole) return;
      result = found;
      show();
    },
    figure.fail,
  );
  let result: SweepResult | undefined;
  let near = false;

  function show(): void {
    if (result) figure.show({ ...result, demand: store.get().herd.demand });
  }
  function order(): void {
    const { strategy, herd, seed } = store.get();
    const { downMs, capacityPerS } = herd;
    if (channel.order({ strategy, herd: { downMs, capacityPerS }, seed })) {
      result = undefined;
      figure.busy();
    } else show();
  }
  figure.onNear((now) => {
    near = now;
    if (near) order();
  });
  store.subscribe(() => (near ? order() : channel.cancel()));
}
