// @ts-check
import { ADDRESS } from './all.mjs';

export const name = 'bare fetch';
export const retries = false;
export const call = 'fetch(ADDRESS)';
/** @param {typeof globalThis.fetch} inner */
export const scope = (inner) => ({ fetch: inner, ADDRESS });
