/**
 * How many colours a PNG has. Runs in the page: only browsers read pictures.
 * @param {string} base64
 */
export async function coloursOf(base64) {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0);
  const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(pixels && new Uint32Array(pixels.buffer)).size;
}

/**
 * How many colours a PNG has, and how many of them are in a border so wide. Runs in the page.
 * @param {{ base64: string, edge: number }} picture
 */
export async function onEdge({ base64, edge }) {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  const colours = (/** @type {[number, number, number, number]} */ ...box) =>
    new Uint32Array(context.getImageData(...box).data.buffer);
  const { width, height } = canvas;
  const sides = [
    colours(0, 0, width, edge),
    colours(0, height - edge, width, edge),
    colours(0, 0, edge, height),
    colours(width - edge, 0, edge, height),
  ];
  return {
    colours: new Set(colours(0, 0, width, height)).size,
    edge: new Set(sides.flatMap((side) => [...side])).size,
  };
}

/**
 * Where letters of a colour are in a PNG, or in a box of it, and which part of it they cover. Runs in the page.
 * @param {{ base64: string, colour: string, scale: number, box: { left: number, top: number, width: number, height: number } | undefined }} picture
 *   `scale`: pixels of the picture for each pixel of the page; the answer and `box` are in those of the page
 */
export async function inkOf({ base64, colour, scale, box }) {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const { left, top, width, height } = box ?? {
    left: 0,
    top: 0,
    width: image.width / scale,
    height: image.height / scale,
  };
  [canvas.width, canvas.height] = [Math.round(scale * width), Math.round(scale * height)];
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.drawImage(image, -scale * left, -scale * top);
  const wanted = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let [count, first, last] = [0, Infinity, -1];
  for (let i = 0; i < data.length; i += 4) {
    if ([0, 1, 2].some((c) => Math.abs((data[i + c] ?? 0) - (wanted[c] ?? 0)) > 80)) continue;
    const x = (i / 4) % canvas.width;
    [count, first, last] = [count + 1, Math.min(first, x), Math.max(last, x)];
  }
  return { cover: count / (data.length / 4), left: first / scale, right: last / scale };
}

/**
 * The share of a PNG's pixels that are within a distance of a colour. Runs in the page.
 * @param {{ base64: string, colour: number[], within: number }} asked
 */
export async function shareOf({ base64, colour, within }) {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0);
  const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray();
  let found = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (Math.hypot(...[0, 1, 2].map((c) => (pixels[i + c] ?? 0) - (colour[c] ?? 0))) <= within) found += 1;
  }
  return found / (canvas.width * canvas.height);
}

/**
 * How many pixels of two PNGs differ so much that a reader can see it. Runs in the page.
 * @param {string[]} pictures two, as base64
 */
export async function differences(pictures) {
  const [a, b] = await Promise.all(
    pictures.map(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      return context?.getImageData(0, 0, image.width, image.height);
    }),
  );
  if (!a || !b) throw new Error('no canvas');
  if (a.width !== b.width || a.height !== b.height) return Infinity;
  let found = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((c) => Math.abs((a.data[i + c] ?? 0) - (b.data[i + c] ?? 0)) > 40)) found += 1;
  return found;
}
