import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { operate } from '../../src/operate.ts';
import { createPerson } from '../../src/people/create-person.ts';

/** What `support bundle` takes out of an installation, and what it never does. */

const MAX_BYTES = 4_000_000;
/** A closed port: the doctor's requests fail without waiting. */
const NOBODY = '127.0.0.1:9';

const OF_SETTINGS = {
  database: 'db-Pass!word-7Q',
  views: 'views-Pass!word-8R',
  mail: 'mail pass/word&9S',
  nodePath: 'nodeKey4f6a',
  nodeUser: 'nodeUser-x1',
  nodePassword: 'node:pass',
  nodeQuery: 'nodeQueryKey',
  inFile: 'fileKey77',
};
const OF_LOGS = {
  apiKey: 'cf_live_Aq1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l',
  webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  session: 'cs_short-session',
  mail: 'customer@buyer.example',
  link: 'https://pay.example.com/invoice/TID-A1B2C3D4E5F6G7H8',
  linkToken: '4Jx-kQ_b2mVw9Zr1LpT6yHn3cDf8GsA0eUiOqWlXzEk',
  bearer: 'abcdef.ghijkl',
  trace: 'trace-password-1',
};
const OF_ROWS = {
  user: 'ada.lovelace@acme.example',
  callback: 'https://hooks.acme.example/in/hook-secret-55',
  invoice: 'TID-Z9Y8X7W6V5U4T3S2',
  exchangeKey: 'k7Gd82mNqPzR4vXcB1tYw3',
  mailError: 'buyer.two@shop.example',
};
const SECRETS = [...Object.values(OF_SETTINGS), ...Object.values(OF_LOGS), ...Object.values(OF_ROWS)];

const formsOf = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
];

let own: TestDatabase;
let folder: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-bundle-'));
  await writeFile(join(folder, 'rpc'), `http://${NOBODY}/${OF_SETTINGS.inFile}`);
  await writeFile(join(folder, 'log'), logText());
  await plantRows();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await own.drop();
});

function withPassword(url: string, password: string): string {
  const address = new URL(url);
  address.password = encodeURIComponent(password);
  return address.href;
}

const settings = (): Record<string, string> => ({
  ...NO_PRICES,
  COUNTERFOIL_DATABASE_URL: withPassword(roleUrl(own.url, 'admin'), OF_SETTINGS.database),
  COUNTERFOIL_VIEWS_DATABASE_URL: withPassword(roleUrl(own.url, 'views'), OF_SETTINGS.views),
  COUNTERFOIL_MAIL_URL: `smtps://robot:${encodeURIComponent(OF_SETTINGS.mail)}@${NOBODY}`,
  COUNTERFOIL_MAIL_FROM: `Shop <${OF_LOGS.mail}>`,
  COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example.com',
  COUNTERFOIL_RPC_BSC: `http://${OF_SETTINGS.nodeUser}:${encodeURIComponent(OF_SETTINGS.nodePassword)}@${NOBODY}/v2/${OF_SETTINGS.nodePath}?key=${OF_SETTINGS.nodeQuery}`,
  COUNTERFOIL_RPC_ETH_FILE: join(folder, 'rpc'),
  // A misspelt setting name, so its value cannot be recognized as a secret.
  COUNTERFOIL_RPC_BCS: `http://${NOBODY}/${OF_ROWS.exchangeKey}`,
});

/** Secrets that are removed even inside a log message: values of settings, and texts that look like a secret. */
const RECOGNIZED = [
  ...Object.values(OF_SETTINGS),
  OF_LOGS.apiKey,
  OF_LOGS.webhookSecret,
  OF_LOGS.mail,
  OF_LOGS.link,
  OF_LOGS.linkToken,
  OF_ROWS.invoice,
];

function logText(): string {
  const lines = [
    ...RECOGNIZED.flatMap(formsOf).map((secret) => ({ level: 30, msg: `a message with ${secret} in it` })),
    ...SECRETS.flatMap(formsOf).map((secret) => ({ level: 30, msg: 'a message', to: secret, deep: { in: [secret] } })),
    { level: 50, msg: 'request failed', headers: { authorization: `Bearer ${OF_LOGS.bearer}` }, url: OF_LOGS.link },
    { level: 50, msg: `sent Bearer ${OF_LOGS.bearer}`, cookie: `cf_session=${OF_LOGS.session}` },
    { level: 50, msg: 'failed', err: { type: 'Error', message: `to ${OF_LOGS.mail}: 550`, body: OF_LOGS.trace } },
    { level: 30, msg: 'a worker started', process: 'worker', took_ms: 12 },
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\npanic: password ${OF_LOGS.trace}\n`;
}

async function plantRows(): Promise<void> {
  const context = { database: own.database, clock: systemClock };
  const mail = { normal: OF_ROWS.user, shown: OF_ROWS.user };
  await createPerson(context, TESTER, { mail, name: OF_ROWS.user, language: 'en', operatorRole: null });
  const details = {
    to: OF_ROWS.user,
    url: OF_ROWS.callback,
    invoice: OF_ROWS.invoice,
    apiKey: OF_ROWS.exchangeKey,
    reason: `${OF_ROWS.mailError} refused, see ${OF_LOGS.link} and ${OF_SETTINGS.nodePassword}`,
    nested: [{ lastFault: { reason: `GET ${OF_ROWS.callback} with ${OF_LOGS.apiKey}` } }],
    count: 3,
  };
  await own.database.pool.query(
    `insert into alarms (at, kind, subject, details) values (now(), 'mail-refused', $1, $2), (now(), 'job-failed', $3, '{}')`,
    [OF_ROWS.invoice, JSON.stringify(details), OF_ROWS.user],
  );
}

const bundle = (...words: string[]) => operate(['support', 'bundle', ...words], settings());

test('a bundle has no secret of settings, logs or rows, neither raw nor encoded', async () => {
  expect(SECRETS.length).toBeGreaterThanOrEqual(20);
  const out = join(folder, 'bundle.json');
  const { code, error } = await bundle('--out', out, '--log', join(folder, 'log'));
  expect([code, error]).toEqual([0, '']);
  const text = await readFile(out, 'utf8');
  const found = SECRETS.flatMap((secret) => formsOf(secret).filter((form) => text.includes(form)));
  expect(found).toEqual([]);
});

test('a bundle has version, settings, doctor, counts, networks, alarms and log lines, and is for its owner alone', async () => {
  const out = join(folder, 'whole.json');
  await bundle('--out', out, '--log', join(folder, 'log'));
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  const whole = JSON.parse(await readFile(out, 'utf8')) as Record<string, unknown>;
  expect(whole).toMatchObject({
    version: { version: expect.stringMatching(/^\d/) as string, migrations: expect.any(Number) as number },
    settings: {
      COUNTERFOIL_DATABASE_URL: '(hidden) [environment]',
      COUNTERFOIL_RPC_ETH: '(hidden) [file]',
      not_known: [expect.stringContaining('COUNTERFOIL_RPC_BCS') as string],
    },
    database: { server: expect.stringMatching(/^\d/) as string, jobs: expect.any(Number) as number },
    counts: { users: '1', merchants: '0', alarms_open: '2' },
    networks: [],
    open_alarms: expect.arrayContaining([{ kind: 'mail-refused', alarms: 1 }]) as unknown,
    alarms: [{ kind: 'job-failed' }, { kind: 'mail-refused', details: { count: 3 } }],
  });
  expect(whole['doctor']).toContainEqual(expect.objectContaining({ check: expect.any(String) as string }));
  const { lines, left_out: leftOut } = whole['log'] as { lines: unknown[]; left_out: number };
  expect(lines.at(-1)).toEqual({ level: 30, msg: 'a worker started', process: 'worker', took_ms: 12 });
  expect(leftOut).toBe(1);
});

test('a bundle is never written over a file, and is refused where the log cannot be read', async () => {
  const out = join(folder, 'there.json');
  await writeFile(out, 'mine');
  expect((await bundle('--out', out)).error).toMatch(/^--out: EEXIST/);
  expect(await readFile(out, 'utf8')).toBe('mine');
  expect((await bundle('--out', '-', '--log', join(folder, 'none'))).error).toMatch(/^--log: ENOENT/);
  expect((await bundle('--out', '-', '--log', folder)).error).toBe('--log: is not a file');
});

test('a bundle of a huge log and many alarms stays small', async () => {
  const line = JSON.stringify({ level: 30, msg: 'words '.repeat(2_000), err: { message: 'words '.repeat(2_000) } });
  await writeFile(join(folder, 'huge'), `${line}\n`.repeat(1_000));
  await own.database.pool.query(
    `insert into alarms (at, kind, subject, details)
     select now(), 'event-missing', 'x', jsonb_build_object('reason', repeat('words ', 10000)) from generate_series(1, 500)`,
  );
  const out = join(folder, 'huge.json');
  expect((await bundle('--out', out, '--log', join(folder, 'huge'))).code).toBe(0);
  expect((await stat(out)).size).toBeLessThan(MAX_BYTES);
});

test('a bundle of an installation whose database is away has everything else', async () => {
  const away = {
    ...settings(),
    COUNTERFOIL_DATABASE_URL: `postgresql://counterfoil_admin:${OF_SETTINGS.database}@${NOBODY}/x`,
  };
  const { code, out } = await operate(['support', 'bundle', '--out', '-', '--json'], away);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    version: {},
    settings: {},
    database: { unavailable: expect.stringContaining('ECONNREFUSED') as string },
  });
});
