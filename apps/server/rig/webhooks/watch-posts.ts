import type { Outbound } from '../../src/lib/outbound-http.ts';

type WatchedPosts = {
  outbound: Outbound;
  /** The most requests that were in flight at one moment, by name. */
  most: Record<string, number>;
  inFlight: () => number;
};

/** Counts requests in flight, by the name that `nameOf` gives to an address. */
export function watchPosts(outbound: Outbound, nameOf: (url: URL) => string): WatchedPosts {
  const now = new Map<string, number>();
  const most: Record<string, number> = {};
  const post: Outbound['post'] = async (url, request) => {
    const name = nameOf(new URL(url));
    const count = (now.get(name) ?? 0) + 1;
    now.set(name, count);
    most[name] = Math.max(most[name] ?? 0, count);
    try {
      return await outbound.post(url, request);
    } finally {
      now.set(name, (now.get(name) ?? 0) - 1);
    }
  };
  const inFlight = () => [...now.values()].reduce((sum, count) => sum + count, 0);
  return { outbound: { ...outbound, post }, most, inFlight };
}
