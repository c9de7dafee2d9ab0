import type { Shot } from './shot.ts';
import type { World } from './world.ts';

/** One page and what there is of its states: a picture, or a sentence that says why there is none. */

export const STATES = [
  'loading',
  'empty',
  'filtered',
  'error',
  'refused',
  'missing',
  'stale',
  'offline',
  'locked',
  'test',
  'long',
  'arabic',
] as const;
export type State = (typeof STATES)[number];

/** A place other than the page's own, if the state is seen elsewhere. */
export type Place = Pick<Shot, 'who' | 'before'> & { path?: string };
type Cell = Place | { why: string };

/** The world's data for the table. */
export type Places = Pick<World, 'base' | 'newBase' | 'strictBase' | 'stores' | 'trade' | 'hooks' | 'invitation'>;

export type PageRow = { path: string; who?: Shot['who']; states: Record<State, Cell> };

export const here: Place = {};
export const why = (reason: string): Cell => ({ why: reason });

export const NO_LIST = why('The page is about one thing, which is there or not found.');
export const NO_FILTER = why('The page has no filters.');
export const FOR_ALL = why('Every role may see the page.');
export const NO_CODE = why('The address names nothing that could be missing.');
const SAME_BAR = why('The bar of the stale state, with the same words; pictured for invoices.');
export const NO_NAMES = why('The page shows no names or amounts of a merchant.');
export const LIVE_ONLY = why('The page is about live stores and the whole account.');

/** States that look the same on every page that loads something of a merchant. */
export const COMMON = {
  loading: here,
  error: here,
  stale: here,
  offline: SAME_BAR,
  locked: here,
  arabic: here,
} as const;

/** The code of a store that does not exist. */
export const ABSENT_STORE = 'MID-0000000000000000';
