import type { BookedEntry, KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';

/**
 * Finds the ledger entry of each deposit: by transaction id or, where there is none, by amount and a time between the
 * deposit's creation and last change.
 */

/** Largest distance between the times of an entry and its deposit. */
export const TOLERANCE_MS = 60_000;
/** Usual distance, because KuCoin shows whole seconds. Such pairs are made first. */
const USUAL_MS = 2_000;

export type Span = { fromMs: number; toMs: number };

type DepositGroup = Span & { units: bigint; deposits: KucoinDeposit[] };

type DepositPair = { deposit: KucoinDeposit; entry: BookedEntry };

export type DepositPairs = {
  pairs: DepositPair[];
  /** Internal deposits that cannot be read or paired, with the possible entries. */
  unclear: { deposit: KucoinDeposit; entries: KucoinEntry[] }[];
};

const spanOf = ({ createdMs, updatedMs }: KucoinDeposit, toleranceMs = TOLERANCE_MS): Span => ({
  fromMs: createdMs - toleranceMs,
  toMs: updatedMs + toleranceMs,
});

const isBookedEntry = (entry: KucoinEntry | undefined): entry is BookedEntry => entry?.units !== undefined;

const holds = ({ fromMs, toMs }: Span, { atMs }: KucoinEntry) => atMs >= fromMs && atMs <= toMs;

/** Groups credited deposits so that no entry fits two groups. */
export function groupDeposits(deposits: readonly KucoinDeposit[], toleranceMs = TOLERANCE_MS): DepositGroup[] {
  const groups: DepositGroup[] = [];
  const latest = new Map<bigint, DepositGroup>();
  for (const deposit of deposits.toSorted((left, right) => left.createdMs - right.createdMs)) {
    const { units, isBooked } = deposit;
    if (units === undefined || !isBooked) continue;
    const { fromMs, toMs } = spanOf(deposit, toleranceMs);
    const open = latest.get(units);
    if (open && fromMs <= open.toMs) {
      open.deposits.push(deposit);
      open.toMs = Math.max(open.toMs, toMs);
    } else {
      const group = { fromMs, toMs, units, deposits: [deposit] };
      groups.push(group);
      latest.set(units, group);
    }
  }
  return groups;
}

/** By last change, so that a slow deposit takes no entry of a quick one; then by creation. */
const byEnd = (left: KucoinDeposit, right: KucoinDeposit) =>
  left.updatedMs - right.updatedMs || left.createdMs - right.createdMs;

/** Makes as many pairs as possible: entries go to the fitting deposit that ends first. Both in time order. */
function matchByEnd(
  deposits: readonly KucoinDeposit[],
  entries: readonly BookedEntry[],
  toleranceMs: number,
): DepositPair[] {
  const pairs: DepositPair[] = [];
  const waiting: KucoinDeposit[] = [];
  let next = 0;
  for (const entry of entries) {
    for (let one = deposits[next]; one && spanOf(one, toleranceMs).fromMs <= entry.atMs; one = deposits[next]) {
      const last = one;
      waiting.splice(waiting.findLastIndex((other) => byEnd(other, last) <= 0) + 1, 0, last);
      next += 1;
    }
    let deposit = waiting.shift();
    while (deposit && spanOf(deposit, toleranceMs).toMs < entry.atMs) deposit = waiting.shift();
    if (deposit) pairs.push({ deposit, entry });
  }
  return pairs;
}

/** Whether only one entry fits a deposit's span. */
function isOnlyOne(span: Span, entries: readonly KucoinEntry[]): boolean {
  const first = entries.findIndex((entry) => holds(span, entry));
  const second = entries[first + 1];
  return second === undefined || !holds(span, second);
}

/**
 * The pairs of a group that later reads will repeat. With missing entries, none is certain if a deposit came from a
 * chain: each entry may be its own. With extra entries, a deposit is missing from the list, and a pair is certain only
 * when no other entry fits. Among internal deposits alone the assignment does not matter: each is a payment.
 */
function certainPairs({ deposits }: DepositGroup, entries: readonly BookedEntry[], toleranceMs: number): DepositPair[] {
  const pairs = matchByEnd(deposits, entries, toleranceMs);
  if (pairs.length < deposits.length && deposits.some(({ isInternal }) => !isInternal)) return [];
  if (entries.length <= deposits.length) return pairs;
  return pairs.filter(({ deposit }) => isOnlyOne(spanOf(deposit, toleranceMs), entries));
}

/** Pairs deposits and entries of the same transaction, where there is only one of each. */
function pairByTransaction(deposits: readonly KucoinDeposit[], entries: readonly KucoinEntry[]): DepositPair[] {
  const named = Map.groupBy(deposits, ({ transaction }) => transaction);
  const owned = Map.groupBy(entries, ({ transaction }) => transaction);
  return [...named].flatMap(([transaction, [deposit, ...otherDeposits]]) => {
    const [entry, ...otherEntries] = owned.get(transaction) ?? [];
    const isOne = transaction !== '' && otherDeposits.length + otherEntries.length === 0;
    return isOne && deposit?.isBooked === true && isBookedEntry(entry) && entry.units === deposit.units
      ? [{ deposit, entry }]
      : [];
  });
}

/** Pairs internal and chain deposits with entries, closest first. Entries are in time order. */
function findPairs(deposits: readonly KucoinDeposit[], entries: readonly KucoinEntry[]): DepositPair[] {
  const pairs = pairByTransaction(deposits, entries);
  for (const toleranceMs of [USUAL_MS, TOLERANCE_MS]) {
    const paired = new Set<KucoinDeposit | KucoinEntry>(pairs.flatMap(({ deposit, entry }) => [deposit, entry]));
    const byUnits = Map.groupBy(
      entries.filter((entry) => !paired.has(entry)),
      ({ units }) => units,
    );
    const left = deposits.filter((deposit) => !paired.has(deposit));
    for (const group of groupDeposits(left, toleranceMs)) {
      const fitting = (byUnits.get(group.units) ?? []).filter(
        (entry): entry is BookedEntry => isBookedEntry(entry) && holds(group, entry),
      );
      pairs.push(...certainPairs(group, fitting, toleranceMs));
    }
  }
  return pairs;
}

/** Drops repeated entries. Different entries with one id lose their amounts, because none can be trusted. */
function tellApart(entries: readonly KucoinEntry[]): KucoinEntry[] {
  const unique = new Map(entries.map((entry) => [`${entry.id} ${entry.atMs} ${entry.units}`, entry]));
  const byId = Map.groupBy(unique.values(), ({ id }) => id);
  return [...byId.values()].flatMap((same) =>
    same.length === 1 ? same : same.map((entry) => ({ ...entry, units: undefined })),
  );
}

/**
 * The entries that may belong to the deposits of a span, in time order. Entries outside belong to other deposits,
 * unless a deposit was credited after the span.
 */
function entriesOf(entries: readonly KucoinEntry[], deposits: readonly KucoinDeposit[], read: Span): KucoinEntry[] {
  const late = deposits.filter(({ updatedMs }) => updatedMs > read.toMs);
  const isLate = ({ atMs }: KucoinEntry) => late.some(({ updatedMs }) => Math.abs(atMs - updatedMs) <= USUAL_MS);
  return tellApart(entries)
    .filter((entry) => entry.atMs >= read.fromMs && (entry.atMs <= read.toMs || isLate(entry)))
    .toSorted((left, right) => left.atMs - right.atMs || (left.id < right.id ? -1 : 1));
}

const mayHaveEntry = ({ isBooked, units, state }: KucoinDeposit) =>
  isBooked || (units === undefined && state !== 'failed');

export function pairDeposits(
  deposits: readonly KucoinDeposit[],
  listed: readonly KucoinEntry[],
  read: Span,
): DepositPairs {
  const entries = entriesOf(listed, deposits, read);
  const pairs = findPairs(deposits, entries);
  const paired = new Set<KucoinDeposit | KucoinEntry>(pairs.flatMap(({ deposit, entry }) => [deposit, entry]));
  const mayOwn = (deposit: KucoinDeposit) => (entry: KucoinEntry) =>
    !paired.has(entry) &&
    (entry.units === deposit.units || entry.units === undefined || deposit.units === undefined) &&
    holds(spanOf(deposit), entry);
  const unclear = deposits
    .filter((deposit) => deposit.isInternal && mayHaveEntry(deposit) && !paired.has(deposit))
    .map((deposit) => ({ deposit, entries: entries.filter(mayOwn(deposit)) }));
  return { pairs: pairs.filter(({ deposit }) => deposit.isInternal), unclear };
}
