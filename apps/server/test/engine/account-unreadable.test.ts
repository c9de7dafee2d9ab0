import type { Address } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountCommands } from '../../src/commands/account-commands.ts';
import type { SolanaDoor } from '../chain/solana-node.ts';
import { paySol } from '../chain/solana-payment.ts';
import type { TestStore } from '../harness.ts';
import { alarmsOf, auditOf, endOf, eventsOf, expire, statusOf, transfersOf } from './shop.ts';
import type { Open, SolanaShop } from './solana-shop.ts';
import {
  accountOf,
  ageReads,
  createReader,
  finalizeNow,
  follow,
  goPast,
  openQuote,
  openSolanaShop,
  openSolanaStore,
  pay,
  produceNow,
  settle,
} from './solana-shop.ts';

/** A transaction that cannot be read holds back what must wait for it, and nothing else. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  shop = await openSolanaShop();
});
afterAll(() => shop.close());
beforeEach(async () => {
  shop.node.behave({ versions: new Map(), garbled: new Set(), withheld: new Set() });
  store = await openSolanaStore(shop);
});

/** Newer than any that is announced. */
const UNKNOWN_VERSION = 9;
const DUST = 100_000_000n;

/** Somebody sends the store a little in a transaction that no provider shows us. */
function sendUnreadable(): string {
  const signature = paySol(shop.node, { to: store.wallet as Address, lamports: DUST });
  shop.node.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
  produceNow(shop);
  return signature;
}

type Row = { fault: string; tries: number; wait: number; passed: boolean };

async function rowOf(signature: string): Promise<Row | undefined> {
  const { rows } = await shop.database.pool.query<Row>(
    `select fault, tries, round(extract(epoch from next_try_at - clock_timestamp()))::integer as wait, passed_at is not null as passed
     from unreadable_transactions where tx_id = $1 and account = $2`,
    [signature, store.wallet],
  );
  return rows[0];
}

async function makeRetryDue(): Promise<void> {
  await shop.database.pool.query(
    'update unreadable_transactions set next_try_at = clock_timestamp() where account = $1',
    [store.wallet],
  );
}

const nothing = () => {
  throw new Error('It is not needed.');
};

async function run(name: string, values: Record<string, string>): Promise<unknown> {
  const found = accountCommands.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  const { database, clock } = shop;
  const context = {
    database,
    clock,
    actor: { kind: 'operator', name: 'operator' } as const,
    keyRingFile: nothing,
    keyRing: nothing,
    chainUrls: () => [],
    wait: nothing,
  };
  return found.run(context, values);
}

const passBy = (tx: string) =>
  run('account pass-by', { network: 'SOL', account: store.wallet, tx, reason: 'looked at it' });

async function expectCompleted({ transId }: Open): Promise<void> {
  expect(await statusOf(shop, store, transId)).toBe('completed');
  expect(await eventsOf(shop, transId)).toHaveLength(1);
}

test.each([
  ['of a version that we do not know', (tx: string) => ({ versions: new Map([[tx, UNKNOWN_VERSION]]) })],
  ['that nobody can decode', (tx: string) => ({ garbled: new Set([tx]) })],
  ['that is listed and never given', (tx: string) => ({ withheld: new Set([tx]) })],
])('a stranger’s transaction %s keeps no payment from being settled', async (_title, change) => {
  const before = await openQuote(shop, store);
  const after = await openQuote(shop, store);
  await follow(shop);
  await pay(shop, before.quote);
  produceNow(shop, 2);
  const signature = paySol(shop.node, { to: store.wallet as Address, lamports: DUST });
  shop.node.behave(change(signature));
  produceNow(shop, 2);
  const hash = await pay(shop, after.quote);
  await settle(shop);
  await expectCompleted(before);
  await expectCompleted(after);
  const slot = shop.node.ledger.bySignature.get(signature)?.slot ?? 0;
  expect(await accountOf(shop, store.wallet)).toMatchObject({ covered: slot - 1, failures: 0 });
  const { rows } = await shop.database.pool.query(
    'select settled_tier, settled_hash = block_hash as here, proven_how, read_how from transfers where tx_id = $1',
    [hash],
  );
  expect(rows).toEqual([{ settled_tier: 'finalized', here: true, proven_how: 'balances', read_how: 'account' }]);
});

test('a payment of the version that is live is a payment like any other', async () => {
  const open = await Promise.all([1, 2, 3].map(() => openQuote(shop, store)));
  await follow(shop);
  for (const { quote } of open) {
    await pay(shop, quote);
    produceNow(shop);
  }
  const versions = (shop.node.ledger.byAddress.get(store.wallet) ?? []).map(({ version }) => version);
  expect(versions).toContain(1);
  await settle(shop);
  for (const one of open) await expectCompleted(one);
});

describe('coverage', () => {
  test('waits below it, so that nobody expires who may have paid with it; a person is told once', async () => {
    const unpaid = await openQuote(shop, store);
    await follow(shop);
    const signature = sendUnreadable();
    await goPast(shop, unpaid.transId);
    for (let round = 0; round < 3; round += 1) {
      await settle(shop);
      await expire(shop);
    }
    expect(await statusOf(shop, store, unpaid.transId)).toBe('waiting');
    expect(await alarmsOf(shop, signature)).toEqual(['unreadable-transaction']);
    expect(await run('account unreadable', {})).toContainEqual(
      expect.objectContaining({ network: 'SOL', account: store.wallet, tx: signature, fault: 'version' }),
    );
  });

  test('goes on when an operator passes it by, audited; not twice, and not for another', async () => {
    const unpaid = await openQuote(shop, store);
    await follow(shop);
    const signature = sendUnreadable();
    await goPast(shop, unpaid.transId);
    await settle(shop);
    await expect(passBy('another')).rejects.toThrow('does not wait for another');
    expect(await passBy(signature)).toMatchObject({ tx: signature, passed: true });
    await expect(passBy(signature)).rejects.toThrow('does not wait');
    expect(await auditOf(shop, `account:SOL:${store.wallet}`)).toEqual(['account.pass-by']);
    await settle(shop);
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
    expect(await rowOf(signature)).toMatchObject({ passed: true });
    expect(await alarmsOf(shop, signature)).toEqual(['unreadable-transaction']);
  });

  test('goes on by itself when it can be read, and what it paid is not lost', async () => {
    const paid = await openQuote(shop, store);
    await follow(shop);
    const signature = await pay(shop, paid.quote);
    shop.node.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
    produceNow(shop);
    const end = await endOf(shop, paid.transId);
    await settle(shop);
    expect(await statusOf(shop, store, paid.transId)).toBe('waiting');
    expect(await transfersOf(shop, signature)).toEqual([]);
    shop.node.behave({ versions: new Map() });
    await makeRetryDue();
    await follow(shop);
    await settle(shop);
    expect(shop.clock.nowMs() / 1000).toBeLessThan(end);
    await expectCompleted(paid);
    expect(await rowOf(signature)).toBeUndefined();
    const { height, covered } = await accountOf(shop, store.wallet);
    expect(covered).toBeGreaterThan(shop.node.ledger.bySignature.get(signature)?.slot ?? height);
  });

  test('goes on by itself when a fork took it', async () => {
    const unpaid = await openQuote(shop, store);
    await follow(shop);
    const signature = sendUnreadable();
    await follow(shop);
    expect(await rowOf(signature)).toMatchObject({ fault: 'version' });
    shop.node.drop(1, 'vanish');
    finalizeNow(shop);
    await makeRetryDue();
    await follow(shop);
    expect(await rowOf(signature)).toBeUndefined();
    await goPast(shop, unpaid.transId);
    await settle(shop);
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
  });

  test('waits for the same transaction after a restart', async () => {
    const unpaid = await openQuote(shop, store);
    await follow(shop);
    const signature = sendUnreadable();
    await goPast(shop, unpaid.transId);
    await settle(shop);
    const { covered } = await accountOf(shop, store.wallet);
    const restarted = createReader(shop);
    await settle(shop, restarted);
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('waiting');
    expect(await accountOf(shop, store.wallet)).toMatchObject({ covered });
    expect(await alarmsOf(shop, signature)).toEqual(['unreadable-transaction']);
  });
});

describe('asking again', () => {
  test('is for it alone, and ever more seldom', async () => {
    await openQuote(shop, store);
    const rarely = { open: 3_600, resting: 3_600 };
    const reader = createReader(shop, { coverSeconds: rarely });
    await follow(shop, reader);
    const signature = sendUnreadable();
    await follow(shop, reader);
    // Its first retry is due in seconds, which pass meanwhile.
    await shop.database.pool.query(`update unreadable_transactions set next_try_at = 'infinity'`);
    for (let poll = 0; poll < 30; poll += 1) await follow(shop, reader);
    const waits: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      await makeRetryDue();
      shop.node.resetCounts();
      await follow(shop, reader);
      expect(shop.node.counts().calls).toMatchObject({ getTransaction: 1 });
      expect(shop.node.counts().calls['getSignaturesForAddress']).toBeUndefined();
      waits.push((await rowOf(signature))?.wait ?? 0);
    }
    expect(waits.slice(0, 3)).toEqual([4, 8, 16]);
    expect(Math.max(...waits)).toBe(600);
    shop.node.resetCounts();
    await follow(shop, reader);
    expect(shop.node.counts().calls['getTransaction']).toBeUndefined();
  });

  test('also asks the other provider, which may be newer', async () => {
    const paid = await openQuote(shop, store);
    const doors: SolanaDoor[] = [await shop.node.openDoor(), await shop.node.openDoor()];
    const reader = createReader(shop, { urls: doors.map(({ url }) => url) });
    await follow(shop, reader);
    const signature = await pay(shop, paid.quote);
    for (const door of doors) door.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
    produceNow(shop);
    await settle(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('waiting');
    doors[1]?.behave({ versions: new Map() });
    await makeRetryDue();
    await settle(shop, reader);
    // The provider that found it is the one that can read it: the other has to agree, or its coverage has to come.
    await ageReads(shop);
    await follow(shop, reader);
    expect(await rowOf(signature)).toBeUndefined();
    expect(await transfersOf(shop, signature)).toMatchObject([{ canonical: true, trans_id: paid.transId }]);
  });

  test('tells of one that concerns several accounts once', async () => {
    const other = await openSolanaStore(shop);
    await openQuote(shop, store);
    await openQuote(shop, other);
    await follow(shop);
    const signature = paySol(shop.node, {
      to: store.wallet as Address,
      lamports: DUST,
      references: [other.wallet as Address],
    });
    shop.node.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
    produceNow(shop);
    await settle(shop);
    await settle(shop);
    const { rows } = await shop.database.pool.query('select account from unreadable_transactions where tx_id = $1', [
      signature,
    ]);
    expect(rows).toHaveLength(2);
    expect(await alarmsOf(shop, signature)).toEqual(['unreadable-transaction']);
  });
});
