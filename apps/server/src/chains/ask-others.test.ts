import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { SourceError } from '../sources/chain-source.ts';
import { askOthers } from './ask-others.ts';

const refuse = () => Promise.reject(new SourceError('unavailable', 'It is away.'));

const tooLong = () => Promise.reject(new SourceError('range', 'That is too much.'));

function createAsker() {
  const clock = createManualClock(0);
  const memory = { othersSilentSince: new Map(), alarmed: new Set<string>() };
  return { clock, asker: { clock, memory } as unknown as Parameters<typeof askOthers>[0] };
}

test('an answer ends a silence: the next one lasts a minute of its own', async () => {
  const { clock, asker } = createAsker();
  await expect(askOthers(asker, 'first', refuse)).rejects.toThrow('It is away.');
  clock.advance(30_000);
  expect(await askOthers(asker, 'first', async () => 1)).toEqual({ answered: true, answer: 1 });
  clock.advance(40_000);
  await expect(askOthers(asker, 'first', refuse)).rejects.toThrow('It is away.');
});

test('a refused range is no silence', async () => {
  const { clock, asker } = createAsker();
  await expect(askOthers(asker, 'first', tooLong)).rejects.toThrow('That is too much.');
  clock.advance(61_000);
  await expect(askOthers(asker, 'first', refuse)).rejects.toThrow('It is away.');
});
