import { afterAll, beforeAll, expect, test } from 'vitest';
import { askOthers } from '../../src/chains/ask-others.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { Shop } from './shop.ts';
import { alarmsOf, chainOf, openShop } from './shop.ts';

/** For how long the others were silent is known only of the time in which they were asked. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['BSC']);
});
afterAll(() => shop.close());

const MINUTE_MS = 60_000;

const refuse = () => Promise.reject(new SourceError('unavailable', 'It is away.'));

test('others that failed long ago and fail once more are not done without: they were not asked in between', async () => {
  const { follower } = chainOf(shop, 'BSC');
  await expect(askOthers(follower, 'a', refuse)).rejects.toThrow('It is away.');
  shop.clock.advance(60 * MINUTE_MS);
  await expect(askOthers(follower, 'a', refuse)).rejects.toThrow('It is away.');
  expect(await alarmsOf(shop, 'chain:BSC')).not.toContain('provider-silent');
  shop.clock.advance(MINUTE_MS);
  expect(await askOthers(follower, 'a', refuse)).toEqual({ answered: false });
  expect(await alarmsOf(shop, 'chain:BSC')).toContain('provider-silent');
});
