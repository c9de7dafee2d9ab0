import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PasswordCluster } from '../../rig/database/password-cluster.ts';
import { startPasswordCluster } from '../../rig/database/password-cluster.ts';
import { allowLogins } from './allow-logins.ts';
import { applyRoles } from './apply-roles.ts';
import { scramVerifier } from './scram-verifier.ts';

const PASSWORD = "it's:a/s@cret%25";

let cluster: PasswordCluster;
let client: pg.Client;
beforeAll(async () => {
  cluster = await startPasswordCluster(PASSWORD);
  client = new pg.Client({ connectionString: cluster.adminUrl });
  await client.connect();
  await applyRoles(client);
});
afterAll(async () => {
  await client.end();
  await cluster.stop();
});

/** The address of a role as a process would have it; only its role and password count. */
const addressOf = (role: string, password: string) =>
  `postgresql://${role}:${encodeURIComponent(password)}@elsewhere.test:6432/other`;

async function userOf(role: string, password: string): Promise<string> {
  const own = new URL(cluster.adminUrl);
  own.username = role;
  own.password = encodeURIComponent(password);
  const session = new pg.Client({ connectionString: own.href });
  try {
    await session.connect();
    const { rows } = await session.query<{ name: string }>('select session_user::text as name');
    return rows[0]?.name ?? '';
  } finally {
    await session.end();
  }
}

const storedVerifier = async (role: string) =>
  (await client.query<{ text: string }>('select rolpassword as text from pg_authid where rolname = $1', [role])).rows[0]
    ?.text;

describe('a role', () => {
  test('logs in with the password of its address and no other, whatever characters it has', async () => {
    await expect(userOf('counterfoil_api', PASSWORD)).rejects.toMatchObject({ code: '28P01' });
    expect(await allowLogins(client, cluster.adminUrl, [addressOf('counterfoil_api', PASSWORD)])).toEqual([
      'counterfoil_api',
    ]);
    expect(await userOf('counterfoil_api', PASSWORD)).toBe('counterfoil_api');
    await expect(userOf('counterfoil_api', 'another')).rejects.toMatchObject({ code: '28P01' });
    await expect(userOf('counterfoil_worker', PASSWORD)).rejects.toMatchObject({ code: '28P01' });
  });

  test('logs in with what its address says after the question mark, which wins when a process connects too', async () => {
    const address =
      'postgresql://nobody:wrong@elsewhere.test/other?user=counterfoil_api&user=counterfoil_owner&password=after';
    expect(await allowLogins(client, cluster.adminUrl, [address])).toEqual(['counterfoil_owner']);
    expect(await userOf('counterfoil_owner', 'after')).toBe('counterfoil_owner');
  });

  test('that can log in is left as it is, and takes a new password when its address has one', async () => {
    const first = addressOf('counterfoil_admin', 'first');
    await allowLogins(client, cluster.adminUrl, [first]);
    const before = await storedVerifier('counterfoil_admin');
    expect(await allowLogins(client, cluster.adminUrl, [first])).toEqual([]);
    expect(await storedVerifier('counterfoil_admin')).toBe(before);
    expect(await allowLogins(client, cluster.adminUrl, [addressOf('counterfoil_admin', 'second')])).toEqual([
      'counterfoil_admin',
    ]);
    expect(await userOf('counterfoil_admin', 'second')).toBe('counterfoil_admin');
    await expect(userOf('counterfoil_admin', 'first')).rejects.toMatchObject({ code: '28P01' });
  });

  test.each([
    [
      'names its host after the question mark',
      'counterfoil_worker',
      ({ hostname, port, username, password }: URL) =>
        `postgresql:///postgres?host=${hostname}&port=${port}&user=${username}&password=${password}`,
    ],
    [
      'names its user twice',
      'counterfoil_dashboard',
      ({ href, username, password }: URL) => `${href}?user=${username}&password=${password}`,
    ],
  ])('logs in though the address of the administrator %s', async (_, role, write) => {
    const adminUrl = write(new URL(cluster.adminUrl));
    expect(await allowLogins(client, adminUrl, [addressOf(role, PASSWORD)])).toEqual([role]);
    expect(await userOf(role, PASSWORD)).toBe(role);
    expect(await allowLogins(client, adminUrl, [addressOf(role, PASSWORD)])).toEqual([]);
  });

  test('has its password in no log of the server, though it logs statements', async () => {
    await allowLogins(client, cluster.adminUrl, [addressOf('counterfoil_views', 'never-in-a-log')]);
    const log = await cluster.readLog();
    expect(log).toContain('alter role counterfoil_views login password');
    expect(log).not.toContain('never-in-a-log');
  });
});

describe('an address is refused, and not repeated', () => {
  test.each([
    ['of a superuser', addressOf('postgres', 'x'), 'is not the address of a role of this service'],
    ['that is none', 'secret-text', 'is not the address of a role of this service'],
    ['that cannot be decoded', 'postgresql://%E0%A4@db/x', 'is not the address of a role of this service'],
    ['without a password', 'postgresql://counterfoil_api@db/x', 'of counterfoil_api has no password'],
    ['with a password that clients prepare differently', addressOf('counterfoil_api', 'pässword'), 'has no password'],
  ])('%s', async (_, address, fault) => {
    await expect(allowLogins(client, cluster.adminUrl, [address])).rejects.toMatchObject({
      code: 'LOGIN_UNFIT',
      details: { fault: expect.stringContaining(fault) as unknown },
    });
  });
});

test('a verifier is the one that PostgreSQL makes of the same password and salt', async () => {
  await client.query(`create role made_by_server password 'same'`);
  const made = (await storedVerifier('made_by_server')) ?? '';
  const salt = Buffer.from(/:([^$]+)\$/.exec(made)?.[1] ?? '', 'base64');
  expect(scramVerifier('same', salt)).toBe(made);
});
