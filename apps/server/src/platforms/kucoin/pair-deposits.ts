import { SourceError } from '../../sources/chain-source.ts';
import type { KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';

/** How far an entry of the ledger may be from the times of its deposit, which KuCoin shows in whole seconds. */
export const TOLERANCE_MS = 60_000;
/** How long a credited deposit may be missing in the ledger, before the statement goes on without it. */
export const PATIENCE_MS = 600_000;

type DepositPairs = {
  pairs: { deposit: KucoinDeposit; entry: KucoinEntry }[];
  /** Deposits that the ledger does not show. */
  unpaired: KucoinDeposit[];
};

/** Credited ones first: what is pending or failed may have no entry, and must not take that of another. */
const RANKS: Readonly<Record<KucoinDeposit['state'], number>> = { final: 0, pending: 1, failed: 2 };

/**
 * Finds the entry of each deposit: the oldest one with its amount that was made while the deposit was. Nothing in the two
 * lists names the other, so of deposits with one amount within a minute it is not known which entry is whose; it does not
 * matter either, because a row takes its id, amount and time from its entry.
 */
export function pairDeposits(deposits: readonly KucoinDeposit[], entries: readonly KucoinEntry[]): DepositPairs {
  const free = new Map<bigint, KucoinEntry[]>();
  for (const entry of entries.toSorted((left, right) => left.atMs - right.atMs)) {
    const others = free.get(entry.units);
    if (others) others.push(entry);
    else free.set(entry.units, [entry]);
  }
  const found: DepositPairs = { pairs: [], unpaired: [] };
  for (const deposit of deposits.toSorted(
    (left, right) => RANKS[left.state] - RANKS[right.state] || left.createdMs - right.createdMs,
  )) {
    const candidates = free.get(deposit.units) ?? [];
    const place = candidates.findIndex(
      ({ atMs }) => atMs >= deposit.createdMs - TOLERANCE_MS && atMs <= deposit.updatedMs + TOLERANCE_MS,
    );
    const [entry] = place === -1 ? [] : candidates.splice(place, 1);
    if (entry) found.pairs.push({ deposit, entry });
    else found.unpaired.push(deposit);
  }
  return found;
}

type ShownRange = {
  fromMs: number;
  toMs: number;
  /** KuCoin's time. */
  nowMs: number;
};

/**
 * Throws while the ledger may only be behind the list of deposits. A deposit that it has not shown for so long has no id that
 * would tell it from another, so it must not complete an invoice: it is left out, and a person has to look for it. To
 * refuse the statement for ever would hide all other payments with it.
 */
export function requireShown(unpaired: readonly KucoinDeposit[], { fromMs, toMs, nowMs }: ShownRange): void {
  const isAwaited = ({ isInternal, state, createdMs, updatedMs }: KucoinDeposit) =>
    isInternal &&
    state === 'final' &&
    createdMs >= fromMs &&
    createdMs <= toMs &&
    // Booked later than the range, it is a row of a later one.
    updatedMs <= toMs + TOLERANCE_MS &&
    nowMs - updatedMs < PATIENCE_MS;
  if (unpaired.some(isAwaited))
    throw new SourceError('not-yet', 'The ledger of KuCoin does not show a deposit that has been credited.');
}
