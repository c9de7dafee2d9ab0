import type { FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { CalmFigures } from './calm.ts';
import type { FaultyFigures } from './faulty.ts';
import type { HeldFigures } from './held.ts';
import type { Verdict } from './judge.ts';
import { countMet, PROMISED_KINDS } from './trouble.ts';
import { PLATFORMS } from './world.ts';

/** The figures of the exchange drill, the faults that the drill promised to cause, and the limits of both. */

export type Figures = Record<string, number>;

/** Most time until a payment is seen, in reads of an exchange account: it may just have missed one. */
const MAX_SEEN_POLLS = 2;
/** Figures that must be zero. */
const ZEROS = [
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'stuck',
  'unexplained',
  'ledger_imbalance',
  'paused_by_stranger',
];

export type Parts = { faulty: FaultyFigures | undefined; calm: CalmFigures | undefined; held: HeldFigures | undefined };

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

function countSurvivedBans({ book, verdict }: FaultyFigures): number {
  return book.paidInBans.filter(({ invoice }) => verdict.completedInvoices.has(invoice.transId)).length;
}

const JUDGED = [
  'double',
  'false_expiries',
  'unexpired',
  'stuck',
  'unexplained',
  'ledger_imbalance',
] as const satisfies readonly (keyof Verdict)[];

export function addUp({ faulty, calm, held }: Parts): Figures {
  const verdicts = [faulty?.verdict, held?.verdict].filter((verdict) => verdict !== undefined);
  const served = faulty?.served.map(({ counts }) => counts) ?? [];
  const all = (key: 'payments' | 'completed' | 'lost') =>
    sum(verdicts.map((verdict) => verdict[key])) + (calm?.[key] ?? 0);
  return {
    payments: all('payments'),
    completed: all('completed'),
    lost: all('lost'),
    ...Object.fromEntries(JUDGED.map((key) => [key, sum(verdicts.map((verdict) => verdict[key]))])),
    rows_served: sum(served.map(({ rows }) => rows)),
    duplicates_served: sum(served.map(({ duplicates }) => duplicates)),
    late_rows: sum(served.map(({ lateRows }) => lateRows)),
    bans_survived: faulty ? countSurvivedBans(faulty) : 0,
    stops: faulty?.book.stops.size ?? 0,
    deaths: faulty?.book.deaths ?? 0,
    held_30_h: held?.held ?? 0,
    keys_refused: held?.refusedKeys ?? 0,
    keys_rotated: held?.rotations ?? 0,
    paused_by_stranger: held?.pausedByStranger ?? 0,
    seen_p99_ms: calm?.seen_p99_ms ?? 0,
    poll_p99_ms: calm?.poll_p99_ms ?? 0,
  };
}

/** Promised faults that did not occur at a platform: a drill without them has proven nothing. */
function findUnkept({ book, served, verdict }: FaultyFigures): string[] {
  const atPlatforms = served.flatMap(({ platform, counts }) => {
    const missing: string[] = PROMISED_KINDS.filter((kind) => countMet(counts, kind) === 0);
    if (counts.lateRows === 0) missing.push('a late row');
    const lacks = (set: ReadonlySet<FakePlatform>, what: string) => set.has(platform) || missing.push(what);
    lacks(book.skews, 'a wrong clock');
    lacks(book.stops, 'a payment that vanished and came back');
    if (!book.paidInBans.some(({ invoice }) => invoice.place.fake.platform === platform)) missing.push('a ban');
    return missing.map((what) => `there was no ${what} at ${platform}`);
  });
  const late = ['lateByMinutes', 'lateByHours'].filter((kind) => !verdict.completedLate.has(kind));
  return [...atPlatforms, ...late.map((kind) => `no invoice completed late of those ${kind}`)];
}

/** Promised faults of the part in which hours pass. */
function findUnheld({ held, refusedKeys, rotations }: HeldFigures, platforms: number): string[] {
  const counted = { 'deposits were held': held, 'keys were refused': refusedKeys, 'keys were replaced': rotations };
  return Object.entries(counted)
    .filter(([, count]) => count < platforms)
    .map(([what, count]) => `${count} ${what}, fewer than there are platforms (${platforms})`);
}

type Least = { payments: number; deaths: number };

/** Reasons why the drill fails; empty when it passes. */
export function judgeFigures(figures: Figures, { faulty, calm, held }: Parts, least: Least, faults: Faults): string[] {
  const wrong = ZEROS.filter((key) => figures[key] !== 0).map((key) => `${key} is ${figures[key]}`);
  const few = Object.entries(least)
    .filter(([key, count]) => (figures[key] ?? 0) < count)
    .map(([key, count]) => `${key} is ${figures[key]}, not ${count}`);
  const bans = faulty ? faulty.book.paidInBans.length : 0;
  const unsurvived = figures['bans_survived'] === bans ? [] : [`${figures['bans_survived']} of ${bans} bans survived`];
  const isSlow = calm && !(calm.seen_p99_ms <= MAX_SEEN_POLLS * calm.poll_p99_ms);
  const slow = isSlow ? [`payments are seen after ${calm.seen_p99_ms} ms, more than ${MAX_SEEN_POLLS} reads`] : [];
  const more = faults.all().length > 0 ? [`${faults.all().length} faults`] : [];
  const unkept = [...(faulty ? findUnkept(faulty) : []), ...(held ? findUnheld(held, PLATFORMS.length) : [])];
  return [...wrong, ...few, ...unsurvived, ...slow, ...more, ...unkept];
}
