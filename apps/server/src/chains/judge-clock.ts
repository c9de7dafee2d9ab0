import type { Clock } from '../lib/clock.ts';

/**
 * Whether our clock can be right, told from the newest blocks of networks. All processes follow the database's clock: if
 * that is wrong, payments lie outside the windows of their quotes and invoices end unpaid. A block never comes from the
 * future, and several networks are not late by the same time. One that is late alone has halted, or its node is behind.
 */

export type HeadFact = {
  network: string;
  /** The time of the newest block that a node showed; null times were never read. */
  headTime: Date;
  /** When it was read, by our clock. */
  headReadAt: Date | null;
};

export type ClockVerdict =
  | { right: true; /** Networks that were read lately: without any, nothing is known. */ heard: number }
  | {
      right: false;
      /** How far our clock is ahead; below zero when it is behind. */ aheadSeconds: number;
      networks: string[];
    };

const MOST_OFF_SECONDS = 60;
/** How far networks that are late for one reason may lie apart: their blocks come at different paces. */
const ALIKE_SECONDS = 10;
const LEAST_ALIKE = 3;
/** What was read earlier says nothing of the clock of now. */
const FRESH_SECONDS = 60;

type Offset = { network: string; aheadSeconds: number };

/** The first few that are late by the same time. `late` is in the order of lateness. */
function findAlike(late: readonly Offset[], alikeSeconds: number): Offset[] | undefined {
  for (let first = 0; first + LEAST_ALIKE <= late.length; first += 1) {
    const group = late.slice(first, first + LEAST_ALIKE);
    const [least, most] = [group[0]?.aheadSeconds ?? 0, group.at(-1)?.aheadSeconds ?? 0];
    if (most - least <= alikeSeconds) return group;
  }
  return undefined;
}

/** Pure but for the clock. On a clock that runs faster, for tests, the limits are as long in real time. */
export function judgeClock(heads: readonly HeadFact[], clock: Clock, mostOffSeconds = MOST_OFF_SECONDS): ClockVerdict {
  const rate = clock.rate ?? 1;
  const nowMs = clock.nowMs();
  const offsets = heads.flatMap(({ network, headTime, headReadAt }): Offset[] => {
    if (headReadAt === null || nowMs - headReadAt.getTime() > FRESH_SECONDS * 1_000 * rate) return [];
    return [{ network, aheadSeconds: (headReadAt.getTime() - headTime.getTime()) / 1_000 }];
  });
  const most = mostOffSeconds * rate;
  const early = offsets.filter(({ aheadSeconds }) => aheadSeconds < -most);
  const late = offsets
    .filter(({ aheadSeconds }) => aheadSeconds > most)
    .toSorted((left, right) => left.aheadSeconds - right.aheadSeconds);
  const telling = early.length > 0 ? early : findAlike(late, ALIKE_SECONDS * rate);
  if (!telling) return { right: true, heard: offsets.length };
  return { right: false, aheadSeconds: telling[0]?.aheadSeconds ?? 0, networks: telling.map((one) => one.network) };
}
