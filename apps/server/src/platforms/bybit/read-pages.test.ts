import { describe, expect, test } from 'vitest';
import type { BybitDeposit } from './bybit-statement.ts';
import { MAX_PAGES, readPages } from './read-pages.ts';

const deposit = (id: number): BybitDeposit => ({ id: String(id), coin: 'USDT', createdTime: '1705393280' });

describe('pages of Bybit', () => {
  test('a page that is not full is not the end, as long as it has a cursor', async () => {
    const pages = new Map([
      ['', { rows: [deposit(3)], nextPageCursor: 'a' }],
      ['a', { rows: [deposit(2), deposit(1)], nextPageCursor: 'b' }],
      ['b', { rows: [], nextPageCursor: 'c' }],
    ]);
    const found = await readPages(async (cursor) => pages.get(cursor) ?? { rows: [], nextPageCursor: '' }, 1);
    expect(found.map(({ id }) => id)).toEqual(['3', '2', '1']);
  });

  test('a page without a cursor is the end', async () => {
    expect(await readPages(async () => ({ rows: [deposit(1)], nextPageCursor: '' }), 1)).toHaveLength(1);
  });

  test('a cursor that leads back is an error, never an end', async () => {
    const turning = readPages(async () => ({ rows: [deposit(1)], nextPageCursor: 'a' }), 1);
    await expect(turning).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('too many pages are a range to be halved', async () => {
    let asked = 0;
    const endless = readPages(async () => {
      asked += 1;
      return { rows: [deposit(asked)], nextPageCursor: String(asked) };
    }, 1_000);
    await expect(endless).rejects.toMatchObject({ kind: 'range', suggestedRange: 500 });
    expect(asked).toBe(MAX_PAGES);
  });
});
