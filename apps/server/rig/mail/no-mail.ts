import { systemClock } from '../../src/lib/clock.ts';

/** The email part of an operator's context without a mail server. */
export const NO_MAIL = { outbox: async () => ({ clock: systemClock, jobs: undefined }) };
