/**
 * How many colours a PNG has, and how many of them are in a border so wide. Runs in the page: only
 * browsers read pictures.
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
