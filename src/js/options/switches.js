// Options of the entries that have nothing but switches, without the tables of the reader.

/**
 * Returns the options, each of which is true, false or left out.
 * @type {(options: any, names: string[]) => Record<string, boolean | undefined>}
 */
export function switchesOf(options, names) {
  const found = Object.assign(Object.create(null), options);
  const wrong = Object.keys(found).find((name) => !names.includes(name) || !/^[ub]/.test(typeof found[name]));
  const got = Object(options) !== options ? options : wrong && `${wrong}: ${String(found[wrong])}`;
  if (got !== undefined)
    throw new TypeError(`rejitter: the options must be ${names.join(' and ')}, each true or false, got ${String(got)}`);
  return found;
}
