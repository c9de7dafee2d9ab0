import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { formatHead } from './audit-head.ts';
import { readHeadLink } from './audit-link-sql.ts';

/** Logs the head, because the owner of the database cannot change the log. */
export async function tellAuditHead({ database, log }: { database: Database; log: Logger }): Promise<void> {
  const head = await readHeadLink(database.queries);
  if (head) log.info({ head: formatHead(head), entry: head.entryId.toString() }, 'audit head');
}
