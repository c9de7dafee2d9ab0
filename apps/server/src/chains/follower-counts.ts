/** Counts since the process started, for metrics. */
export type Counts = Readonly<Record<Counted, number>>;

type Counted = 'disagreements' | 'rewinds' | 'dust' | 'duplicateLogs' | 'failures';

export type Counter = {
  readonly counts: Counts;
  /** The only writer of `counts`. */
  readonly count: (kind: Counted, by?: number) => void;
};

export function createCounter(): Counter {
  const counts = { disagreements: 0, rewinds: 0, dust: 0, duplicateLogs: 0, failures: 0 };
  return {
    counts,
    count: (kind, by = 1) => {
      counts[kind] += by;
    },
  };
}
