import type { Finding } from './finding.ts';
import { fine, wrong } from './finding.ts';

export type WritingFacts = {
  /** A standby takes no writes itself. */
  isStandby: boolean;
  /** Whether transactions are read-only by default. */
  isReadOnly: boolean;
};

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
