import { countWaits } from '../database/count-waits.ts';
import { waitUntil } from '../processes/wait-until.ts';
import type { DashboardSite } from './dashboard-site.ts';
import type { RigPerson } from './make-person.ts';

const WITHIN = { what: 'The requests do not wait for the person.', pollMs: 5 };

/**
 * Sends requests that all have to lock one person, and lets none of them go on before all of them wait: they then go on
 * in the order in which they are given.
 */
export async function queueAtPerson<T>(
  { database }: Pick<DashboardSite, 'database'>,
  { code }: Pick<RigPerson, 'code'>,
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const holder = await database.pool.connect();
  const sent: Promise<T>[] = [];
  try {
    await holder.query('begin');
    await holder.query('select from people where code = $1 for no key update', [code]);
    for (const request of requests) {
      sent.push(request());
      await waitUntil(async () => (await countWaits(database)) === sent.length, WITHIN);
    }
  } finally {
    await holder.query('commit');
    holder.release();
  }
  return Promise.all(sent);
}
