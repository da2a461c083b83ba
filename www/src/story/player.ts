/** The clock of the moving pictures: each runs while it is seen, and stands still for readers who want no motion. */
import { onColors } from '../charts/colors';
import { onWidth } from '../charts/dom';
import type { Picture } from './picture';
import { HORIZON_MS } from './runs';

/** Simulated time per time. */
export const SPEED = 2.5;
/** The end stays, so that it can be read. */
const HOLD_MS = 3000;
/** Part of a picture that must be seen. */
const SEEN = 0.35;
/** After a longer pause (a tab in the background) the picture goes on where it was. */
const LONGEST_STEP_MS = 100;

interface Scene {
  picture: Picture | undefined;
  ms: number;
  seen: boolean;
}

export interface Player {
  /** Shows this picture on the canvas from now on. */
  show(canvas: HTMLCanvasElement, picture: Picture): void;
  pause(paused: boolean): void;
  /** Calls back with whether there is motion at all, now and when the reader changes it. */
  onMotion(changed: (moves: boolean) => void): void;
}

export function createPlayer(): Player {
  const scenes = new Map<Element, Scene>();
  const less = matchMedia('(prefers-reduced-motion: reduce)');
  let paused = false;
  let printing = false;
  let frame = 0;
  let last = 0;

  const draw = ({ picture, ms }: Scene): void => {
    if (less.matches || printing) picture?.still();
    else picture?.moving(Math.min(ms, HORIZON_MS));
  };
  const drawAll = (): void => {
    for (const scene of scenes.values()) draw(scene);
  };

  function run(now: number): void {
    frame = 0;
    const step = Math.min(now - last, LONGEST_STEP_MS) * SPEED;
    last = now;
    for (const scene of scenes.values()) {
      if (!scene.seen || !scene.picture) continue;
      const ended = scene.ms >= HORIZON_MS;
      scene.ms = scene.ms > HORIZON_MS + HOLD_MS * SPEED ? 0 : scene.ms + step;
      // Nothing changes while the end is held.
      if (!ended || scene.ms < HORIZON_MS) draw(scene);
    }
    start();
  }

  function start(): void {
    const wanted =
      !paused && !less.matches && !printing && [...scenes.values()].some(({ seen, picture }) => seen && picture);
    if (!wanted) {
      cancelAnimationFrame(frame);
      frame = 0;
    } else if (frame === 0) {
      frame = requestAnimationFrame(run);
    }
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const scene = scenes.get(target);
        if (scene) scene.seen = isIntersecting;
      }
      start();
    },
    { threshold: SEEN },
  );

  less.addEventListener('change', () => {
    drawAll();
    start();
  });
  onColors(() => {
    for (const { picture } of scenes.values()) picture?.recolour();
    drawAll();
  });
  for (const [event, is] of [
    ['beforeprint', true],
    ['afterprint', false],
  ] as const) {
    addEventListener(event, () => {
      printing = is;
      drawAll();
      start();
    });
  }

  return {
    show(canvas, picture) {
      const known = scenes.get(canvas);
      const scene = known ?? { picture, ms: 0, seen: false };
      scene.picture = picture;
      scene.ms = 0;
      if (known) {
        picture.resize(Math.floor(canvas.parentElement?.clientWidth ?? 0));
        draw(scene);
      } else {
        scenes.set(canvas, scene);
        observer.observe(canvas);
        if (canvas.parentElement) {
          onWidth(canvas.parentElement, (width) => {
            scene.picture?.resize(width);
            draw(scene);
          });
        }
      }
      start();
    },
    pause(is) {
      paused = is;
      start();
    },
    onMotion(changed) {
      changed(!less.matches);
      less.addEventListener('change', () => changed(!less.matches));
    },
  };
}
