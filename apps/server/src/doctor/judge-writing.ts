import type { Finding } from './finding.ts';
import { fine, wrong } from './finding.ts';

export type WritingFacts = {
  /** Whether this server of PostgreSQL is a standby, which repeats what its primary writes and takes no writes itself. */
  isStandby: boolean;
  /** Whether transactions of this connection may write nothing unless they say so. */
  isReadOnly: boolean;
};

/** Judges whether processes could write to the database; every one of them must. Pure. */
export function judgeWriting({ isStandby, isReadOnly }: WritingFacts): Finding {
  if (isStandby)
    return wrong(
      'writing',
      'The database server is a standby: nothing can be written there, and every process fails.',
      'Set COUNTERFOIL_DATABASE_URL of all processes to the primary, or promote this server.',
    );
  return isReadOnly
    ? wrong(
        'writing',
        'The database is read-only (default_transaction_read_only): every process fails.',
        'Reset default_transaction_read_only of the database, the role or the server.',
      )
    : fine('writing', 'The database takes writes.');
}
