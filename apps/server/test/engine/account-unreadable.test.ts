import type { Address } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import { accountCommands } from '../../src/commands/account-commands.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import { paySol } from '../../rig/chains/solana/payment.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { alarmsOf, auditOf, endOf, eventsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import type { Open, SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  ageReads,
  createReader,
  finalizeNow,
  follow,
  goPast,
  makeDue,
  makeRetriesDue,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
  produceNow,
  readDatabaseTime,
  settle,
} from '../../rig/invoices/solana-fixture.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { NO_EXCHANGES } from '../../rig/exchanges/no-exchanges.ts';
import { NO_MAIL } from '../../rig/mail/no-mail.ts';

/** An unreadable transaction delays what must wait for it, and nothing else. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
});
afterAll(() => engine.close());
beforeEach(async () => {
  engine.node.behave({ versions: new Map(), garbled: new Set(), withheld: new Set() });
  store = await openSolanaStore(engine);
});

/** Transaction version newer than any announced one. */
const UNKNOWN_VERSION = 9;
const DUST = 100_000_000n;

/** Sends the store a small sum in a transaction that no provider shows. */
function sendUnreadable(): string {
  const signature = paySol(engine.node, { to: store.wallet as Address, lamports: DUST });
  engine.node.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
  produceNow(engine);
  return signature;
}

type Row = { fault: string; tries: number; passed: boolean };

async function rowOf(signature: string): Promise<Row | undefined> {
  const { rows } = await engine.database.pool.query<Row>(
    `select fault, tries, passed_at is not null as passed
     from unreadable_transactions where tx_id = $1 and account = $2`,
    [signature, store.wallet],
  );
  return rows[0];
}

const nothing = () => {
  throw new Error('It is not needed.');
};

async function run(name: string, values: Record<string, string>): Promise<unknown> {
  const found = accountCommands.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  const { database, clock } = engine;
  const context = {
    ...NO_EXCHANGES,
    ...NO_MAIL,
    networks: NETWORKS,
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
  expect(await statusOf(engine, store, transId)).toBe('completed');
  expect(await eventsOf(engine, transId)).toHaveLength(1);
}

test.each([
  ['of a version that we do not know', (tx: string) => ({ versions: new Map([[tx, UNKNOWN_VERSION]]) })],
  ['that nobody can decode', (tx: string) => ({ garbled: new Set([tx]) })],
  ['that is listed and never given', (tx: string) => ({ withheld: new Set([tx]) })],
])('a stranger’s transaction %s keeps no payment from being settled', async (_title, change) => {
  const before = await openQuote(engine, store);
  const after = await openQuote(engine, store);
  await follow(engine);
  await pay(engine, before.quote);
  produceNow(engine, 2);
  const signature = paySol(engine.node, { to: store.wallet as Address, lamports: DUST });
  engine.node.behave(change(signature));
  produceNow(engine, 2);
  const hash = await pay(engine, after.quote);
  await settle(engine);
  // A retry that became due replaces the second read, which waits for the next poll.
  await ageReads(engine);
  await follow(engine);
  await expectCompleted(before);
  await expectCompleted(after);
  const slot = engine.node.ledger.bySignature.get(signature)?.slot ?? 0;
  expect(await accountOf(engine, store.wallet)).toMatchObject({ covered: slot - 1, failures: 0 });
  const { rows } = await engine.database.pool.query(
    'select settled_tier, settled_hash = block_hash as here, proven_how, read_how from transfers where tx_id = $1',
    [hash],
  );
  expect(rows).toEqual([{ settled_tier: 'finalized', here: true, proven_how: 'balances', read_how: 'account' }]);
});

test('a payment of the version that is live is a payment like any other', async () => {
  const open = await Promise.all([1, 2, 3].map(() => openQuote(engine, store)));
  await follow(engine);
  for (const { quote } of open) {
    await pay(engine, quote);
    produceNow(engine);
  }
  const versions = (engine.node.ledger.byAddress.get(store.wallet) ?? []).map(({ version }) => version);
  expect(versions).toContain(1);
  await settle(engine);
  for (const one of open) await expectCompleted(one);
});

describe('coverage of an account with an unreadable transaction', () => {
  test('waits below it, so that no invoice expires that may have been paid with it; one alarm is raised', async () => {
    const unpaid = await openQuote(engine, store);
    await follow(engine);
    const signature = sendUnreadable();
    await goPast(engine, unpaid.transId);
    for (let round = 0; round < 3; round += 1) {
      await settle(engine);
      await expire(engine);
    }
    expect(await statusOf(engine, store, unpaid.transId)).toBe('waiting');
    expect(await alarmsOf(engine, signature)).toEqual(['unreadable-transaction']);
    expect(await run('account unreadable', {})).toContainEqual(
      expect.objectContaining({ network: 'SOL', account: store.wallet, tx: signature, fault: 'version' }),
    );
  });

  test('goes on when an operator passes it over, audited; not twice, and not for another', async () => {
    const unpaid = await openQuote(engine, store);
    await follow(engine);
    const signature = sendUnreadable();
    await goPast(engine, unpaid.transId);
    await settle(engine);
    await expect(passBy('another')).rejects.toThrow('does not wait for another');
    expect(await passBy(signature)).toMatchObject({ tx: signature, passed: true });
    await expect(passBy(signature)).rejects.toThrow('does not wait');
    expect(await auditOf(engine, `account:SOL:${store.wallet}`)).toEqual(['account.pass-by']);
    await settle(engine);
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
    expect(await rowOf(signature)).toMatchObject({ passed: true });
    expect(await alarmsOf(engine, signature)).toEqual(['unreadable-transaction']);
  });

  test('goes on by itself when it can be read, and what it paid is not lost', async () => {
    const paid = await openQuote(engine, store);
    await follow(engine);
    const signature = await pay(engine, paid.quote);
    engine.node.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
    produceNow(engine);
    const end = await endOf(engine, paid.transId);
    await settle(engine);
    expect(await statusOf(engine, store, paid.transId)).toBe('waiting');
    expect(await transfersOf(engine, signature)).toEqual([]);
    engine.node.behave({ versions: new Map() });
    await makeRetriesDue(engine, store.wallet);
    await follow(engine);
    await settle(engine);
    expect(engine.clock.nowMs() / 1000).toBeLessThan(end);
    await expectCompleted(paid);
    expect(await rowOf(signature)).toBeUndefined();
    const { height, covered } = await accountOf(engine, store.wallet);
    expect(covered).toBeGreaterThan(engine.node.ledger.bySignature.get(signature)?.slot ?? height);
  });

  test('goes on by itself when a fork took it', async () => {
    const unpaid = await openQuote(engine, store);
    await follow(engine);
    const signature = sendUnreadable();
    await follow(engine);
    expect(await rowOf(signature)).toMatchObject({ fault: 'version' });
    engine.node.drop(1, 'vanish');
    finalizeNow(engine);
    await makeRetriesDue(engine, store.wallet);
    await follow(engine);
    expect(await rowOf(signature)).toBeUndefined();
    await goPast(engine, unpaid.transId);
    await settle(engine);
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
  });

  test('waits for a transaction above the final block, and not for one that is missing in it', async () => {
    await openQuote(engine, store);
    await follow(engine);
    const signature = sendUnreadable();
    await follow(engine);
    engine.node.drop(1, 'vanish');
    finalizeNow(engine);
    const { finalized } = await engine.follower.source.heads('first');
    for (const [height, stays] of [[finalized.height + 1, true] as const, [finalized.height, false] as const]) {
      await engine.database.pool.query('update unreadable_transactions set height = $1 where tx_id = $2', [
        height,
        signature,
      ]);
      await makeRetriesDue(engine, store.wallet);
      await follow(engine);
      expect((await rowOf(signature)) !== undefined).toBe(stays);
    }
  });

  test('waits for the same transaction after a restart', async () => {
    const unpaid = await openQuote(engine, store);
    await follow(engine);
    const signature = sendUnreadable();
    await goPast(engine, unpaid.transId);
    await settle(engine);
    const { covered } = await accountOf(engine, store.wallet);
    const restarted = createReader(engine);
    await settle(engine, restarted);
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('waiting');
    expect(await accountOf(engine, store.wallet)).toMatchObject({ covered });
    expect(await alarmsOf(engine, signature)).toEqual(['unreadable-transaction']);
  });
});

describe('asking again for an unreadable transaction', () => {
  test('asks for it alone, and less and less often', async () => {
    await openQuote(engine, store);
    const rarely = { open: 3_600, resting: 3_600 };
    const reader = createReader(engine, { coverSeconds: rarely });
    await follow(engine, reader);
    const signature = sendUnreadable();
    await follow(engine, reader);
    // The first retry would be due within seconds, which pass during this test.
    await engine.database.pool.query(`update unreadable_transactions set next_try_at = 'infinity'`);
    for (let poll = 0; poll < 30; poll += 1) await follow(engine, reader);
    for (const waitSeconds of [4, 8, 16, 32, 64, 128, 256, 512, 600, 600]) {
      await makeRetriesDue(engine, store.wallet);
      await makeDue(engine);
      engine.node.resetCounts();
      const beforeRead = await readDatabaseTime(engine);
      // One turn only: before a second one the next retry may be due on a slow machine.
      await followAccounts(reader);
      await finishReading(reader);
      expect(engine.node.counts().calls).toMatchObject({ getTransaction: 1 });
      expect(engine.node.counts().calls['getSignaturesForAddress']).toBeUndefined();
      // The wait began between these two moments, however far they are apart.
      const { rows } = await engine.database.pool.query(
        `select next_try_at - make_interval(secs => $2) between $3::timestamptz and clock_timestamp() as waits
         from unreadable_transactions where tx_id = $1`,
        [signature, waitSeconds, beforeRead],
      );
      expect(rows).toEqual([{ waits: true }]);
    }
    engine.node.resetCounts();
    await follow(engine, reader);
    expect(engine.node.counts().calls['getTransaction']).toBeUndefined();
  });

  test('also asks the other provider, which may be newer', async () => {
    const paid = await openQuote(engine, store);
    const doors: SolanaDoor[] = [await engine.node.openDoor(), await engine.node.openDoor()];
    const reader = createReader(engine, { urls: doors.map(({ url }) => url) });
    await follow(engine, reader);
    const signature = await pay(engine, paid.quote);
    for (const door of doors) door.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
    produceNow(engine);
    await settle(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('waiting');
    doors[1]?.behave({ versions: new Map() });
    await makeRetriesDue(engine, store.wallet);
    await settle(engine, reader);
    // The provider that found the transaction is the one that can read it: the other must agree, or cover it.
    await ageReads(engine);
    await follow(engine, reader);
    expect(await rowOf(signature)).toBeUndefined();
    expect(await transfersOf(engine, signature)).toMatchObject([{ canonical: true, trans_id: paid.transId }]);
  });

  test('raises one alarm for a transaction that concerns several accounts', async () => {
    const other = await openSolanaStore(engine);
    await openQuote(engine, store);
    await openQuote(engine, other);
    await follow(engine);
    const signature = paySol(engine.node, {
      to: store.wallet as Address,
      lamports: DUST,
      references: [other.wallet as Address],
    });
    engine.node.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
    produceNow(engine);
    await settle(engine);
    await settle(engine);
    const { rows } = await engine.database.pool.query('select account from unreadable_transactions where tx_id = $1', [
      signature,
    ]);
    expect(rows).toHaveLength(2);
    expect(await alarmsOf(engine, signature)).toEqual(['unreadable-transaction']);
  });
});
