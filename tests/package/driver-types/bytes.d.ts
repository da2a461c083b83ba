/** Generated when the package is assembled. */
declare const base64: string;
export default base64;
