/** Parts that all clients share, which keep retries from hurting when new requests keep coming. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, rate, share, short } from '../charts/format';
import { sliderField, type SliderSpec } from '../charts/slider';
import type { Computer } from '../compute/client';
import { DELAYS, UTILISATIONS, utilisationsWith, type HedgingData } from '../compute/hedging';
import { DEMANDS, type LoadResult, type Shared, type SweepResult } from '../compute/load';
import { hedgingFigure } from '../figures/hedging';
import { load } from '../figures/load';
import { rateLimitFigure } from '../figures/rate-limit';
import { recovery } from '../figures/recovery';
import { sweepFigure } from '../figures/sweep';
import { tailFigure } from '../figures/tail';
import { PARTS, joined, partsIn, type Part, type State } from '../state/state';
import type { Store } from '../state/store';
import '../styles/cost.css';

const FLOORS = [0, 1, 2, 5, 8, 10, 15, 20, 30, 50, 100];

export function mountProtection(root: HTMLElement, store: Store, computer: Computer): void {
  const sub = html('p', { class: 'sub' });
  const controls = html('div', { class: 'herd-controls protection-controls' });
  root.append(sub, controls);
  const show = mountControls(controls, store);
  store.subscribe((state) => {
    const { herd } = state;
    show(state);
    sub.textContent =
      `${short(herd.demand * herd.capacityPerS)} new requests a second reach a server that can handle ` +
      `${short(herd.capacityPerS)}. Then it stops for ${duration(herd.downMs)}, ` +
      'as in the herd. Backoff only moves a retry to a later second, and that second has new requests too.';
  });
  mountLoad(root, store, computer);
  mountSweep(root, store, computer);
  mountTail(root, store, computer);
  mountHedging(root, store, computer);
  mountRateLimit(root, store, computer);
}

function mountControls(root: HTMLElement, store: Store): (state: State) => void {
  const boxes = PARTS.map((part) => {
    const input = html('input', { type: 'checkbox', name: 'protection', value: part });
    input.addEventListener('change', () => {
      const parts = PARTS.filter((_, i) => boxes[i]?.checked);
      store.set({ protection: { ...store.get().protection, parts: joined(parts) } });
    });
    return input;
  });
  const labels = PARTS.map((part: Part, i) => html('label', { class: 'choice' }, boxes[i], html('span', {}, part)));
  root.append(
    html('fieldset', {}, html('legend', {}, 'All clients share'), html('div', { class: 'choice-grid' }, ...labels)),
  );
  const demand = sliderField(
    root,
    { id: 'demand', label: 'New requests', stops: DEMANDS, text: (value) => `${share(value)} of the capacity` },
    (value) => store.set({ herd: { ...store.get().herd, demand: value } }),
  );
  const floor = sliderField(
    root,
    {
      id: 'floor',
      label: 'Floor (simulation only)',
      stops: FLOORS,
      text: (value) => (value === 0 ? 'none' : rate(value)),
    },
    (value) => store.set({ protection: { ...store.get().protection, floorPerS: value === Infinity ? 0 : value } }),
  );
  return ({ herd, protection }) => {
    const parts = partsIn(protection.parts);
    for (const [i, part] of PARTS.entries()) {
      const box = boxes[i];
      if (box) box.checked = parts.includes(part);
    }
    demand.show(herd.demand);
    floor.show(protection.floorPerS);
  };
}

/** The row of the figures that has the chosen parts. */
function sharedIn({ protection }: State): Shared {
  const parts = partsIn(protection.parts);
  const [budget, breaker] = [parts.includes('budget'), parts.includes('breaker')];
  return budget && breaker ? 'both' : budget ? 'budget' : breaker ? 'breaker' : 'none';
}

function mountLoad(root: HTMLElement, store: Store, computer: Computer): void {
  const chosen = mountFigure(root, recovery);
  const all = mountFigure(root, load);
  const near = new Set<unknown>();
  let result: LoadResult | undefined;
  const channel = computer.channel(
    'load',
    (found, whole) => {
      if (!whole) return;
      result = found;
      all.show(found);
      show();
    },
    (message) => {
      chosen.fail(message);
      all.fail(message);
    },
  );

  function show(): void {
    const shared = sharedIn(store.get());
    const run = result?.chosen[shared];
    if (result && run) chosen.show({ ...result, shared, run });
  }
  function order(): void {
    const { strategy, herd, protection, seed } = store.get();
    const { downMs, capacityPerS, demand } = herd;
    const { floorPerS } = protection;
    if (channel.order({ strategy, herd: { downMs, capacityPerS, demand }, floorPerS, seed })) {
      result = undefined;
      chosen.busy();
      all.busy();
    } else show();
  }
  for (const figure of [chosen, all])
    figure.onNear((now) => {
      if (now) near.add(figure);
      else near.delete(figure);
      if (now) order();
    });
  store.subscribe(() => (near.size > 0 ? order() : channel.cancel()));
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

  function show(): void {
    if (result) figure.show({ ...result, demand: store.get().herd.demand });
  }
  function order(): void {
    const { strategy, herd, protection, seed } = store.get();
    const { downMs, capacityPerS } = herd;
    if (channel.order({ strategy, herd: { downMs, capacityPerS }, floorPerS: protection.floorPerS, seed })) {
      result = undefined;
      figure.busy();
    } else show();
  }
  whileNear(figure, store, order, channel);
}

/** Orders what a figure shows after every change, as long as the figure is near. */
function whileNear(
  figure: { onNear(changed: (near: boolean) => void): void },
  store: Store,
  order: () => void,
  channel: { cancel(): void },
): void {
  let near = false;
  figure.onNear((now) => {
    near = now;
    if (near) order();
  });
  store.subscribe(() => (near ? order() : channel.cancel()));
}

/** A slider on the card of its figure. */
function hedgingSlider(store: Store, name: keyof State['hedging'], spec: SliderSpec): HTMLElement {
  const controls = html('div', { class: 'herd-controls protection-controls' });
  const slider = sliderField(controls, spec, (value) =>
    store.set({ hedging: { ...store.get().hedging, [name]: value } }),
  );
  store.subscribe(({ hedging }) => slider.show(hedging[name]));
  return controls;
}

function mountTail(root: HTMLElement, store: Store, computer: Computer): void {
  const slider = { id: 'hedge-delay', label: 'A hedge starts after', stops: DELAYS, text: duration };
  const figure = mountFigure(root, tailFigure, hedgingSlider(store, 'delayMs', slider));
  const channel = computer.channel('tail', figure.show, figure.fail);

  function order(): void {
    const { hedging, seed } = store.get();
    if (channel.order({ delayMs: hedging.delayMs, seed })) figure.busy();
  }
  whileNear(figure, store, order, channel);
}

function mountHedging(root: HTMLElement, store: Store, computer: Computer): void {
  const slider = { id: 'utilisation', label: 'Utilisation', stops: UTILISATIONS, text: share };
  const figure = mountFigure(root, hedgingFigure, hedgingSlider(store, 'utilisation', slider));
  const channel = computer.channel(
    'hedging',
    (found, whole) => {
      if (!whole) return;
      result = found;
      show();
    },
    figure.fail,
  );
  let result: HedgingData | undefined;

  function show(): void {
    if (result) figure.show({ ...result, utilisation: store.get().hedging.utilisation });
  }
  function order(): void {
    const { hedging, seed } = store.get();
    if (channel.order({ utilisations: utilisationsWith(hedging.utilisation), seed })) {
      result = undefined;
      figure.busy();
    } else show();
  }
  whileNear(figure, store, order, channel);
}

function mountRateLimit(root: HTMLElement, store: Store, computer: Computer): void {
  const figure = mountFigure(root, rateLimitFigure);
  const channel = computer.channel('rateLimit', (result, whole) => whole && figure.show(result), figure.fail);

  function order(): void {
    const { strategy, seed } = store.get();
    if (channel.order({ strategy, seed })) figure.busy();
  }
  whileNear(figure, store, order, channel);
}
