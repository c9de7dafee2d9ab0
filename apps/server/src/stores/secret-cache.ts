import { setBounded } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';

/** How long signing secrets stay in memory, in clear text: rotations take effect within this time. */

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

type Secrets = readonly string[];
type Kept = { secrets: Promise<Secrets>; untilMs: number };

/** Keeps the secrets that `read` finds for an id. */
export function keepSecrets(
  clock: Clock,
  read: (id: bigint, at: Date) => Promise<Secrets>,
): (id: bigint) => Promise<Secrets> {
  const kept = new Map<bigint, Kept>();
  return (id) => {
    const nowMs = clock.nowMs();
    const present = kept.get(id);
    if (present && present.untilMs > nowMs) return present.secrets;
    // The promise is kept, so that many deliveries share one read; failures are not kept.
    const entry = { secrets: read(id, new Date(nowMs)), untilMs: nowMs + KEPT_MS };
    setBounded(kept, id, entry, MAX_KEPT);
    entry.secrets.catch(() => {
      if (kept.get(id) === entry) kept.delete(id);
    });
    return entry.secrets;
  };
}
