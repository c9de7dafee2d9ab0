import { describe, expect, test } from 'vitest';
import type { OkxDeposit } from './okx-statement.ts';
import { timeOf } from './okx-statement.ts';
import { MAX_PAGES, PAGE, readDeposits, RECENT_MS } from './read-deposits.ts';

const NOW_MS = 1_794_734_000_000;
const RANGE = { fromMs: NOW_MS - 10_000, toMs: NOW_MS, nowMs: NOW_MS };

const deposit = (depId: number, atMs: number): OkxDeposit => ({
  depId: String(depId),
  ccy: 'USDT',
  ts: String(atMs),
});

/** Deposits at an interval in milliseconds, newest first. */
const every = (ms: number, count: number) =>
  Array.from({ length: count }, (_, place) => deposit(place, NOW_MS - place * ms));

function listOf(deposits: readonly OkxDeposit[]) {
  const asked: (number | undefined)[] = [];
  const ask = async (after: number | undefined) => {
    asked.push(after);
    return deposits.filter((one) => timeOf(one) < (after ?? Number.POSITIVE_INFINITY)).slice(0, PAGE);
  };
  return { ask, asked };
}

const idsOf = (deposits: readonly OkxDeposit[]) => new Set(deposits.map(({ depId }) => depId));

describe('pages of OKX', () => {
  test('a page that reaches beyond the range ends the read', async () => {
    const list = listOf(every(1_000, PAGE + 1));
    expect(await readDeposits(list.ask, RANGE)).toHaveLength(PAGE);
    expect(list.asked).toEqual([undefined]);
  });

  test('a range of the past is asked from its end on', async () => {
    const list = listOf(every(1_000, 300));
    const toMs = NOW_MS - RECENT_MS;
    const found = await readDeposits(list.ask, { fromMs: toMs - 10_000, toMs, nowMs: NOW_MS });
    expect(list.asked).toEqual([toMs + 1]);
    expect(found.map(timeOf)).toContain(toMs);
  });

  test('deposits of one millisecond at the border of two pages are all found', async () => {
    const newer = every(1, PAGE - 1);
    const together = [1, 2, 3].map((place) => deposit(1_000 + place, NOW_MS - PAGE));
    const list = listOf([...newer, ...together]);
    expect(idsOf(await readDeposits(list.ask, RANGE)).size).toBe(PAGE + 2);
  });

  test('a short page does not prove the end: the page behind it does', async () => {
    const list = listOf(every(1, 3));
    expect(idsOf(await readDeposits(list.ask, RANGE)).size).toBe(3);
    expect(list.asked).toEqual([undefined, NOW_MS - 1]);
  });

  test('an account without deposits takes one question', async () => {
    const list = listOf([]);
    expect(await readDeposits(list.ask, RANGE)).toEqual([]);
    expect(list.asked).toHaveLength(1);
  });

  test('more deposits of one millisecond than a page holds are an error, never a page', async () => {
    const list = listOf(Array.from({ length: PAGE + 1 }, (_, place) => deposit(place, NOW_MS)));
    await expect(readDeposits(list.ask, RANGE)).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('a page that does not show the end of the page before it again is an error', async () => {
    const deposits = every(1, 300);
    // This fake follows the example of the documentation, in which `after` means newer.
    const ask = async (after: number | undefined) =>
      after === undefined ? deposits.slice(0, PAGE) : deposits.filter((one) => timeOf(one) > after).slice(0, PAGE);
    await expect(readDeposits(ask, RANGE)).rejects.toMatchObject({ kind: 'inconsistent' });
    const gap = async (after: number | undefined) =>
      after === undefined ? deposits.slice(0, PAGE) : deposits.slice(150);
    await expect(readDeposits(gap, RANGE)).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('a page in no order is an error: what it lacks cannot be known', async () => {
    const mixed = every(1, 3).toReversed();
    await expect(readDeposits(async () => mixed, RANGE)).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('too many pages are a range to be halved', async () => {
    const list = listOf(every(1, MAX_PAGES * PAGE + 1));
    const wide = { ...RANGE, fromMs: NOW_MS - 99_999 };
    await expect(readDeposits(list.ask, wide)).rejects.toMatchObject({ kind: 'range', suggestedRange: 50_000 });
    expect(list.asked).toHaveLength(MAX_PAGES);
  });
});
