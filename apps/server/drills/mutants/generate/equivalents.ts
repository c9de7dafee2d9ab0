/** A generated mutation that changes nothing that anybody could observe, and why. */
type Equivalent = {
  file: string;
  /** The changed lines after the change, as the run prints them. */
  mutated: string;
  reason: string;
};

export const EQUIVALENTS: readonly Equivalent[] = [];
