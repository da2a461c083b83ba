/** The figures of `/protection` and of the article on hedging. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, share, short } from '../charts/format';
import { sliderField, type SliderSpec } from '../charts/slider';
import type { Computer } from '../compute/client';
import { DELAYS, UTILISATIONS, utilisationsWith, type HedgingData } from '../hedging/compute';
import { DEMANDS, type LoadResult, type Shared } from './compute';
import { hedgingFigure } from '../hedging/figure';
import { load } from './figure';
import { rateLimitFigure } from '../rate-limit/figure';
import { recovery } from './recovery';
import { tailFigure } from '../hedging/tail';
import { PARTS, joined, partsIn, type Part, type State } from '../state/state';
import type { Store } from '../state/store';
import { mountCode } from '../take-away/section';
import '../cost/styles.css';
import '../take-away/styles.css';

/** Protection: parts that all clients share, which keep retries from hurting when new requests keep coming. */
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
      `${short(herd.capacityPerS)}. Then it stops for ${duration(herd.downMs)}. Backoff only moves a retry to a later ` +
      'second, and that second has new requests too.';
  });
  mountLoad(root, store, computer);
  mountRateLimit(root, store, computer);
  mountTail(root, store, computer);
}

function mountControls(root: HTMLElement, store: Store): (state: State) => void {
  const boxes = PARTS.map((part) => {
    const input = html('input', { type: 'checkbox', name: 'protection', value: part });
    input.addEventListener('change', () =>
      store.set({ protection: { parts: joined(PARTS.filter((_, i) => boxes[i]?.checked)) } }),
    );
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
  return ({ herd, protection }) => {
    const parts = partsIn(protection.parts);
    for (const [i, part] of PARTS.entries()) {
      const box = boxes[i];
      if (box) box.checked = parts.includes(part);
    }
    demand.show(herd.demand);
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
  // The code of what the toggles say.
  mountCode(root, store);
  let result: LoadResult | undefined;
  const channel = computer.channel(
    'load',
    (found, whole) => {
      result = found;
      if (whole) all.show(found);
      show();
    },
    (message) => {
      chosen.fail(message);
      all.fail(message);
    },
  );

  function show(): void {
    const shared = sharedIn(store.get());
    const run = result?.runs.find((one) => one.shared === shared);
    if (result && run) chosen.show({ ...result, run });
  }
  store.subscribe(({ strategy, herd, seed }) => {
    const { downMs, capacityPerS, demand } = herd;
    if (channel.order({ strategy, herd: { downMs, capacityPerS, demand }, seed })) {
      result = undefined;
      chosen.busy();
      all.busy();
    } else show();
  });
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

/** The article: a hedge on servers that others share. */
export function mountHedging(root: HTMLElement, store: Store, computer: Computer): void {
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
