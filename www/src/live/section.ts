/** The section of the live calls: its controls, the waterfall, and the sentence that sums a run up. */
import { html, svg } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { plural, share } from '../charts/format';
import { LIVE_FAILURES, type LiveFailure, type State } from '../state/state';
import type { Store } from '../state/store';
import { drawer } from './drawer';
import { NoFlakyServer, flakyStats, keepAlive, startFlakyServer } from './flaky-server';
import { forecast } from './forecast';
import type { Run } from './run';
import { startRun } from './send';
import { waterfall } from './waterfall';
import { counted, requestsOf, summary } from './words';
import './styles.css';

const FAILURES: Record<LiveFailure, string> = { mixed: 'Mixed', 503: '503 responses', 429: '429 with Retry-After' };
const RATES = [0.3, 0.6, 0.9];
const CALLS = [1, 8, 50];

export function mountLive(root: HTMLElement, store: Store): void {
  const failure = select(
    'live-failure',
    LIVE_FAILURES.map((value) => [value, FAILURES[value]]),
  );
  const rate = select(
    'live-rate',
    RATES.map((value) => [String(value), share(value)]),
  );
  const calls = select(
    'live-calls',
    CALLS.map((value) => [String(value), String(value)]),
  );
  const start = html('button', { id: 'live-start', type: 'button', class: 'primary' });
  const abort = html('button', { id: 'live-abort', type: 'button' }, 'Abort');
  abort.disabled = true;
  const controls = html(
    'div',
    { class: 'live-controls' },
    html('label', {}, 'Failure', failure),
    html('label', {}, 'Rate', rate),
    html('label', {}, 'Calls', calls),
    html('div', { class: 'buttons' }, start, abort),
  );
  // Not a status: it follows the controls of the whole page.
  const expected = html('p', { id: 'live-forecast' });
  const sentence = html('p', { id: 'live-sentence', role: 'status' });
  const figure = mountFigure<Run>(root, waterfall(store.get().live.calls), controls);
  figure.card.append(legend(), html('div', { class: 'live-words' }, expected, sentence));

  let run: Run | undefined;
  let running: AbortController | undefined;

  /** The controls as the state has them; and, before the first run, what it will come to. */
  function showState({ live, seed, strategy }: State): void {
    failure.value = live.failure;
    // A link may hold a rate of its own.
    if (![...rate.options].some(({ value }) => value === String(live.rate)))
      rate.append(html('option', { value: String(live.rate) }, share(live.rate)));
    rate.value = String(live.rate);
    calls.value = String(live.calls);
    start.textContent = `Send ${plural(live.calls, 'call')}`;
    if (run) return;
    figure.card.dataset.jitter = strategy.jitter;
    figure.card.toggleAttribute('data-forecast', true);
    const shown = forecast({ strategy, seed, ...live });
    figure.show(shown);
    expected.textContent = `${summary(shown, false)} Nothing is sent yet.`;
  }

  async function go(): Promise<void> {
    const state = store.get();
    const controller = new AbortController();
    const { signal } = controller;
    running = controller;
    switchButtons(true);
    for (const name of ['run', 'sent', 'counted']) delete figure.card.dataset[name];
    let rest = (): void => {};
    expected.hidden = true;
    try {
      sentence.textContent = `${plural(state.live.calls, 'call')} running.`;
      await startFlakyServer();
      rest = keepAlive();
      const atStart = await flakyStats('');
      if (signal.aborted) {
        sentence.textContent = 'Aborted before anything was sent.';
        return;
      }
      const drawing = drawer(figure.show);
      const { strategy, seed, live } = state;
      const begun = startRun({ strategy, seed, calls: live.calls, target: live, signal, changed: drawing.changed });
      run = begun.run;
      figure.card.dataset.run = run.name;
      figure.card.removeAttribute('data-forecast');
      figure.card.dataset.jitter = strategy.jitter;
      drawing.begin(run);
      try {
        await begun.done;
      } finally {
        drawing.end();
      }
      const atEnd = await flakyStats(run.name);
      figure.card.dataset.counted = JSON.stringify(atEnd);
      sentence.textContent = `${summary(run, signal.aborted)} ${counted(run, signal.aborted, atStart, atEnd)}`;
      figure.card.dataset.sent = String(requestsOf(run));
    } catch (error) {
      controller.abort();
      sentence.textContent = error instanceof NoFlakyServer ? error.message : `The run failed: ${String(error)}`;
    } finally {
      rest();
      running = undefined;
      switchButtons(false);
    }
  }

  function switchButtons(on: boolean): void {
    // The focus stays on a button that works.
    const focused = document.activeElement === (on ? start : abort);
    start.disabled = on;
    abort.disabled = !on;
    if (focused) (on ? abort : start).focus();
  }

  start.addEventListener('click', () => void go());
  abort.addEventListener('click', () => running?.abort(new DOMException('stopped by the Abort button', 'AbortError')));
  const set = (part: Partial<State['live']>): void => store.set({ live: { ...store.get().live, ...part } });
  failure.addEventListener('change', () => set({ failure: failure.value as LiveFailure }));
  rate.addEventListener('change', () => set({ rate: Number(rate.value) }));
  calls.addEventListener('change', () => set({ calls: Number(calls.value) }));
  store.subscribe((state, before) => {
    // Other settings than those of the run that is shown: a new forecast.
    if (before && !running && (['live', 'strategy', 'seed'] as const).some((part) => state[part] !== before[part])) {
      run = undefined;
      sentence.textContent = '';
      expected.hidden = false;
    }
    showState(state);
  });
}

function select(id: string, options: readonly (readonly [value: string, text: string])[]): HTMLSelectElement {
  return html('select', { id }, ...options.map(([value, text]) => html('option', { value }, text)));
}

function legend(): HTMLElement {
  const bar = (kind: string): SVGElement =>
    svg('g', { class: `attempt ${kind}` }, svg('rect', { x: 0.5, y: 1, width: 21, height: 12, rx: 3 }));
  const entry = (mark: SVGElement, text: string): HTMLElement =>
    html('span', {}, svg('svg', { width: 22, height: 14, 'aria-hidden': 'true' }, mark), text);
  return html(
    'p',
    { class: 'legend' },
    entry(bar('ok'), 'answered'),
    entry(bar('failed'), 'failed at once'),
    entry(bar('late'), 'no answer in time'),
    entry(svg('line', { x1: 1, x2: 21, y1: 7, y2: 7, class: 'wait' }), 'wait'),
  );
}
