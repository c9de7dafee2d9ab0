import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { TESTER, VISITOR } from '../../rig/stores/open-store.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { beginRestore } from '../../src/restores/begin-restore.ts';

/** What is quoted after a restore. The fixture's confirmation does not end, as if a worker had compared its mark. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  store = await openPayableStore(engine);
});
afterAll(() => engine.close());
beforeEach(async () => {
  await engine.database.pool.query(
    `update database_confirmation set reserved_until = '-infinity', stopped_until = '-infinity', went_back_at = null`,
  );
  await settle(engine, 'BSC');
  await setPrices(engine);
});

const ask = async () =>
  selectPaymentMethod({ networks: NETWORKS, database: engine.as('api'), clock: engine.clock }, VISITOR, {
    transId: await newInvoice(engine, store),
    network: 'BSC',
    token: 'USDT',
  });
const begin = () =>
  beginRestore({ database: engine.as('admin'), clock: engine.clock, jobs: undefined }, TESTER, {
    lostSince: new Date(engine.clock.nowMs() - 60_000),
  });

async function quotedUnits(count: number): Promise<bigint[]> {
  const units: bigint[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const selection = await ask();
    if (!selection.selected) throw new Error(selection.refusal);
    units.push(selection.quote.displayUnits);
  }
  return units;
}

describe('after a restore', () => {
  test('only reserved amounts are quoted for 48 hours, and usual ones before and afterwards', async () => {
    expect((await quotedUnits(20)).filter((units) => units % 4n === 3n)).toEqual([]);
    const { quotes } = await begin();
    expect(quotes).toBe(true);
    expect((await quotedUnits(20)).filter((units) => units % 4n !== 3n)).toEqual([]);
    const { rows } = await engine.database.pool.query<{ kept: boolean }>(
      `select reserved_until > statement_timestamp() + interval '47 hours' as kept from database_confirmation`,
    );
    expect(rows).toEqual([{ kept: true }]);
    await engine.database.pool.query(`update database_confirmation set reserved_until = statement_timestamp()`);
    expect((await quotedUnits(20)).filter((units) => units % 4n === 3n)).toEqual([]);
  });

  test('reserved amounts are searched when the drawn ones are taken, and run out without a usual one', async () => {
    await begin();
    const [first] = await quotedUnits(1);
    const { rows } = await engine.database.pool.query<{ address: string }>(
      'select address from amount_slots where display_units = $1 and network = $2',
      [first, 'BSC'],
    );
    const base = ((first ?? 0n) / 1_000_000n) * 1_000_000n;
    const reserved = Array.from({ length: 25_000 }, (_unused, place) => base + BigInt(place) * 4n + 3n);
    const spare = reserved[1_000] ?? 0n;
    await engine.database.pool.query(
      `insert into amount_slots (network, token, address, display_units, quote_id)
       select 'BSC', 'USDT', $1, units, 0 from unnest($2::bigint[]) units on conflict do nothing`,
      [rows[0]?.address, reserved.filter((units) => units !== spare)],
    );
    const found = await ask();
    expect(found.selected && found.quote.displayUnits).toBe(spare);
    expect(await ask()).toMatchObject({ refusal: 'amounts-exhausted' });
    await engine.database.pool.query('delete from amount_slots where quote_id = 0');
  });

  test('a second restore while reserved amounts are in use stops quoting', async () => {
    await begin();
    expect((await begin()).quotes).toBe(false);
    expect(await ask()).toMatchObject({ refusal: 'quoting-paused' });
    await engine.database.pool.query(`update database_confirmation set stopped_until = statement_timestamp()`);
    expect(await ask()).toMatchObject({ selected: true });
  });

  test('a loss in the future is refused', async () => {
    const input = { lostSince: new Date(engine.clock.nowMs() + 60_000) };
    const context = { database: engine.as('admin'), clock: engine.clock, jobs: undefined };
    await expect(beginRestore(context, TESTER, input)).rejects.toMatchObject({ code: 'RESTORE_IN_FUTURE' });
  });
});
