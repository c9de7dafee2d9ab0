import { describe, expect, test } from 'vitest';
import { EXCHANGE_NETWORKS } from '../networks/exchange-networks.ts';
import type { StatementRow, StatementSource } from '../platforms/statement-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { TimeRange } from './plan-statement.ts';
import { readParts } from './read-parts.ts';

const KEY = { baseUrl: 'https://api.example.com', credentials: { apiKey: 'key', apiSecret: 'secret' } };
const RANGE = { fromMs: 1_000, toMs: 16_999 };
const FIRST = { firstMs: 1_000 };

const rowAt = (atMs: number): StatementRow => ({
  id: String(atMs),
  token: 'USDT',
  units: 1n,
  atMs,
  from: '',
  state: 'final',
});

const unused = async () => {
  throw new Error('Not part of this test.');
};

/** A statement with a row each second; `refuse` decides which reads are refused. */
function openSource(refuse: (range: TimeRange, reads: number) => SourceError | undefined) {
  const [network] = EXCHANGE_NETWORKS;
  if (!network) throw new Error('There are no exchange platforms.');
  const read: TimeRange[] = [];
  const source: StatementSource = {
    network,
    readTime: unused,
    readKey: unused,
    readStatement: async (_key, fromMs, toMs) => {
      const refusal = refuse({ fromMs, toMs }, read.length);
      if (refusal) throw refusal;
      read.push({ fromMs, toMs });
      const first = Math.ceil(fromMs / 1_000) * 1_000;
      return Array.from({ length: Math.max(0, Math.floor((toMs - first) / 1_000) + 1) }, (_, place) =>
        rowAt(first + place * 1_000),
      );
    },
  };
  return { source, read };
}

const isEnough = (rows: readonly StatementRow[]) => rows.some(({ atMs }) => atMs === 3_000);
const rate = new SourceError('rate', 'The quota is used.');

describe('a range is read in parts', () => {
  test('each twice as long as the one before, without a gap', async () => {
    const { source, read } = openSource(() => undefined);
    const { rows, toMs, refusal } = await readParts(source, KEY, RANGE, FIRST);
    expect(read.map(({ fromMs, toMs: endMs }) => [fromMs, endMs])).toEqual([
      [1_000, 1_999],
      [2_000, 3_999],
      [4_000, 7_999],
      [8_000, 15_999],
      [16_000, 16_999],
    ]);
    expect(rows.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 16 }, (_, place) => 1_000 + place * 1_000));
    expect({ toMs, refusal }).toEqual({ toMs: RANGE.toMs, refusal: undefined });
  });

  test.each(['rate', 'unavailable', 'inconsistent'] as const)(
    'and what was read before a refusal by %s counts',
    async (kind) => {
      const { source } = openSource((_range, reads) => (reads === 2 ? new SourceError(kind, 'No more.') : undefined));
      const { rows, toMs, refusal } = await readParts(source, KEY, RANGE, FIRST);
      expect(rows.map(({ atMs }) => atMs)).toEqual([1_000, 2_000, 3_000]);
      expect(toMs).toBe(3_999);
      expect(refusal).toMatchObject({ kind });
    },
  );

  test('that are shorter where the platform shows more rows than one read may hold', async () => {
    const { source, read } = openSource(({ fromMs, toMs }) =>
      toMs - fromMs >= 500 ? new SourceError('range', 'Too long.', { suggestedRange: 400 }) : undefined,
    );
    const { toMs } = await readParts(source, KEY, RANGE, FIRST);
    expect(toMs).toBe(RANGE.toMs);
    expect(read[0]).toEqual({ fromMs: 1_000, toMs: 1_399 });
  });

  test('up to one that has shown enough', async () => {
    const { source } = openSource(() => undefined);
    expect(await readParts(source, KEY, RANGE, { ...FIRST, isEnough })).toMatchObject({ toMs: 3_999 });
  });
});

test('a range of which no part was read is refused', async () => {
  const { source } = openSource(() => rate);
  await expect(readParts(source, KEY, RANGE, FIRST)).rejects.toBe(rate);
});
