import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startPgBouncer } from '../../rig/database/pgbouncer.ts';
import type { PgBouncer } from '../../rig/database/pgbouncer.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { startDashboard } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';

/** The dashboard's two addresses of the database: what one of them lists must belong to what the other one knows. */

let own: TestDatabase;
let other: TestDatabase;
let ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  [own, other] = await Promise.all([openTestDatabase(inject('template')), openTestDatabase(inject('template'))]);
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  ends = [];
  await Promise.all([own.drop(), other.drop()]);
});

const start = async (viewsUrl: string) => {
  const views = { COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(viewsUrl, 'views') };
  const server = await startDashboard(own.url, { COUNTERFOIL_KEY_RING_FILE: '/nowhere', ...views });
  ends.push(() => server.stop());
  return server;
};

async function pooled(url: string, port?: number): Promise<PgBouncer> {
  const pooler = await startPgBouncer(url, { mode: 'session' }, port);
  ends.push(() => pooler.stop());
  return pooler;
}

test('the dashboard does not start, and says why, when its lists would come from another database', async () => {
  await expect(start(other.url)).rejects.toThrow(
    /COUNTERFOIL_VIEWS_DATABASE_URL and COUNTERFOIL_DATABASE_URL lead to two databases/,
  );
});

test('the dashboard serves with a pooler before one of the two, and is not ready once that leads elsewhere', async () => {
  const pooler = await pooled(own.url);
  const { operationsUrl } = await start(pooler.url);
  const ask = () => fetch(`${operationsUrl}/readyz`);
  expect((await ask()).status).toBe(200);

  await pooler.stop();
  await pooled(other.url, pooler.port);
  const waiting = { pollMs: 100 };
  await waitUntil(async () => (await ask()).status === 503, { what: 'It is still ready.', ...waiting });
  expect(await (await ask()).json()).toMatchObject({ faults: ['views lead to another database'] });
});
