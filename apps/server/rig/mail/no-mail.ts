import { systemClock } from '../../src/lib/clock.ts';

/** Outbox of operator commands in an installation without an email server. */
export const NO_MAIL = { outbox: async () => ({ clock: systemClock, jobs: undefined }) };
