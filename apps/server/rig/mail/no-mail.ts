import { systemClock } from '../../src/lib/clock.ts';

/** The outbox of operator commands when no mail server is configured. */
export const NO_MAIL = { outbox: async () => ({ clock: systemClock, jobs: undefined }) };
