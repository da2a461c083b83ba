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
