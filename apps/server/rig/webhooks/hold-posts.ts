import type { Outbound } from '../../src/lib/outbound-http.ts';

type HeldPosts = {
  outbound: Outbound;
  /** Requests that were held, whether they have been let go or not. */
  held: () => number;
  letGo: () => void;
};

/** Requests to the addresses that `isHeld` selects get no answer until `letGo`; then they time out. */
export function holdPosts(outbound: Outbound, isHeld: (url: URL) => boolean): HeldPosts {
  const gate = Promise.withResolvers<void>();
  let held = 0;
  const post: Outbound['post'] = async (url, request) => {
    if (!isHeld(new URL(url))) return outbound.post(url, request);
    held += 1;
    await gate.promise;
    return { error: 'timeout', message: 'no answer', durationMs: request.timeoutMs };
  };
  return { outbound: { ...outbound, post }, held: () => held, letGo: gate.resolve };
}
