/** Wires the page together: one strategy and one seed; every figure follows them. */
import { version } from 'rejitter/package.json';
import { highlighted, program } from './code';
import { mountControls, withChange } from './controls';
import { atCap, delaysPlot } from './delays-plot';
import { delaysTable } from './delays-table';
import { byId, html, onWidth } from './dom';
import { count, duration, plural } from './format';
import { mountLive } from './live-section';
import { createSampler, type Request } from './sampler';
import type { PolicySample } from './sampling';
import { INITIAL, capitalised, curveActs, formula, title, type Strategy } from './strategy';
import { mountTheme } from './theme';
import './styles/base.css';
import './styles/controls.css';
import './styles/figures.css';

const INITIAL_SEED = 42;

let strategy = INITIAL;
let seed = INITIAL_SEED;
let shown: (Request & { sample: PolicySample }) | undefined;
let plotWidth = 0;

const figure = byId('delays');
const plot = byId('delays-plot');
const tableView = byId('delays-table');
const tableButton = byId<HTMLButtonElement>('delays-as-table');

const controls = mountControls(byId('controls-form'), (part) => update({ strategy: withChange(strategy, part) }));

const sampler = createSampler((request, answer, stale) => {
  if ('error' in answer) {
    plot.replaceChildren(html('p', { class: 'error' }, answer.error));
    return;
  }
  shown = { ...request, sample: answer.sample };
  drawDelays();
  figure.setAttribute('aria-busy', String(stale));
});

function update(next: { strategy?: Strategy; seed?: number }): void {
  strategy = next.strategy ?? strategy;
  seed = next.seed ?? seed;
  document.documentElement.dataset.jitter = strategy.jitter;
  controls.show(strategy);
  byId('seed').textContent = String(seed);
  byId('strategy-summary').textContent = summary(strategy);
  byId('code').replaceChildren(highlighted(program(strategy)));
  figure.setAttribute('aria-busy', 'true');
  sampler.request({ strategy, seed });
}

function drawDelays(): void {
  if (!shown || plotWidth === 0) return;
  const { strategy: drawn, sample } = shown;
  byId('delays-strategy').textContent = title(drawn);
  byId('delays-formula').textContent = formula(drawn);
  plot.replaceChildren(delaysPlot(drawn, sample, plotWidth));
  const caption = `Waits of ${count(sample.operations)} operations, seed ${shown.seed}`;
  tableView.replaceChildren(delaysTable(sample, caption));
  byId('delays-limits').textContent = limits(drawn, sample);
  byId('delays-sample').textContent = `${count(sample.operations)} operations`;
  byId('total-highest').textContent = duration(sample.total.highestMs);
  byId('total-p95').textContent = duration(sample.total.p95Ms);
  byId('total-mean').textContent = duration(sample.total.meanMs);
}

/** Which limits act in these waits; one that never acts is said to. */
function limits(drawn: Strategy, sample: PolicySample): string {
  const { capMs, truncateAt } = drawn;
  const n = sample.waits.length;
  const first = sample.waits.find((wait) => atCap(wait, capMs))?.k;
  const said = [];
  if (drawn.backoff === 'truncated' && curveActs(drawn)) {
    const acts = truncateAt < n && (first === undefined || first > truncateAt);
    said.push(acts ? `The curve stops growing at wait ${truncateAt}.` : `Truncation at wait ${truncateAt} does not act in these ${n} waits.`);
  }
  const cap = `cap of ${duration(capMs)}`;
  if (first === undefined) said.push(`The ${cap} is never reached in ${n} waits.`);
  else said.push(curveActs(drawn) ? `The ${cap} bounds the waits from wait ${first} on.` : `A wait can reach the ${cap} from wait ${first} on.`);
  return said.join(' ');
}

function summary(chosen: Strategy): string {
  const { backoff, jitter, baseMs, capMs, maxAttempts } = chosen;
  const kind = curveActs(chosen) ? `${capitalised(backoff)} · ${jitter}` : capitalised(jitter);
  return `${kind} · ${duration(baseMs)} to ${duration(capMs)} · ${plural(maxAttempts, 'attempt')}`;
}

function mountSeed(): void {
  byId('new-seed').addEventListener('click', () => update({ seed: crypto.getRandomValues(new Uint16Array(1))[0] ?? INITIAL_SEED }));
  byId('reset').addEventListener('click', () => update({ strategy: INITIAL, seed: INITIAL_SEED }));
}

function mountTableButton(): void {
  tableButton.addEventListener('click', () => {
    const on = tableButton.getAttribute('aria-pressed') !== 'true';
    tableButton.setAttribute('aria-pressed', String(on));
    tableView.hidden = !on;
    byId('delays-view').hidden = on;
  });
}

function mountCopy(): void {
  const button = byId<HTMLButtonElement>('copy');
  button.addEventListener('click', async () => {
    const text = byId('code').textContent ?? '';
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
    if (!copied) getSelection()?.selectAllChildren(byId('code'));
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
}

/** On a phone the controls open from the bar that sums them up. */
function mountPanel(): void {
  const button = byId<HTMLButtonElement>('edit-strategy');
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') !== 'true';
    button.setAttribute('aria-expanded', String(open));
    button.textContent = open ? 'Done' : 'Edit';
    byId('controls').classList.toggle('open', open);
  });
}

byId('version').textContent = version;
mountTheme();
mountPanel();
mountSeed();
mountTableButton();
mountCopy();
mountLive({ strategy: () => strategy, seed: () => seed });
onWidth(plot, (width) => {
  plotWidth = width;
  drawDelays();
});
update({});
