/** The files of the built page, for any web server: read at each request, with the headers of the page's policy. */
import sirv from 'sirv';
import { PAGE_HEADERS } from '../page-policy.mjs';

export const siteOf = (folder) =>
  sirv(folder, {
    dev: true,
    etag: true,
    setHeaders: (response) => void response.setHeaders(new Map(Object.entries(PAGE_HEADERS))),
  });
