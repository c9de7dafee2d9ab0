import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { ExchangeKey, StatementRow } from '../platforms/statement-source.ts';
import type { SourceError } from '../sources/chain-source.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import { recordTransfers, revertTransfers } from '../transfers/transfer-sql.ts';
import type { ExchangeAccountRow } from '../wallets/exchange-account-sql.ts';
import { findExchangeAccount, lockExchangeAccount, saveStatementReads } from '../wallets/exchange-account-sql.ts';
import type { FollowedAccount } from './account-sql.ts';
import {
  lockVersion,
  moveAccountCoverage,
  moveAccountCursor,
  readAccountState,
  startFollowing,
} from './account-sql.ts';
import type { StatementChange } from './compare-statement.ts';
import { compareStatement } from './compare-statement.ts';
import { gatherStatement } from './gather-statement.ts';
import { giveUpPending } from './plan-pending.ts';
import type { TimeRange } from './plan-statement.ts';
import { coveredAfter, planStatement } from './plan-statement.ts';
import { platformTime } from './platform-time.ts';
import { raiseUnclear } from './statement-alarms.ts';
import type { StatementFollower } from './statement-follower.ts';
import {
  creditTransfers,
  FINAL,
  findOldestHeld,
  readStoredRows,
  renameRows,
  saveMissing,
  saveOtherIds,
} from './statement-sql.ts';

/** One poll: reads on from the cursor and some time before it, and commits changes with cursor and coverage. */

/** A position in a statement: height is the platform's time in ms, time the same in seconds. */
const positionAt = (ms: number) => ({ height: ms, time: Math.floor(ms / SECOND_MS) });

function transferOf(row: StatementRow, account: string): StoredTransfer {
  return {
    txId: row.id,
    // Row ids are unique only within one exchange account: a platform's regions may reuse them.
    index: `${row.token}@${account}`,
    token: row.token,
    from: row.from,
    to: account,
    units: row.units,
    height: row.atMs,
    blockHash: row.state,
    blockTime: Math.floor(row.atMs / SECOND_MS),
  };
}

/**
 * Starts shortly before the oldest open or quarantined quote or, when there are too many to check, at the former
 * coverage or the time of adding. Undefined when another worker was faster.
 */
async function startStatement(
  { database, clock, source }: StatementFollower,
  { account, version, startAt, covered }: FollowedAccount,
): Promise<FollowedAccount | undefined> {
  const network = source.network.id;
  const started = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, version))) return false;
    const held = await findOldestHeld(tx, network, account, new Date(clock.nowMs()));
    const unseen = held.more ? (covered?.time ?? held.addedAt) : undefined;
    const oldest = Math.min(startAt, held.from ?? startAt, unseen ?? startAt);
    await startFollowing(tx, network, account, positionAt(Math.floor((oldest - WINDOW_SKEW_SECONDS) * SECOND_MS)));
    return true;
  });
  return started ? readAccountState(database.queries, network, account) : undefined;
}

type StatementRead = {
  rows: readonly StatementRow[];
  ranges: readonly TimeRange[];
  nowMs: number;
  overtaken?: ReadonlySet<string>;
};

type AppliedStatement = {
  change: StatementChange;
  known: ReadonlySet<string>;
  changed: readonly bigint[];
};

/** Records a complete read and applies it to invoices. The caller holds the account's lock. */
export async function applyStatement(
  tx: Tx,
  { clock, source, apply, failpoint }: StatementFollower,
  account: string,
  { rows, ranges, nowMs, overtaken = new Set<string>() }: StatementRead,
): Promise<AppliedStatement> {
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  await lockExchangeAccount(tx, { network, account });
  const stored = (await readStoredRows(tx, network, account, ranges)).filter(({ txId }) => !overtaken.has(txId));
  const shown = rows.filter(({ id }) => !overtaken.has(id));
  const change = compareStatement(stored, shown, ranges, nowMs);
  await renameRows(tx, change.renamed);
  const transfers = change.payments.map((row) => transferOf(row, account));
  const evidence = { by: network, how: 'statement' } as const;
  const { changed, orphaned } = await recordTransfers(tx, network, transfers, at, evidence);
  await saveOtherIds(tx, network, account, change.payments);
  const finalIds = change.payments.filter(({ state }) => state === FINAL).map(({ id }) => id);
  const credited = await creditTransfers(tx, network, account, finalIds, at);
  await saveMissing(tx, change.missing, new Date(nowMs));
  await saveMissing(tx, change.back, null);
  await revertTransfers(tx, change.gone);
  await failpoint('statement:recorded');
  const all = [...new Set([...changed, ...credited, ...change.gone])];
  await apply(tx, network, all, orphaned);
  return { change, known: new Set([...stored, ...change.renamed].map(({ txId }) => txId)), changed: all };
}

/** The longest delay of new rows that earlier polls should have shown. */
function latestRow(change: StatementChange, known: ReadonlySet<string>, cursorMs: number, nowMs: number): number {
  const late = change.payments.filter(({ id, atMs }) => atMs < cursorMs && !known.has(id));
  return Math.max(0, ...late.map(({ atMs }) => nowMs - atMs));
}

type PolledStatement = {
  coveredUntil: number;
  refusal: SourceError | undefined;
};

async function readPlanned(
  follower: StatementFollower,
  { account, cursor, covered }: FollowedAccount,
  one: ExchangeAccountRow,
  key: ExchangeKey,
) {
  const { nowMs, measuredMs } = await platformTime(follower, key.baseUrl);
  const cursorMs = cursor.height;
  const coveredMs = covered?.height ?? cursorMs;
  const position = {
    cursorMs,
    coveredMs,
    isStopped: one.stopped,
    overlapReadMs: one.overlapReadAt?.getTime(),
    dayReadMs: one.dayReadAt?.getTime(),
  };
  const plan = planStatement(position, nowMs);
  const gathered = await gatherStatement(follower, { account, key, plan, coveredMs, nowMs });
  const coveredUntilMs = coveredAfter({ ...gathered, coveredMs, cursorMs }, measuredMs);
  return { ...gathered, nowMs, measuredMs, cursorMs, coveredUntilMs };
}

/** Undefined when another worker committed first. */
export async function pollStatement(
  follower: StatementFollower,
  claimed: FollowedAccount,
  one: ExchangeAccountRow,
  key: ExchangeKey,
): Promise<PolledStatement | undefined> {
  const { database, source, failpoint } = follower;
  const network = source.network.id;
  const followed = claimed.state === 'starting' ? await startStatement(follower, claimed) : claimed;
  if (!followed) return undefined;
  const { account, version } = followed;
  await failpoint('statement:started');
  const read = await readPlanned(follower, followed, one, key);
  const { rows, ranges, newest, nowMs, measuredMs, cursorMs, coveredUntilMs, sliceTurnMs } = read;
  await failpoint('statement:before-commit');
  const committed = await inTransaction(database, async (tx) => {
    const move = { version, to: positionAt(newest.toMs), readBy: network, keepEarlier: true };
    if ((await moveAccountCursor(tx, network, account, move)) === undefined) return false;
    const { change, known } = await applyStatement(tx, follower, account, { rows, ranges, nowMs: measuredMs });
    await saveStatementReads(tx, one, {
      ...(read.overlaps && { overlapReadAt: new Date(nowMs) }),
      ...(sliceTurnMs !== undefined && { dayReadAt: new Date(sliceTurnMs) }),
      latestRowMs: latestRow(change, known, cursorMs, nowMs),
    });
    await raiseUnclear(tx, follower, account, { rows: change.unclear, nowMs: measuredMs });
    if (read.readsPending) await giveUpPending(tx, follower, account, measuredMs);
    // Applying the rows may have stopped the account: then nothing is covered until it is started again.
    if ((await findExchangeAccount(tx, one))?.stopped !== true)
      await moveAccountCoverage(tx, network, account, positionAt(coveredUntilMs));
    await failpoint('statement:in-commit');
    return true;
  });
  await failpoint('statement:after-commit');
  return committed ? { coveredUntil: positionAt(coveredUntilMs).time, refusal: read.refusal } : undefined;
}
