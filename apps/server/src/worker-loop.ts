import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import type { Clock, CorrectedClock } from './lib/clock.ts';
import type { Networks } from './networks/networks.ts';
import type { PriceSource } from './prices/price-source.ts';
import type { RateSource } from './rates/rate-source.ts';

export type WorkerLoop = {
  name: string;
  /** Sleep when there was nothing to do. */
  idleMs: number;
  /** One run; true when there may be more to do. */
  body: () => Promise<boolean>;
};

export type WorkerParts = {
  database: Database;
  networks: Networks;
  clock: Clock;
  corrected: CorrectedClock;
  log: Logger;
  failpoint: (name: string) => void | Promise<void>;
  /** Folder outside of the database, for the mark. */
  stateFolder: string;
  /** This process in leases and audit entries. */
  owner: string;
  priceSources: readonly PriceSource[];
  rateSources: readonly RateSource[];
  webhookRetentionDays: number;
  /** Pause between polls; undefined for each network's own. */
  pollMs: number | undefined;
  /** Speed of the clock relative to real time. */
  pace: number;
};
