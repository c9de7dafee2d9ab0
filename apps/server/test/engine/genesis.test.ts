import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import type { RpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { changing, Refused, startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, standingOf } from '../../rig/invoices/look-up.ts';
import { CHAIN_IDS, chainOf, followerOf, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { follow, mineNow } from '../../rig/invoices/follow-network.ts';

/**
 * Block 0 distinguishes our chain from a fork of it and from a local one: a provider with another block 0 is not used.
 */

const [CHAIN_ID] = [CHAIN_IDS['BSC'] ?? 0];
let engine: EngineFixture;
let fork: Anvil;
let proxy: RpcProxy;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  await follow(engine, 'BSC');
  fork = await startAnvil({ chainId: CHAIN_ID, slotsInAnEpoch: 1, timestamp: 1_700_000_000 });
  await installCanonicalTokens(fork);
  await mine(fork, 500);
  proxy = await startRpcProxy(chainOf(engine, 'BSC').anvil.url);
});
afterAll(async () => {
  await proxy.stop();
  await fork.stop();
  await engine.close();
});

const isGenesis = ({ method, params }: { method: string; params: unknown[] }) =>
  method === 'eth_getBlockByNumber' && params[0] === '0x0';

test('a provider with our chain id and another block 0 is not used, and one alarm is raised', async () => {
  const own = chainOf(engine, 'BSC').anvil.url;
  const follower = followerOf(engine, 'BSC', [fork.url, own]);
  const before = await standingOf(engine, 'BSC');
  await mineNow(engine, 'BSC', 10);
  await follow(engine, 'BSC', follower);
  await mineNow(engine, 'BSC', 10);
  await follow(engine, 'BSC', follower);
  expect((await standingOf(engine, 'BSC')).height).toBeGreaterThan(before.height + 10);
  const alarms = await alarmsOf(engine, 'chain:BSC');
  expect(alarms.filter((kind) => kind === 'wrong-chain')).toHaveLength(1);
  await expect(followerOf(engine, 'BSC', [fork.url]).source.verify()).rejects.toThrow('another block 0');
});

test('a network whose only provider has another block 0 is not followed', async () => {
  const follower = followerOf(engine, 'BSC', [fork.url]);
  const before = await standingOf(engine, 'BSC');
  await follow(engine, 'BSC', follower);
  expect(await standingOf(engine, 'BSC')).toEqual(before);
});

test.each([
  ['answers nothing for it', null],
  ['says that it is pruned', new Refused(4_444, 'pruned history unavailable')],
  ['says that it does not know the header', new Refused(-32_000, 'header not found')],
])('a provider that %s is believed by its chain id', async (_case, answer) => {
  proxy.answer(
    changing((call, result) => {
      if (!isGenesis(call)) return result;
      if (answer) throw answer;
      return null;
    }),
  );
  await expect(followerOf(engine, 'BSC', [proxy.url]).source.verify()).resolves.toBeUndefined();
});

test('block 0 is asked for once by a process, not at every step', async () => {
  proxy.answerTruly();
  proxy.forget();
  const follower = followerOf(engine, 'BSC', [proxy.url]);
  for (let round = 0; round < 3; round += 1) {
    await mineNow(engine, 'BSC', 2);
    await follow(engine, 'BSC', follower);
  }
  expect(proxy.requests().flat().filter(isGenesis)).toHaveLength(1);
});
