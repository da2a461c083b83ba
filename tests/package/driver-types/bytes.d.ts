/** Generated when the package is assembled. */
declare const text: string;
export default text;
