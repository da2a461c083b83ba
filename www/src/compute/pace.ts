/** Long jobs release their thread now and then, so that a newer order can stop them. */

/** Lets go if it is time; answers whether it was. Throws once the job is no longer wanted. */
export type Pace = () => Promise<boolean>;

const EVERY_MS = 12;

export function createPace(signal: AbortSignal): Pace {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < EVERY_MS) return false;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    last = performance.now();
    return true;
  };
}

interface Simulation<R> {
  step(events: number): { readonly done: boolean; readonly events: number };
  result(): R;
  free(): void;
}

/** Runs a simulation to its end, or up to this number of events, and frees it. `isCut` if that stopped it. */
export async function resultOf<R>(
  simulation: Simulation<R>,
  pace: Pace,
  most = Infinity,
): Promise<R & { isCut: boolean }> {
  try {
    let { done, events } = { done: false, events: 0 };
    while (!done && events < most) {
      ({ done, events } = simulation.step(Math.min(50_000, most - events)));
      await pace();
    }
    return { ...simulation.result(), isCut: !done };
  } finally {
    simulation.free();
  }
}
