import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireKeysInUse } from '../secrets/key-ring-check.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

type RingExamination = {
  /** Undefined when the database could not be asked: then only the file is examined. */
  queries: Queries | undefined;
  path: string | undefined;
  word: (refusal: Refusal) => string;
};

/** Examines the key ring: its file, who may read it, and whether it opens every secret of this database. */
export async function examineKeyRing({ queries, path, word }: RingExamination): Promise<Finding> {
  if (path === undefined)
    return doubtful(
      'key ring',
      'COUNTERFOIL_KEY_RING_FILE is not set: secrets can be neither opened nor made here.',
      'Set it to the file that keyring init wrote.',
    );
  try {
    const ring = await readKeyRing(path);
    if (queries) await requireKeysInUse(queries, ring);
    return fine('key ring', `The ring holds ${ring.keys.size} keys, and every secret can be opened.`);
  } catch (cause) {
    const says = cause instanceof Refusal ? word(cause) : reasonOf(cause);
    return wrong(
      'key ring',
      says,
      'See docs/operations/rotate.md for the key ring; restore the file from its backup, mode 0600.',
    );
  }
}
