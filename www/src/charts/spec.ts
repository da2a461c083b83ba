/** A figure's contract: what it is made of, and what can be done with it. */
import type { Readout } from './readout';

export interface FigureSpec<D> {
  /** Names the elements, and the files that are saved. */
  readonly id: string;
  /** The question, or the finding. */
  readonly title: string;
  subtitle?(data: D): (Node | string)[];
  /** Height of the drawing; without data, the likeliest height, so that nothing moves when the data come. */
  height(width: number, data: D | undefined): number;
  draw(data: D, width: number): SVGElement[];
  /** The figure in words, with its numbers. */
  describe(data: D): string;
  /** A crosshair over the drawing, and what it says. */
  readout?(data: D, width: number): Readout | undefined;
  /** The settings behind the numbers, for exported pictures. */
  settings(data: D): string;
  /** Below the drawing: what acts and what does not, a legend. */
  note?(data: D): (Node | string)[];
}

export interface Figure<D> {
  readonly card: HTMLElement;
  /** Draws this, now or when the figure comes near. */
  show(data: D): void;
  /** Whether what is drawn is being replaced. */
  busy(is?: boolean): void;
  fail(message: string): void;
  /** Calls back when the figure comes near, and when it goes away. */
  onNear(changed: (near: boolean) => void): void;
}
