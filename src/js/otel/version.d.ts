/** Version of the package, written with it. */
export const VERSION: string;
