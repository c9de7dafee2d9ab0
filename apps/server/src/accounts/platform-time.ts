import type { StatementFollower } from './statement-follower.ts';

/** How long a clock measurement may be used. */
const MEASURED_FOR_MS = 60_000;

/** The platform's time, as computed and as measured. */
type PlatformTime = {
  /** Computed with our clock, which may jump: decides only what is read. */
  nowMs: number;
  /** As measured, so never ahead: decides what is covered and which rows are gone. */
  measuredMs: number;
};

type TimeReader = Pick<StatementFollower, 'clock'> & {
  source: Pick<StatementFollower['source'], 'readTime'>;
  memory: Pick<StatementFollower['memory'], 'measured'>;
};

/** Measures a platform's clock and stores its time with ours. */
export async function measurePlatformTime({ clock, source, memory }: TimeReader, baseUrl: string): Promise<number> {
  const measuredMs = await source.readTime(baseUrl);
  // Bounded: base URLs come from a list in the code.
  memory.measured.set(baseUrl, { atMs: clock.nowMs(), measuredMs });
  return measuredMs;
}

/** The platform's time, by a measurement of the last minute that all polls share. */
export async function platformTime(follower: TimeReader, baseUrl: string): Promise<PlatformTime> {
  const nowMs = follower.clock.nowMs();
  const last = follower.memory.measured.get(baseUrl);
  const ageMs = last ? nowMs - last.atMs : MEASURED_FOR_MS;
  if (last && ageMs >= 0 && ageMs < MEASURED_FOR_MS)
    return { nowMs: last.measuredMs + ageMs, measuredMs: last.measuredMs };
  const measuredMs = await measurePlatformTime(follower, baseUrl);
  return { nowMs: measuredMs, measuredMs };
}
