import { describe, expect, test } from 'vitest';
import type { KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';
import { pairDeposits, TOLERANCE_MS } from './pair-deposits.ts';

const AT_MS = 1_794_734_000_000;
const MINUTE_MS = 60_000;
const EVERYTHING = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };

const deposit = (facts: Partial<KucoinDeposit> = {}): KucoinDeposit => ({
  units: 100n,
  isInternal: true,
  state: 'final',
  isBooked: true,
  transaction: '',
  createdMs: AT_MS,
  updatedMs: facts.createdMs ?? AT_MS,
  ...facts,
});
const entry = (id: string, atMs = AT_MS, units: bigint | undefined = 100n, transaction = ''): KucoinEntry => ({
  id,
  units,
  transaction,
  atMs,
});

const pair = (deposits: KucoinDeposit[], entries: KucoinEntry[], read = EVERYTHING) =>
  pairDeposits(deposits, entries, read);
const idsOf = (deposits: KucoinDeposit[], entries: KucoinEntry[]) =>
  pair(deposits, entries).pairs.map((one) => one.entry.id);

/** A deposit from a chain, seen immediately and credited eight minutes later. */
const SLOW = deposit({ isInternal: false, updatedMs: AT_MS + 8 * MINUTE_MS });
const QUICK = deposit({ createdMs: AT_MS + 3 * MINUTE_MS });

describe('deposits and the ledger', () => {
  test('a deposit has the entry with its amount and time', () => {
    const others = [entry('other amount', AT_MS, 101n), entry('too old', AT_MS - TOLERANCE_MS - 1)];
    expect(idsOf([deposit()], [...others, entry('this one', AT_MS + 484)])).toEqual(['this one']);
  });

  test('a deposit that took its time has the entry of its end', () => {
    const slow = deposit({ createdMs: AT_MS - 7_000_000, updatedMs: AT_MS });
    expect(idsOf([slow], [entry('late', AT_MS + TOLERANCE_MS)])).toEqual(['late']);
    expect(idsOf([slow], [entry('later', AT_MS + TOLERANCE_MS + 1)])).toEqual([]);
  });

  test('two payments of one amount are two entries', () => {
    expect(idsOf([deposit(), deposit()], [entry('b', AT_MS + 1), entry('a')])).toEqual(['a', 'b']);
  });

  test('of two payments with one entry, one is clear: whose it is does not matter', () => {
    const second = deposit({ createdMs: AT_MS + 5_000 });
    expect(pair([second, deposit()], [entry('first')])).toEqual({
      pairs: [{ deposit: deposit(), entry: entry('first') }],
      unclear: [{ deposit: second, entries: [] }],
    });
    const twice = pair([deposit(), deposit()], [entry('a'), entry('a')]);
    expect(twice.pairs.map((one) => one.entry.id)).toEqual(['a']);
    expect(twice.unclear).toHaveLength(1);
  });

  test('a steady row of payments with one amount is told apart by the second', () => {
    const times = Array.from({ length: 20 }, (_, place) => AT_MS + place * 30_000);
    const entries = times.map((atMs) => entry(`at ${atMs}`, atMs + 700));
    const some = times.slice(5, 15).map((createdMs) => deposit({ createdMs }));
    expect(idsOf(some, entries)).toEqual(entries.slice(5, 15).map(({ id }) => id));
  });
});

describe('a deposit from a chain with the amount of a payment', () => {
  const own = entry('own', QUICK.createdMs + 300);
  const slow = entry('slow', SLOW.updatedMs + 300);

  test.each([
    [
      [SLOW, QUICK],
      [own, slow],
    ],
    [
      [QUICK, SLOW],
      [slow, own],
    ],
  ])('that was made before and credited afterwards does not take the entry of the payment', (deposits, entries) => {
    expect(pair(deposits, entries)).toEqual({ pairs: [{ deposit: QUICK, entry: own }], unclear: [] });
  });

  test('that is not credited yet takes no entry', () => {
    const waiting = { ...SLOW, state: 'pending' as const, isBooked: false, updatedMs: AT_MS };
    expect(idsOf([waiting, QUICK], [own])).toEqual(['own']);
  });

  test('that has the only entry of both makes the payment unclear, with the entry that may be its own', () => {
    expect(pair([SLOW, QUICK], [own])).toEqual({ pairs: [], unclear: [{ deposit: QUICK, entries: [own] }] });
  });

  test('that is not listed, while its entry is, makes the payment unclear', () => {
    const foreign = entry('foreign', own.atMs + 500);
    expect(pair([QUICK], [own, foreign])).toEqual({
      pairs: [],
      unclear: [{ deposit: QUICK, entries: [own, foreign] }],
    });
  });

  test('never leaves the payment without an entry while both can have one', () => {
    for (let end = 0; end <= 10; end += 1)
      for (let start = 0; start <= end; start += 1) {
        const chain = deposit({
          isInternal: false,
          createdMs: AT_MS + start * MINUTE_MS,
          updatedMs: AT_MS + end * MINUTE_MS,
        });
        const entries = [entry('chain', chain.updatedMs), entry('own', QUICK.updatedMs)];
        const { pairs, unclear } = pair([chain, QUICK], entries);
        expect({ start, end, pairs: pairs.length, unclear: unclear.length }).toEqual({
          start,
          end,
          pairs: 1,
          unclear: 0,
        });
      }
  });
});

describe('a deposit that names its transaction', () => {
  const chain = deposit({ isInternal: false, transaction: 'abc@1' });
  const named = entry('named', AT_MS, 100n, 'abc@1');

  test('has the entry that names it, so that a payment of the same amount and time is clear', () => {
    const payment = deposit();
    expect(pair([chain, payment], [named])).toEqual({ pairs: [], unclear: [{ deposit: payment, entries: [] }] });
    expect(idsOf([chain, payment], [entry('a'), named])).toEqual(['a']);
    expect(idsOf([payment, chain], [named, entry('z')])).toEqual(['z']);
  });

  test('has it however far the times are apart', () => {
    const payment = deposit({ transaction: 'own@1' });
    expect(idsOf([payment], [entry('far', AT_MS + 100 * MINUTE_MS, 100n, 'own@1')])).toEqual(['far']);
  });

  test('is paired by amount and time where two entries or two deposits name it, or the amounts differ', () => {
    const twin = entry('twin', AT_MS, 100n, 'abc@1');
    const payment = deposit({ transaction: 'abc@1' });
    expect(pair([payment], [named, twin]).pairs).toEqual([]);
    expect(idsOf([payment, { ...payment }], [named, entry('other')])).toHaveLength(2);
    expect(idsOf([payment], [entry('other amount', AT_MS, 7n, 'abc@1')])).toEqual([]);
  });
});

describe('unclear are', () => {
  test('no payment that is not credited', () => {
    const waiting = deposit({ state: 'pending', isBooked: false });
    expect(pair([waiting], [entry('a')])).toEqual({ pairs: [], unclear: [] });
  });

  test('a credited payment that the ledger does not show, however long ago it was', () => {
    expect(pair([deposit()], []).unclear).toEqual([{ deposit: deposit(), entries: [] }]);
  });

  test('a payment whose amount, or that of its entry, cannot be read', () => {
    const unreadable = deposit({ units: undefined, isBooked: false });
    expect(pair([unreadable], [entry('a')]).unclear).toEqual([{ deposit: unreadable, entries: [entry('a')] }]);
    const broken = { ...entry('broken'), units: undefined };
    expect(pair([deposit()], [broken]).unclear).toEqual([{ deposit: deposit(), entries: [broken] }]);
  });

  test('neither failed payments nor deposits from a chain', () => {
    const failed = deposit({ state: 'failed', isBooked: false });
    const chain = deposit({ isInternal: false });
    expect(pair([failed, chain], [])).toEqual({ pairs: [], unclear: [] });
    expect(idsOf([failed, deposit()], [entry('a')])).toEqual(['a']);
  });
});

test('an entry beyond the deposits that were read belongs to one that was not, but for the end of a held one', () => {
  const read = { fromMs: AT_MS - MINUTE_MS, toMs: AT_MS + MINUTE_MS };
  const last = deposit({ createdMs: read.toMs });
  const beyond = [entry('before', read.fromMs - 1), entry('after', read.toMs + 1_500)];
  const { pairs } = pair([last], [...beyond, entry('own', read.toMs)], read);
  expect(pairs.map((one) => one.entry.id)).toEqual(['own']);
  const held = deposit({ updatedMs: AT_MS + 90 * MINUTE_MS });
  expect(pair([held], [entry('end', held.updatedMs + 400)], read).pairs).toHaveLength(1);
});
