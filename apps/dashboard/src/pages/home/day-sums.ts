import { requireDecimal } from '@counterfoil/core/amount.ts';
import { sumUsd, USD_DECIMALS } from '@counterfoil/core/usd.ts';
import type { Days } from '../../api/home-queries.ts';
import { daysBetween } from './span.ts';

/** Sums of several stores' days, in units of USD, never as floats. */

const PERMILLE = 1_000n;

export type DaySum = { day: string; volume: string; completed: number };
export type MethodSum = { network: string; token: string; volume: string; completed: number };

const unitsOf = (decimal: string) => requireDecimal(decimal, USD_DECIMALS);

const addUp = (rows: readonly { volume_usd: string; completed: number }[]) => ({
  volume: sumUsd(rows.map((row) => row.volume_usd)),
  completed: rows.reduce((sum, { completed }) => sum + completed, 0),
});

/** Each day of a period, oldest first; days without rows had no payments. */
export function sumByDay(answers: readonly Days[], from: string, to: string): DaySum[] {
  const rows = Map.groupBy(
    answers.flatMap(({ days }) => days),
    ({ day }) => day,
  );
  return daysBetween(from, to).map((day) => Object.assign({ day }, addUp(rows.get(day) ?? [])));
}

export function compareUsd(left: string, right: string): number {
  const difference = unitsOf(left) - unitsOf(right);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

const byVolume = (left: MethodSum, right: MethodSum) =>
  compareUsd(right.volume, left.volume) || right.completed - left.completed;

/** Sums by network and token since a day, largest first. */
export function sumByMethod(answers: readonly Days[], from: string): MethodSum[] {
  const rows = answers
    .flatMap(({ days }) => days)
    .filter(({ day }) => day >= from)
    .flatMap(({ methods }) => methods);
  return [...Map.groupBy(rows, ({ network, token }) => `${network} ${token}`).values()]
    .map((same) => {
      const [{ network, token } = { network: '', token: '' }] = same;
      return Object.assign({ network, token }, addUp(same));
    })
    .toSorted(byVolume);
}

/** Change in tenths of a percent; undefined when there was nothing before. */
export function changePermille(present: string, before: string): number | undefined {
  const was = unitsOf(before);
  return was === 0n ? undefined : Number(((unitsOf(present) - was) * PERMILLE) / was);
}

export function sharePermille(part: string, whole: string): number {
  const all = unitsOf(whole);
  return all === 0n ? 0 : Number((unitsOf(part) * PERMILLE) / all);
}
