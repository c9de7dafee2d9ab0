/** Faults in words, collected over a whole drill. */
export type Faults = { add(fault: string): void; all(): readonly string[] };

export function gatherFaults(): Faults {
  const faults: string[] = [];
  return { add: (fault) => faults.push(fault), all: () => faults };
}

const MAX_FAULTS_SHOWN = 30;

/** The faults as lines to print: the first faults, and the number of further faults. */
export function describeFaults(faults: Faults): string[] {
  const all = faults.all();
  const shown = all.slice(0, MAX_FAULTS_SHOWN).map((fault) => `FAULT ${fault}`);
  return all.length > shown.length ? [...shown, `... and ${all.length - shown.length} more faults`] : shown;
}
