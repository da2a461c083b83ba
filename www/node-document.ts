/** The part of a browser that the figures need in Node. */
import { crc32, deflateSync } from 'node:zlib';
import { parseHTML } from 'linkedom';
import { channels, resolved, type Scheme } from './style-values.ts';

/** Sizes of elements in a window of 1440 pixels. Static drawings are stretched to any other. */
const SIZES: readonly (readonly [selector: string, width: number, height: number])[] = [
  ['.hero-strip', 734, 46],
  ['.grid-tall *', 134, 340],
  ['*', 134, 46],
];

function sizeOf(element: Element): readonly [width: number, height: number] {
  const [, width = 0, height = 0] = SIZES.find(([selector]) => element.matches(selector)) ?? [];
  return [width, height];
}

/** Makes the globals of a page in this scheme, with the document of this HTML. Answers how to take them away. */
export function installDocument(html: string, scheme: Scheme): { document: Document; remove: () => void } {
  const { document, HTMLElement } = parseHTML(html);
  for (const [i, name] of ['clientWidth', 'clientHeight'].entries()) {
    Object.defineProperty(HTMLElement.prototype, name, {
      get(this: Element) {
        return sizeOf(this)[i];
      },
      configurable: true,
    });
  }
  const createElement = document.createElement.bind(document);
  document.createElement = ((name: string) =>
    name === 'canvas' ? new Canvas() : createElement(name)) as typeof document.createElement;
  const globals = {
    document,
    location: new URL('https://rejitter.invalid/'),
    history: {},
    addEventListener() {},
    matchMedia: () => ({ matches: scheme === 'dark', addEventListener() {} }),
    // Its only use is the value of a colour variable.
    getComputedStyle: (element: Element) => {
      const [, variable = ''] = /color: *(var\([^)]*\))/.exec(element.getAttribute('style') ?? '') ?? [];
      return { color: `rgb(${channels(resolved(variable, scheme)).join()})` };
    },
    ResizeObserver: class {
      readonly #changed: (entries: { target: Element; contentRect: { width: number } }[]) => void;
      constructor(changed: (entries: { target: Element; contentRect: { width: number } }[]) => void) {
        this.#changed = changed;
      }
      observe(target: Element): void {
        queueMicrotask(() => this.#changed([{ target, contentRect: { width: sizeOf(target)[0] } }]));
      }
      disconnect(): void {}
      unobserve(): void {}
    },
    // Nothing is near: only what is drawn at once belongs to the first paint.
    IntersectionObserver: class {
      observe(): void {}
      disconnect(): void {}
      unobserve(): void {}
    },
  };
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return {
    document,
    remove() {
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(globalThis, name, descriptor);
        else Reflect.deleteProperty(globalThis, name);
      }
    },
  };
}

/** A canvas that takes pixels and gives a PNG. */
class Canvas {
  width = 0;
  height = 0;
  #pixels = new Uint8ClampedArray();

  getContext() {
    return {
      canvas: this,
      createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(4 * width * height) }),
      putImageData: ({ data }: { data: Uint8ClampedArray }) => {
        this.#pixels = data;
      },
    };
  }

  toDataURL(): string {
    const { width, height } = this;
    const lines = Buffer.alloc(height * (1 + 4 * width));
    // Each line starts with its filter: none.
    for (let y = 0; y < height; y++)
      lines.set(this.#pixels.subarray(4 * width * y, 4 * width * (y + 1)), y * (1 + 4 * width) + 1);
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    // Eight bits for each of red, green, blue and alpha.
    head.set([8, 6, 0, 0, 0], 8);
    const png = Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', head),
      chunk('IDAT', deflateSync(lines, { level: 9 })),
      chunk('IEND', Buffer.alloc(0)),
    ]);
    return `data:image/png;base64,${png.toString('base64')}`;
  }
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
