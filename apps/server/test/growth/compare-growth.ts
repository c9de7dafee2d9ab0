import type { RecordedStatement } from './recorded-plans.ts';
import { buffersOf } from './recorded-plans.ts';

/** How many pages each statement touched, and how much more that is where the tables hold more. */

/** Pages of one call. `growth` is the one by the other; 1 where they differ by no more than noise. */
export type Growth = { few: number; many: number; growth: number; calls: number };

/** By label, and by text where a function sends several statements. */
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

/** The least pages by kind: `exact` tells calls apart by how much they answered too, `rough` does not. */
type Calls = { calls: number; exact: Map<string, Least>; rough: Map<string, Least> };
type Least = { pages: number; rows: number; warm: boolean };

const roughKind = ({ size, warm }: RecordedStatement) => `${size} ${warm ? 'warm' : 'cold'}`;
/** Two calls about as many invoices do not touch as many pages when one of them finds twice as many payments. */
const exactKind = (one: RecordedStatement) => `${roughKind(one)} ${one.plan['Actual Rows']}`;

const leastOf = (same: readonly RecordedStatement[]): Least => ({
  pages: Math.min(...same.map(({ plan }) => buffersOf(plan))),
  rows: Math.max(...same.map(({ rows }) => rows)),
  warm: same.every(({ warm }) => warm),
});

/** By the kind of a call, the least pages that one touched: noise only adds. */
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
 * Pages that a call touches now and then whatever it asks for: maps of free space, a page of an index that is split, and
 * those of the handful of rows that were overwritten a moment ago, which an index leads to until somebody found them gone.
 * What walks the past touches hundreds.
 */
const NOISE_PAGES = 8;
/** Of a row that was just overwritten, an index may still lead to where it was before. */
const NOISE_PAGES_PER_ROW = 1.5;

/** Pages that statements may touch that count up to a bound: they count more where there is more, until they reach it. */
const COUNTING: Readonly<Record<string, number>> = {
  'transfers/chain-health-store countInbox': 400,
  'transfers/chain-health-store countAmounts': 400,
};

function growthOf(few: number, many: Least, mostCounted: number): number {
  const isNoise = many.pages - few <= NOISE_PAGES + many.rows * NOISE_PAGES_PER_ROW;
  return isNoise || many.pages <= mostCounted ? 1 : many.pages / Math.max(1, few);
}

type Compared = { calls: number; mostCounted: number };

/**
 * Where later calls can be compared, first calls of a connection are not: those also read what the server knows of the
 * tables, unless another statement of the connection has done so before, which has nothing to do with the past.
 */
function comparePages(few: Map<string, Least>, many: Map<string, Least>, { calls, mostCounted }: Compared): Growth[] {
  const alike = [...many].filter(([kind]) => few.has(kind));
  const settled = alike.filter(([, { warm }]) => warm);
  return (settled.length > 0 ? settled : alike).map(([kind, most]): Growth => {
    const least = few.get(kind)?.pages ?? 0;
    return { few: least, many: most.pages, growth: growthOf(least, most, mostCounted), calls };
  });
}

/**
 * Every statement that was sent in the same kind of call in both, the one that grew most first. A statement whose answer
 * itself grew with the past has no exact kind in common, and is compared roughly.
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
    const by = { calls, mostCounted: COUNTING[key] ?? 0 };
    const alike = past ? comparePages(past.exact, exact, by) : [];
    const pairs = past && alike.length === 0 ? comparePages(past.rough, rough, by) : alike;
    const worst = pairs.toSorted((left, right) => right.growth - left.growth || right.many - left.many)[0];
    if (worst) compared.push([key, worst]);
    else incomparable.push(key);
  }
  compared.sort(([, left], [, right]) => right.growth - left.growth || right.many - left.many);
  return { compared, incomparable };
}
