/** The files that figures save. */

/** @typedef {{ name: string, base64: string }} File */
/** @typedef {{ blobs?: Map<string, Blob>, file?: Promise<File> | undefined, keepsFiles?: boolean }} Keeper */

/**
 * Runs in the page: keeps in `globalThis.blobs` what the page makes blob: addresses of. Its policy lets nothing fetch
 * such an address, but browsers save from it.
 */
export function keepBlobs() {
  const page = /** @type {Keeper} */ (globalThis);
  if (page.blobs) return;
  const blobs = (page.blobs = new Map());
  const { createObjectURL } = URL;
  URL.createObjectURL = (/** @type {Blob} */ blob) => {
    const url = createObjectURL.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
}

/**
 * Runs in the page, after `keepBlobs`: the next file that the page gives to the browser to save is in `globalThis.file`
 * instead.
 */
export function keepNextFile() {
  const page = /** @type {Keeper} */ (globalThis);
  page.file = undefined;
  if (page.keepsFiles) return;
  page.keepsFiles = true;
  addEventListener(
    'click',
    (event) => {
      const { target } = event;
      if (!(target instanceof HTMLAnchorElement) || !target.download) return;
      event.preventDefault();
      const [name, blob] = [target.download, page.blobs?.get(target.href) ?? new Blob()];
      page.file = blob.arrayBuffer().then((bytes) => ({
        name,
        base64: btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')),
      }));
    },
    true,
  );
}

/** Runs in the page: returns the file that was kept, once it is there. */
export function keptFile() {
  return /** @type {Keeper} */ (globalThis).file;
}
