import { HOUR_MS } from '@counterfoil/core/duration.ts';

/** Longest life of a lost quote, and the rest of its amount. */
const LOST_QUOTES_HOURS = 48;

export const lostQuotesEnd = (beganAt: Date): Date => new Date(beganAt.getTime() + LOST_QUOTES_HOURS * HOUR_MS);
