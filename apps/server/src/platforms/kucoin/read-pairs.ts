import type { Token } from '../../networks/network.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeKey } from '../statement-source.ts';
import type { ReadList } from './kucoin-lists.ts';
import { DEPOSITS, ENTRIES, TRADING_ENTRIES } from './kucoin-lists.ts';
import type { KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';
import { ledgerSpans, MAX_HELD_MS } from './ledger-spans.ts';
import type { DepositPairs, Span } from './pair-deposits.ts';
import { pairDeposits, TOLERANCE_MS } from './pair-deposits.ts';

/** Reads the ledger entries of deposits, and the other deposits that these entries could belong to. */

/** How KuCoin is asked with one key about one coin. */
type DepositReader = {
  key: ExchangeKey;
  token: Token;
  readList: ReadList;
  /** The present by KuCoin's clock. */
  readNow: () => Promise<number>;
};

type ReadDeposits = { deposits: KucoinDeposit[]; read: Span };

/**
 * How far before a range deposits are read too, when the range has internal deposits: a deposit from a chain may have
 * been credited at the same time with the same amount, and its ledger entry must not be taken for that of a payment.
 */
const LOOKBACK_MS = 3_600_000;
/** A range whose end is no older than this counts as ending in the present, so that no later deposits are asked for. */
const RECENT_MS = 10_000;
/** How old an entry of the trading account's ledger may be: KuCoin shows three days, less a minute for the way there. */
const TRADING_AGE_MS = 3 * 86_400_000 - 60_000;

/** Whether a deposit is a transfer inside of KuCoin that has been credited, so that the ledger has an entry of it. */
const isBookedPayment = ({ isInternal, isBooked }: KucoinDeposit) => isInternal && isBooked;

/**
 * Adds the deposits before and after a range whose ledger entries may fit internal deposits of the range; returns the
 * span that was read as well. Of a deposit that was held for long, only what is around its last change is read.
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
 * Reads the ledger of the trading account, to which the owner of an exchange account may have deposits credited. An
 * exchange account without one may be refused there, which says nothing about its key.
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

/**
 * Pairs the deposits of a range with their ledger entries. The trading account's ledger is asked for only where the
 * other one lacks an entry.
 */
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
