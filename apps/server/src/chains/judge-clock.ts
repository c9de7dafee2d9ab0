import { isPlatformId, isSandboxId } from '@counterfoil/core/network-id.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * Judges our clock, the database's, by the newest blocks: with a wrong clock, payments are outside their quotes'
 * windows. It is slow if a block comes from the future, and fast if several networks are late by the same time; one
 * that is late alone has halted or its node lags. A platform's head is its clock: a single wrong one is only not
 * offered itself.
 */

export type HeadFact = {
  network: string;
  /** Time of the newest block that a node showed. */
  headTime: Date;
  /** When the newest block was read, by our clock, if at all. */
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
/** Largest difference of lateness when our clock is the cause: block rates differ. */
const ALIKE_SECONDS = 10;
const LEAST_ALIKE = 3;
/** Age up to which a head counts as evidence of our present clock. */
const FRESH_SECONDS = 60;

type Offset = { network: string; aheadSeconds: number };

const isChain = ({ network }: Offset) => !isPlatformId(network);

function findAlike(late: readonly Offset[], alikeSeconds: number): Offset[] | undefined {
  for (let first = 0; first + LEAST_ALIKE <= late.length; first += 1) {
    const group = late.slice(first, first + LEAST_ALIKE);
    const [least, most] = [group[0]?.aheadSeconds ?? 0, group.at(-1)?.aheadSeconds ?? 0];
    if (most - least <= alikeSeconds) return group;
  }
  return undefined;
}

/** Whether a platform's clock is so far from ours that a payment would miss its quote's window. */
export function isPlatformOff({ network, headTime, headReadAt }: HeadFact, { rate = 1 }: Clock): boolean {
  if (!isPlatformId(network) || headReadAt === null) return false;
  return Math.abs(headReadAt.getTime() - headTime.getTime()) > MOST_OFF_SECONDS * 1_000 * rate;
}

export function judgeClock(heads: readonly HeadFact[], clock: Clock, mostOffSeconds = MOST_OFF_SECONDS): ClockVerdict {
  const rate = clock.rate ?? 1;
  const nowMs = clock.nowMs();
  const offsets = heads.flatMap(({ network, headTime, headReadAt }): Offset[] => {
    // Sandbox heads are made from our own clock.
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
  // A single differing platform means a wrong clock of ours only when no chain was read lately.
  const alone = offsets.some(isChain) ? [] : off;
  const telling = [early, alone].find((one) => one.length > 0) ?? findAlike(late, ALIKE_SECONDS * rate);
  if (!telling) return { right: true, heard: offsets.length };
  return { right: false, aheadSeconds: telling[0]?.aheadSeconds ?? 0, networks: telling.map((one) => one.network) };
}
