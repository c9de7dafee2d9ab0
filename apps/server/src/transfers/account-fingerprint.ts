/** What an account held when it was last looked at, and how often it is still looked at because that changed. */
export type Fingerprint = { held: string; looksLeft: number };

/** A node's listing can be behind its balances: a change that no listing explains is looked for so many polls. */
const LOOKS_AT_A_CHANGE = 3;
const MAX_FINGERPRINTS = 50_000;

/** What is not told counts as changed. */
export function hasChanged(known: Fingerprint | undefined, held: string | undefined): boolean {
  return held === undefined || known?.held !== held || known.looksLeft > 0;
}

/** After a look that was given what is held now. One that found a payment, or was the first of all, has seen why. */
export function afterLook(known: Fingerprint | undefined, held: string, found: boolean): Fingerprint {
  if (found || !known) return { held, looksLeft: 0 };
  const looks = known.held === held ? known.looksLeft : LOOKS_AT_A_CHANGE;
  return { held, looksLeft: Math.max(0, looks - 1) };
}

export function remember(fingerprints: Map<string, Fingerprint>, account: string, one: Fingerprint): void {
  fingerprints.delete(account);
  fingerprints.set(account, one);
  const [oldest] = fingerprints.keys();
  if (fingerprints.size > MAX_FINGERPRINTS && oldest !== undefined) fingerprints.delete(oldest);
}
