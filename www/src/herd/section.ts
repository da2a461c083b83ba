/** The section on the herd: who meets the outage, and what becomes of the server. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { count, duration, rate, share, short } from '../charts/format';
import { sliderField, type SliderField } from '../charts/slider';
import type { Computer } from '../compute/client';
import { follow, settingsOf } from '../shell/follow';
import { herd } from './figure';
import { LIMITS, type Herd, type Limits, type State } from '../state/state';
import type { Store } from '../state/store';

const CLIENTS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const OUTAGES = [1000, 2000, 3000, 5000, 8000, 10_000, 15_000, 20_000, 30_000, 60_000];
const REJECTION_COSTS = [0, 0.01, 0.05, 0.1];
const CAPACITIES = [20, 50, 80, 100, 120, 150, 200, 300, 500, 1000];

const LIMIT_NAMES: Record<Limits, string> = { set: 'As set', served: 'Until served' };

export function mountHerd(root: HTMLElement, store: Store, computer: Computer): void {
  const sub = html('p', { class: 'sub' });
  const controls = html('div', { class: 'herd-controls' });
  const panel = html('div');
  root.append(sub, controls, panel);
  const showControls = mountControls(controls, store);
  // Before the figures are mounted: they reserve their height by the width that they have.
  show(store.get());
  mountTable(panel, store, computer);
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
    'A rejected call costs capacity too, also when the server has none left: it has to make up for that first.'
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
    html(
      'fieldset',
      {},
      html('legend', {}, 'Scene and verdict: clients retry'),
      html('div', { class: 'choice-grid' }, ...labels),
    ),
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
  const cost = field('rejectionCost', 'Cost of a rejected call', REJECTION_COSTS, share);

  return ({ herd }) => {
    for (const radio of limits) radio.checked = radio.value === herd.limits;
    clients.show(herd.clients);
    outage.show(herd.downMs);
    capacity.show(herd.capacityPerS);
    cost.show(herd.rejectionCost);
  };
}

function mountTable(root: HTMLElement, store: Store, computer: Computer): void {
  const figure = mountFigure(root, herd);
  follow(figure, store, computer, 'herd', settingsOf, (result, _, whole) => {
    figure.show(result);
    figure.busy(!whole);
  });
}
