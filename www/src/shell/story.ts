/** The sentence of a story's step, and the way on. */
import { place } from '../charts/dom';
import { store } from '../state/store';
import { stateOf, stepOf, type Story } from '../state/story';
import { leadTo } from './header';

/** Returns what says the sentence of the step that is shown, by its result. */
export function mountStory<R>(root: HTMLElement, story: Story<R>): (result: R) => void {
  type Parts = Record<'why' | 'stage', HTMLElement> & Record<'back' | 'next', HTMLAnchorElement>;
  const { why, back, next, stage } = place<Parts>(
    root,
    `<div class="scene-steps"><p class="scene-why" role="status" data-as="why"></p><p class="scene-nav">
      <a data-as="back">‹ Back</a> <a class="button primary" data-as="next"></a><span data-as="stage"></span></p></div>`,
  );
  const { steps } = story;
  store.subscribe((state) => {
    const at = stepOf(story, state);
    leadTo(back, stateOf(story, at - 1, state.protection));
    leadTo(next, stateOf(story, at + 1, state.protection));
    next.textContent = `${steps[at + 1]?.next ?? ''} ›`;
    stage.textContent = at < 0 ? '' : `${at + 1} of ${steps.length}`;
  });
  return (result) => (why.textContent = steps[stepOf(story, store.get())]?.why(result) ?? '');
}
