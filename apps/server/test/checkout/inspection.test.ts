import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { setImmediate } from 'node:timers/promises';
import { INSPECTIONS_PER_MINUTE, limitInspector } from '../../src/checkout/inspection-budget.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import { TRANSFER_TOPIC } from '../../src/sources/json-rpc/evm-decode.ts';
import { readReceipt } from '../../src/sources/json-rpc/transaction-receipt.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { CountingNode } from '../../rig/fakes/counting-node.ts';
import { startCountingNode } from '../../rig/fakes/counting-node.ts';
import { nextAddress, TESTER } from '../../rig/stores/open-store.ts';
import { setPrices } from '../../rig/site/market.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { newInvoice, openApiSite, postJson, stopClockAt } from '../../rig/site/api-site.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** Attacks that use "I have paid" to spend the operator's quota at nodes. */

let bsc: CountingNode;
let eth: CountingNode;
let avax: CountingNode;
let rig: ApiSite;
beforeAll(async () => {
  const atMs = systemClock.nowMs();
  [bsc, eth, avax] = await Promise.all([startCountingNode(), startCountingNode(), startCountingNode()]);
  rig = await openApiSite(inject('template'), {
    COUNTERFOIL_RPC_BSC: bsc.url,
    COUNTERFOIL_RPC_ETH: eth.url,
    COUNTERFOIL_RPC_AVAX: avax.url,
    ...stopClockAt(atMs),
  });
  const context = { networks: NETWORKS, database: rig.database, clock: systemClock, jobs: undefined };
  await addWallet(context, TESTER, { store: rig.store.ref, network: 'ETH', address: nextAddress() });
  await setPrices(rig.database, atMs);
});
afterAll(async () => {
  await rig.close();
  await Promise.all([bsc, eth, avax].map((node) => node.close()));
});
beforeEach(() => {
  for (const node of [bsc, eth, avax]) {
    node.calls.clear();
    node.answers.clear();
  }
});

let hashes = 0;
function nextHash(): string {
  hashes += 1;
  return `0x${hashes.toString(16).padStart(64, '0')}`;
}

async function newQuoted(): Promise<string> {
  const transId = await newInvoice(rig);
  await postJson(rig, `/bill/${transId}/select`, { network: 'BSC', token: 'USDT' });
  return transId;
}

async function check(transId: string, tx = nextHash(), headers = {}): Promise<string> {
  const response = await postJson(rig, `/bill/${transId}/check`, { tx }, headers);
  const { check: answer } = (await response.json()) as { check?: { reason: string } };
  return answer?.reason ?? String(response.status);
}

describe('an invented hash', () => {
  test('costs one call on the quoted network and one where the store receives; other networks are not asked', async () => {
    expect(await check(await newQuoted())).toBe('not-found');
    expect([bsc.total(), eth.total(), avax.total()]).toEqual([1, 1, 0]);
  });

  test('costs nothing without a quote', async () => {
    expect(await check(await newInvoice(rig))).toBe('not-found');
    expect(bsc.total() + eth.total() + avax.total()).toBe(0);
  });

  test('costs nothing later than a day after the end, and the customer is told why', async () => {
    const transId = await newQuoted();
    const end = (ago: string) =>
      rig.database.pool.query(
        `update invoices set created_at = now() - interval '3 days', expires_at = now() - $2::interval where trans_id = $1`,
        [transId, ago],
      );
    await end('24 hours 1 minute');
    expect(await check(transId)).toBe('ended');
    expect(bsc.total() + eth.total() + avax.total()).toBe(0);
    await end('23 hours 59 minutes');
    expect(await check(transId)).toBe('not-found');
    expect(bsc.total()).toBe(1);
  });
});

test('a transaction that is known costs three calls on its network', async () => {
  bsc.answers.set('eth_getTransactionReceipt', { status: '0x1', blockNumber: '0x10', logs: [] });
  bsc.answers.set('eth_getTransactionByHash', { to: nextAddress(), value: '0x0', input: '0x' });
  bsc.answers.set('eth_getBlockByNumber', { timestamp: '0x6a000000' });
  expect(await check(await newQuoted())).toBe('other-address');
  expect([bsc.total(), eth.total()]).toEqual([3, 0]);
});

test('nodes that the worker shares are asked sixty times a minute by all strangers together', async () => {
  const transIds = await Promise.all(Array.from({ length: 30 }, () => newQuoted()));
  const answers: string[] = [];
  for (let round = 0; round < 3; round += 1)
    answers.push(...(await Promise.all(transIds.map((transId) => check(transId)))));
  // Other tests of this file have used some of the minute's inspections.
  expect(bsc.total()).toBeLessThanOrEqual(INSPECTIONS_PER_MINUTE.shared);
  expect(answers.filter((reason) => reason === 'unavailable').length).toBeGreaterThanOrEqual(
    90 - INSPECTIONS_PER_MINUTE.shared,
  );
});

const MINUTE_MS = 60_000;

function openBudget() {
  const clock = createManualClock(1_794_700_000_000);
  let asked = 0;
  const inspect = limitInspector(
    async () => {
      asked += 1;
      return null;
    },
    60,
    clock,
  );
  /** How many of some questions are answered; each has a store of its own unless one is given. */
  const askFor = async (merchantAccountId: bigint, questions: number, storeId?: bigint) => {
    const before = asked;
    const stores = Array.from(
      { length: questions },
      (_, place) => storeId ?? merchantAccountId * 1_000n + BigInt(place),
    );
    await Promise.allSettled(stores.map((store) => inspect('0x', 1, { storeId: store, merchantAccountId })));
    return asked - before;
  };
  return { askFor, clock };
}

describe('a budget of sixty questions a minute', () => {
  test('answers a third of them for one store, until the next minute', async () => {
    const { askFor, clock } = openBudget();
    expect(await askFor(1n, 60, 7n)).toBe(20);
    clock.advance(MINUTE_MS);
    expect(await askFor(1n, 1, 7n)).toBe(1);
  });

  test('answers half of them for one merchant with two hundred stores', async () => {
    const { askFor } = openBudget();
    expect(await askFor(1n, 200)).toBe(30);
    expect(await askFor(2n, 1)).toBe(1);
  });

  test('keeps a quarter of them for merchants whose visitors have caused few', async () => {
    const { askFor } = openBudget();
    expect([await askFor(1n, 60), await askFor(2n, 60)]).toEqual([30, 15]);
    expect([await askFor(3n, 60), await askFor(4n, 60), await askFor(5n, 2)]).toEqual([3, 3, 2]);
    expect([await askFor(6n, 60), await askFor(7n, 60), await askFor(8n, 60)]).toEqual([3, 3, 1]);
    expect(await askFor(9n, 60)).toBe(0);
  });
});

describe('a transaction with thousands of logs', () => {
  const log = {
    address: nextAddress(),
    topics: [TRANSFER_TOPIC, `0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`],
    data: `0x${'3'.repeat(64)}`,
  };

  test('is not read beyond 2 MB', async () => {
    const logs = Array.from({ length: 6_000 }, () => log);
    bsc.answers.set('eth_getTransactionReceipt', { status: '0x1', blockNumber: '0x10', logs });
    expect(await check(await newQuoted())).toBe('unavailable');
  });

  test('is read in parts, between which others are served', async () => {
    const logs = Array.from({ length: 4_000 }, () => log);
    const answers: Record<string, unknown> = {
      eth_getTransactionReceipt: { status: '0x1', blockNumber: '0x10', logs },
      eth_getTransactionByHash: {},
      eth_getBlockByNumber: {},
    };
    const loop = { turns: 0, done: false };
    const reading = readReceipt(async (calls) => calls.map(({ method }) => answers[method]), '0x').finally(() => {
      loop.done = true;
    });
    while (!loop.done) {
      await setImmediate();
      loop.turns += 1;
    }
    expect((await reading)?.transfers).toHaveLength(4_000);
    expect(loop.turns).toBeGreaterThanOrEqual(10);
  });

  test('is refused as a whole when one log makes no sense', async () => {
    const answers: Record<string, unknown> = {
      eth_getTransactionReceipt: { status: '0x1', blockNumber: '0x10', logs: [log, { ...log, data: 7 }] },
      eth_getTransactionByHash: {},
    };
    await expect(readReceipt(async (calls) => calls.map(({ method }) => answers[method]), '0x')).rejects.toThrow(
      'malformed transaction',
    );
  });

  test.each(['', '0x', '0xzz', `0x${'1'.repeat(63)}`, `0x${'1'.repeat(65)}`, 'nonsense'])(
    'data %j is no amount, on EVM chains and on Tron alike, and breaks nothing',
    async (data) => {
      const answers: Record<string, unknown> = {
        eth_getTransactionReceipt: { status: '0x1', blockNumber: '0x10', logs: [{ ...log, data }, log] },
        eth_getTransactionByHash: {},
      };
      const receipt = await readReceipt(async (calls) => calls.map(({ method }) => answers[method]), '0x');
      expect(receipt?.transfers).toHaveLength(1);
    },
  );
});
