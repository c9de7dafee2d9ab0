import { DAY_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { sleep } from '../lib/loop.ts';
import { Refusal } from '../lib/refusal.ts';
import type { StatementRow } from '../platforms/statement-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { findExchangeAccount } from '../wallets/exchange-account-sql.ts';
import { refuseUnanswered } from '../wallets/statement-sources.ts';
import { insertIdleAccount, lockAccount } from './account-sql.ts';
import { findOvertaken } from './compare-statement.ts';
import { readStatement } from './read-statement.ts';
import { measurePlatformTime } from './platform-time.ts';
import { applyStatement } from './poll-statement.ts';
import type { StatementFollower } from './statement-follower.ts';
import { readStoredRows } from './statement-sql.ts';

type RescanStatementContext = Context & {
  follower: StatementFollower;
  /** Waits for the platform's quota; a test moves its clock instead. */
  wait?: (ms: number) => Promise<void>;
};

type RescanStatementInput = { account: string; from: Date; reason: string };

/** Range of one request; halved when it has too many rows. */
const STEP_MS = 7 * DAY_MS;
/** Platforms keep more, but no amount is open or quarantined for so long. */
const MAX_AGE_MS = 90 * DAY_MS;
/** Longest wait for a quota, and most waits per range. A platform that asks for more has banned us. */
const MAX_WAIT_MS = 60_000;
const MAX_WAITS = 10;
const NEVER = new AbortController().signal;

async function readPatiently(
  read: () => Promise<StatementRow[]>,
  wait: (ms: number) => Promise<void>,
): Promise<StatementRow[]> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await read();
    } catch (cause) {
      const waitMs = cause instanceof SourceError && cause.kind === 'rate' ? cause.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs >= MAX_WAIT_MS || waits >= MAX_WAITS) throw cause;
      await wait(waitMs);
    }
  }
}

/** Reads a statement again for an operator, for money without a quote. Cursor and coverage do not move. */
export async function rescanStatement(
  { database, clock, follower, wait = (ms) => sleep(ms, NEVER) }: RescanStatementContext,
  actor: Actor,
  { account, from, reason }: RescanStatementInput,
): Promise<{ rows: number; changed: number }> {
  const { source } = follower;
  const network = source.network.id;
  const one = await findExchangeAccount(database.queries, { network, account });
  if (!one || one.removedAt !== null) throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', { network, account });
  const key = await follower.keyOf(one);
  const nowMs = await refuseUnanswered(network, () => measurePlatformTime(follower, key.baseUrl));
  const startMs = Math.max(from.getTime(), nowMs - MAX_AGE_MS);
  const ranges = [{ fromMs: startMs, toMs: nowMs }];
  const before = await readStoredRows(database.queries, network, account, ranges);
  const found: StatementRow[] = [];
  for (let fromMs = startMs; fromMs < nowMs; fromMs += STEP_MS) {
    const range = { fromMs, toMs: Math.min(nowMs, fromMs + STEP_MS) };
    const read = () => readPatiently(() => readStatement(source, key, range), wait);
    found.push(...(await refuseUnanswered(network, read)));
  }
  return inTransaction(database, async (tx) => {
    await insertIdleAccount(tx, network, account, new Date(startMs));
    await lockAccount(tx, network, account);
    const overtaken = findOvertaken(before, await readStoredRows(tx, network, account, ranges));
    const read = { rows: found, ranges, nowMs, overtaken };
    const { change, changed } = await applyStatement(tx, follower, account, read);
    const outcome = { rows: change.payments.length, changed: changed.length };
    await recordAudit(tx, clock, actor, {
      action: 'exchange.rescan',
      subject: `exchange:${network}:${account}`,
      details: { reason, from: new Date(startMs).toISOString(), ...outcome },
    });
    return outcome;
  });
}
