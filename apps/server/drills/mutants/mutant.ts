/** A change of a source file. `find` must occur exactly once in the file. */
export type Edit = { file: string; find: string; replace: string };

/** A bug that is planted, and the test that must catch it. Paths are relative to `apps/server`. */
export type Mutant = {
  name: string;
  edits: readonly Edit[];
  suite: string;
  /** Title of the test without the titles of its `describe` blocks, and with the values of `test.each` filled in. */
  title: string;
};

export const lines = (...parts: readonly string[]) => parts.join('\n');
