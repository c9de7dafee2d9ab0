import { useEffect, useState } from 'react';

const TICK_MS = 30_000;

/** The present moment, updated often enough for minutes. */
export function useNowMs(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
