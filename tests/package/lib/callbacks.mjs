// Callbacks that several test files pass to the package.

/** A callback that throws this error. */
export const fails = (error) => () => {
  throw error;
};
