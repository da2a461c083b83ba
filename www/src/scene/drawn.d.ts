/** Results that the build has computed. */
declare module 'virtual:scene' {
  export const drawn: import('./compute').SceneResult;
}
