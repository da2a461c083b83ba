/** Writes the policies of demo/page-policy.mjs into the page, so that they hold on any web server. */
import type { Plugin } from 'vite';
import { CONTENT_SECURITY_POLICY, REFERRER_POLICY } from './demo/page-policy.mjs';

export function pagePolicy(): Plugin {
  return {
    name: 'page-policy',
    transformIndexHtml: {
      // Last, and so first in the page: a policy acts only on what follows it.
      order: 'post',
      handler: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: CONTENT_SECURITY_POLICY },
          injectTo: 'head-prepend',
        },
        { tag: 'meta', attrs: { name: 'referrer', content: REFERRER_POLICY }, injectTo: 'head-prepend' },
      ],
    },
  };
}
