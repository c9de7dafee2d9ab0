import type { BaseLogger } from 'pino';
import type { Actor } from '../lib/actor.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { checkExchangeAccount } from './check-exchange-account.ts';
import { claimDueChecks } from './exchange-account-sql.ts';
import type { ExchangeContext } from './statement-sources.ts';

type CheckDueContext = ExchangeContext & { ring: KeyRing; log: Pick<BaseLogger, 'warn' | 'error'> };

const BATCH = 10;
/** Seconds before a check that the platform did not answer is repeated. */
const RETRY_SECONDS = 600;

/** Checks due keys; returns whether there may be more. A failing check delays no other key. */
export async function checkDueKeys(context: CheckDueContext, actor: Actor): Promise<boolean> {
  const { database, clock, log } = context;
  const due = await claimDueChecks(database.queries, new Date(clock.nowMs()), BATCH, RETRY_SECONDS);
  for (const name of due) {
    try {
      const checked = await checkExchangeAccount(context, actor, name);
      if ('unanswered' in checked) log.warn({ ...name, reason: checked.unanswered }, 'a key could not be checked');
    } catch (cause) {
      log.error({ err: cause, ...name }, 'a key could not be checked');
    }
  }
  return due.length === BATCH;
}
