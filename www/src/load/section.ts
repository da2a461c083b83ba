/** Load with new requests all the time: what a budget and a breaker, which all clients share, do to it. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, share, short } from '../charts/format';
import { onNear } from '../charts/near';
import { sliderField } from '../charts/slider';
import type { Computer } from '../compute/client';
import { follow } from '../shell/follow';
import { leadTo } from '../shell/lead';
import { partToggles, switchField } from '../shell/toggles';
import { problemOf } from '../state/state';
import type { Store } from '../state/store';
import { DEMANDS, FAILING, SHARED, loadInput, type LoadResult } from './compute';
import { load } from './figure';
import { recovery } from './recovery';
import { STEPS, stateOf, stepOf } from './steps';
import './styles.css';

export function mountLoad(root: HTMLElement, store: Store, computer: Computer): void {
  const sub = html('p', { class: 'sub' });
  const steps = mountSteps(store);
  const retries = switchField('retry', (on) => {
    const { protection } = store.get();
    store.set({ protection: { ...protection, retries: on ? 'on' : 'off' } });
  });
  const parts = partToggles(store, 'All clients', ['budget', 'breaker'], [retries.label]);
  const controls = html('div', { class: 'fields' }, parts);
  root.append(sub, steps.box, controls);
  const slider = (name: 'demand' | 'failing', label: string, stops: readonly number[], text: (n: number) => string) =>
    sliderField(controls, { id: name, label, stops, text, problem: (n) => problemOf(name, label, n) }, (value) =>
      store.set({ herd: { ...store.get().herd, [name]: value } }),
    );
  const demand = slider('demand', 'New requests', DEMANDS, (value) => `${share(value)} of capacity`);
  const failing = slider('failing', 'Fail at random', FAILING, (value) => `${share(value)} of answers`);
  store.subscribe(({ herd, protection }) => {
    demand.show(herd.demand);
    failing.show(herd.failing);
    retries.input.checked = protection.retries === 'on';
    const outage = herd.downMs === 0 ? 'It never stops.' : `Then it stops once, for ${duration(herd.downMs)}.`;
    sub.textContent =
      `${short(herd.demand * herd.capacityPerS)} new requests a second reach a server that can handle ` +
      `${short(herd.capacityPerS)}. ${outage}`;
  });
  const chosen = mountFigure(root, recovery);
  const all = mountFigure(root, load);
  const both = {
    onNear: (changed: (near: boolean) => void): void => onNear(root, changed),
    busy(): void {
      chosen.busy();
      all.busy();
    },
    fail(message: string): void {
      chosen.fail(message);
      all.fail(message);
    },
  };
  follow(both, store, computer, 'load', loadInput, (result, _, whole) => {
    chosen.show(result);
    chosen.busy(!whole);
    if (result.runs.length < SHARED.length) return;
    all.show(result);
    steps.show(result);
  });
}

/** The story: a sentence of the step that is shown, and the way on. */
function mountSteps(store: Store) {
  const why = html('p', { class: 'scene-why', role: 'status' });
  const back = html('a', {}, '‹ Back');
  const next = html('a', { class: 'button primary' });
  const place = html('span');
  const box = html('div', { class: 'scene-steps' }, why, html('p', { class: 'scene-nav' }, back, ' ', next, place));

  store.subscribe((state) => {
    const at = stepOf(state);
    const [previous, following] = [STEPS[at - 1], STEPS[at + 1]];
    leadTo(back, store, previous && stateOf(previous, state));
    leadTo(next, store, following && stateOf(following, state));
    next.textContent = `${following?.next ?? ''} ›`;
    place.textContent = at < 0 ? '' : `${at + 1} of ${STEPS.length}`;
  });

  return {
    box,
    show(result: LoadResult): void {
      why.textContent = STEPS[stepOf(store.get())]?.why(result) ?? '';
    },
  };
}
