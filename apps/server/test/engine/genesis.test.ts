import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Anvil } from '../chain/anvil.ts';
import { startAnvil } from '../chain/anvil.ts';
import { mine } from '../chain/reorg.ts';
import { installCanonicalTokens } from '../chain/token.ts';
import type { RpcProxy } from '../sources/rpc-proxy.ts';
import { changing, Refused, startRpcProxy } from '../sources/rpc-proxy.ts';
import type { Shop } from './shop.ts';
import { alarmsOf, CHAIN_IDS, chainOf, follow, followerOf, mineNow, openShop, standingOf } from './shop.ts';

/** Block 0 tells our chain from a fork of it and from a local one: a provider that shows another answers nothing. */

const [CHAIN_ID] = [CHAIN_IDS['BSC'] ?? 0];
let shop: Shop;
let fork: Anvil;
let proxy: RpcProxy;
beforeAll(async () => {
  shop = await openShop(['BSC']);
  await follow(shop, 'BSC');
  fork = await startAnvil({ chainId: CHAIN_ID, slotsInAnEpoch: 1, timestamp: 1_700_000_000 });
  await installCanonicalTokens(fork);
  await mine(fork, 500);
  proxy = await startRpcProxy(chainOf(shop, 'BSC').anvil.url);
});
afterAll(async () => {
  await proxy.stop();
  await fork.stop();
  await shop.close();
});

const isGenesis = ({ method, params }: { method: string; params: unknown[] }) =>
  method === 'eth_getBlockByNumber' && params[0] === '0x0';

test('a provider with our chain id and another block 0 is asked nothing, and a person is told once', async () => {
  const own = chainOf(shop, 'BSC').anvil.url;
  const follower = followerOf(shop, 'BSC', [fork.url, own]);
  const before = await standingOf(shop, 'BSC');
  await mineNow(shop, 'BSC', 10);
  await follow(shop, 'BSC', follower);
  await mineNow(shop, 'BSC', 10);
  await follow(shop, 'BSC', follower);
  expect((await standingOf(shop, 'BSC')).height).toBeGreaterThan(before.height + 10);
  const alarms = await alarmsOf(shop, 'chain:BSC');
  expect(alarms.filter((kind) => kind === 'wrong-chain')).toHaveLength(1);
  await expect(follower.source.verify()).rejects.toThrow('another block 0');
});

test('alone it is not followed at all', async () => {
  const follower = followerOf(shop, 'BSC', [fork.url]);
  const before = await standingOf(shop, 'BSC');
  await follow(shop, 'BSC', follower);
  expect(await standingOf(shop, 'BSC')).toEqual(before);
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
  await expect(followerOf(shop, 'BSC', [proxy.url]).source.verify()).resolves.toBeUndefined();
});

test('block 0 is asked for once by a process, not at every step', async () => {
  proxy.answerTruly();
  proxy.forget();
  const follower = followerOf(shop, 'BSC', [proxy.url]);
  for (let round = 0; round < 3; round += 1) {
    await mineNow(shop, 'BSC', 2);
    await follow(shop, 'BSC', follower);
  }
  expect(proxy.requests().flat().filter(isGenesis)).toHaveLength(1);
});
