/** Round numbers. */

/** The next of these numbers times a power of ten. */
export function roundUp(value: number, mantissas: readonly number[]): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (mantissas.find((m) => m * power >= value) ?? 10) * power;
}
