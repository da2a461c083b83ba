/** Draws a run of live calls while it goes on. */
import type { Run } from './run';

/** Drawing takes at most this part of the time. */
const DRAWING_SHARE = 0.05;

/** Frame by frame, or, with reduced motion, when something has happened. */
export function drawer(show: (run: Run) => void): { begin(run: Run): void; changed(): void; end(): void } {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let shown: Run | undefined;
  let due = false;
  let notBefore = 0;
  const draw = (): void => {
    if (!shown) return;
    const began = performance.now();
    show(shown);
    const now = performance.now();
    notBefore = now + (now - began) / DRAWING_SHARE;
    due = false;
  };
  const frame = (): void => {
    if (!shown) return;
    if ((due || !still) && performance.now() >= notBefore) draw();
    requestAnimationFrame(frame);
  };
  return {
    begin(begun) {
      shown = begun;
      draw();
      requestAnimationFrame(frame);
    },
    changed() {
      due = true;
    },
    end() {
      draw();
      shown = undefined;
    },
  };
}
