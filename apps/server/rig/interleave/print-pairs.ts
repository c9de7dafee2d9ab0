/** Prints how many pairs of a point and an actor were run, and how many violations they found. */
export function printPairs(readers: string, results: readonly (readonly string[])[]): void {
  const violations = results.reduce((sum, found) => sum + found.length, 0);
  process.stdout.write(`${JSON.stringify({ interleavings: readers, pairs: results.length, violations })}\n`);
}
