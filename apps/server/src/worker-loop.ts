import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import type { Clock, CorrectedClock } from './lib/clock.ts';
import type { Networks } from './networks/networks.ts';
import type { PriceSource } from './prices/price-source.ts';

/** What a loop of a worker is, and what loops are made of. */

export type WorkerLoop = {
  name: string;
  /** Milliseconds that the loop sleeps when there was nothing to do. */
  idleMs: number;
  /** One run of the loop; returns true when there may be more to do. */
  body: () => Promise<boolean>;
};

export type WorkerParts = {
  database: Database;
  networks: Networks;
  clock: Clock;
  /** The clock that housekeeping sets to the database's time. */
  corrected: CorrectedClock;
  log: Logger;
  failpoint: (name: string) => void | Promise<void>;
  /** Name of this process in leases and audit entries. */
  owner: string;
  priceSources: readonly PriceSource[];
  webhookRetentionDays: number;
  /** Pause between polls for all networks; undefined if each network uses its own pause. */
  pollMs: number | undefined;
  /** How many times faster than real time the clock runs. */
  pace: number;
};
