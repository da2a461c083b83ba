/** Where the project is. The build writes these into index.html. */

export const REPOSITORY = 'https://github.com/rejitter/rejitter';
export const ISSUES = `${REPOSITORY}/issues`;
export const LICENCE = `${REPOSITORY}#licence`;
/** Where this page is published: for previews and search engines. The page works at any address. */
export const SITE = 'https://rejitter.github.io/rejitter/';
/** The documentation. `cargo xtask site` builds it too, and has the page link to its own copy. */
export const DOCS = `${SITE}docs/`;
