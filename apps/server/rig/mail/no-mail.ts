import { systemClock } from '../../src/lib/clock.ts';

/** The part of an operator's context about mail, where no mail server is configured. */
export const NO_MAIL = { outbox: async () => ({ clock: systemClock, jobs: undefined }) };
