/** Load with new requests all the time: what a budget and a breaker, which all clients share, do to it. */
import { html, onNear, place } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, short } from '../charts/format';
import { follow } from '../compute/client';
import { settingSlider, switches } from '../shell/controls';
import { leadTo } from '../shell/header';
import { store } from '../state/store';
import { SHARED, loadInput } from './compute';
import { load } from './figure';
import { recovery } from './recovery';
import { STEPS, stateOf, stepOf } from './steps';
import './styles.css';

export function mountLoad(root: HTMLElement): void {
  type Parts = Record<'sub' | 'why' | 'stage', HTMLElement> & Record<'back' | 'next', HTMLAnchorElement>;
  const { sub, why, back, next, stage } = place<Parts>(
    root,
    `<p class="sub" data-as="sub"></p>
    <div class="scene-steps"><p class="scene-why" role="status" data-as="why"></p><p class="scene-nav">
      <a data-as="back">‹ Back</a> <a class="button primary" data-as="next"></a><span data-as="stage"></span></p></div>`,
  );
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
    // The story: a sentence of the step that is shown, and the way on.
    const at = stepOf(state);
    leadTo(back, stateOf(STEPS[at - 1]));
    leadTo(next, stateOf(STEPS[at + 1]));
    next.textContent = `${STEPS[at + 1]?.next ?? ''} ›`;
    stage.textContent = at < 0 ? '' : `${at + 1} of ${STEPS.length}`;
  });
  const figures = [mountFigure(root, recovery), mountFigure(root, load)] as const;
  const [chosen, all] = figures;
  const both = {
    onNear: (changed: (near: boolean) => void): void => onNear(root, changed),
    busy(): void {
      for (const { busy } of figures) busy();
    },
    fail(message: string): void {
      for (const { fail } of figures) fail(message);
    },
  };
  follow(both, 'load', loadInput, (result, state, whole) => {
    chosen.show(result, whole);
    if (result.runs.length < SHARED.length) return;
    all.show(result);
    why.textContent = STEPS[stepOf(state)]?.why(result) ?? '';
  });
}
