import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, select, setPrices } from '../../rig/invoices/pay-invoice.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { TESTER, VISITOR } from '../../rig/stores/open-store.ts';
import { acceptDatabase } from '../../src/confirmations/accept-database.ts';
import type { Confirming } from '../../src/confirmations/confirm-database.ts';
import { confirmDatabase } from '../../src/confirmations/confirm-database.ts';
import { readMark, writeMark } from '../../src/confirmations/mark-file.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';

let engine: EngineFixture;
let store: TestStore;
let folders: string[];
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  store = await openPayableStore(engine);
});
afterAll(() => engine.close());
beforeEach(async () => {
  folders = [];
  await engine.database.pool.query(
    `delete from alarms; delete from database_marks;
     update database_confirmation set server_started_at = null, valid_until = '-infinity', accepted_by = null, went_back_at = null`,
  );
  await settle(engine, 'BSC');
  await setPrices(engine);
});

/** A worker with an empty state folder. */
async function openWorker(): Promise<Confirming> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'counterfoil-mark-'));
  folders.push(stateFolder);
  return { database: engine.as('worker'), clock: engine.clock, stateFolder, memory: {} };
}

/** A worker whose mark the database has. */
async function openKnownWorker(): Promise<Confirming> {
  const worker = await openWorker();
  const folder = crypto.randomUUID();
  await engine.database.pool.query('insert into database_marks values ($1, 5, statement_timestamp())', [folder]);
  await writeMark(worker.stateFolder, { folder, sequence: 5n });
  return worker;
}

const sql = (text: string) => engine.database.pool.query(text);
const refusalOf = async () => {
  const selection = await selectPaymentMethod(
    { networks: NETWORKS, database: engine.as('api'), clock: engine.clock },
    VISITOR,
    { transId: await newInvoice(engine, store), network: 'BSC', token: 'USDT' },
  );
  return selection.selected ? undefined : selection.refusal;
};
const accept = (nothingLost: boolean) =>
  acceptDatabase({ database: engine.as('admin'), clock: engine.clock }, TESTER, { reason: 'tested', nothingLost });
/** What a restore to an earlier moment leaves of the marks. */
const loseMarks = () => sql('update database_marks set sequence = sequence - 2');

describe('a selection', () => {
  test('is refused until a worker has compared its mark, and a quote from before is still shown', async () => {
    const worker = await openKnownWorker();
    await confirmDatabase(worker);
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId);
    await sql(`update database_confirmation set valid_until = statement_timestamp()`);
    expect(await refusalOf()).toBe('quoting-paused');
    expect((await select(engine, transId)).id).toBe(quote.id);
    expect(await confirmDatabase(worker)).toBeUndefined();
    expect(await refusalOf()).toBeUndefined();
  });

  test.each([
    ['another run of the server', `server_started_at = server_started_at - interval '1 microsecond'`],
    ['another table', 'table_oid = table_oid + 1'],
  ])('takes no confirmation from %s', async (_what, change) => {
    await confirmDatabase(await openKnownWorker());
    await sql(`update database_confirmation set ${change}`);
    expect(await refusalOf()).toBe('quoting-paused');
  });
});

describe('a worker', () => {
  test('moves mark and database on together, and continues after its own end', async () => {
    const worker = await openKnownWorker();
    for (let runs = 0; runs < 3; runs += 1) expect(await confirmDatabase(worker)).toBeUndefined();
    expect(await readMark(worker.stateFolder)).toMatchObject({ sequence: 8n });
    expect(await confirmDatabase({ ...worker, memory: {} })).toBeUndefined();
    expect(await readdir(worker.stateFolder)).toEqual(['mark.json']);
  });

  test('whose mark is ahead of the database stops quoting for all, raises one alarm and keeps its mark', async () => {
    const [ahead, other] = [await openKnownWorker(), await openKnownWorker()];
    for (const worker of [ahead, other]) await confirmDatabase(worker);
    const mark = await readFile(join(ahead.stateFolder, 'mark.json'), 'utf8');
    await loseMarks();
    expect(await confirmDatabase(ahead)).toBe('went-back');
    expect(await confirmDatabase(other)).toBe('went-back');
    expect(await confirmDatabase(await openWorker())).toBe('went-back');
    expect(await refusalOf()).toBe('quoting-paused');
    expect(await alarmsOf(engine, 'database')).toEqual(['database-went-back']);
    expect(await readFile(join(ahead.stateFolder, 'mark.json'), 'utf8')).toBe(mark);
  });

  test('continues once an operator has accepted the database, which must be stated to have lost nothing', async () => {
    const worker = await openKnownWorker();
    await loseMarks();
    expect(await confirmDatabase(worker)).toBe('went-back');
    await expect(accept(false)).rejects.toMatchObject({ code: 'DATABASE_WENT_BACK' });
    await accept(true);
    expect(await confirmDatabase(worker)).toBeUndefined();
    expect(await refusalOf()).toBeUndefined();
    await sql(`update database_confirmation set accepted_by = null`);
    expect(await confirmDatabase(worker)).toBeUndefined();
  });

  test('with an empty folder waits for another worker, and is admitted by its confirmation', async () => {
    const [known, fresh] = [await openKnownWorker(), await openWorker()];
    expect(await confirmDatabase(fresh)).toBe('mark-missing');
    expect(await refusalOf()).toBe('quoting-paused');
    await confirmDatabase(known);
    expect(await confirmDatabase(fresh)).toBeUndefined();
    await sql(`update database_confirmation set valid_until = '-infinity'`);
    expect(await confirmDatabase(fresh)).toBeUndefined();
  });

  test('alone with an empty folder raises an alarm after a minute, until an operator accepts the database', async () => {
    const fresh = await openWorker();
    expect(await confirmDatabase(fresh)).toBe('mark-missing');
    expect(await alarmsOf(engine, 'database')).toEqual([]);
    engine.clock.advance(60_000);
    for (let runs = 0; runs < 3; runs += 1) expect(await confirmDatabase(fresh)).toBe('mark-missing');
    expect(await alarmsOf(engine, 'database')).toEqual(['database-mark-missing']);
    await accept(false);
    expect(await confirmDatabase(fresh)).toBeUndefined();
  });

  test('that slept while others were marked proves nothing by itself', async () => {
    const [slept, newer] = [await openKnownWorker(), await openKnownWorker()];
    await sql(`update database_marks set marked_at = marked_at - interval '61 s'`);
    await confirmDatabase(newer);
    await sql(`update database_confirmation set valid_until = '-infinity'`);
    expect(await confirmDatabase(slept)).toBe('mark-missing');
    await confirmDatabase(newer);
    expect(await confirmDatabase(slept)).toBeUndefined();
  });

  test('whose folder cannot be written confirms no further', async () => {
    const worker = await openKnownWorker();
    await confirmDatabase(worker);
    await rm(worker.stateFolder, { recursive: true });
    await expect(confirmDatabase({ ...worker, memory: { unwritten: { folder: 'x', sequence: 9n } } })).rejects.toThrow(
      'ENOENT',
    );
  });

  test('with an unreadable mark stops instead of beginning anew', async () => {
    const worker = await openKnownWorker();
    await writeFile(join(worker.stateFolder, 'mark.json'), '{"format":1,"folder":"');
    await expect(confirmDatabase(worker)).rejects.toThrow('cannot be read');
  });

  test('shares its folder with another one', async () => {
    const worker = await openKnownWorker();
    const beside = { ...worker, memory: {} };
    for (let runs = 0; runs < 3; runs += 1)
      expect(await Promise.all([worker, beside].map(confirmDatabase))).toEqual([undefined, undefined]);
  });
});
