import { pino } from 'pino';
import type { Database } from '../../src/db/database.ts';
import { performAttachments } from '../../src/invoices/perform-attachments.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { NETWORKS } from '../chains/networks.ts';

/** Lets a worker attach what members asked for; `database` is the worker's. */
export async function attachAsked(database: Database): Promise<void> {
  const context = { database, networks: NETWORKS, clock: systemClock, log: pino({ level: 'silent' }) };
  await performAttachments({ ...context, failpoint: () => {} }, { kind: 'worker', name: 'rig' });
}
