import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/** What every verb works with. Verbs that need more say so: `Context & { ring: KeyRing }`. */
export type Context = { database: Database; clock: Clock };
