/** One piece of work per turn of the event loop, so that a crowd delays others by one page only. */

export type Turnstile = {
  /** True when the caller may start; immediately false when too many wait. */
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
