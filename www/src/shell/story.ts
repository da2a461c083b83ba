/** The sentence of a story's step, and the way on. */
import { store } from '../state/store';
import { stateOf, stepOf, storyMarkup, type Story } from '../state/story';
import type { State } from '../state/state';

/** Returns what says the sentence of the step that is shown, by its result. */
export function mountStory<R>(root: HTMLElement, story: Story<R>): (result: R) => void {
  root.insertAdjacentHTML('beforeend', storyMarkup('<span role="status" data-scene="why"></span>'));
  mountSteps(root, story);
  const why = root.querySelector('[data-scene="why"]') as HTMLElement;
  return (result) => (why.textContent = story.steps[stepOf(story, store.get())]?.why?.(result) ?? '');
}

/** The links of a story whose markup is there. `taken` is called when a step is. */
export function mountSteps<R>(root: HTMLElement, story: Story<R>, taken?: () => void): void {
  const part = <E extends HTMLElement>(name: string): E => root.querySelector(`[data-scene="${name}"]`) as E;
  const [back, next, stage] = [part<HTMLAnchorElement>('back'), part<HTMLAnchorElement>('next'), part('step')];
  const { steps, end } = story;
  store.subscribe((state) => {
    const at = stepOf(story, state);
    leadTo(back, stateOf(story, at - 1, state.protection), taken);
    leadTo(next, stateOf(story, at + 1, state.protection) ?? end?.href, taken);
    next.textContent = `${steps[at + 1]?.next ?? end?.next ?? ''} ›`;
    stage.textContent = at < 0 ? '' : `${at + 1} of ${steps.length}`;
  });
}

/** Gives a link an address, or the state with this part, which it sets without a new page; hides one without either. */
function leadTo(link: HTMLAnchorElement, to: Partial<State> | string | undefined, taken?: () => void): void {
  link.hidden = to === undefined;
  link.href = typeof to === 'string' ? to : store.linkTo(to, '');
  link.onclick = (event) => {
    if (typeof to !== 'object' || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    taken?.();
    store.set(to);
  };
}
