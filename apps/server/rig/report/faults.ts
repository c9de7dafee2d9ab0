/** Faults in words, collected over a whole drill. */
export type Faults = { add(fault: string): void; all(): readonly string[] };

export function gatherFaults(): Faults {
  const faults: string[] = [];
  return { add: (fault) => faults.push(fault), all: () => faults };
}
