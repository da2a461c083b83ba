/** Made by build.ts. */
declare module 'virtual:lab' {
  /** The lab can be used. */
  export const compiled: Promise<unknown>;
}
