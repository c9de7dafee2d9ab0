import { countWaits } from '../database/count-waits.ts';
import { waitUntil } from '../processes/wait-until.ts';
import type { DashboardSite } from './dashboard-site.ts';
import type { RigPerson } from './make-person.ts';

const WITHIN = { what: 'The requests do not wait for the person.', pollMs: 5 };

/** Sends requests that all lock one person, and holds them until all wait: they then continue in the given order. */
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
