import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireKeysInUse } from '../secrets/key-ring-check.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

type RingExamination = {
  /** Undefined without a database: then only the file is examined. */
  queries: Queries | undefined;
  path: string | undefined;
  word: (refusal: Refusal) => string;
};

const MEND = 'See docs/operations/rotate.md for the key ring; restore the file from its backup, mode 0600.';

/**
 * Examines the key ring: its file, permissions, and whether it opens every secret. An unreachable database is no fault
 * of the file: replacing it could lose the keys of all secrets.
 */
export async function examineKeyRing({ queries, path, word }: RingExamination): Promise<Finding> {
  if (path === undefined)
    return doubtful(
      'key ring',
      'COUNTERFOIL_KEY_RING_FILE is not set: secrets can be neither opened nor made here.',
      'Set it to the file that keyring init wrote.',
    );
  let ring: KeyRing;
  try {
    ring = await readKeyRing(path);
  } catch (cause) {
    return wrong('key ring', cause instanceof Refusal ? word(cause) : reasonOf(cause), MEND);
  }
  try {
    if (queries) await requireKeysInUse(queries, ring);
    return fine('key ring', `The ring has ${ring.keys.size} keys, and every secret can be opened.`);
  } catch (cause) {
    if (cause instanceof Refusal) return wrong('key ring', word(cause), MEND);
    return doubtful(
      'key ring',
      `The ring has ${ring.keys.size} keys; the database did not report whether they open its secrets: ${reasonOf(cause)}`,
      'Leave the file as it is: fix the database problem, and run the doctor again.',
    );
  }
}
