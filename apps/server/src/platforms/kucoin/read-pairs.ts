import type { Token } from '../../networks/network.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeKey } from '../statement-source.ts';
import type { ReadList } from './kucoin-lists.ts';
import { DEPOSITS, ENTRIES, TRADING_ENTRIES } from './kucoin-lists.ts';
import type { KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';
import { ledgerSpans, MAX_HELD_MS } from './ledger-spans.ts';
import type { DepositPairs, Span } from './pair-deposits.ts';
import { pairDeposits, TOLERANCE_MS } from './pair-deposits.ts';

/** Reads the ledger entries of deposits, and other deposits to which these could belong. */

type DepositReader = {
  key: ExchangeKey;
  token: Token;
  readList: ReadList;
  readNow: () => Promise<number>;
};

type ReadDeposits = { deposits: KucoinDeposit[]; read: Span };

/** Earlier deposits are read too: one from a chain with the same amount must not lend its entry to a payment. */
const LOOKBACK_MS = 3_600_000;
/** A range that ends this recently has no later deposits to read. */
const RECENT_MS = 10_000;
/** KuCoin shows three days of the trading ledger; a minute less for the transit. */
const TRADING_AGE_MS = 3 * 86_400_000 - 60_000;

const isBookedPayment = ({ isInternal, isBooked }: KucoinDeposit) => isInternal && isBooked;

/**
 * Adds deposits around a range whose entries may fit its internal deposits; returns the whole span. Of a long-held
 * deposit only the time around its last change is read.
 */
async function readOthers(
  { key, token, readList, readNow }: DepositReader,
  { fromMs, toMs }: Span,
  inside: readonly KucoinDeposit[],
): Promise<ReadDeposits> {
  const ends = inside.filter(isBookedPayment).map(({ updatedMs }) => updatedMs);
  if (ends.length === 0) return { deposits: [...inside], read: { fromMs, toMs } };
  const nowMs = await readNow();
  const read = { fromMs: fromMs - LOOKBACK_MS, toMs: Number.POSITIVE_INFINITY };
  const deposits = [...inside, ...(await readList(key, DEPOSITS, token, [read.fromMs, fromMs - 1]))];
  if (nowMs - toMs < RECENT_MS) return { deposits, read };
  const near = ends.filter((endMs) => endMs - toMs <= MAX_HELD_MS);
  const untilMs = Math.min(nowMs, Math.max(toMs, ...near) + 2 * TOLERANCE_MS);
  deposits.push(...(await readList(key, DEPOSITS, token, [toMs + 1, untilMs])));
  for (const endMs of ends.filter((one) => one - toMs > MAX_HELD_MS)) {
    const startMs = Math.max(untilMs + 1, endMs - LOOKBACK_MS);
    deposits.push(...(await readList(key, DEPOSITS, token, [startMs, Math.min(nowMs, endMs + TOLERANCE_MS)])));
  }
  return { deposits, read: { ...read, toMs: untilMs } };
}

async function readEntries(
  { key, token, readList }: DepositReader,
  list: typeof ENTRIES,
  spans: readonly Span[],
): Promise<KucoinEntry[]> {
  const entries: KucoinEntry[] = [];
  for (const { fromMs, toMs } of spans) entries.push(...(await readList(key, list, token, [fromMs, toMs])));
  return entries;
}

/**
 * Reads the ledger of the trading account, where an owner may have deposits credited. An account without one may be
 * refused, which does not concern its key.
 */
async function readTradingEntries(reader: DepositReader, spans: readonly Span[]): Promise<KucoinEntry[]> {
  const oldestMs = (await reader.readNow()) - TRADING_AGE_MS;
  const recent = spans
    .filter(({ toMs }) => toMs > oldestMs)
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, oldestMs), toMs }));
  try {
    return await readEntries(reader, TRADING_ENTRIES, recent);
  } catch (cause) {
    if (cause instanceof SourceError && cause.kind === 'unsupported') return [];
    throw cause;
  }
}

/** Pairs the deposits of a range. The trading account's ledger is read only where the other lacks an entry. */
export async function readPairs(
  reader: DepositReader,
  range: Span,
  inside: readonly KucoinDeposit[],
): Promise<DepositPairs> {
  const { deposits, read } = await readOthers(reader, range, inside);
  const spansOf = (payments: readonly KucoinDeposit[]) => ledgerSpans(deposits, new Set(payments));
  const entries = await readEntries(reader, ENTRIES, spansOf(inside.filter(isBookedPayment)));
  const found = pairDeposits(deposits, entries, read);
  const own = new Set(inside);
  const lacking = found.unclear
    .filter((one) => own.has(one.deposit) && one.entries.length === 0)
    .map(({ deposit }) => deposit)
    .filter(isBookedPayment);
  if (lacking.length === 0) return found;
  const trading = await readTradingEntries(reader, spansOf(lacking));
  return trading.length === 0 ? found : pairDeposits(deposits, [...entries, ...trading], read);
}
