import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareWithRoles, roleUrl } from '../../rig/database/role-database.ts';
import { createDatabase } from '../../rig/database/temporary-database.ts';
import type { TlsCluster } from '../../rig/database/tls-cluster.ts';
import { startTlsCluster } from '../../rig/database/tls-cluster.ts';
import { awaitDatabase } from '../../src/db/await-database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { operate } from '../../src/operate.ts';

/** TLS between processes and a real PostgreSQL, as the install guide sets it up. */

const PASSWORD = 'tls-password';

let cluster: TlsCluster;
let url: string;
beforeAll(async () => {
  cluster = await startTlsCluster(PASSWORD);
  url = await createDatabase(cluster.adminUrl, 'counterfoil');
  await prepareWithRoles(url);
});
afterAll(() => cluster.stop());

type Asked = { host: string; mode?: string; authority?: string };

/** Address of the database in the role `admin`, by this host name and with these settings of TLS. */
function addressOf({ host, mode, authority }: Asked): string {
  const address = new URL(roleUrl(url, 'admin'));
  address.hostname = host;
  if (mode !== undefined) address.searchParams.set('sslmode', mode);
  if (authority !== undefined) address.searchParams.set('sslrootcert', authority);
  return address.href;
}

const ask = (asked: Asked) => operate(['alarm', 'list'], { COUNTERFOIL_DATABASE_URL: addressOf(asked) });

/** Whether the connection of a process with this address is encrypted. */
async function isEncrypted(asked: Asked): Promise<boolean | undefined> {
  const database = openDatabase({ url: addressOf(asked), connections: 1, name: 'tls', settingsOnRole: true }, () => {});
  try {
    await awaitDatabase(database.pool, { warn: () => {} });
    const { rows } = await database.pool.query<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return rows[0]?.ssl;
  } finally {
    await closeDatabase(database);
  }
}

const verified = () => ({ host: 'localhost', mode: 'verify-full', authority: cluster.authority });

test('verify-full with the right root certificate and host name connects, encrypted', async () => {
  expect(await ask(verified())).toMatchObject({ code: 0, error: '' });
  expect(await isEncrypted(verified())).toBe(true);
});

test('without sslmode a connection is not encrypted', async () => {
  expect(await isEncrypted({ host: 'localhost' })).toBe(false);
});

test.each<[string, () => Asked, RegExp]>([
  [
    'another root certificate',
    () => ({ ...verified(), authority: cluster.otherAuthority }),
    /not signed by an authority/,
  ],
  ['no root certificate', () => ({ host: 'localhost', mode: 'verify-full' }), /not signed by an authority/],
  ['another host name', () => ({ ...verified(), host: '127.0.0.1' }), /is for another host name/],
  [
    'a path without a file',
    () => ({ ...verified(), authority: '/nowhere/root.pem' }),
    /no file at the path of sslrootcert/,
  ],
])('verify-full with %s refuses, and says what to correct', async (_case, asked, message) => {
  const { code, error } = await ask(asked());
  expect([code, error]).toEqual([1, expect.stringMatching(message)]);
  expect(error).not.toContain(PASSWORD);
});

test('a migration that TLS forbids is refused for the same reason', async () => {
  const migration = prepareWithRoles(addressOf({ ...verified(), authority: cluster.otherAuthority }));
  await expect(migration).rejects.toMatchObject({ code: 'DATABASE_TLS', details: { fault: 'not-trusted' } });
});

test('a process does not wait for a database that TLS forbids', async () => {
  await expect(isEncrypted({ ...verified(), authority: cluster.otherAuthority })).rejects.toMatchObject({
    code: 'DATABASE_TLS',
    details: { fault: 'not-trusted' },
  });
});

test('verify-full refuses a database that offers no TLS', async () => {
  const shared = process.env['COUNTERFOIL_DATABASE_URL'] ?? '';
  const address = `${shared}?sslmode=verify-full`;
  const { error } = await operate(['alarm', 'list'], { COUNTERFOIL_DATABASE_URL: address });
  expect(error).toMatch(/does not offer it/);
});
