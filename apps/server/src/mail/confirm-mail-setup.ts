import type { Context } from '../db/context.ts';
import { saveMailSetup } from './mail-setup-sql.ts';

/** How often a process with a mail server confirms that email is set up. */
export const CONFIRM_MAIL_MS = 3_600_000;

/** Records that email is set up: called by processes that have a mail server, when they start and regularly. */
export async function confirmMailSetup({ database, clock }: Context): Promise<void> {
  await saveMailSetup(database.queries, new Date(clock.nowMs()));
}
