import type { ConfirmationState } from '../confirmations/confirmation-sql.ts';
import type { Finding } from './finding.ts';
import { fine, wrong } from './finding.ts';

const CHECK = 'confirmation';
const GUIDE = 'docs/alarms.md#database-went-back';

/** Judges whether amounts can be quoted: only while a worker confirms that the database is complete. */
export function judgeConfirmation({ confirmed, wentBackAt }: ConfirmationState): Finding {
  if (wentBackAt)
    return wrong(
      CHECK,
      `The database is older than the mark that a worker keeps outside of it, since ${wentBackAt.toISOString()}: it was restored or failed over with a loss. No amounts are quoted.`,
      `Decide what was lost; see ${GUIDE}.`,
    );
  return confirmed
    ? fine(CHECK, 'A worker has confirmed within the last minute that the database is complete.')
    : wrong(
        CHECK,
        'No worker has confirmed within a minute that the database is complete: no amounts are quoted.',
        'Start a worker and read its log. If its state folder is new, run database accept; see docs/alarms.md#database-mark-missing.',
      );
}
