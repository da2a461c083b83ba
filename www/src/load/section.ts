/** Load with new requests all the time: what a budget and a breaker, which all clients share, do to it. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, short } from '../charts/format';
import { follow } from '../compute/client';
import { settingSlider, switches } from '../shell/controls';
import { mountStory } from '../shell/story';
import { store } from '../state/store';
import { SHARED, loadInput } from './compute';
import { load } from './figure';
import { recovery } from './recovery';
import { STORY } from './steps';
import './styles.css';

export function mountLoad(root: HTMLElement): void {
  const sub = html('p', { class: 'sub' });
  root.append(sub);
  const say = mountStory(root, STORY);
  const controls = html('div', { class: 'fields' }, switches('All clients', ['retry', 'budget', 'breaker']));
  root.append(controls);
  settingSlider(controls, 'demand');
  settingSlider(controls, 'failing');
  store.subscribe((state) => {
    const { demand, capacityPerS, downMs } = state;
    const outage = downMs === 0 ? 'It never stops.' : `Then it stops once, for ${duration(downMs)}.`;
    sub.textContent =
      `${short(demand * capacityPerS)} new requests a second reach a server that can handle ` +
      `${short(capacityPerS)}. ${outage}`;
  });
  const [chosen, all] = [mountFigure(root, recovery), mountFigure(root, load)];
  follow(root, [chosen, all], 'load', loadInput, (result, _, whole) => {
    chosen.show(result, whole);
    if (result.runs.length < SHARED.length) return;
    all.show(result);
    say(result);
  });
}
