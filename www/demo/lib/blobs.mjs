/**
 * Runs in the page: keeps in `globalThis.blobs` what the page makes blob: addresses of. Its policy lets nothing fetch
 * such an address, but browsers save from it.
 */
export function keepBlobs() {
  const page = /** @type {{ blobs?: Map<string, Blob> }} */ (globalThis);
  if (page.blobs) return;
  const blobs = (page.blobs = new Map());
  const { createObjectURL } = URL;
  URL.createObjectURL = (/** @type {Blob} */ blob) => {
    const url = createObjectURL.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
}
