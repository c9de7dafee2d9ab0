/** A bug that is planted, and the test that must catch it. */
export type Mutant = {
  name: string;
  /** Test file that must catch the bug. */
  suite: string;
  /** Text that the titles of the catching tests contain. */
  test: string;
};
