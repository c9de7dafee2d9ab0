import type { RecordedStatement } from './recorded-plans.ts';
import { buffersOf, nodesOf, rowsInVain } from './recorded-plans.ts';

/** Compares the pages that each SQL statement touched in a small and in a large database. */

/**
 * Pages that one call of an SQL statement touched with few and with many rows in the tables. `growth` is the ratio of
 * both numbers, or 1 where they differ only by noise.
 */
export type Growth = { few: number; many: number; growth: number; calls: number };

/** Names SQL statements by label, with a number where one function sends several. */
function createKeys(): (statement: RecordedStatement) => string {
  const texts = new Map<string, string[]>();
  return ({ label, text }) => {
    const known = texts.get(label) ?? [];
    if (!known.includes(text)) known.push(text);
    texts.set(label, known);
    const place = known.indexOf(text);
    return place === 0 ? label : `${label} #${place + 1}`;
  };
}

/**
 * Calls of one SQL statement, grouped twice: `rough` by the calls' size, `exact` also by the rows that the calls met.
 */
type Calls = { calls: number; exact: Map<string, Least>; rough: Map<string, Least> };
type Least = { pages: number; rows: number; warm: boolean; calls: number };

const roughKind = ({ size, warm }: RecordedStatement) => `${size} ${warm ? 'warm' : 'cold'}`;
/**
 * Kind of a call by its size, the rows that it returned and the rows that it read in vain. Size alone is not enough: of
 * two calls about equally many invoices one may find twice as many payments, and how many deliveries in flight are read
 * in vain depends on timing.
 */
function exactKind(one: RecordedStatement): string {
  const inVain = nodesOf(one.plan).reduce((sum, node) => sum + rowsInVain(node), 0);
  return `${roughKind(one)} ${one.plan['Actual Rows']} ${inVain}`;
}

const leastOf = (same: readonly RecordedStatement[]): Least => ({
  pages: Math.min(...same.map(({ plan }) => buffersOf(plan))),
  rows: Math.max(...same.map(({ rows }) => rows)),
  warm: same.every(({ warm }) => warm),
  calls: same.length,
});

/** The fewest pages per kind of call: noise can only add pages. */
function leastPages(
  recorded: readonly RecordedStatement[],
  kindOf: (one: RecordedStatement) => string,
): Map<string, Least> {
  const byKind = [...Map.groupBy(recorded, kindOf)];
  return new Map(byKind.map(([kind, same]) => [kind, leastOf(same)]));
}

function measure(
  recorded: readonly RecordedStatement[],
  keyOf: (one: RecordedStatement) => string,
): Map<string, Calls> {
  return new Map(
    [...Map.groupBy(recorded, keyOf)].map(([key, all]) => [
      key,
      { calls: all.length, exact: leastPages(all, exactKind), rough: leastPages(all, roughKind) },
    ]),
  );
}

/**
 * Pages that any call may touch beyond its answer: maps of free space, an index page that was split, dead versions of
 * rows that were just overwritten, of which a faster machine leaves more. An SQL statement that scans the seeded past
 * touches hundreds of pages, and more than fifty where it reads nothing but the narrowest index of 20,000 rows.
 */
const NOISE_PAGES = 24;
/**
 * Further pages of noise for each row that a call was given: an index may still lead to a previous version of the row.
 */
const NOISE_PAGES_PER_ROW = 1.5;

/**
 * Page limits of SQL statements that look at rows up to a bound: such SQL statements touch more pages where there are
 * more rows, until the bound is reached. The followed accounts that are read at a moment are few here, and their number
 * and the versions of their rows depend on timing, as do the test wallets whose amounts `readWatched` looks up and the
 * versions of the few top-ups. Invoices of the day that is counted are fewer where midnight comes between the two halves.
 * A scan of the seeded past touches more pages than any of these limits.
 */
const BOUNDED: Readonly<Record<string, number>> = {
  'accounts/chain-health-sql countInbox': 400,
  'accounts/chain-health-sql countAmounts': 400,
  'accounts/statement-sql findOldestHeld': 400,
  'chains/watch-sql readWatched': 100,
  'days/days-sql countCreated': 100,
  'invoices/change-invoice-sql endStopsOfFollowed': 40,
  'invoices/expiry-sql findDueAtAccounts': 40,
  'topups/topup-sql failTopup': 40,
};

function growthOf(few: number, many: Least, mostPages: number): number {
  const isNoise = many.pages - few <= NOISE_PAGES + many.rows * NOISE_PAGES_PER_ROW;
  return isNoise || many.pages <= mostPages ? 1 : many.pages / Math.max(1, few);
}

type Compared = { calls: number; mostPages: number };

/** The elements that match; all elements where none matches. */
function preferSome<T>(all: readonly T[], isSo: (one: T) => boolean): readonly T[] {
  const some = all.filter(isSo);
  return some.length > 0 ? some : all;
}

/**
 * Compares calls of the same kind. The first call on a connection also reads the database's catalog, unless another SQL
 * statement did so before, so first calls are compared only where there are no later calls. A call that happened once
 * is compared only where no call happened twice, because a single call may have met rows that were just overwritten.
 */
function comparePages(few: Map<string, Least>, many: Map<string, Least>, { calls, mostPages }: Compared): Growth[] {
  const alike = [...many].flatMap(([kind, most]) => {
    const least = few.get(kind);
    return least ? [{ least, most }] : [];
  });
  const settled = preferSome(alike, ({ most }) => most.warm);
  const repeated = preferSome(settled, ({ least, most }) => Math.min(least.calls, most.calls) > 1);
  return repeated.map(({ least, most }): Growth => {
    return { few: least.pages, many: most.pages, growth: growthOf(least.pages, most, mostPages), calls };
  });
}

/**
 * Compares every SQL statement that both recordings have, with the largest growth first. Calls that met the same number
 * of rows are compared; where there are no such calls, because the number of rows grows with the past, calls of the
 * same size are compared.
 */
export function compareGrowth(
  few: readonly RecordedStatement[],
  many: readonly RecordedStatement[],
): { compared: [string, Growth][]; incomparable: string[] } {
  const keyOf = createKeys();
  const before = measure(few, keyOf);
  const after = measure(many, keyOf);
  const compared: [string, Growth][] = [];
  const incomparable: string[] = [];
  for (const [key, { calls, exact, rough }] of after) {
    const past = before.get(key);
    const by = { calls, mostPages: BOUNDED[key] ?? 0 };
    const alike = past ? comparePages(past.exact, exact, by) : [];
    const pairs = past && alike.length === 0 ? comparePages(past.rough, rough, by) : alike;
    const worst = pairs.toSorted((left, right) => right.growth - left.growth || right.many - left.many)[0];
    if (worst) compared.push([key, worst]);
    else incomparable.push(key);
  }
  compared.sort(([, left], [, right]) => right.growth - left.growth || right.many - left.many);
  return { compared, incomparable };
}
