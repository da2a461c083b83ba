/** The herd table: what each strategy sends to the server, and what becomes of its clients with both limits. */
import { linear, type Scale } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration, plural, rate, share } from '../charts/format';
import type { HerdResult, HerdRun } from './compute';
import { FIRST_CALLS_MS, LATENCY_MS } from '../compute/outage';
import { nameOf, sameChoice, type Strategy } from '../state/strategy';
import { rateAt, timeReadout, upTo } from '../charts/time-readout';
import { timeAxis } from '../charts/time-axis';
import { createPainter, legendHeight, servedCurve, serverBack, trafficLegend } from '../charts/traffic';

const NARROW = 620;
/** From the rows to the legend. */
const BELOW = 54;
/** The most rows: 12 of the four backoffs with three jitters, decorrelated, and a chosen one that is none of these. */
const ROWS = 13;
const LEGEND = { hasServed: true };
const NAMES_WIDTH = 190;

interface Measure {
  readonly head: string;
  readonly short: string;
  readonly width: number;
  readonly text: (run: HerdRun, result: HerdResult) => string;
  readonly isBad: (run: HerdRun, clients: number) => boolean;
}

const NUMBERS: readonly Measure[] = [
  {
    head: 'served as set',
    short: 'as set',
    width: 92,
    text: ({ served }) => count(served),
    isBad: ({ served }, clients) => served < 0.99 * clients,
  },
  {
    head: 'if patient',
    short: 'patient',
    width: 76,
    text: ({ patientlyServed }) => count(patientlyServed),
    isBad: ({ patientlyServed }, clients) => patientlyServed < 0.99 * clients,
  },
  {
    head: '99% by',
    short: '99% by',
    width: 76,
    text: ({ timeTo99Ms }) => (timeTo99Ms === undefined ? '–' : duration(timeTo99Ms)),
    isBad: () => false,
  },
  {
    head: 'calls each',
    short: 'calls',
    width: 82,
    text: ({ callsPerClient, isCut }) => `${isCut ? '>\u00a0' : ''}${callsPerClient.toFixed(1)}`,
    isBad: () => false,
  },
];

export const herd: FigureSpec<HerdResult> = {
  id: 'herd',
  title: 'Strategy or patience?',
  subtitle: ({ input }) => [
    `Served as set: ${limitsInWords(input.strategy)}. If patient: nobody gives up, which is what the strips and the ` +
      'last three columns show.',
  ],
  height(width, data) {
    const { bottom, strip } = layout(width, data);
    return bottom + BELOW + legendHeight(strip.width, LEGEND);
  },

  draw(result, width) {
    const { herd: outage, strategy } = result.input;
    const { isNarrow, rows, strip, bottom, columns } = layout(width, result);
    const paint = createPainter();
    const x = scaleOf(result, width);
    const marks: SVGElement[] = NUMBERS.map(({ head, short }, i) =>
      svg(
        'text',
        { x: columns[i], y: isNarrow ? 34 : 16, 'text-anchor': 'end', class: 'head' },
        isNarrow ? short : head,
      ),
    );
    marks.push(serverBack(x(outage.downMs), isNarrow ? 0 : 6));
    for (const [i, run] of result.runs.entries()) {
      const y = rows[i] ?? 0;
      const isChosen = sameChoice(run.choice, strategy);
      const box = { ...strip, y: y + (isNarrow ? 38 : 0) };
      const row = svg(
        'g',
        { class: `row${isChosen ? ' chosen' : ''}`, 'data-jitter': run.choice.jitter },
        svg('circle', { cx: 5, cy: y + 10, r: 4.5, class: 'mark' }),
        svg('text', { x: 17, y: y + 14, class: 'name' }, nameOf(run.choice)),
        paint(
          {
            arrivals: run.arrivals,
            accepted: run.accepted,
            binMs: result.binMs,
            capacityPerS: outage.capacityPerS,
            downFromMs: 0,
            downToMs: outage.downMs,
          },
          box,
        ),
        servedCurve(run.accepted, outage.clients, { ...box, y: box.y + box.height + 1, height: 8 }),
        ...NUMBERS.map(({ text, isBad }, n) =>
          svg(
            'text',
            {
              x: columns[n],
              y: y + (isNarrow ? 32 : 14),
              'text-anchor': 'end',
              class: isBad(run, outage.clients) ? 'number bad' : 'number',
            },
            text(run, result),
          ),
        ),
      );
      marks.push(row);
    }
    marks.push(
      timeAxis({ scale: x, title: 'time since the outage began', grid: [bottom, bottom] }),
      trafficLegend(paint, strip, bottom + BELOW, LEGEND),
    );
    return marks;
  },

  readout(result, width) {
    const { rows, bottom, pitch } = layout(width, result);
    const { downMs, clients } = result.input.herd;
    return timeReadout('herd', result, downMs, scaleOf(result, width), [rows[0] ?? 0, bottom], (ms, y) => {
      const at = y === undefined ? 0 : rows.findLastIndex((row) => row <= y && y < row + pitch);
      const run = result.runs[Math.max(0, at)];
      if (!run) return [];
      return [
        {
          name: nameOf(run.choice),
          value: `${rate(rateAt(run.arrivals, result, ms))} arrive`,
          jitter: run.choice.jitter,
        },
        { name: 'served so far', value: `${count(upTo(run.accepted, result, ms))} of ${count(clients)}` },
      ];
    });
  },

  describe: (result) => result.runs.map((run) => rowInWords(run, result)).join('. ') + '.',

  table: ({ runs, input }) => ({
    caption: `${count(input.herd.clients)} clients, as set and until served; seed ${input.seed}`,
    columns: [
      { name: 'strategy' },
      { name: 'served as set', unit: 'count' },
      { name: 'gave up', unit: 'count' },
      { name: 'served if patient', unit: 'count' },
      { name: '99% served', unit: 'ms' },
      { name: 'calls per client', unit: 'number' },
    ],
    rows: runs.map((run) => [
      nameOf(run.choice),
      run.served,
      run.gaveUp,
      run.patientlyServed,
      run.timeTo99Ms,
      run.callsPerClient,
    ]),
  }),

  note: ({ input, horizonMs, runs }) => {
    const { rejectionCost, capacityPerS } = input.herd;
    return [
      `All clients make their first call within ${duration(FIRST_CALLS_MS)}, and learn of its outcome after ` +
        `${duration(LATENCY_MS)}. The server can take ${rate(capacityPerS)}; a rejected call costs it ` +
        `${share(rejectionCost)} of a served one, also when it has nothing left. If patient: within ` +
        `${duration(horizonMs)}.` +
        (runs.some(({ isCut }) => isCut) ? ' Runs with very many calls are cut off.' : ''),
    ];
  },
};

export function limitsInWords({ maxAttempts, totalTimeoutMs }: Strategy): string {
  const parts = [
    ...(maxAttempts === Infinity ? [] : [`${plural(maxAttempts, 'attempt')} at most`]),
    ...(totalTimeoutMs === Infinity ? [] : [`a deadline of ${duration(totalTimeoutMs)}`]),
  ];
  return parts.join(', ') || 'no limit';
}

function rowInWords(run: HerdRun, { input, horizonMs }: HerdResult): string {
  const patient =
    run.timeTo99Ms === undefined
      ? `${count(run.patientlyServed)} within ${duration(horizonMs)} if patient`
      : `99% by ${duration(run.timeTo99Ms)} if patient`;
  return `${nameOf(run.choice)}: ${count(run.served)} of ${count(input.herd.clients)} served as set, ${patient}`;
}

function scaleOf(result: HerdResult, width: number): Scale {
  const { strip } = layout(width, result);
  return linear([0, result.horizonMs], [strip.x, strip.x + strip.width]);
}

function layout(width: number, data: HerdResult | undefined) {
  const isNarrow = width < NARROW;
  const [pitch, top] = isNarrow ? [70, 44] : [29, 26];
  const rows = Array.from({ length: data?.runs.length ?? ROWS }, (_, i) => top + i * pitch);
  const numbers = NUMBERS.reduce((sum, number) => sum + number.width, 0);
  let end = width - numbers;
  const columns = NUMBERS.map(({ width: wide }, i) => (isNarrow ? ((i + 1) * width) / 4 : (end += wide)));
  const strip = isNarrow
    ? { x: 0, width: width - 14, height: 13 }
    : { x: NAMES_WIDTH, width: width - numbers - NAMES_WIDTH - 4, height: 13 };
  return { isNarrow, pitch, rows, columns, strip, bottom: top + rows.length * pitch - 6 };
}
