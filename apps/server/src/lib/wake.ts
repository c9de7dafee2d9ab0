/** A bell that ends a wait early: the wait under way or, when there is none, the next one. */
export type Wake = {
  ring(): void;
  /** Forgets earlier rings, for a caller who is about to look for work anyway. */
  reset(): void;
  /**
   * Waits until the bell is rung, for `ms` at most, or until the signal is aborted. Only one caller may wait at a time.
   */
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
