import { raiseAlarms, raiseRarely } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { StatementRow } from '../platforms/statement-source.ts';
import type { SourceError } from '../sources/chain-source.ts';
import type { ExchangeAccountRow } from '../wallets/exchange-account-sql.ts';
import { markFaulty } from '../wallets/exchange-account-sql.ts';
import type { FollowedAccount } from './account-sql.ts';
import type { StatementFollower } from './statement-follower.ts';
import { notesOf } from './statement-follower.ts';

/** How long an account with an open quote may go unread before an alarm, and between alarms. */
const SILENT_MS = 10 * 60_000;
const SILENT_TOLD_EVERY_MS = 3_600_000;
/** Most unclear rows become clear within minutes, so only older ones raise an alarm; and its interval. */
const UNCLEAR_TOLD_AFTER_MS = 10 * 60_000;
const UNCLEAR_TOLD_EVERY_MS = 6 * 3_600_000;

const subjectOf = ({ source }: StatementFollower, account: string) => `${source.network.id} ${account}`;

/** Marks a refused key and raises an alarm, unless another key has replaced it. */
export async function raiseRefused(
  follower: StatementFollower,
  one: ExchangeAccountRow,
  cause: SourceError,
): Promise<void> {
  const at = new Date(follower.clock.nowMs());
  const fault = `refused: ${cause.message}`;
  const subject = subjectOf(follower, one.account);
  await inTransaction(follower.database, async (tx) => {
    if (await markFaulty(tx, one, fault, at))
      await raiseAlarms(tx, at, [{ kind: 'exchange-key-refused', subject, details: { fault } }]);
  });
}

/** Raises an alarm for an account that could not be read for too long. */
export async function raiseFailure(
  follower: StatementFollower,
  { account, cursor, state }: FollowedAccount,
  reason: string,
): Promise<void> {
  const { database, clock } = follower;
  const at = new Date(clock.nowMs());
  const silentMs = state === 'starting' ? 0 : at.getTime() - cursor.height;
  if (silentMs < SILENT_MS) return;
  const details = { reason, readUntil: new Date(cursor.height).toISOString() };
  const alarm = { kind: 'exchange-account-silent', subject: subjectOf(follower, account), details } as const;
  await inTransaction(database, (tx) => raiseRarely(tx, at, alarm, SILENT_TOLD_EVERY_MS));
}

export async function raiseWaiting(follower: StatementFollower, account: string, refusal: SourceError): Promise<void> {
  const { database, clock, memory } = follower;
  const { refused } = notesOf(memory, account);
  if (!refused || refused.untilMs - refused.sinceMs < SILENT_MS) return;
  const at = new Date(clock.nowMs());
  const details = { reason: refusal.message, nothingReadAgainSince: new Date(refused.sinceMs).toISOString() };
  const alarm = { kind: 'exchange-account-silent', subject: subjectOf(follower, account), details } as const;
  await inTransaction(database, (tx) => raiseRarely(tx, at, alarm, SILENT_TOLD_EVERY_MS));
}

export async function raiseUnclear(
  tx: Tx,
  follower: StatementFollower,
  account: string,
  { rows, nowMs }: { rows: readonly StatementRow[]; nowMs: number },
): Promise<void> {
  const [oldest] = rows
    .filter(({ atMs }) => nowMs - atMs >= UNCLEAR_TOLD_AFTER_MS)
    .toSorted((left, right) => left.atMs - right.atMs);
  if (!oldest) return;
  const reason = 'It may be a payment, but it cannot be read, or not be distinguished from another.';
  const details = { id: oldest.id, at: new Date(oldest.atMs).toISOString(), reason };
  const alarm = { kind: 'exchange-row-unclear', subject: subjectOf(follower, account), details } as const;
  await raiseRarely(tx, new Date(follower.clock.nowMs()), alarm, UNCLEAR_TOLD_EVERY_MS);
}

export async function raiseGivenUp(
  tx: Tx,
  follower: StatementFollower,
  account: string,
  rows: readonly { txId: string; atMs: number }[],
): Promise<void> {
  const reason = 'Its platform has not credited it for 90 days. Its invoice waits no longer.';
  const subject = subjectOf(follower, account);
  const alarms = rows.map(({ txId, atMs }) => ({
    kind: 'exchange-row-unclear' as const,
    subject,
    details: { id: txId, at: new Date(atMs).toISOString(), reason },
  }));
  await raiseAlarms(tx, new Date(follower.clock.nowMs()), alarms);
}
