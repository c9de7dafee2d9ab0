import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import { startFake } from '../../rig/exchanges/exchange-fixture.ts';
import type { FakeAccount, FakeExchange, FakeFault, FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import type { LiveSite } from '../../rig/exchanges/live-site.ts';
import { openLivePayment, openLiveSite } from '../../rig/exchanges/live-site.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startWorker } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { runProgram } from '../../rig/processes/run-program.ts';

/** Keys of exchange accounts appear nowhere in clear: real processes add, read and check them through every fault. */

const within = (what: string) => ({ what: `It did not come to ${what}.`, timeoutMs: 300_000, pollMs: 50 });
const TIMEOUT_MS = 10_000;
const IMPATIENT_MS = 300;
const MANY_PROCESSES_MS = 600_000;
const LOG = new URL('../../src/lib/log.ts', import.meta.url).href;
/** Every platform, with a right that no key may have. */
const FORBIDDEN: Record<FakePlatform, string> = {
  BINANCE: 'enableWithdrawals',
  OKX: 'withdraw',
  BYBIT: 'readOnly=0',
  KUCOIN: 'Spot',
};
const PLATFORMS = Object.keys(FORBIDDEN) as FakePlatform[];

/** Ways in which a platform can misbehave, after which it is asked again soon. */
const PASSING: readonly FakeFault[] = [
  { kind: 'slow', times: 1 },
  { kind: 'error', status: 500 },
  { kind: 'error', status: 503 },
  { kind: 'error', status: 400 },
  { kind: 'cut' },
  { kind: 'html' },
  { kind: 'malformed' },
  { kind: 'duplicates' },
  { kind: 'shuffled' },
  { kind: 'arriving' },
  { kind: 'hidden' },
];

/** Those after which a worker leaves the platform alone for minutes: each is met by a worker of its own. */
const PAUSING: readonly FakeFault[] = [
  { kind: 'rate', retryAfterSeconds: 1, times: 1 },
  { kind: 'rate', times: 1 },
  { kind: 'ban', retryAfterSeconds: 1, times: 1 },
  { kind: 'error', status: 403 },
];
const FAULTS = [...PASSING, ...PAUSING];

type Member = { platform: FakePlatform; fake: FakeExchange; account: FakeAccount };

let site: LiveSite;
let store: TestStore;
let members: Member[];
/** All written texts, by place. */
const written = new Map<string, string>();
const write = (place: string, content: string) => written.set(place, `${written.get(place) ?? ''}\n${content}`);

/** A process's arguments; empty when it has ended. */
function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** The arguments of every process on the machine, at this moment. */
function readArguments(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(argumentsOf)
    .join('\n');
}

async function runLine(words: readonly string[], input: string): Promise<void> {
  const settings = {
    ...site.settings,
    COUNTERFOIL_DATABASE_URL: roleUrl(site.engine.url, 'admin'),
    COUNTERFOIL_ENVIRONMENT: 'development',
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
  };
  const ended = runProgram('cli', ['exchange', ...words], settings, { input });
  const sampler = setInterval(() => write('arguments', readArguments()), 20);
  const { out, error } = await ended;
  clearInterval(sampler);
  write('command line', out + error);
}

const keyText = ({ credentials: { apiKey, apiSecret, passphrase = '' } }: Pick<FakeAccount, 'credentials'>) =>
  `${apiKey}\n${apiSecret}\n${passphrase}\n`;
const networkOf = ({ platform }: Member) => `EXCHANGE_PAY:${platform}`;
const addWords = (member: Member) => [
  'add',
  '--store',
  store.merchantId,
  '--platform',
  networkOf(member),
  '--base-url',
  member.fake.url,
  '--key-file',
  '-',
];

/** Adds an account by a real command: first with a key that does not sign truly, then with one that may do too much. */
async function addByCommand(member: Member): Promise<void> {
  const { account } = member;
  const right = FORBIDDEN[member.platform];
  const wrong = { credentials: { ...account.credentials, apiSecret: 'e'.repeat(48) } };
  await runLine(addWords(member), keyText(wrong));
  account.grant(right);
  await runLine(addWords(member), keyText(account));
  account.revoke(right);
  await runLine(addWords(member), keyText(account));
  member.fake.misbehave({ kind: 'html' });
  await runLine(['check', '--platform', networkOf(member), '--account', account.uid], '');
  member.fake.misbehave(null);
}

const pollNow = () =>
  site.engine.database.pool.query(
    `update followed_accounts set next_read_at = now(), failures = 0 where state <> 'idle'`,
  );

/** Lets a fault meet the worker's polls at every platform. */
async function meet(fault: FakeFault): Promise<void> {
  const met = ({ fake }: Member) => fake.counts().faults[fault.kind] ?? 0;
  const before = members.map(met);
  for (const { fake } of members) fake.misbehave({ ...fault, part: 'statement' });
  await waitUntil(
    async () => {
      await pollNow();
      return members.every((member, place) => met(member) > (before[place] ?? 0));
    },
    within(`${fault.kind} at every platform`),
  );
  for (const { fake } of members) fake.misbehave(null);
}

/** Errors of the adapters themselves, as deep as they can be looked into. */
async function failInside(fault: FakeFault): Promise<void> {
  const { clock } = site.engine;
  const timeoutMs = fault.kind === 'slow' ? IMPATIENT_MS : TIMEOUT_MS;
  for (const member of members) {
    member.fake.misbehave(fault);
    const sources = createStatementSources(NETWORKS, { clock, gate: createRequestGate({ clock }), timeoutMs });
    const source = sources.get(networkOf(member));
    const key = { baseUrl: member.fake.url, credentials: member.account.credentials };
    const now = clock.nowMs();
    for (const ask of [() => source?.readKey(key), () => source?.readStatement(key, now - 1_000, now)])
      await ask()?.catch((cause: unknown) => write('errors', inspect(cause, { depth: 9, showHidden: true })));
    member.fake.misbehave(null);
  }
}

/** Replaces a worker by one that no platform has asked for a pause. */
async function replace(worker: WorkerProcess): Promise<WorkerProcess> {
  await stopAndRead('worker', worker);
  await site.engine.database.pool.query('update platform_pauses set paused_until = now()');
  return startWorker(site.engine.url, { ...site.settings, COUNTERFOIL_LOG_LEVEL: 'debug' });
}

/** Starts a worker when every key is due for a check, which the platforms then refuse or do not answer. */
async function checkKeys(worker: WorkerProcess, fault: FakeFault): Promise<WorkerProcess> {
  for (const { fake } of members) fake.misbehave({ ...fault, part: 'key' });
  const before = members.map(({ fake }) => fake.counts().faults[fault.kind] ?? 0);
  await site.engine.database.pool.query('update exchange_accounts set check_due_at = now()');
  const next = await replace(worker);
  const met = () => members.every(({ fake }, place) => (fake.counts().faults[fault.kind] ?? 0) > (before[place] ?? 0));
  await waitUntil(met, within(`a check of every key through ${fault.kind}`));
  for (const { fake } of members) fake.misbehave(null);
  return next;
}

async function stopAndRead(place: string, worker: WorkerProcess): Promise<void> {
  const { operationsUrl } = worker;
  write('responses', await (await fetch(`${operationsUrl}/metrics`)).text());
  write('responses', await (await fetch(`${operationsUrl}/ready`)).text());
  await worker.stop();
  write(place, worker.output());
}

async function askApi(transIds: readonly string[]): Promise<void> {
  const api = await startApi(site.engine.url, { COUNTERFOIL_LOG_LEVEL: 'debug' });
  for (const transId of transIds) {
    const headers = { 'x-api-key': store.apiKey };
    const invoice = await fetch(`${api.url}/invoice/${transId}?merchant_id=${store.merchantId}`, { headers });
    write('responses', await invoice.text());
    for (const path of ['', '/state'])
      write('responses', await (await fetch(`${api.url}/bill/${transId}${path}`)).text());
  }
  await stopAndRead('API', api);
}

async function dumpDatabase(): Promise<string> {
  const program = join(process.env['COUNTERFOIL_POSTGRES_BIN'] ?? '/usr/bin', 'pg_dump');
  const options = { maxBuffer: 256 * 1024 * 1024 };
  return (await promisify(execFile)(program, ['--dbname', site.engine.url, '--inserts'], options)).stdout;
}

async function readRows(statement: string): Promise<string> {
  const { rows } = await site.engine.database.pool.query<{ row: string }>(statement);
  return rows.map(({ row }) => row).join('\n');
}

beforeAll(async () => {
  site = await openLiveSite(inject('template'), 'BINANCE');
  store = await openStore(site.engine.database, { wallet: false });
  const { clock } = site.engine;
  members = [];
  for (const platform of PLATFORMS) {
    const fake = platform === 'BINANCE' ? site.fake : await startFake(platform, { clock, quotas: false });
    members.push({ platform, fake, account: fake.openAccount() });
  }
  await Promise.all(members.map(addByCommand));
  let worker = await startWorker(site.engine.url, { ...site.settings, COUNTERFOIL_LOG_LEVEL: 'debug' });
  const transIds: string[] = [];
  for (const member of members) {
    const { transId, quote } = await openLivePayment({ engine: site.engine, network: networkOf(member), store });
    transIds.push(transId);
    member.fake.pay(quote.toAddress, { token: quote.token, amount: quote.tokenAmount });
  }
  for (const fault of FAULTS) await failInside(fault);
  for (const fault of PASSING) await meet(fault);
  for (const fault of PAUSING) {
    worker = await replace(worker);
    await meet(fault);
  }
  write('arguments', readArguments());
  worker = await checkKeys(worker, { kind: 'malformed' });
  worker = await checkKeys(worker, { kind: 'error', status: 500 });
  for (const { account } of members) account.change({ active: false });
  await pollNow();
  const refused = async () =>
    (await readRows(`select fault as row from exchange_accounts where fault is not null`)) !== '';
  await waitUntil(refused, within('a refused key'));
  await askApi(transIds);
  await stopAndRead('worker', worker);
  write('audit', await readRows('select a::text as row from audit_entries a'));
  write('alarms', await readRows('select a::text as row from alarms a'));
  write('database', await dumpDatabase());
}, MANY_PROCESSES_MS);
afterAll(async () => {
  await Promise.all(members.filter(({ fake }) => fake !== site.fake).map(({ fake }) => fake.stop()));
  await site.close();
});

/** Forms in which a secret could be written: as it is, a part of it, as hexadecimal digits, and in base64. */
function formsOf(secret: string): string[] {
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, secret.slice(0, secret.length / 2), Buffer.from(secret).toString('hex'), encoded.slice(0, -2)];
}

/** A text with which each place shows that it was searched and not empty. */
const PRESENT: Record<string, RegExp> = {
  worker: /exchange account was not answered for/,
  API: /"msg":"answered"/,
  'command line': /too-many-rights/,
  errors: /SourceError/,
  responses: /"to_address":"35000001"/,
  audit: /exchange\.add/,
  alarms: /exchange-key-refused/,
  database: /exchange_key:EXCHANGE_PAY/,
  arguments: /exchange add --store MID-/,
};

describe('no key of an exchange account appears in clear', () => {
  test.each(Object.entries(PRESENT))('in: %s', (place, present) => {
    const content = written.get(place) ?? '';
    expect(content).toMatch(present);
    for (const { account } of members)
      for (const secret of Object.values(account.credentials))
        for (const form of formsOf(secret)) expect(content.includes(form), `${place} shows a key`).toBe(false);
    expect(content.includes('signature='), `${place} shows a signed query`).toBe(false);
  });

  test('in a log line that was handed a key by mistake', async () => {
    const first = members.find(({ account }) => account.credentials.passphrase !== undefined);
    const credentials = first?.account.credentials;
    const lines = [credentials, { credentials }, { one: credentials }, { key: { baseUrl: 'x', credentials } }];
    const script = `
      import { createLog } from ${JSON.stringify(LOG)};
      const log = createLog('info');
      for (const line of ${JSON.stringify(lines)}) log.info(line, 'mistake');`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stdout.match(/mistake/g)).toHaveLength(lines.length);
    for (const secret of Object.values(credentials ?? {})) expect(stdout).not.toContain(secret);
  });

  test('through every fault of every platform', () => {
    for (const { fake } of members)
      for (const { kind } of FAULTS) expect(fake.counts().faults[kind]).toBeGreaterThan(0);
  });
});
