import { describe, expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import type { Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import { createAskProviders } from './ask-providers.ts';
import { createHeadWatch, createReadHeads } from './head-watch.ts';

type Fake = { name: string; height: number; isDown: boolean };

/** Providers a, b and c of a network with a block every `blockSeconds`, all at height 100. */
function open(blockSeconds: number, names = ['a', 'b']) {
  const clock = createManualClock(1_000_000);
  const fakes = names.map((name): Fake => ({ name, height: 100, isDown: false }));
  const watch = createHeadWatch({ blockSeconds }, clock);
  const asked: string[] = [];
  const providers = fakes.map((provider) => ({ name: provider.name, provider }));
  const ask = createAskProviders(providers, () => Promise.resolve(), clock, { isStanding: watch.isStanding });
  const read = createReadHeads(ask, watch, ({ height }: { height: number }) => height);
  return {
    watch,
    asked,
    heads: async (pass: Pass = 'first') => {
      const { by, height } = await read(pass, async (provider) => {
        asked.push(provider.name);
        if (provider.isDown) throw new SourceError('unavailable', 'down');
        return { height: provider.height };
      });
      return `${by} ${height}`;
    },
    change: (name: string, change: Partial<Fake>) => {
      const fake = fakes.find((one) => one.name === name);
      if (fake) Object.assign(fake, change);
    },
    pass: (seconds: number, moving: readonly string[]) => {
      clock.advance(seconds * 1_000);
      for (const fake of fakes) if (moving.includes(fake.name)) fake.height += Math.floor(seconds / blockSeconds);
    },
  };
}

describe('a head that stands still', () => {
  test.each([
    ['every second', 1, 20],
    ['every twelve seconds', 12, 48],
  ])('while another provider’s moves counts as silence, with a block %s', async (_pace, blockSeconds, stillSeconds) => {
    const rig = open(blockSeconds);
    await rig.heads();
    rig.pass(stillSeconds - 1, ['b']);
    expect(await rig.heads()).toBe('a 100');
    rig.pass(1 + blockSeconds, ['b']);
    expect(await rig.heads()).toMatch(/^b 1/);
    expect(rig.watch.standing()).toEqual([{ provider: 'a', height: 100 }]);
  });

  test('is believed where no other provider is ahead: the network has halted', async () => {
    const rig = open(1);
    await rig.heads();
    rig.pass(600, []);
    expect(await rig.heads()).toBe('a 100');
    expect(rig.watch.standing()).toEqual([]);
  });

  test('is believed where the other provider is one block ahead, or down', async () => {
    const rig = open(1);
    await rig.heads();
    rig.pass(600, []);
    rig.change('b', { height: 101 });
    expect(await rig.heads()).toBe('a 100');
    rig.pass(600, []);
    rig.change('b', { height: 700, isDown: true });
    expect(await rig.heads()).toBe('a 100');
  });

  test('of the second of three providers: the third is asked', async () => {
    const rig = open(1, ['a', 'b', 'c']);
    await rig.heads();
    await rig.heads({ not: 'a' });
    rig.pass(60, ['a', 'c']);
    expect(await rig.heads({ not: 'a' })).toBe('c 160');
  });

  test('of the other of two providers is silence', async () => {
    const rig = open(1);
    await rig.heads({ not: 'a' });
    rig.pass(60, ['a']);
    await expect(rig.heads({ not: 'a' })).rejects.toMatchObject({ kind: 'unavailable', message: /b stands still/ });
    expect(await rig.heads({ only: 'b' })).toBe('b 100');
  });

  test('costs no question while it moves', async () => {
    const rig = open(1);
    for (let minute = 0; minute < 10; minute += 1) {
      await rig.heads();
      rig.pass(60, ['a', 'b']);
    }
    expect(new Set(rig.asked)).toEqual(new Set(['a']));
  });
});

test('a provider is asked again when its head has caught up, and not while it is catching up', async () => {
  const rig = open(1);
  await rig.heads();
  rig.pass(600, ['b']);
  expect(await rig.heads()).toBe('b 700');
  rig.pass(60, ['a', 'b']);
  expect(await rig.heads()).toBe('b 760');
  rig.change('a', { height: 735 });
  rig.pass(10, ['a', 'b']);
  expect(await rig.heads()).toBe('a 745');
  expect(rig.watch.standing()).toEqual([]);
});
