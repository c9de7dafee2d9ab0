import type { Context } from '../db/context.ts';
import { saveMailSetup } from './mail-setup-sql.ts';

/** Interval at which processes with a mail server confirm that email is set up. */
export const CONFIRM_MAIL_MS = 3_600_000;

/** Called by processes with a mail server, at start and regularly. */
export async function confirmMailSetup({ database, clock }: Context): Promise<void> {
  await saveMailSetup(database.queries, new Date(clock.nowMs()));
}
