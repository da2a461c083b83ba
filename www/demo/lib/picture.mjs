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
