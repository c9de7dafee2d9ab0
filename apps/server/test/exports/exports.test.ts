import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { exportingContext, idOfExport, makeFile, verifyFile } from '../../rig/exports/make-files.ts';
import { parseTable } from '../../rig/exports/parse-csv.ts';
import { seedTrade } from '../../rig/exports/seed-trade.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { enter, forgetStepUp } from '../../rig/people/make-person.ts';
import { personOf } from '../../rig/people/person-of.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { eraseExports } from '../../src/exports/erase-exports.ts';
import { EXPORT_KINDS, MOST_BYTES } from '../../src/exports/export.ts';
import type { ExportingContext } from '../../src/exports/make-export.ts';
import { makeExport } from '../../src/exports/make-export.ts';
import { openExport } from '../../src/exports/open-export.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { createStore } from '../../src/stores/create-store.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';

/** Exports as people ask for them over HTTP, with files made as a worker makes them: in its role, three rows a statement. */

const INVOICES = 20;
const DAY_MS = 86_400_000;
/** What a stranger could write where they can: a formula, markup, quotation marks, line ends and separators. */
const HOSTILE = '=HYPERLINK("http://evil.example";"<img src=x onerror=alert(1)>"),\r\nx';
const GUARDED = `'${HOSTILE}`;

/** When the stores are opened: before their trade, and before everything that a statement leaves out. */
const earlier = createManualClock(systemClock.nowMs() - DAY_MS);

let site: DashboardSite;
let store: TestStore;
/** A second store of the same merchant, which receives at the same address. */
let beside: { id: bigint; merchantId: string };
let owner: RigMember;
let stranger: RigMember;
let path: string;

async function openBeside(): Promise<typeof beside> {
  const context = {
    networks: NETWORKS,
    database: site.database,
    clock: earlier,
    ring: store.ring,
    jobs: undefined,
  };
  const { merchantAccountId } = store;
  const { id, merchantId } = await createStore(context, TESTER, {
    merchantAccountId,
    name: 'Beside',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
  const statement = 'select address from wallets where store_id = $1';
  const { rows } = await site.database.pool.query<{ address: string }>(statement, [store.id]);
  const ref = await storeForOperator(context, TESTER, merchantId);
  const now = { reason: 'test' };
  await addWallet(context, TESTER, { store: ref, network: 'BSC', address: rows[0]?.address ?? '', now });
  return { id, merchantId };
}

const codeOf = async (merchantAccountId: bigint) => {
  const statement = 'select code from merchants where id = $1';
  return (await site.database.pool.query<{ code: string }>(statement, [merchantAccountId])).rows[0]?.code ?? '';
};

beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  const ring = await openKeyRing(site.path);
  store = await openStore(site.database, { ring, clock: earlier });
  const other = await openStore(site.database, { ring, clock: earlier });
  beside = await openBeside();
  path = join(site.folder, 'file.csv');
  const { pool } = site.database;
  await seedTrade(pool, { storeId: store.id, count: INVOICES, text: HOSTILE });
  await seedTrade(pool, { storeId: beside.id, count: INVOICES, first: 101 });
  await seedTrade(pool, { storeId: other.id, count: INVOICES, first: 201 });
  const { merchantAccountId } = store;
  owner = await makeMember(site, 'owner', { account: await codeOf(merchantAccountId), merchantAccountId });
  const elsewhere = other.merchantAccountId;
  stranger = await makeMember(site, 'owner', { account: await codeOf(elsewhere), merchantAccountId: elsewhere });
});
afterAll(() => site.close());
beforeEach(async () => {
  await site.database.pool.query('delete from export_chunks');
  await site.database.pool.query('delete from exports');
  await site.database.pool.query('delete from pgboss.job');
});

const roles = () => ({ database: site.database, worker: site.as('worker') });

async function ask(body: unknown, by: RigMember = owner): Promise<string> {
  const answer = await by.person.browser.send('POST', `/accounts/${by.account}/exports`, body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return String(answer.body.data?.['export']);
}

const get = (rest: string, by: RigMember = owner) =>
  by.person.browser.send('GET', `/accounts/${by.account}/exports${rest}`);

/** Asks for a file, makes it and fetches it. */
async function fetchFile(body: unknown, by: RigMember = owner, changes: Partial<ExportingContext> = {}) {
  const code = await ask(body, by);
  await makeFile(roles(), code, changes);
  const { status, text, headers } = await get(`/${code}/file`, by);
  expect({ code, status, text: status === 200 ? '' : text }).toEqual({ code, status: 200, text: '' });
  const { data } = (await get(`/${code}`, by)).body;
  return { code, text, headers, shown: data ?? {} };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A member of some stores only. */
async function makePartial(): Promise<RigMember> {
  const member = await makeMember(site, 'finance', owner);
  const { pool } = site.database;
  const person = '(select id from people where code = $1)';
  await pool.query(`update memberships set all_stores = false where person_id = ${person}`, [member.person.code]);
  await pool.query(`insert into membership_stores select $2, ${person}, $3`, [
    member.person.code,
    owner.merchantAccountId,
    store.id,
  ]);
  return member;
}

/** Starts to make a file and pauses after its first line. */
async function beginFile(id: bigint): Promise<{ goOn: () => void; made: Promise<void> }> {
  const begun = Promise.withResolvers<void>();
  const wait = Promise.withResolvers<void>();
  const rest = async () => {
    begun.resolve();
    await wait.promise;
  };
  const made = makeExport(exportingContext(site.as('worker'), { rest }), id);
  await begun.promise;
  return { goOn: () => wait.resolve(), made };
}

/** Fails between the last chunk of a file and the end of its export. */
function failAtLast(name: string): void {
  if (name === 'export written') throw new Error('not now');
}

describe('a file', () => {
  test('of invoices has each invoice of the stores once, in exact numbers', async () => {
    const { text, shown } = await fetchFile({ kind: 'invoices' });
    const rows = parseTable(text);
    const codes = rows.map(({ tid }) => Number(tid?.slice(4)));
    const numbers = Array.from({ length: INVOICES }, (_unused, index) => index + 1);
    expect(codes).toEqual([...numbers, ...numbers.map((number) => number + 100)]);
    expect(shown).toMatchObject({ state: 'done', rows: 2 * INVOICES, bytes: Buffer.byteLength(text), stores: null });
    expect(rows[2]).toMatchObject({
      status: 'completed',
      store: store.merchantId,
      mode: 'live',
      amount_usd: '13.00000001',
      token_amount: '13.00000001',
      paid_amount: '1.000000000000000001',
      price_usd: '0.9998',
      fee_usd: '0.05',
      fee_state: 'charged',
      network: 'BSC',
      token: 'USDT',
      late: 'no',
    });
    expect(rows[2]?.['price_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('holds what strangers wrote as data, in every field, and no spreadsheet takes it for a formula', async () => {
    const { text } = await fetchFile({ kind: 'invoices', store: store.merchantId });
    const rows = parseTable(text);
    expect(rows).toHaveLength(INVOICES);
    expect(rows[2]).toMatchObject({
      request_id: `${GUARDED}3`,
      name: GUARDED,
      description: GUARDED,
      tx: `${GUARDED}3`,
      from_address: GUARDED,
    });
    const moved = parseTable((await fetchFile({ kind: 'transfers', store: store.merchantId })).text);
    expect(moved[0]).toMatchObject({ tx: `${GUARDED}3`, from_address: GUARDED, request_id: `${GUARDED}3` });
    const entries = parseTable((await fetchFile({ kind: 'statement', store: store.merchantId })).text);
    expect(entries.find(({ kind }) => kind === 'capture')).toMatchObject({ note: GUARDED, request_id: `${GUARDED}3` });
  });

  test('is limited to a status and to a span of time, with its beginning and without its end', async () => {
    const { pool } = site.database;
    const { rows } = await pool.query<{ at: string; code: string }>(
      `select extract(epoch from date_trunc('second', created_at))::bigint::text as at, trans_id as code from invoices
       where store_id = $1 order by id`,
      [store.id],
    );
    const [from, to] = [Number(rows[4]?.at), Number(rows[12]?.at) + 1];
    const { text } = await fetchFile({ kind: 'invoices', store: store.merchantId, from, to, status: 'completed' });
    expect(parseTable(text).map(({ tid }) => tid)).toEqual(
      rows.filter((_row, index) => index >= 4 && index <= 12 && (index + 1) % 3 === 0).map(({ code }) => code),
    );
  });

  test('of transfers has all money that came, also what pays nothing, and nothing of stores that are left out', async () => {
    await site.database.pool.query(
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time,
         seen_at, reason)
       select 'BSC', 'stray', 'USDT:0', 'USDT', 'f', address, 5, 1, 'h', now() - interval '1 day', now(), 'unknown'
       from wallets where store_id = $1 on conflict do nothing`,
      [store.id],
    );
    const all = parseTable((await fetchFile({ kind: 'transfers' })).text);
    expect(all).toHaveLength(1 + 6 + 7);
    expect(new Set(all.map(({ tx }) => tx)).size).toBe(all.length);
    expect(all.find(({ tx }) => tx === 'stray')).toMatchObject({ pays: 'no', reason: 'unknown', tid: '', fee_usd: '' });
    const some = parseTable((await fetchFile({ kind: 'transfers', store: store.merchantId })).text);
    expect(some).toHaveLength(1 + 6);
    expect(new Set(some.map((row) => row['store']))).toEqual(new Set(['', store.merchantId]));
  });

  test('comes whole and as a download, with its hash', async () => {
    const { text, headers, shown, code } = await fetchFile({ kind: 'invoices' });
    expect(shown['sha256']).toBe(hashOf(text));
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="counterfoil-invoices-${code}.csv"`,
      'content-length': String(Buffer.byteLength(text)),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'repr-digest': `sha-256=:${createHash('sha256').update(text).digest('base64')}:`,
    });
  });

  test('that is made twice at once is whole, once: what the earlier try still writes is refused', async () => {
    const code = await ask({ kind: 'invoices' });
    const id = await idOfExport(site.database, code);
    const [slow, fast] = [await beginFile(id), await beginFile(id)];
    slow.goOn();
    await expect(slow.made).rejects.toThrow('Another attempt has begun.');
    fast.goOn();
    await fast.made;
    const { text } = await get(`/${code}/file`);
    expect(parseTable(text)).toHaveLength(2 * INVOICES);
  });

  test('whose worker stops, or fails at the last moment, is made by the next try', async () => {
    const code = await ask({ kind: 'invoices' });
    const id = await idOfExport(site.database, code);
    const stop = new AbortController();
    const rest = async () => stop.abort();
    const stopping = exportingContext(site.as('worker'), { signal: stop.signal, rest });
    await expect(makeExport(stopping, id)).rejects.toThrow('The worker stops.');
    await expect(makeExport(exportingContext(site.as('worker'), { failpoint: failAtLast }), id)).rejects.toThrow(
      'not now',
    );
    expect((await get(`/${code}/file`)).status).toBe(409);
    await makeFile(roles(), code);
    expect(parseTable((await get(`/${code}/file`)).text)).toHaveLength(2 * INVOICES);
  });
});

/** The program for merchants finds that each of some changed files is wrong, without knowing the right hash. */
async function expectWrong(text: string, wrongs: readonly string[]): Promise<void> {
  expect(wrongs).not.toContain(text);
  const told = await Promise.all(wrongs.map((wrong, index) => verifyFile(`${path}.${index}`, wrong)));
  for (const { code, out } of told) expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('WRONG') });
}

/** A line with another last digit. */
const changeDigit = (line: string) => line.replace(/\d(?=[^\d]*$)/, (digit) => String((Number(digit) + 1) % 10));

describe('the verifier', () => {
  test('accepts every kind of file, and no byte may change', async () => {
    for (const kind of EXPORT_KINDS) {
      const { text, shown } = await fetchFile({ kind });
      expect({ kind, ...(await verifyFile(path, text, String(shown['sha256']))) }).toMatchObject({ kind, code: 0 });
    }
    const { text, shown } = await fetchFile({ kind: 'invoices' });
    const bytes = Buffer.from(text);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    expect(await verifyFile(path, bytes, String(shown['sha256']))).toMatchObject({ code: 1 });
  });

  test('refuses a statement with a changed amount, running total, sum or end, whatever its hash', async () => {
    const { text } = await fetchFile({ kind: 'statement', store: store.merchantId });
    const lines = text.split(/(?<=\r\n)(?=opening|entry|sum|closing)/);
    expect(await verifyFile(path, text)).toMatchObject({
      code: 0,
      out: expect.stringContaining('every sum is right') as string,
    });
    const change = (pattern: RegExp, to: string) => {
      const place = lines.findIndex((line) => pattern.test(line));
      expect(place).toBeGreaterThan(0);
      return lines.with(place, (lines[place] ?? '').replace(pattern, to)).join('');
    };
    const wrongs = [
      change(/(?<=^entry.*held,)0\.05/, '0.06'),
      change(/(?<=^sum,.*)0\.\d\d/, '9.99'),
      change(/(?<=^closing,[^,]*,,,,,,,)\d+/, '7'),
      lines.filter((line) => !line.startsWith('sum,')).join(''),
      lines.filter((line) => !line.startsWith('closing,')).join(''),
      lines.filter((_line, index) => index !== 5).join(''),
    ];
    await expectWrong(text, wrongs);
  });

  test('refuses an audit with a line that is changed, removed, added or moved, whatever its hash', async () => {
    const { text } = await fetchFile({ kind: 'audit' });
    const lines = text.split(/(?<=\r\n)/);
    expect(lines.length).toBeGreaterThan(5);
    const at = (place: number) => lines[place] ?? '';
    const wrongs = [
      lines.with(3, at(3).replace('operator', 'somebody')),
      lines.with(3, changeDigit(at(3))),
      lines.toSpliced(3, 1),
      lines.toSpliced(3, 0, at(2)),
      lines.toSpliced(-1, 1),
      lines.toSpliced(1, 1),
      [...lines.slice(0, 2), at(3), at(2), ...lines.slice(4)],
    ];
    await expectWrong(
      text,
      wrongs.map((wrong) => wrong.join('')),
    );
  });
});

test('a statement ends with what the store has, and begins with what it had', async () => {
  const whole = parseTable((await fetchFile({ kind: 'statement', store: store.merchantId })).text);
  const sums = `select coalesce(sum(case when to_account = $2 then micro_usd when from_account = $2 then -micro_usd end), 0)::bigint as sum
    from ledger_entries where store_id = $1`;
  const standing = async (account: string) =>
    Number((await site.database.pool.query<{ sum: bigint }>(sums, [store.id, account])).rows[0]?.sum) / 1e6;
  const end = whole.at(-1);
  expect(end).toMatchObject({ line: 'closing', store: store.merchantId });
  expect([Number(end?.['available_usd']), Number(end?.['held_usd'])]).toEqual([
    await standing('available'),
    await standing('held'),
  ]);
  expect(whole[0]).toMatchObject({ line: 'opening', available_usd: '0.00', held_usd: '0.00' });
  const entries = whole.filter(({ line }) => line === 'entry');
  const middle = Math.floor(new Date(entries[12]?.['at'] ?? '').getTime() / 1000) + 1;
  const later = parseTable((await fetchFile({ kind: 'statement', store: store.merchantId, from: middle })).text);
  const before = entries.filter(({ at }) => new Date(at ?? '').getTime() < middle * 1000);
  const moved = before.reduce(
    (sum, one) => sum + (one['to_account'] === 'held' ? 1 : 0) - (one['from_account'] === 'held' ? 1 : 0),
    0,
  );
  expect(Number(later[0]?.['held_usd'])).toBeCloseTo(moved * 0.05, 9);
  expect(later.at(-1)).toEqual(end);
  expect(later.filter(({ line }) => line === 'entry')).toHaveLength(entries.length - before.length);
});

test('an audit needs a step-up to be asked for and is told to the owners, other files do not', async () => {
  await forgetStepUp(site, owner.person);
  const refused = await owner.person.browser.send('POST', `/accounts/${owner.account}/exports`, { kind: 'audit' });
  expect(refused).toMatchObject({ status: 403, body: { error_code: 'STEP_UP_NEEDED' } });
  await ask({ kind: 'invoices' });
  await enter(site, owner.person);
  await site.database.pool.query(`delete from mails where template = 'audit-exported'`);
  await ask({ kind: 'audit' });
  const { rows } = await site.database.pool.query(`select data from mails where template = 'audit-exported'`);
  expect(rows).toMatchObject([{ data: { by: owner.person.code } }]);
});

test('an audit tells of the merchant, of its stores and of nobody else, and names no operator', async () => {
  const person = await personOf(site.database, owner.person.code);
  const fact = { action: 'export.make', subject: `merchant:${owner.merchantAccountId}`, details: {} } as const;
  await inTransaction(site.database, (tx) => recordAudit(tx, earlier, person, fact));
  const rows = parseTable((await fetchFile({ kind: 'audit' })).text);
  const subjects = new Set(rows.map(({ subject }) => subject));
  expect(subjects).toEqual(new Set([owner.account, store.merchantId, beside.merchantId]));
  expect(rows.filter(({ action }) => action === 'store.create')).toHaveLength(2);
  expect(rows.at(-1)).toMatchObject({ action: 'export.end', details: JSON.stringify({ entries: rows.length - 1 }) });
  expect(rows.some(({ actor }) => actor === owner.person.code)).toBe(true);
  expect(rows.some(({ actor }) => actor?.includes('test'))).toBe(false);
});

describe('a member of some stores', () => {
  test('exports those, and asking for another one finds nothing', async () => {
    const partial = await makePartial();
    const rows = parseTable((await fetchFile({ kind: 'invoices' }, partial)).text);
    expect(new Set(rows.map((row) => row['store']))).toEqual(new Set([store.merchantId]));
    const audit = parseTable((await fetchFile({ kind: 'audit' }, partial)).text);
    expect(new Set(audit.slice(0, -1).map(({ subject }) => subject))).toEqual(new Set([store.merchantId]));
    const body = { kind: 'invoices', store: beside.merchantId };
    const answer = await partial.person.browser.send('POST', `/accounts/${owner.account}/exports`, body);
    expect(answer).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
  });

  test('sees no file that has rows of other stores, neither in the list nor by its code', async () => {
    const partial = await makePartial();
    const { code: whole } = await fetchFile({ kind: 'invoices' });
    const { code: another } = await fetchFile({ kind: 'invoices', store: beside.merchantId });
    const { code: part } = await fetchFile({ kind: 'invoices', store: store.merchantId });
    const list = (await get('', partial)).body.data?.['exports'] as { export: string }[];
    expect(list.map((one) => one.export)).toEqual([part]);
    for (const code of [whole, another]) {
      expect((await get(`/${code}`, partial)).status).toBe(404);
      expect((await get(`/${code}/file`, partial)).status).toBe(404);
    }
    expect((await get(`/${part}/file`, partial)).status).toBe(200);
  });

  test('who lost the right meanwhile gets no file', async () => {
    const partial = await makePartial();
    const code = await ask({ kind: 'invoices' }, partial);
    await site.database.pool.query(
      `delete from memberships m using people p where p.id = m.person_id and p.code = $1`,
      [partial.person.code],
    );
    await makeFile(roles(), code);
    expect((await get(`/${code}`)).body.data).toMatchObject({ state: 'failed', fault: 'no-permission' });
    expect(await get(`/${code}/file`)).toMatchObject({ status: 410, body: { error_code: 'EXPORT_FAILED' } });
  });
});

describe('a file is kept for a week', () => {
  test('and is not ready before it is made', async () => {
    const code = await ask({ kind: 'invoices' });
    expect(await get(`/${code}/file`)).toMatchObject({ status: 409, body: { error_code: 'EXPORT_NOT_READY' } });
  });

  test('from its last second on it is gone, before and after it is deleted', async () => {
    const { code } = await fetchFile({ kind: 'invoices' });
    await site.database.pool.query(`update exports set expires_at = now() - interval '1 second'`);
    const gone = { status: 410, body: { error_code: 'EXPORT_EXPIRED' } };
    expect(await get(`/${code}/file`)).toMatchObject(gone);
    expect((await get(`/${code}`)).body.data).toMatchObject({ state: 'expired' });
    const worker = { database: site.as('worker'), clock: systemClock };
    expect(await eraseExports(worker)).toBe(true);
    expect(await eraseExports(worker)).toBe(false);
    expect((await site.database.pool.query('select from export_chunks')).rowCount).toBe(0);
    expect(await get(`/${code}/file`)).toMatchObject(gone);
  });

  test('a download that is under way then breaks off, although the rest is not deleted yet', async () => {
    const { code, text } = await fetchFile({ kind: 'invoices' });
    const { pool } = site.database;
    // Two chunks instead of one: a file with enough rows for two takes long to make.
    await pool.query(
      `with whole as (select export_id, bytes from export_chunks where number = 0),
         cut as (update export_chunks c set bytes = substring(w.bytes from 1 for 100) from whole w)
       insert into export_chunks (export_id, number, bytes) select export_id, 1, substring(bytes from 101) from whole`,
    );
    const clock = createManualClock(systemClock.nowMs());
    const { chunks } = await openExport(
      { database: site.database, clock, views: site.database },
      await personOf(site.database, owner.person.code),
      { merchantCode: owner.account, code },
    );
    const whole: Buffer[] = [];
    for await (const chunk of chunks()) whole.push(chunk);
    expect(Buffer.concat(whole).toString('utf8')).toBe(text);
    const download = chunks();
    expect((await download.next()).value).toHaveLength(100);
    clock.advance(7 * DAY_MS);
    await expect(download.next()).rejects.toThrow('EXPORT_UNKNOWN');
    expect((await pool.query('select from export_chunks')).rowCount).toBe(2);
  });

  test('and a day before that it is not deleted; long after it is forgotten', async () => {
    const { code } = await fetchFile({ kind: 'invoices' });
    const clock = createManualClock(systemClock.nowMs() + 6 * DAY_MS);
    const worker = { database: site.as('worker'), clock };
    expect(await eraseExports(worker)).toBe(false);
    expect((await get(`/${code}/file`)).status).toBe(200);
    clock.advance(2 * DAY_MS);
    while (await eraseExports(worker));
    expect((await get(`/${code}`)).body.data).toMatchObject({ state: 'expired' });
    clock.advance(90 * DAY_MS);
    while (await eraseExports(worker));
    expect((await get(`/${code}`)).status).toBe(404);
  });

  test('and one that failed leaves no chunks', async () => {
    const code = await ask({ kind: 'invoices' });
    const id = await idOfExport(site.database, code);
    await expect(makeExport(exportingContext(site.as('worker'), { failpoint: failAtLast }), id)).rejects.toThrow(
      'not now',
    );
    await site.database.pool.query(`update exports set state = 'failed', fault = 'tries-used-up', done_at = now()`);
    const worker = { database: site.as('worker'), clock: systemClock };
    while (await eraseExports(worker));
    expect((await site.database.pool.query('select from export_chunks')).rowCount).toBe(0);
  });
});

/** The end of an export's period as it is used. */
async function endOf(code: string): Promise<number> {
  const { rows } = await site.database.pool.query<{ at: Date }>('select to_at as at from exports where code = $1', [
    code,
  ]);
  return rows[0]?.at.getTime() ?? 0;
}

describe('requests', () => {
  test('at most three exports of a merchant are under way, however many ask at once', async () => {
    const asked = Array.from({ length: 8 }, () =>
      owner.person.browser.send('POST', `/accounts/${owner.account}/exports`, { kind: 'invoices' }),
    );
    const statuses = (await Promise.all(asked)).map(({ status, body }) => body.error_code ?? status);
    expect(statuses.map(String).toSorted()).toEqual([
      '200',
      '200',
      '200',
      ...Array.from({ length: 5 }, () => 'EXPORTS_UNDER_WAY'),
    ]);
    await ask({ kind: 'invoices' }, stranger);
    const { rows } = await site.database.pool.query('select from pgboss.job');
    expect(rows).toHaveLength(4);
  });

  test('of large files are refused before a merchant keeps four gibibytes, and files under way count as the largest', async () => {
    const { pool } = site.database;
    const merchant = await makeMember(site, 'owner');
    const request = async () => {
      const exportsPath = `/accounts/${merchant.account}/exports`;
      const { status, body } = await merchant.person.browser.send('POST', exportsPath, { kind: 'invoices' });
      return body.error_code ?? String(status);
    };
    const finish = (bytes: number) =>
      pool.query(
        `update exports set state = 'done', bytes = $2, rows = 1, sha256 = sha256(''), done_at = now(), expires_at = now() + interval '7 days'
         where merchant_account_id = $1 and state = 'queued'`,
        [merchant.merchantAccountId, bytes],
      );
    for (let made = 0; made < 2; made += 1) expect(await request()).toBe('200');
    await finish(MOST_BYTES);
    expect(await Promise.all([request(), request(), request()]).then((codes) => codes.toSorted())).toEqual([
      '200',
      '200',
      'EXPORTS_TOO_LARGE',
    ]);
    await finish(0);
    expect(await request()).toBe('200');
    await finish(1);
    expect(await request()).toBe('200');
    expect(await request()).toBe('EXPORTS_TOO_LARGE');
    await pool.query(`update exports set state = 'expired' where merchant_account_id = $1 and bytes > 1`, [
      merchant.merchantAccountId,
    ]);
    expect(await request()).toBe('200');
  });

  test('are audited with what was asked for, and the list shows the newest first', async () => {
    const first = await ask({ kind: 'invoices', status: 'completed' });
    const second = await ask({ kind: 'audit' });
    const { rows } = await site.database.pool.query<{ details: { export: string } }>(
      `select actor, subject, details from audit_entries where action = 'export.make' order by id desc limit 2`,
    );
    expect(rows).toMatchObject([
      { actor: `person:${owner.person.code}`, details: { export: second, kind: 'audit', whole: true } },
      { subject: `merchant:${owner.merchantAccountId}`, details: { export: first, status: 'completed' } },
    ]);
    const list = (await get('')).body.data;
    expect(list).toMatchObject({ exports: [{ export: second, state: 'queued' }, { export: first }], next: null });
    expect((await get(`?after=${second}`)).body.data).toMatchObject({ exports: [{ export: first }] });
    expect((await get('', stranger)).body.data).toEqual({ exports: [], next: null });
  });

  test.each([
    [{ kind: 'everything' }],
    [{ kind: 'statement', status: 'completed' }],
    [{ kind: 'invoices', from: 20, to: 10 }],
    [{ kind: 'invoices', from: -1 }],
    [{ kind: 'invoices', from: 1.5 }],
    [{ kind: 'invoices', store: '' }],
    [{ kind: 'invoices', stores: [] }],
  ])('%j is refused', async (body) => {
    const answer = await owner.person.browser.send('POST', `/accounts/${owner.account}/exports`, body);
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } });
  });

  test('for rows of tomorrow end with the second of the request', async () => {
    const code = await ask({ kind: 'invoices', to: Math.floor(systemClock.nowMs() / 1000) + 86_400 });
    const { created_at: createdAt, to } = (await get(`/${code}`)).body.data ?? {};
    expect(to).toBe(createdAt);
    expect(await endOf(code)).toBe(Number(to) * 1000);
  });

  test('for a statement end at a whole minute before the request, and the answer shows which', async () => {
    const code = await ask({ kind: 'statement' });
    const { created_at: createdAt, to } = (await get(`/${code}`)).body.data ?? {};
    const minutes = Math.floor(Number(createdAt) / 60) - 15;
    expect(to).toBe(minutes * 60);
    expect(await endOf(code)).toBe(Number(to) * 1000);
  });
});
