import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { askOthers } from '../../src/chains/ask-others.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf } from '../../rig/invoices/look-up.ts';
import { chainOf, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';

/** Silence of other providers is measured only over the time in which they were asked. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
});
afterAll(() => engine.close());

const MINUTE_MS = 60_000;

const refuse = () => Promise.reject(new SourceError('unavailable', 'It is away.'));

test('other providers that failed long ago and fail once more are still waited for: they were not asked in between', async () => {
  const { follower } = chainOf(engine, 'BSC');
  await expect(askOthers(follower, 'a', refuse)).rejects.toThrow('It is away.');
  engine.clock.advance(60 * MINUTE_MS);
  await expect(askOthers(follower, 'a', refuse)).rejects.toThrow('It is away.');
  expect(await alarmsOf(engine, 'chain:BSC')).not.toContain('provider-silent');
  engine.clock.advance(MINUTE_MS);
  expect(await askOthers(follower, 'a', refuse)).toEqual({ answered: false });
  expect(await alarmsOf(engine, 'chain:BSC')).toContain('provider-silent');
});
