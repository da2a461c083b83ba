/** Long jobs release their thread now and then, so that a newer order can stop them. */

/** Lets go if it is time. Throws once the job is no longer wanted. */
export type Pace = () => Promise<void>;

const EVERY_MS = 12;

export function createPace(signal: AbortSignal): Pace {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < EVERY_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    last = performance.now();
  };
}

interface Simulation<R> {
  step(events: number): { readonly done: boolean; readonly events: number };
  result(): R;
  free(): void;
}

/** Time until the first report of a long run, and between two. */
const REPORT_MS = 120;

/** Runs a simulation to its end, or up to this number of events, and frees it. `isCut` if that stopped it. */
export async function resultOf<R>(
  simulation: Simulation<R>,
  pace: Pace,
  most = Infinity,
  report?: (soFar: R) => void,
): Promise<R & { isCut: boolean }> {
  try {
    let { done, events } = { done: false, events: 0 };
    let reportedAt = performance.now();
    while (!done && events < most) {
      ({ done, events } = simulation.step(Math.min(50_000, most - events)));
      await pace();
      if (done || !report || performance.now() - reportedAt < REPORT_MS) continue;
      report(simulation.result());
      reportedAt = performance.now();
    }
    return { ...simulation.result(), isCut: !done };
  } finally {
    simulation.free();
  }
}
