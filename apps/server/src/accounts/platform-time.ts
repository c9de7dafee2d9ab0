import type { StatementFollower } from './statement-follower.ts';

/** How long a measurement of a platform's clock may be used. */
const MEASURED_FOR_MS = 60_000;

/** The platform's time, both computed from a measurement and as measured. */
type PlatformTime = {
  /**
   * The last measurement plus what our clock has counted since: wrong when our clock jumps, so it decides only what is
   * read.
   */
  nowMs: number;
  /**
   * What the platform's clock showed at the last measurement, so never ahead of that clock. Decides what is covered and
   * which rows are gone.
   */
  measuredMs: number;
};

/** What reading a platform's clock takes of a follower. */
type TimeReader = Pick<StatementFollower, 'clock'> & {
  source: Pick<StatementFollower['source'], 'readTime'>;
  memory: Pick<StatementFollower['memory'], 'measured'>;
};

/** Reads a platform's clock, and remembers its time beside ours. */
export async function measurePlatformTime({ clock, source, memory }: TimeReader, baseUrl: string): Promise<number> {
  const measuredMs = await source.readTime(baseUrl);
  // The map cannot grow without limit: base addresses come from a list in the code.
  memory.measured.set(baseUrl, { atMs: clock.nowMs(), measuredMs });
  return measuredMs;
}

/**
 * The platform's time, from a measurement of the last minute: polls of many exchange accounts share one measurement.
 */
export async function platformTime(follower: TimeReader, baseUrl: string): Promise<PlatformTime> {
  const nowMs = follower.clock.nowMs();
  const last = follower.memory.measured.get(baseUrl);
  const ageMs = last ? nowMs - last.atMs : MEASURED_FOR_MS;
  if (last && ageMs >= 0 && ageMs < MEASURED_FOR_MS)
    return { nowMs: last.measuredMs + ageMs, measuredMs: last.measuredMs };
  const measuredMs = await measurePlatformTime(follower, baseUrl);
  return { nowMs: measuredMs, measuredMs };
}
