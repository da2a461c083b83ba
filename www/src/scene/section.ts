/** The first screen: a sentence whose words are the controls, its result, and the picture with a playhead. */
import { html } from '../charts/dom';
import type { Computer } from '../compute/client';
import type { Scene, State } from '../state/state';
import { linkTo, type Store } from '../state/store';
import { BINS, endOf, sceneInput, type SceneResult } from './compute';
import { axis, capacityLabel, capacityStyle } from './markup';
import { picture } from './picture';
import { STEPS, cost, described, headline, isBad, moment, opening, policyInWords, sentence, stepOf } from './words';
import './styles.css';

/** Simulated time per time while it plays. */
const SPEED = 8;

/** `drawn`: what the build has drawn into the page. */
export function mountScene(root: HTMLElement, store: Store, computer: Computer, drawn: SceneResult): void {
  const part = <E extends HTMLElement = HTMLElement>(name: string): E =>
    root.querySelector<E>(`[data-scene="${name}"]`) ?? missing(name);
  const card = root.querySelector<HTMLElement>('.scene') ?? missing('card');
  const svg = root.querySelector('.scene-picture svg') ?? missing('picture');
  const after = root.querySelector<HTMLElement>('.scene-after') ?? missing('after');
  const head = root.querySelector<HTMLInputElement>('.scene-moment') ?? missing('head');
  const output = root.querySelector('output') ?? missing('output');
  const play = root.querySelector<HTMLButtonElement>('.scene-play') ?? missing('play');
  const radios = [...root.querySelectorAll<HTMLInputElement>('.words input')];
  /** The step that takes seconds is there from the start. */
  const known = new Map([[keyOf(drawn), drawn]]);
  let result = drawn;
  let frame = 0;

  const channel = computer.channel('scene', show, (message) => {
    part('cost').replaceChildren(html('span', { class: 'error' }, message));
    card.setAttribute('aria-busy', 'false');
  });

  function show(next: SceneResult, whole = true): void {
    const wasAtEnd = head.valueAsNumber >= last(result);
    result = next;
    if (wasAtEnd) head.valueAsNumber = last(next);
    if (whole) known.set(keyOf(next), next);
    svg.innerHTML = picture(next);
    svg.setAttribute('aria-label', described(next));
    part('headline').textContent = headline(next);
    part('headline').classList.toggle('bad', isBad(next));
    part('cost').textContent = cost(next);
    part('why').textContent = sentence(next);
    const { scene } = store.get();
    const needs = typeof next.needs === 'number' ? next.needs : undefined;
    const button = part('needs');
    button.hidden = needs === undefined;
    button.textContent = needs === undefined ? '' : `Try ${needs} attempts`;
    button.onclick = () => {
      // A word of the sentence, if there is one.
      if (scene.retry !== 'policy' && needs === 10) store.set({ scene: { ...scene, giveUp: '10' } });
      else store.set({ strategy: { ...next.input.strategy, maxAttempts: needs ?? Infinity } });
    };
    const capacity = root.querySelector<HTMLElement>('.scene-capacity') ?? missing('capacity');
    capacity.textContent = capacityLabel(next);
    capacity.style.top = capacityStyle(next);
    const ticks = root.querySelector('.scene-axis') ?? missing('axis');
    ticks.innerHTML = axis(next);
    card.setAttribute('aria-busy', String(!whole));
    move();
  }

  /** The playhead's last place: nothing is known after it. */
  const last = (shown: SceneResult): number => Math.floor((BINS * endOf(shown)) / shown.spanMs);

  /** Fades the part after the playhead. */
  function move(): void {
    head.valueAsNumber = Math.min(head.valueAsNumber, last(result));
    const at = head.valueAsNumber / BINS;
    after.style.left = `${100 * at}%`;
    output.textContent = moment(result, at * result.spanMs);
    head.setAttribute('aria-valuetext', output.textContent);
  }

  function stop(): void {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = '▶';
    play.setAttribute('aria-label', 'Play');
  }

  function run(): void {
    play.textContent = '❚❚';
    play.setAttribute('aria-label', 'Pause');
    if (head.valueAsNumber >= last(result)) head.value = '0';
    let before = performance.now();
    let at = head.valueAsNumber;
    const step = (now: number): void => {
      at += ((now - before) * SPEED * BINS) / Math.max(result.spanMs, 1);
      before = now;
      head.valueAsNumber = at;
      move();
      if (at >= last(result)) stop();
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  play.addEventListener('click', () => (frame ? stop() : run()));
  head.addEventListener('input', () => {
    stop();
    move();
  });
  for (const radio of radios)
    radio.addEventListener('change', () =>
      store.set({ scene: { ...store.get().scene, [radio.name]: radio.value } as Scene }),
    );

  /** The address of another scene with the same clients; it is shown without a new page. */
  function leadTo(link: HTMLAnchorElement, state: State, scene: Scene | undefined): void {
    link.hidden = scene === undefined;
    if (!scene) return;
    link.href = linkTo({ ...state, scene }, { hash: '' });
    link.onclick = (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      store.set({ scene });
    };
  }

  store.subscribe((state) => {
    const { scene } = state;
    const isPolicy = scene.retry === 'policy';
    for (const radio of radios) radio.checked = scene[radio.name as keyof Scene] === radio.value;
    part('opening').textContent = opening(state);
    part('worded').hidden = isPolicy;
    part('policy').hidden = !isPolicy;
    part('policy').textContent = isPolicy ? ` or with this policy: ${policyInWords(state)}.` : '';
    const step = stepOf(scene);
    leadTo(part<HTMLAnchorElement>('back'), state, STEPS[step - 1]);
    const next = part<HTMLAnchorElement>('next');
    if (step === STEPS.length - 1) {
      next.href = '#today-heading';
      next.onclick = null;
    } else leadTo(next, state, STEPS[step + 1]);
    next.textContent = `${STEPS[step]?.next ?? 'From the start, in four steps'} ›`;
    part('step').textContent = step < 0 ? '' : `${step + 1} of ${STEPS.length}`;
    const input = sceneInput(state);
    const found = known.get(keyOf({ input }));
    if (found) {
      channel.cancel();
      show(found);
    } else if (channel.order(input)) card.setAttribute('aria-busy', 'true');
  });
}

function keyOf({ input }: Pick<SceneResult, 'input'>): string {
  return JSON.stringify(input, (_, value: unknown) => (value === Infinity ? 'Infinity' : value));
}

function missing(name: string): never {
  throw new Error(`the page has no ${name} of the scene`);
}
