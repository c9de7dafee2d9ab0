/**
 * A turnstile starts pieces of work one at a time, each in its own turn of the event loop. Between two pieces all other
 * waiting work is served: a crowd of strangers delays a merchant's call by one page, not by all of the crowd's pages.
 */

export type Turnstile = {
  /** Resolves to true when the caller may start; to false at once when too many wait already. */
  pass(): Promise<boolean>;
};

export function createTurnstile(maxWaiting: number): Turnstile {
  const waiting: (() => void)[] = [];
  let first = 0;

  function serve(): void {
    const next = waiting[first];
    first += 1;
    if (first === waiting.length) {
      waiting.length = 0;
      first = 0;
    } else setImmediate(serve);
    next?.();
  }

  return {
    pass: () => {
      if (waiting.length - first >= maxWaiting) return Promise.resolve(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push(() => resolve(true));
      if (waiting.length - first === 1) setImmediate(serve);
      return promise;
    },
  };
}
