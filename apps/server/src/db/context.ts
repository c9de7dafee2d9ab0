import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/** The context of every verb. Verbs that need more add it to their own type: `Context & { ring: KeyRing }`. */
export type Context = { database: Database; clock: Clock };
