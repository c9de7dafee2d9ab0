import { formatMicroUsd, sumUsd } from '@counterfoil/core/usd.ts';
import { addCounts, readShare } from '../days/histogram.ts';

export type Sums = {
  created: number;
  completed: number;
  expired: number;
  cancelled: number;
  late: number;
  volumeUsd: string;
  feeMicroUsd: bigint;
  detectCounts: readonly number[];
  finalCounts: readonly number[];
};

type Durations = { medianMs: number | null; p95Ms: number | null };

export type Figures = {
  created: number;
  completed: number;
  expired: number;
  cancelled: number;
  late: number;
  /** Completed share of ended invoices without cancelled ones, in tenths of a percent; null when none ended. */
  successPermille: number | null;
  volumeUsd: string;
  feeUsd: string;
  detect: Durations;
  final: Durations;
};

const PERMILLE = 1_000;
const MEDIAN = 0.5;
const P95 = 0.95;

const durationsOf = (all: readonly (readonly number[])[]): Durations => {
  const counts = addCounts(all);
  return { medianMs: readShare(counts, MEDIAN), p95Ms: readShare(counts, P95) };
};

/** Rounded down, so that only 100 % is shown as 1000. An invoice that expired and was paid later ended twice. */
function successOf(completed: number, expired: number): number | null {
  const ended = completed + expired;
  return ended === 0 ? null : Math.floor((completed * PERMILLE) / ended);
}

export function addFigures(parts: readonly Sums[]): Figures {
  const sum = (pick: (part: Sums) => number) => parts.reduce((total, part) => total + pick(part), 0);
  const completed = sum((part) => part.completed);
  const expired = sum((part) => part.expired);
  return {
    created: sum((part) => part.created),
    completed,
    expired,
    cancelled: sum((part) => part.cancelled),
    late: sum((part) => part.late),
    successPermille: successOf(completed, expired),
    volumeUsd: sumUsd(parts.map((part) => part.volumeUsd)),
    feeUsd: formatMicroUsd(parts.reduce((total, part) => total + part.feeMicroUsd, 0n)),
    detect: durationsOf(parts.map((part) => part.detectCounts)),
    final: durationsOf(parts.map((part) => part.finalCounts)),
  };
}
