import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../../rig/requests/transport.ts';
import { openTransport } from '../../rig/requests/transport.ts';
import { findLedgerFaults, readAvailable } from '../../src/ledger/ledger-sql.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { LIFTED_PLAN, openStore } from '../../rig/stores/open-store.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import type { Target } from './attack-client.ts';
import { create, openTarget, transIdOf } from './attack-client.ts';

const WAYS = 16;
const KEYS = 50;
const SPENDERS = 64;
const MAX_FAULTS = 10;
const FEE_MICRO_USD = 1_000_000n;
const FIXED_FEE_PLAN = { ...LIFTED_PLAN, code: 'fixed-fee', feeRatePercent: '0', minimumFeeMicroUsd: FEE_MICRO_USD };

let target: Target;
let second: ServerProcess;
let transports: [Transport, Transport];

beforeAll(async () => {
  target = await openTarget();
  second = await startApi(target.url);
  transports = [target.transport, openTransport(second.url, SPENDERS)];
});

afterAll(async () => {
  transports[1].close();
  await second.stop();
  await target.close();
});

/** Alternates between two processes, so that no lock inside one process can help. */
const through = (turn: number): Transport => transports[turn % 2 === 0 ? 0 : 1];

describe('idempotency race', () => {
  test('16 calls at once for each of 50 request_ids make 50 invoices: a unique index decides, not a check', async () => {
    const store = await openStore(target.database);
    const raceFor = async (key: number) => {
      const body = { request_id: `race-${key}` };
      return Promise.all(Array.from({ length: WAYS }, (_, turn) => create(through(turn), store, body)));
    };
    const made: string[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      const replies = await raceFor(key);
      const codes = new Set(replies.map(transIdOf));
      expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: WAYS }, () => 200));
      expect([key, codes.size]).toEqual([key, 1]);
      expect(replies.filter((reply) => reply.json.idempotent !== true)).toHaveLength(1);
      made.push(...codes);
    }
    const { rows } = await target.database.pool.query<{ count: bigint }>(
      'select count(*) from invoices where store_id = $1',
      [store.id],
    );
    expect(rows[0]?.count).toBe(BigInt(KEYS));
    expect(new Set(made).size).toBe(KEYS);
    expect(await findLedgerFaults(target.database.queries, MAX_FAULTS)).toEqual([]);
  });

  test('replays that race with the last money answer the invoice, not 402: the insert comes before the hold', async () => {
    const store = await openStore(target.database, { plan: FIXED_FEE_PLAN, creditMicroUsd: FEE_MICRO_USD });
    const replies = await Promise.all(
      Array.from({ length: SPENDERS }, (_, turn) => create(through(turn), store, { request_id: 'last-money' })),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    expect(new Set(replies.map(transIdOf)).size).toBe(1);
    expect(await readAvailable(target.database.queries, store.id)).toBe(0n);
  });
});

describe('balance double spend', () => {
  test('64 calls at once on a balance for 10 fees: 10 pass and nothing is spent twice, by a constraint', async () => {
    const affordable = 10;
    const store = await openStore(target.database, {
      plan: FIXED_FEE_PLAN,
      creditMicroUsd: FEE_MICRO_USD * BigInt(affordable),
    });
    const replies = await Promise.all(Array.from({ length: SPENDERS }, (_, turn) => create(through(turn), store)));
    const refused = replies.filter((reply) => reply.status === 402);
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(affordable);
    expect(refused).toHaveLength(SPENDERS - affordable);
    for (const reply of refused) expect(reply.json.error_code).toBe('INSUFFICIENT_BALANCE');
    expect(await readAvailable(target.database.queries, store.id)).toBe(0n);
    expect(await findLedgerFaults(target.database.queries, MAX_FAULTS)).toEqual([]);
  });

  test('no statement can take the available balance below zero: the database itself refuses', async () => {
    const store = await openStore(target.database, { creditMicroUsd: 5n });
    const update = target.database.pool.query(
      'update balances set available_micro_usd = available_micro_usd - 6 where store_id = $1',
      [store.id],
    );
    await expect(update).rejects.toThrow(/balances_available_enough/);
  });
});
