/**
 * Asks for the tests of a suite that have one of these titles, or for all of them. `changed` are the files that are
 * edited now. A run that takes longer than `timeoutMs` is ended.
 */
export type Request = {
  suite: string;
  titles: readonly string[] | 'all';
  changed: readonly string[];
  timeoutMs?: number;
};

export type Verdict =
  | { kind: 'green'; passed: number }
  /** The first named test that failed. */
  | { kind: 'failed'; test: string; message: string }
  /** Nothing was tested: a file did not load, a hook failed, a named test did not run or did not end. */
  | { kind: 'broken'; reason: string };
