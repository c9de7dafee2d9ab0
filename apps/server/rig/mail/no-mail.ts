import { systemClock } from '../../src/lib/clock.ts';

/** The outbox of operator commands where no mail server is configured. */
export const NO_MAIL = { outbox: async () => ({ clock: systemClock, jobs: undefined }) };
