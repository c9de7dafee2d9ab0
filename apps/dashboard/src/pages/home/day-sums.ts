import type { Days } from '../../api/home-queries.ts';
import { daysBetween } from './span.ts';

/** Sums of several stores' days, in whole units of the last decimal, never as floats. */

const DECIMALS = 8;
const CENTS = 2;
const PERMILLE = 1_000n;

export type DaySum = { day: string; volume: string; completed: number };
export type MethodSum = { network: string; token: string; volume: string; completed: number };

export function unitsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(`${whole}${fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS)}`);
}

function textOf(units: bigint): string {
  const digits = String(units).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(CENTS, '0');
  return `${digits.slice(0, -DECIMALS)}.${fraction}`;
}

export const sumUsd = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n));

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

const byVolume = (left: MethodSum, right: MethodSum) => {
  const difference = unitsOf(right.volume) - unitsOf(left.volume);
  return difference === 0n ? right.completed - left.completed : difference > 0n ? 1 : -1;
};

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
