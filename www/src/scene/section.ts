/** The first screen: a sentence whose words are the strategy, its result, and the picture with a playhead. */
import { html } from '../charts/dom';
import { channel } from '../compute/client';
import { mountSteps } from '../shell/story';
import { store } from '../state/store';
import { cost, described, headline } from './compared';
import { BINS, endOf, sceneInput, type SceneResult } from './compute';
import { mountBefore } from './before';
import { axis, key, ticks, words } from './markup';
import { picture } from './picture';
import { PARTS, STORY, ending, isBad, momentAt, momentInWords, momentOf, opening, sentence } from './words';
import './styles.css';

/** Simulated time per time while it plays. */
const SPEED = 8;

/** `drawn`: what the build has drawn into the page. Resolves when the scene shows what the page's link asks for. */
export function mountScene(root: HTMLElement, drawn: SceneResult): Promise<void> {
  const find = <E extends Element = HTMLElement>(selector: string): E => root.querySelector(selector) as E;
  const part = <E extends HTMLElement = HTMLElement>(name: string): E => find<E>(`[data-scene="${name}"]`);
  const card = find('.scene');
  const head = find<HTMLInputElement>('.scene-moment');
  const play = find<HTMLButtonElement>('.scene-play');
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  let result = drawn;
  let isWhole = true;
  let frame = 0;
  /** Whether the next result is played: at the start, and when a step is taken. */
  let plays = true;
  let shown = (): void => {};
  const first = new Promise<void>((resolve) => (shown = resolve));

  const { order, cancel } = channel('scene', 'scene', show, (message) => {
    shown();
    part('cost').replaceChildren(html('span', { class: 'error' }, message));
    card.setAttribute('aria-busy', 'false');
  });

  function show(next: SceneResult, whole = true): void {
    result = next;
    isWhole = whole;
    const svg = find('.scene-picture svg');
    svg.innerHTML = picture(next);
    svg.setAttribute('aria-label', described(next));
    part('cost').textContent = cost(next);
    // With the space before the button: one between the two would move when the button comes.
    part('why').textContent = `${sentence(next)} `;
    part('key').textContent = key(next);
    part('ticks').innerHTML = ticks(next);
    find('.scene-axis').innerHTML = axis(next);
    const needs = typeof next.needs === 'number' ? next.needs : undefined;
    part('needs').hidden = needs === undefined;
    part('needs').textContent = needs === undefined ? '' : `Try ${needs} attempts`;
    part('needs').onclick = () => store.set({ strategy: { ...next.input.strategy, maxAttempts: needs ?? Infinity } });
    card.setAttribute('aria-busy', String(!whole));
    if (whole && plays && !still.matches) run();
    else if (!frame) head.valueAsNumber = last();
    if (whole) plays = false;
    move();
    shown();
  }

  /** The playhead's last place: nothing is known after it. */
  const last = (): number => Math.floor((BINS * endOf(result)) / result.spanMs);

  /** Shows the moment of the playhead: what the server does, and what has been seen so far. */
  function move(): void {
    head.valueAsNumber = Math.min(head.valueAsNumber, last());
    const at = head.valueAsNumber / BINS;
    const ms = at * result.spanMs;
    const moment = momentAt(result, ms);
    const { capacityPerS, rejectionCost } = result.input.herd;
    // By a transform: the fading of what is to come is no shift of the layout.
    find<HTMLElement>('.scene-after').style.transform = `translateX(${100 * at}%)`;
    const share = (perS: number): string => `${Math.min(100, (100 * perS) / capacityPerS).toFixed(1)}%`;
    find<HTMLElement>('.scene-bar .served').style.width = moment.isDown ? '0' : share(moment.servedPerS);
    find<HTMLElement>('.scene-bar .rejected').style.width = moment.isDown
      ? '0'
      : share(moment.rejectedPerS * rejectionCost);
    find('.scene-server').classList.toggle('is-down', moment.isDown);
    const output = find('output');
    output.textContent = momentInWords(moment, ms);
    head.setAttribute('aria-valuetext', output.textContent);
    const { other } = result;
    const seen = { served: moment.served, ...(other && { other: { ...other, served: momentAt(other, ms).served } }) };
    part('headline').textContent = `${headline(frame ? { ...result, ...seen } : result)}${isWhole ? '' : ' so far'}`;
    part('headline').classList.toggle('bad', isBad(result));
    root.toggleAttribute('data-playing', frame !== 0);
    root.toggleAttribute('data-early', frame !== 0 && ms < momentOf(result));
  }

  function stop(): void {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = '▶ Play';
    move();
  }

  function run(): void {
    cancelAnimationFrame(frame);
    play.textContent = '❚❚ Pause';
    if (plays || head.valueAsNumber >= last()) head.value = '0';
    let before = performance.now();
    let at = head.valueAsNumber;
    const step = (now: number): void => {
      at += (Math.max(0, now - before) * SPEED * BINS) / Math.max(result.spanMs, 1);
      before = now;
      head.valueAsNumber = at;
      if (at >= last()) return stop();
      move();
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  play.addEventListener('click', () => (frame ? stop() : run()));
  head.addEventListener('input', stop);
  addEventListener('beforeprint', () => {
    head.valueAsNumber = last();
    stop();
  });
  still.addEventListener('change', () => still.matches && stop());

  root.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    const word = PARTS.find(({ name }) => name === target.name)?.words.find(({ text }) => text === target.value);
    if (word) store.set({ strategy: word.set(store.get().strategy) });
  });

  // The next step is played.
  mountSteps(root, STORY, () => (plays = true));
  mountBefore(find('.scene-before'), () => result);
  store.subscribe((state, before) => {
    const { strategy } = state;
    part('opening').textContent = opening(state);
    part('ending').textContent = ending(strategy);
    part('retries').hidden = strategy.maxAttempts === 1;
    for (const one of PARTS) {
      const group = find(`[data-part="${one.name}"]`);
      const had = group.contains(document.activeElement);
      const made = document.createRange().createContextualFragment(words(one, state)).firstElementChild;
      if (made) group.replaceWith(made);
      if (had) made?.querySelector<HTMLInputElement>(':checked')?.focus();
    }
    const input = sceneInput(state);
    if (before && keyOf({ input }) === keyOf(result)) return;
    // Another scene: its result stands at once, unless it is a step.
    if (frame) stop();
    // The one that takes seconds is there from the start.
    if (keyOf({ input }) === keyOf(drawn)) {
      cancel();
      show(drawn);
    } else if (order(input)) card.setAttribute('aria-busy', 'true');
  });
  return first;
}

function keyOf({ input }: Pick<SceneResult, 'input'>): string {
  return JSON.stringify(input);
}
