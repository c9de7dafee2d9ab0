/** A bell that ends the current wait early or, without one, the next. */
export type Wake = {
  ring(): void;
  /** Forgets earlier rings, for a caller that is about to check for work. */
  reset(): void;
  /** Waits until rung, for at most `ms`, or until aborted. One caller at a time. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export function createWake(): Wake {
  let rung = false;
  let endWait: (() => void) | undefined;

  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        rung = false;
        endWait = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (rung || signal.aborted) {
        end();
        return;
      }
      signal.addEventListener('abort', end);
      endWait = end;
    });

  return {
    ring: () => {
      rung = true;
      endWait?.();
    },
    reset: () => {
      rung = false;
    },
    wait,
  };
}
