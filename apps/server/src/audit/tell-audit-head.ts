import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { formatHead } from './audit-head.ts';
import { readHeadLink } from './audit-link-sql.ts';

/**
 * Writes the head of the audit chain to the log, because the log is kept where the owner of the database cannot change
 * it.
 */
export async function tellAuditHead({ database, log }: { database: Database; log: Logger }): Promise<void> {
  const head = await readHeadLink(database.queries);
  if (head) log.info({ head: formatHead(head), entry: head.entryId.toString() }, 'audit head');
}
