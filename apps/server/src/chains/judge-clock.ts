import type { Clock } from '../lib/clock.ts';
import { isPlatformId, isSandboxId } from '../networks/network-id.ts';

/**
 * Judges our clock by the newest blocks of networks. All processes follow the database's clock; when that clock is
 * wrong, payments lie outside the windows of their quotes. Our clock is behind if a chain's block comes from the
 * future, and ahead if several networks are late by the same time. A network that is late alone has halted, or its node
 * is behind. The head of an exchange platform is the platform's clock: a platform that is off alone has a wrong clock
 * itself, and only that platform is not offered.
 */

export type HeadFact = {
  network: string;
  /** Time of the newest block that a node showed. */
  headTime: Date;
  /** When the newest block was read, by our clock; null if no block was read. */
  headReadAt: Date | null;
};

export type ClockVerdict =
  | { right: true; /** Number of networks that were read lately; with none, nothing is known. */ heard: number }
  | {
      right: false;
      /** How far our clock is ahead; below zero when it is behind. */ aheadSeconds: number;
      networks: string[];
    };

const MOST_OFF_SECONDS = 60;
/** How much the lateness of networks may differ when our clock is the cause: their blocks come at different rates. */
const ALIKE_SECONDS = 10;
const LEAST_ALIKE = 3;
/** Age up to which a head that was read says something about our present clock. */
const FRESH_SECONDS = 60;

type Offset = { network: string; aheadSeconds: number };

const isChain = ({ network }: Offset) => !isPlatformId(network);

/** Finds the first three networks that are late by about the same time. `late` is sorted by lateness. */
function findAlike(late: readonly Offset[], alikeSeconds: number): Offset[] | undefined {
  for (let first = 0; first + LEAST_ALIKE <= late.length; first += 1) {
    const group = late.slice(first, first + LEAST_ALIKE);
    const [least, most] = [group[0]?.aheadSeconds ?? 0, group.at(-1)?.aheadSeconds ?? 0];
    if (most - least <= alikeSeconds) return group;
  }
  return undefined;
}

/** Whether a platform's clock and ours are so far apart that a payment there would miss the window of its quote. */
export function isPlatformOff({ network, headTime, headReadAt }: HeadFact, { rate = 1 }: Clock): boolean {
  if (!isPlatformId(network) || headReadAt === null) return false;
  return Math.abs(headReadAt.getTime() - headTime.getTime()) > MOST_OFF_SECONDS * 1_000 * rate;
}

/** Judges our clock. Limits are multiplied by the clock's rate, because clocks in tests run faster. */
export function judgeClock(heads: readonly HeadFact[], clock: Clock, mostOffSeconds = MOST_OFF_SECONDS): ClockVerdict {
  const rate = clock.rate ?? 1;
  const nowMs = clock.nowMs();
  const offsets = heads.flatMap(({ network, headTime, headReadAt }): Offset[] => {
    // Heads of sandbox networks are made from our own clock, and say nothing about it.
    if (headReadAt === null || isSandboxId(network)) return [];
    if (nowMs - headReadAt.getTime() > FRESH_SECONDS * 1_000 * rate) return [];
    return [{ network, aheadSeconds: (headReadAt.getTime() - headTime.getTime()) / 1_000 }];
  });
  const most = mostOffSeconds * rate;
  const off = offsets.filter(({ aheadSeconds }) => Math.abs(aheadSeconds) > most);
  const early = off.filter((one) => one.aheadSeconds < 0 && isChain(one));
  const late = off
    .filter(({ aheadSeconds }) => aheadSeconds > 0)
    .toSorted((left, right) => left.aheadSeconds - right.aheadSeconds);
  // A single platform whose clock differs says that our clock is wrong only when no chain was read lately.
  const alone = offsets.some(isChain) ? [] : off;
  const telling = [early, alone].find((one) => one.length > 0) ?? findAlike(late, ALIKE_SECONDS * rate);
  if (!telling) return { right: true, heard: offsets.length };
  return { right: false, aheadSeconds: telling[0]?.aheadSeconds ?? 0, networks: telling.map((one) => one.network) };
}
