/**
 * One scene on a canvas: clients at the left, their calls on the way, the server's load, and below them the time line.
 */
import { colorOf, mixed, type Rgb } from '../charts/colors';
import { count, rate } from '../charts/format';
import { TRACED } from '../compute/herd';
import { BIN_MS, HORIZON_MS, OUTAGE, type SceneRun } from './runs';

export interface Picture {
  resize(width: number): void;
  /** Reads the colours of the page again. */
  recolour(): void;
  /** The scene at one moment. */
  moving(ms: number): void;
  /** The whole time line at once. */
  still(): void;
}

const TOP = 22;
const PITCH = 5.75;
const LANES = TOP + TRACED * PITCH;
/** Heights of the time line: a curve of the served, a strip of the calls, an axis. */
const CURVE = LANES + 14;
const CURVE_HEIGHT = 30;
const STRIP = CURVE + CURVE_HEIGHT + 3;
const STRIP_HEIGHT = 8;
export const HEIGHT = STRIP + STRIP_HEIGHT + 20;

const LEFT = 6;
/** Space for the server's bar and the words next to it. */
const RIGHT = 112;
const BAR = { offset: 12, width: 36 } as const;
const DOT = 2;
const FONT = '12px Inter, system-ui, sans-serif';
const BOLD = '650 13px Inter, system-ui, sans-serif';

/** How long a call is drawn before it arrives, and how long after it was rejected, in simulated time. */
const FLIGHT_MS = 1000;
const RETURN_MS = 450;
/** The bar shows the calls of this time. */
const LOAD_MS = 450;
/** Up to the capacity the bar is linear, above it logarithmic up to this multiple of the capacity. */
const CAPACITY_AT = 0.35;
const MOST_LOAD = 1000;
const TICKS_S = [0, 10, 20, 30, 40];

interface Colours {
  readonly card: Rgb;
  readonly text: Rgb;
  readonly muted: Rgb;
  readonly ground: Rgb;
  readonly line: Rgb;
  readonly hue: Rgb;
  readonly failed: Rgb;
}

const css = (rgb: Rgb, alpha = 1): string => `rgb(${rgb.join(' ')} / ${alpha})`;

export function createPicture(canvas: HTMLCanvasElement, run: SceneRun, jitter: 'none' | 'full'): Picture {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser has no 2D canvas.');
  const ctx = context;
  const { clients, timesMs, outcomes } = run.traces;
  const servedAt = new Float64Array(TRACED).fill(Infinity);
  for (const [i, client] of clients.entries()) if (outcomes[i] === 1) servedAt[client] = timesMs[i] ?? Infinity;
  const arrivalsUpTo = sums(run.arrivals);
  const acceptedUpTo = sums(run.accepted);

  let width = 0;
  let colours = readColours();
  /** The time line is drawn once, and shown up to the moment. */
  let line: HTMLCanvasElement | undefined;

  function readColours(): Colours {
    return {
      card: colorOf('--card'),
      text: colorOf('--text'),
      muted: colorOf('--muted'),
      ground: colorOf('--sunken'),
      line: colorOf('--line'),
      hue: colorOf(`--${jitter}`),
      failed: colorOf('--failed'),
    };
  }

  const end = (): number => width - RIGHT;
  const x = (ms: number): number => LEFT + (ms / HORIZON_MS) * (end() - LEFT);
  const laneY = (client: number): number => TOP + (client + 0.5) * PITCH;

  function clear(): void {
    ctx.fillStyle = css(colours.card);
    ctx.fillRect(0, 0, width, HEIGHT);
  }

  function text(
    words: string,
    at: number,
    y: number,
    { font = FONT, colour = colours.muted, align = 'left' as CanvasTextAlign } = {},
  ): void {
    ctx.font = font;
    ctx.fillStyle = css(colour);
    ctx.textAlign = align;
    ctx.fillText(words, at, y);
  }

  function drawLine(): HTMLCanvasElement {
    const image = document.createElement('canvas');
    const scale = devicePixelRatio;
    image.width = Math.ceil(width * scale);
    image.height = Math.ceil((CURVE_HEIGHT + 3 + STRIP_HEIGHT) * scale);
    const on = image.getContext('2d');
    if (!on) return image;
    on.scale(scale, scale);
    on.fillStyle = css(colours.ground);
    on.fillRect(LEFT, CURVE_HEIGHT + 3, end() - LEFT, STRIP_HEIGHT);
    for (let left = LEFT; left < end(); left++) {
      const from = ((left - LEFT) / (end() - LEFT)) * HORIZON_MS;
      const toMs = ((left + 1 - LEFT) / (end() - LEFT)) * HORIZON_MS;
      const calls = between(arrivalsUpTo, from, toMs);
      const colour = strip(calls, toMs - from, from < OUTAGE.downMs);
      if (colour) {
        on.fillStyle = css(colour);
        on.fillRect(left, CURVE_HEIGHT + 3, 1, STRIP_HEIGHT);
      }
    }
    on.beginPath();
    on.moveTo(LEFT, CURVE_HEIGHT);
    for (let left = LEFT; left <= end(); left++)
      on.lineTo(left, servedHeight(((left - LEFT) / (end() - LEFT)) * HORIZON_MS));
    on.lineTo(end(), CURVE_HEIGHT);
    on.closePath();
    on.fillStyle = css(colours.hue, 0.22);
    on.fill();
    on.beginPath();
    for (let left = LEFT; left <= end(); left++)
      on.lineTo(left, servedHeight(((left - LEFT) / (end() - LEFT)) * HORIZON_MS));
    on.strokeStyle = css(colours.hue);
    on.lineWidth = 1.75;
    on.stroke();
    return image;
  }

  function servedHeight(ms: number): number {
    return CURVE_HEIGHT - 1 - (CURVE_HEIGHT - 2) * (servedUpTo(ms) / OUTAGE.clients);
  }

  function servedUpTo(ms: number): number {
    return firstAfter(run.servedMs, ms);
  }

  /** Pink is overload after the outage; while the server is down, calls are grey. */
  function strip(calls: number, overMs: number, isDown: boolean): Rgb | undefined {
    if (calls === 0) return undefined;
    const load = calls / Math.max(1, (OUTAGE.capacityPerS * overMs) / 1000);
    if (isDown) return mixed(colours.ground, colours.muted, 0.6);
    if (load > 1) return mixed(colours.ground, colours.failed, Math.min(1, 0.5 + Math.log10(load) / 4));
    return mixed(colours.ground, colours.hue, 0.35 + 0.65 * load);
  }

  /** The time line up to a moment. */
  function timeLine(ms: number): void {
    const to = x(ms);
    ctx.fillStyle = css(colours.ground);
    ctx.fillRect(LEFT, CURVE, x(OUTAGE.downMs) - LEFT, CURVE_HEIGHT);
    ctx.fillStyle = css(colours.line);
    ctx.fillRect(LEFT, CURVE + CURVE_HEIGHT, end() - LEFT, 1);
    ctx.fillStyle = css(colours.ground);
    ctx.fillRect(LEFT, STRIP, end() - LEFT, STRIP_HEIGHT);
    line ??= drawLine();
    const shown = Math.max(1, to * devicePixelRatio);
    ctx.drawImage(line, 0, 0, shown, line.height, 0, CURVE, shown / devicePixelRatio, line.height / devicePixelRatio);
    for (const s of TICKS_S) {
      text(`${s}\u00a0s`, x(1000 * s), HEIGHT - 4, {
        align: s === 0 ? 'left' : s === TICKS_S.at(-1) ? 'right' : 'center',
      });
    }
    const served = servedUpTo(ms);
    text(count(served), end() + BAR.offset, CURVE + 14, {
      font: BOLD,
      colour: served > 0 ? colours.text : colours.muted,
    });
    text(`of ${count(OUTAGE.clients)} served`, end() + BAR.offset, CURVE + 30);
  }

  function server(ms: number): void {
    const isDown = ms < OUTAGE.downMs;
    const left = end() + BAR.offset;
    const height = LANES - TOP;
    const perS = (calls: number): number => (1000 * calls) / Math.min(LOAD_MS, Math.max(BIN_MS, ms));
    const arriving = perS(between(arrivalsUpTo, ms - LOAD_MS, ms));
    const taken = perS(between(acceptedUpTo, ms - LOAD_MS, ms));
    ctx.fillStyle = css(colours.ground);
    ctx.fillRect(left, TOP, BAR.width, height);
    const level = height * barLevel(arriving);
    ctx.fillStyle = css(isDown ? mixed(colours.ground, colours.muted, 0.6) : colours.failed);
    ctx.fillRect(left, LANES - level, BAR.width, level);
    const served = isDown ? 0 : height * barLevel(Math.min(taken, arriving));
    ctx.fillStyle = css(colours.hue);
    ctx.fillRect(left, LANES - served, BAR.width, served);
    const capacity = Math.round(LANES - height * CAPACITY_AT) + 0.5;
    ctx.strokeStyle = css(colours.text);
    ctx.lineWidth = 1;
    ctx.setLineDash([4, 3]);
    ctx.beginPath();
    ctx.moveTo(left - 4, capacity);
    ctx.lineTo(left + BAR.width + 4, capacity);
    ctx.stroke();
    ctx.setLineDash([]);
    text('capacity', left + BAR.width + 8, capacity + 4);
    text(isDown ? 'server down' : rate(arriving), left, TOP - 8, {
      font: BOLD,
      colour: !isDown && arriving > OUTAGE.capacityPerS ? colours.failed : colours.text,
    });
  }

  /** Share of the bar's height. */
  function barLevel(perS: number): number {
    const load = perS / OUTAGE.capacityPerS;
    if (load <= 1) return CAPACITY_AT * load;
    return Math.min(1, CAPACITY_AT + (1 - CAPACITY_AT) * (Math.log(load) / Math.log(MOST_LOAD)));
  }

  function callsAt(ms: number): void {
    const [from, to] = [LEFT + 5, end() + BAR.offset - 4];
    const first = firstAfter(timesMs, ms - RETURN_MS);
    const neutral = css(colours.muted);
    const good = css(colours.hue);
    const gone = css(mixed(colours.card, colours.muted, 0.45));
    const bad = css(colours.failed);
    for (let i = first; i < timesMs.length; i++) {
      const at = timesMs[i] ?? 0;
      if (at > ms + FLIGHT_MS) break;
      const y = laneY(clients[i] ?? 0);
      if (at > ms) {
        // On its way.
        ctx.fillStyle = neutral;
        ctx.fillRect(to - ((at - ms) / FLIGHT_MS) * (to - from) - 2, y - 1.5, 4, 3);
      } else if (outcomes[i] === 1) {
        ctx.fillStyle = good;
        ctx.fillRect(to - 6, y - 2.5, 9, 5);
      } else {
        // Thrown back.
        const part = (ms - at) / RETURN_MS;
        ctx.globalAlpha = 1 - part;
        ctx.fillStyle = at < OUTAGE.downMs ? gone : bad;
        ctx.fillRect(to - part * 40 - 2, y - 1.5, 4, 3);
        ctx.globalAlpha = 1;
      }
    }
  }

  function clientDots(ms: number): void {
    for (let client = 0; client < TRACED; client++) {
      ctx.beginPath();
      const isServed = (servedAt[client] ?? Infinity) <= ms;
      ctx.arc(LEFT, laneY(client), isServed ? DOT + 0.5 : DOT, 0, 2 * Math.PI);
      if (isServed) {
        ctx.fillStyle = css(colours.hue);
        ctx.fill();
      } else {
        ctx.strokeStyle = css(colours.muted);
        ctx.lineWidth = 1;
        ctx.stroke();
      }
    }
  }

  function heading(): void {
    text(`${TRACED} of ${count(OUTAGE.clients)} clients`, 0, TOP - 8);
  }

  return {
    resize(next) {
      width = next;
      canvas.width = Math.round(width * devicePixelRatio);
      canvas.height = Math.round(HEIGHT * devicePixelRatio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${HEIGHT}px`;
      ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      line = undefined;
    },
    recolour() {
      colours = readColours();
      line = undefined;
    },
    moving(ms) {
      if (width === 0) return;
      clear();
      heading();
      callsAt(ms);
      clientDots(ms);
      server(ms);
      timeLine(ms);
      ctx.fillStyle = css(colours.text);
      ctx.fillRect(Math.round(x(ms)), CURVE, 1, STRIP + STRIP_HEIGHT - CURVE);
    },
    still() {
      if (width === 0) return;
      clear();
      heading();
      ctx.fillStyle = css(colours.ground);
      ctx.fillRect(LEFT, TOP, x(OUTAGE.downMs) - LEFT, LANES - TOP);
      for (const [i, ms] of timesMs.entries()) {
        const y = laneY(clients[i] ?? 0);
        if (outcomes[i] === 1) continue;
        ctx.fillStyle = css(ms < OUTAGE.downMs ? colours.muted : colours.failed);
        ctx.fillRect(Math.round(x(ms)), y - 2, 1, 4);
      }
      ctx.fillStyle = css(colours.hue);
      for (const [client, ms] of servedAt.entries()) {
        if (ms === Infinity) continue;
        ctx.beginPath();
        ctx.arc(x(ms), laneY(client), 2.5, 0, 2 * Math.PI);
        ctx.fill();
      }
      const left = end() + BAR.offset;
      ctx.fillStyle = css(colours.failed);
      ctx.fillRect(left + 2, TOP + 3, 1, 8);
      text('rejected', left + 12, TOP + 11);
      ctx.fillStyle = css(colours.hue);
      ctx.beginPath();
      ctx.arc(left + 2.5, TOP + 25, 2.5, 0, 2 * Math.PI);
      ctx.fill();
      text('served', left + 12, TOP + 29);
      ctx.fillStyle = css(colours.ground);
      ctx.fillRect(left - 2, TOP + 38, 9, 10);
      text('server down', left + 12, TOP + 47);
      timeLine(HORIZON_MS);
    },
  };
}

/** Running sums: entry i is what the first i bins hold. */
function sums(counts: Uint32Array): Float64Array {
  const upTo = new Float64Array(counts.length + 1);
  for (const [i, n] of counts.entries()) upTo[i + 1] = (upTo[i] ?? 0) + n;
  return upTo;
}

/** The calls of a span of time, whole bins. */
function between(upTo: Float64Array, fromMs: number, toMs: number): number {
  const at = (ms: number): number => upTo[Math.max(0, Math.min(upTo.length - 1, Math.round(ms / BIN_MS)))] ?? 0;
  return at(toMs) - at(fromMs);
}

/** How many of these ascending times are at most `ms`. */
function firstAfter(times: Float64Array, ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
