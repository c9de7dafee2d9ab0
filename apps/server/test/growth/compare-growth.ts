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

type Calls = { calls: number; pagesByKind: Map<string, number> };

const kindOf = ({ size, warm }: RecordedStatement) => `${size} ${warm ? 'warm' : 'cold'}`;

/** Of every statement, by the kind of a call, the least pages that one touched: noise only adds. */
function measure(
  recorded: readonly RecordedStatement[],
  keyOf: (one: RecordedStatement) => string,
): Map<string, Calls> {
  return new Map(
    [...Map.groupBy(recorded, keyOf)].map(([key, all]) => {
      const byKind = [...Map.groupBy(all, kindOf)];
      const least = byKind.map(([kind, same]) => [kind, Math.min(...same.map(({ plan }) => buffersOf(plan)))] as const);
      return [key, { calls: all.length, pagesByKind: new Map(least) }];
    }),
  );
}

/** Pages that a call touches now and then whatever it asks for: maps of free space, a page of an index that is split. */
const NOISE_PAGES = 3;

function growthOf(few: number, many: number): number {
  return many - few <= NOISE_PAGES ? 1 : many / Math.max(1, few);
}

/** Every statement that was sent in the same kind of call in both, the one that grew most first. */
export function compareGrowth(
  few: readonly RecordedStatement[],
  many: readonly RecordedStatement[],
): { compared: [string, Growth][]; incomparable: string[] } {
  const keyOf = createKeys();
  const before = measure(few, keyOf);
  const after = measure(many, keyOf);
  const compared: [string, Growth][] = [];
  const incomparable: string[] = [];
  for (const [key, { calls, pagesByKind }] of after) {
    const pairs = [...pagesByKind].flatMap(([kind, pages]): Growth[] => {
      const least = before.get(key)?.pagesByKind.get(kind);
      return least === undefined ? [] : [{ few: least, many: pages, growth: growthOf(least, pages), calls }];
    });
    const worst = pairs.toSorted((left, right) => right.growth - left.growth || right.many - left.many)[0];
    if (worst) compared.push([key, worst]);
    else incomparable.push(key);
  }
  compared.sort(([, left], [, right]) => right.growth - left.growth || right.many - left.many);
  return { compared, incomparable };
}
