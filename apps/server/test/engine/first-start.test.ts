import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import { deadUrl } from '../../rig/fakes/listen.ts';
import { CHAIN_IDS, chainOf, followerOf, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, statusOf } from '../../rig/invoices/look-up.ts';
import * as sol from '../../rig/invoices/solana-fixture.ts';
import { followHead } from '../../src/chains/follow-chain.ts';
import { readChain } from '../../src/chains/chain-sql.ts';

/** A process starts to read a network when one of its providers can be used; the others may be down or wrong. */

const HALF_MINUTE_MS = 30_000;

describe('a chain that nobody has read before', () => {
  let fork: Anvil;
  let dead: string;
  beforeAll(async () => {
    dead = await deadUrl();
    fork = await startAnvil({ chainId: CHAIN_IDS['ETH'] ?? 0 });
  });
  afterAll(() => fork.stop());

  test.each<[string, (own: string) => string[], string[]]>([
    ['its first provider is down', (own) => [dead, own], []],
    ['its second provider is down', (own) => [own, dead], []],
    ['its first provider serves another chain', (own) => [fork.url, own], ['wrong-chain']],
  ])('is read although %s', async (_case, urlsOf, alarms) => {
    const engine = await openEngineFixture(inject('template'), ['BSC']);
    try {
      const follower = followerOf(engine, 'BSC', urlsOf(chainOf(engine, 'BSC').anvil.url));
      await followHead(follower);
      expect(await readChain(engine.database.queries, 'BSC')).toBeDefined();
      expect(await alarmsOf(engine, 'chain:BSC')).toEqual(alarms);
    } finally {
      await engine.close();
    }
  });

  test('is not read while its only provider serves another chain, and an alarm is raised', async () => {
    const engine = await openEngineFixture(inject('template'), ['BSC']);
    try {
      const follower = followerOf(engine, 'BSC', [fork.url]);
      await followHead(follower);
      expect(await readChain(engine.database.queries, 'BSC')).toBeUndefined();
      expect(await alarmsOf(engine, 'chain:BSC')).toEqual(['wrong-chain']);
    } finally {
      await engine.close();
    }
  });
});

describe('a worker that starts to read Solana', () => {
  let engine: sol.SolanaFixture;
  let other: SolanaDoor;
  beforeAll(async () => {
    engine = await sol.openSolanaFixture(inject('template'));
    other = await engine.node.openDoor({ genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' });
  });
  afterAll(() => engine.close());

  test.each<[string, () => Promise<string[]>]>([
    ['its first provider is down', async () => [await deadUrl(), engine.node.url]],
    ['its second provider is down', async () => [engine.node.url, await deadUrl()]],
    ['its first provider serves another chain', async () => [other.url, engine.node.url]],
    ['its second provider serves another chain', async () => [engine.node.url, other.url]],
  ])('finds a payment although %s, and completes it after a minute of silence', async (_case, urlsOf) => {
    const store = await sol.openSolanaStore(engine);
    const { transId, quote } = await sol.openQuote(engine, store);
    await sol.pay(engine, quote);
    const reader = sol.createReader(engine, { urls: await urlsOf(), monotonic: engine.clock });
    await sol.settle(engine, reader);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    for (let half = 0; half < 3; half += 1) {
      engine.clock.advance(HALF_MINUTE_MS);
      await sol.settle(engine, reader);
    }
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('raises an alarm about a provider that serves another chain', async () => {
    expect(await alarmsOf(engine, 'chain:SOL')).toContain('wrong-chain');
  });
});
