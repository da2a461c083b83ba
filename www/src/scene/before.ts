/** The choice of the strategy before: a package, options of one that are pasted, a preset, or the scene as it is. */
import { copies } from '../charts/dom';
import { beforeOf, pastedWords, problemOf, wordsOf } from '../state/before';
import { store } from '../state/store';
import { stepOf } from '../state/story';
import { INITIAL } from '../state/strategy';
import { markdown } from './compared';
import type { SceneResult } from './compute';
import { STORY } from './words';

export function mountBefore(root: HTMLElement, shown: () => SceneResult): void {
  const part = <E extends HTMLElement = HTMLElement>(name: string): E =>
    root.querySelector(`[data-before="${name}"]`) as E;
  const [menu, options] = [part<HTMLSelectElement>('menu'), part<HTMLInputElement>('options')];
  const [copy, said] = [part('copy'), part('said')];
  const own = new Set(Array.from(menu.options, ({ value }) => value));

  /** A scene that fails on purpose is not what somebody would change to. */
  function compare(vs: string): void {
    const step = stepOf(STORY, store.get());
    const fails = vs !== '' && step >= 0 && step < STORY.steps.length - 1;
    store.set({ vs, ...(fails && { strategy: INITIAL }) });
  }

  function say(text: string, isError = false): void {
    said.textContent = text;
    said.className = isError ? 'error' : '';
    options.setAttribute('aria-invalid', String(isError));
  }

  menu.addEventListener('change', () => {
    options.value = '';
    say('');
    compare(menu.value === 'this' ? wordsOf(store.get().strategy) : menu.value);
  });
  options.addEventListener('change', () => {
    if (options.value.trim() === '') return say('');
    const pasted = pastedWords(options.value, beforeOf(store.get().vs)?.of);
    if (!pasted) return say('No option of these packages is in this text.', true);
    const problem = problemOf(pasted.words);
    if (problem !== undefined) return say(problem, true);
    compare(pasted.words);
    say(pasted.unread.length > 0 ? `Not read, because no wait depends on it: ${pasted.unread.join(', ')}.` : '');
  });
  copies(copy, () => markdown(shown(), new URL(store.linkTo({}, ''), location.href).href));

  store.subscribe(({ vs }, before) => {
    if (before?.vs === vs) return;
    copy.hidden = vs === '';
    if (vs === '') options.value = '';
    // One that is not in the menu is there as long as it is chosen.
    for (const option of [...menu.options]) if (!own.has(option.value)) option.remove();
    if (!own.has(vs)) menu.add(new Option(beforeOf(vs)?.name ?? vs, vs), 1);
    menu.value = vs;
  });
}
