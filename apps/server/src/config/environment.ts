import type { Variables } from './setting.ts';

/** The only reader of the environment. */
export const VARIABLES: Variables = process.env;
