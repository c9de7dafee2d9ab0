import type { Clock } from '../lib/clock.ts';
import type { Pass, StandingHead } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { AskProviders } from './ask-providers.ts';

type KnownHead = { height: number; sinceMs: number };

/** Shortest time without a new block before heads are compared. */
const LEAST_STILL_MS = 20_000;
/** The same in blocks, for slow networks. */
const STILL_BLOCKS = 4;
/** Providers see the same block at slightly different times. */
const LEAST_AHEAD_BLOCKS = 2;
/** How close to the highest head a provider must come to be asked again. */
const CAUGHT_UP_SECONDS = 30;
/** Pause between comparisons, and between reads of a stalled provider's head. */
const PROBE_MS = 10_000;

export type HeadWatch = {
  note: (provider: string, height: number) => void;
  shouldCompare: (provider: string) => boolean;
  /** Compares a stalled head with another provider's. */
  compare: (provider: string, other: number) => void;
  isStanding: (provider: string) => boolean;
  standing: () => readonly StandingHead[];
  /** Stalled providers whose heads are due for a read. */
  takeProbes: () => readonly string[];
};

export function createHeadWatch({ blockSeconds }: { blockSeconds: number }, monotonic: Clock): HeadWatch {
  const stillMs = Math.max(LEAST_STILL_MS, STILL_BLOCKS * blockSeconds * 1_000);
  const caughtUpBlocks = Math.ceil(CAUGHT_UP_SECONDS / blockSeconds);
  const heads = new Map<string, KnownHead>();
  const standing = new Map<string, number>();
  const probedMs = new Map<string, number>();
  const highest = () => Math.max(...[...heads.values()].map(({ height }) => height));
  const takeTurn = (provider: string): boolean => {
    const nowMs = monotonic.nowMs();
    if (nowMs - (probedMs.get(provider) ?? -PROBE_MS) < PROBE_MS) return false;
    probedMs.set(provider, nowMs);
    return true;
  };
  return {
    note: (provider, height) => {
      const known = heads.get(provider);
      if (known && known.height >= height) return;
      heads.set(provider, { height, sinceMs: monotonic.nowMs() });
      if (height >= highest() - caughtUpBlocks) standing.delete(provider);
    },
    shouldCompare: (provider) => {
      const known = heads.get(provider);
      return known !== undefined && monotonic.nowMs() - known.sinceMs >= stillMs && takeTurn(provider);
    },
    compare: (provider, other) => {
      const height = heads.get(provider)?.height;
      if (height !== undefined && other - height >= LEAST_AHEAD_BLOCKS) standing.set(provider, height);
    },
    isStanding: (provider) => standing.has(provider),
    standing: () => [...standing].map(([provider, height]) => ({ provider, height })),
    takeProbes: () => [...standing.keys()].filter(takeTurn),
  };
}

type Answered<Heads> = Heads & { by: string };
type ReadHeads<Provider, Heads> = (
  pass: Pass,
  read: (provider: Provider) => Promise<Heads>,
) => Promise<Answered<Heads>>;

const whileSilent = (cause: unknown) => {
  if (cause instanceof SourceError) return undefined;
  throw cause;
};

/** Reads heads, skipping providers whose heads stall. */
export function createReadHeads<Provider, Heads extends object>(
  ask: AskProviders<Provider>,
  watch: HeadWatch,
  heightOf: (heads: Heads) => number,
): ReadHeads<Provider, Heads> {
  return async (pass, read) => {
    const readNoted = (asked: Pass): Promise<Answered<Heads>> =>
      ask(asked, async (provider, by) => {
        const heads = await read(provider);
        watch.note(by, heightOf(heads));
        return { ...heads, by };
      });
    for (const only of watch.takeProbes()) await readNoted({ only }).catch(whileSilent);
    const answer = await readNoted(pass);
    if ((typeof pass === 'object' && 'only' in pass) || !watch.shouldCompare(answer.by)) return answer;
    const other = await readNoted({ not: answer.by }).catch(whileSilent);
    if (other) watch.compare(answer.by, heightOf(other));
    return watch.isStanding(answer.by) ? readNoted(pass) : answer;
  };
}
