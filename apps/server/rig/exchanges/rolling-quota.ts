/** A quota of a fake platform: how much weight each caller may use within any window of this length. */
export type RollingQuota = {
  /** Counts a request; false when the quota is exceeded. */
  take: (who: string, nowMs: number, weight?: number) => boolean;
};

export function createRollingQuota(limit: number, windowMs: number): RollingQuota {
  const taken = new Map<string, { atMs: number; weight: number }[]>();
  return {
    take: (who, nowMs, weight = 1) => {
      const recent = (taken.get(who) ?? []).filter(({ atMs }) => atMs > nowMs - windowMs && atMs <= nowMs);
      const used = recent.reduce((sum, entry) => sum + entry.weight, 0);
      taken.set(who, recent);
      if (used + weight > limit) return false;
      recent.push({ atMs: nowMs, weight });
      return true;
    },
  };
}
