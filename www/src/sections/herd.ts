/** The section on the herd: who meets the outage, and what becomes of the server. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { count, duration, rate, short } from '../charts/format';
import { sliderField, type SliderField } from '../charts/slider';
import type { Computer } from '../compute/client';
import { herdSource } from '../compute/herd-source';
import { arrivals } from '../figures/arrivals';
import { lanes } from '../figures/lanes';
import { LIMITS, type Herd, type Limits, type State } from '../state/state';
import type { Store } from '../state/store';
import { mountHerdTable } from './herd-table';

const CLIENTS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const OUTAGES = [1000, 2000, 3000, 5000, 8000, 10_000, 15_000, 20_000, 30_000, 60_000];
const REJECTION_COSTS = [0, 0.01, 0.05, 0.1];
const CAPACITIES = [20, 50, 80, 100, 120, 150, 200, 300, 500, 1000];

const LIMIT_NAMES: Record<Limits, string> = { set: 'As set', served: 'Until served' };

/** Time that the old picture stays; then the finished part of the new one is shown. */
const PATIENCE_MS = 400;

export function mountHerd(root: HTMLElement, store: Store, computer: Computer): void {
  const sub = html('p', { class: 'sub' });
  const controls = html('div', { class: 'herd-controls' });
  const panel = html('div');
  root.append(sub, controls, panel);
  const showControls = mountControls(controls, store);
  // Before the figures are mounted: they reserve their height by the width that they have.
  show(store.get());
  mountBounded(panel, store, computer);
  store.subscribe(show);

  function show(state: State): void {
    sub.textContent = sentence(state.herd);
    showControls(state);
  }
}

function sentence({ clients, downMs, capacityPerS }: Herd): string {
  return (
    `${count(clients)}\u00a0clients hit a server that is down for ${duration(downMs)}, then serves ` +
    `${short(capacityPerS)} calls a second. ` +
    'Pink is what it rejects.'
  );
}

function mountControls(root: HTMLElement, store: Store): (state: State) => void {
  const change = (part: Partial<Herd>): void => store.set({ herd: { ...store.get().herd, ...part } });
  const limits = LIMITS.map((value) => {
    const input = html('input', { type: 'radio', name: 'limits', value });
    input.addEventListener('change', () => change({ limits: value }));
    return input;
  });
  const labels = LIMITS.map((value, i) =>
    html('label', { class: 'choice' }, limits[i], html('span', {}, LIMIT_NAMES[value])),
  );
  root.append(
    html('fieldset', {}, html('legend', {}, 'Clients retry'), html('div', { class: 'choice-grid' }, ...labels)),
  );
  const field = (
    id: keyof Herd,
    label: string,
    stops: readonly number[],
    text: (value: number) => string,
  ): SliderField => sliderField(root, { id: `herd-${id}`, label, stops, text }, (value) => change({ [id]: value }));
  const clients = field('clients', 'Clients', CLIENTS, short);
  const outage = field('downMs', 'Outage', OUTAGES, duration);
  const capacity = field('capacityPerS', 'Server capacity', CAPACITIES, rate);
  const cost = field(
    'rejectionCost',
    'A rejected call costs',
    REJECTION_COSTS,
    (part) => `${Number((100 * part).toPrecision(3))}% of a served one`,
  );

  return ({ herd }) => {
    for (const radio of limits) radio.checked = radio.value === herd.limits;
    clients.show(herd.clients);
    outage.show(herd.downMs);
    capacity.show(herd.capacityPerS);
    cost.show(herd.rejectionCost);
  };
}

function mountBounded(root: HTMLElement, store: Store, computer: Computer): void {
  const table = mountHerdTable(root, store);
  const pair = html('div', { class: 'pair' });
  root.append(pair);
  const figures = { table, arrivals: mountFigure(pair, arrivals), lanes: mountFigure(pair, lanes) };
  const source = herdSource(store, computer);
  let orderedAt = performance.now();

  source.subscribe({
    show(result, whole) {
      if (!whole && performance.now() - orderedAt < PATIENCE_MS) return;
      for (const figure of Object.values(figures)) {
        figure.show(result);
        if (!whole) figure.busy();
      }
    },
    busy() {
      orderedAt = performance.now();
      for (const figure of Object.values(figures)) figure.busy();
    },
    fail(message) {
      for (const figure of Object.values(figures)) figure.fail(message);
    },
  });
  for (const [name, figure] of Object.entries(figures)) figure.onNear((near) => source.want(name, near));
}
