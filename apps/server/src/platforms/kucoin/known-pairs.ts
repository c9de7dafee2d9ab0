import { setBounded } from '../../lib/bounded-map.ts';
import type { BookedEntry, KucoinDeposit } from './kucoin-statement.ts';

/**
 * Pairs of deposit and ledger entry at KuCoin that earlier reads of an exchange account found. Every poll reads the
 * last minutes again: unchanged deposits need no new request to KuCoin's ledger, whose quota all exchange accounts
 * share.
 */

type DepositPair = { deposit: KucoinDeposit; entry: BookedEntry };

type KnownPairs = {
  /**
   * Returns these deposits paired with their ledger entries, as earlier reads found them; undefined when a deposit is
   * new, or was shown in another state before.
   */
  recall: (account: string, deposits: readonly KucoinDeposit[]) => DepositPair[] | undefined;
  keep: (account: string, pairs: readonly DepositPair[]) => void;
};

/**
 * How long pairs are kept, by the times of their deposits: a little longer than the half hour that polls often read
 * again.
 */
export const KEPT_MS = 31 * 60_000;
/**
 * The most exchange accounts (each with one coin) whose pairs are kept; the pairs read longest ago are dropped first.
 */
const MAX_ACCOUNTS = 10_000;

/** All fields that a deposit shows, as a text by which deposits are compared: a KuCoin deposit has no id. */
const facesOf = ({ units, state, isBooked, transaction, createdMs, updatedMs }: KucoinDeposit) =>
  [units, state, isBooked, transaction, createdMs, updatedMs].join(' ');

const isRecent = (pair: DepositPair | undefined, newestMs: number) =>
  pair !== undefined && newestMs - pair.deposit.createdMs <= KEPT_MS;

const mayPay = ({ isInternal, state }: KucoinDeposit) => isInternal && state !== 'failed';

export function createKnownPairs(): KnownPairs {
  const known = new Map<string, ReadonlyMap<string, readonly DepositPair[]>>();
  return {
    recall: (account, deposits) => {
      const groups = [...Map.groupBy(deposits.filter(mayPay), facesOf)];
      const pairs = groups.map(([face, alike]) => {
        const found = known.get(account)?.get(face);
        return found?.length === alike.length ? found : undefined;
      });
      return pairs.includes(undefined) ? undefined : pairs.flatMap((found) => found ?? []);
    },
    keep: (account, pairs) => {
      const newestMs = Math.max(...pairs.map(({ deposit }) => deposit.createdMs));
      // A ledger entry that a later read paired with another deposit no longer belongs to its earlier deposit.
      const given = new Set(pairs.map(({ entry }) => entry.id));
      const earlier = [...(known.get(account) ?? [])].filter(
        ([, alike]) => isRecent(alike[0], newestMs) && !alike.some(({ entry }) => given.has(entry.id)),
      );
      const found = Map.groupBy(pairs, ({ deposit }) => facesOf(deposit));
      setBounded(known, account, new Map([...earlier, ...found]), MAX_ACCOUNTS);
    },
  };
}
