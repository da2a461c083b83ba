/** The section of the live calls: its controls, the waterfall, and the sentence that sums a run up. */
import { html, place } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { plural, share } from '../charts/format';
import { LIVE_FAILURES, type State } from '../state/state';
import { store } from '../state/store';
import { NoFlakyServer, flakyStats, keepAlive, startFlakyServer } from './flaky-server';
import { forecast } from './forecast';
import type { Run } from './run';
import { startRun } from './send';
import { waterfall } from './waterfall';
import { counted, summary } from './words';
import './styles.css';

const FAILURES = { mixed: 'Mixed', 503: '503 responses', 429: '429 with Retry-After' };
const RATES = [0.3, 0.6, 0.9];
const CALLS = [1, 8, 50];

/** What the section shows: a forecast until a run has started, and then that run, which may be under way. */
interface Shown {
  readonly run: Run;
  readonly sentence: string;
  readonly running?: AbortController | undefined;
  /** What the server counted. */
  readonly counted?: string;
}

const option = (value: string | number, text: string): string => `<option value="${value}">${text}</option>`;
const key = (mark: string, text: string): string =>
  `<span><svg width="22" height="14" aria-hidden="true">${mark}</svg>${text}</span>`;
const bar = (kind: string, text: string): string =>
  key(`<g class="attempt ${kind}"><rect x="0.5" y="1" width="21" height="12" rx="3" /></g>`, text);

export function mountLive(root: HTMLElement): void {
  const controls = html('div', { class: 'live-controls' });
  const { failure, rate, calls, start, abort } = place<
    Record<'failure' | 'rate' | 'calls', HTMLSelectElement> & Record<'start' | 'abort', HTMLButtonElement>
  >(
    controls,
    `<label>Failure <select id="live-failure" data-as="failure">
      ${LIVE_FAILURES.map((value) => option(value, FAILURES[value])).join('')}</select></label>
    <label>Rate <select id="live-rate" data-as="rate">
      ${RATES.map((value) => option(value, share(value))).join('')}</select></label>
    <label>Calls <select id="live-calls" data-as="calls">
      ${CALLS.map((value) => option(value, String(value))).join('')}</select></label>
    <div class="buttons"><button id="live-start" type="button" class="primary" data-as="start"></button>
      <button id="live-abort" type="button" data-as="abort">Abort</button></div>`,
  );
  const { card, show } = mountFigure<Run>(root, waterfall(store.get().calls), controls);
  // The forecast is no status: it follows the controls of the whole page.
  const { expected, sentence } = place<Record<'expected' | 'sentence', HTMLElement>>(
    card,
    `<p class="legend">${bar('ok', 'answered')}${bar('failed', 'failed at once')}${bar('late', 'no answer in time')}
      ${key('<line x1="1" x2="21" y1="7" y2="7" class="wait" />', 'wait')}</p>
    <div class="live-words"><p id="live-forecast" data-as="expected"></p>
      <p id="live-sentence" role="status" data-as="sentence"></p></div>`,
  );

  let shown: Shown;
  /** The next state, and the page as it says. */
  function become(next: Shown): void {
    const focused = document.activeElement;
    shown = next;
    const { run, running } = next;
    start.disabled = running !== undefined;
    abort.disabled = !running;
    // The focus stays on a button that works.
    if (focused === start || focused === abort) (running ? abort : start).focus();
    expected.hidden = !run.isForecast || running !== undefined;
    expected.textContent = run.isForecast ? `${summary(run, false)} Nothing is sent yet.` : '';
    sentence.textContent = next.sentence;
    card.dataset.jitter = run.strategy.jitter;
    card.toggleAttribute('data-forecast', run.isForecast === true);
    card.dataset.run = run.name;
    if (next.counted) card.dataset.counted = next.counted;
    else delete card.dataset.counted;
    card.toggleAttribute('data-sent', next.counted !== undefined);
    show(run);
  }

  async function go(): Promise<void> {
    const state = store.get();
    const running = new AbortController();
    const { signal } = running;
    let rest = (): void => {};
    let text = '';
    become({ run: shown.run, running, sentence: `${plural(state.calls, 'call')} running.` });
    try {
      await startFlakyServer();
      rest = keepAlive();
      const atStart = await flakyStats('');
      if (signal.aborted) return void (text = 'Aborted before anything was sent.');
      const drawing = animation(() => show(shown.run));
      const { run, done } = startRun(state, signal, drawing.changed);
      become({ ...shown, run, running });
      await done.finally(drawing.end);
      const atEnd = await flakyStats(run.name);
      text = `${summary(run, signal.aborted)} ${counted(run, signal.aborted, atStart, atEnd)}`;
      shown = { ...shown, counted: JSON.stringify(atEnd) };
    } catch (error) {
      running.abort();
      text = error instanceof NoFlakyServer ? error.message : `The run failed: ${String(error)}`;
    } finally {
      rest();
      become({ ...shown, running: undefined, sentence: text });
    }
  }

  start.addEventListener('click', () => void go());
  abort.addEventListener('click', () => shown.running?.abort(new DOMException('stopped by Abort', 'AbortError')));
  failure.addEventListener('change', () => store.set({ failure: failure.value as State['failure'] }));
  rate.addEventListener('change', () => store.set({ rate: Number(rate.value) }));
  calls.addEventListener('change', () => store.set({ calls: Number(calls.value) }));
  store.subscribe((state, before) => {
    failure.value = state.failure;
    // A link may hold a rate of its own.
    if (![...rate.options].some(({ value }) => value === String(state.rate)))
      rate.insertAdjacentHTML('beforeend', option(state.rate, share(state.rate)));
    rate.value = String(state.rate);
    calls.value = String(state.calls);
    start.textContent = `Send ${plural(state.calls, 'call')}`;
    // Other settings than those of the run that is shown: a new forecast.
    const settings = ['strategy', 'seed', 'failure', 'rate', 'calls'] as const;
    if (before && (shown.running || settings.every((name) => state[name] === before[name]))) return;
    become({ run: forecast(state), sentence: '' });
  });
}

/** Draws frame by frame, or with reduced motion when something has happened; in at most a twentieth of the time. */
function animation(draw: () => void): { changed(): void; end(): void } {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let [isDue, isOver, notBefore] = [true, false, 0];
  const frame = (now: number): void => {
    if (isOver) return;
    if ((isDue || !still) && now >= notBefore) {
      draw();
      isDue = false;
      notBefore = now + 20 * (performance.now() - now);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return {
    changed: () => void (isDue = true),
    end() {
      isOver = true;
      draw();
    },
  };
}
