import { setBounded } from '../../lib/bounded-map.ts';
import type { BookedEntry, KucoinDeposit } from './kucoin-statement.ts';

/**
 * KuCoin deposits paired with ledger entries by earlier reads. Polls repeat the last minutes: unchanged deposits need
 * no request to the ledger, whose quota all accounts share.
 */

type DepositPair = { deposit: KucoinDeposit; entry: BookedEntry };

type KnownPairs = {
  /** The known pairs of these deposits; undefined when one is new or changed state. */
  recall: (account: string, deposits: readonly KucoinDeposit[]) => DepositPair[] | undefined;
  keep: (account: string, pairs: readonly DepositPair[]) => void;
};

/** A little longer than the half hour that polls read again. */
export const KEPT_MS = 31 * 60_000;
/** Most accounts (with one coin each) whose pairs are kept; the least recently read are dropped. */
const MAX_ACCOUNTS = 10_000;

/** All fields of a deposit as text for comparison: it has no id. */
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
      // An entry that a later read paired with another deposit leaves its earlier one.
      const given = new Set(pairs.map(({ entry }) => entry.id));
      const earlier = [...(known.get(account) ?? [])].filter(
        ([, alike]) => isRecent(alike[0], newestMs) && !alike.some(({ entry }) => given.has(entry.id)),
      );
      const found = Map.groupBy(pairs, ({ deposit }) => facesOf(deposit));
      setBounded(known, account, new Map([...earlier, ...found]), MAX_ACCOUNTS);
    },
  };
}
