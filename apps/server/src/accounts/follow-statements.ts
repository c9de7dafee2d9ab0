import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { runBeside } from '../lib/watchdog.ts';
import { readChain } from '../chains/chain-sql.ts';
import type { Step } from '../chains/follow-chain.ts';
import { SourceError } from '../sources/chain-source.ts';
import { findExchangeAccount, listBaseUrls } from '../wallets/exchange-account-sql.ts';
import { claimAccounts, scheduleAccount, stopFollowingUnused, takeDemands } from './account-schedule-sql.ts';
import type { FollowedAccount } from './account-sql.ts';
import { saveAccountHeads, stopFollowingRemoved } from './account-sql.ts';
import { backoffMs } from './backoff.ts';
import { measurePlatformTime } from './platform-time.ts';
import { pollStatement } from './poll-statement.ts';
import { raiseFailure, raiseRefused, raiseWaiting } from './statement-alarms.ts';
import type { StatementFollower } from './statement-follower.ts';

/**
 * Follows a platform's exchange accounts. Each has its own cursor, coverage and schedule, in the same tables as chain
 * accounts. Every commit compares the account's version, so of several workers only one counts.
 */

const CLAIM_SECONDS = 30;
const MAX_DEMANDS = 1_000;
/** How long a platform without stores is skipped. */
const UNUSED_MS = 2_000;

/** Saves the platform's time as head and cursor, because selection requires a network that is read. */
async function refreshHead(follower: StatementFollower, baseUrls: readonly string[]): Promise<void> {
  const { database, clock, source, memory, headMs } = follower;
  const startedMs = clock.nowMs();
  if (memory.headReadMs !== undefined && startedMs - memory.headReadMs < headMs) return;
  let fault: unknown;
  // The last answering base URL is asked first: a dead one would cost every step its time-out.
  const isLast = (baseUrl: string) => baseUrl === memory.answeredUrl;
  const ordered = [...baseUrls.filter(isLast), ...baseUrls.filter((baseUrl) => !isLast(baseUrl))];
  for (const baseUrl of ordered) {
    try {
      const nowMs = await measurePlatformTime(follower, baseUrl);
      const now = { height: nowMs, time: Math.floor(nowMs / SECOND_MS) };
      const heads = { confirmed: now, finalized: now };
      await saveAccountHeads(database.queries, source.network.id, heads, new Date(clock.nowMs()));
      memory.headReadMs = startedMs;
      memory.answeredUrl = baseUrl;
      return;
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause;
      fault = cause;
    }
  }
  throw fault;
}

/** Returns the milliseconds until the next poll; undefined when the account is no longer followed. */
async function pollAccount(follower: StatementFollower, followed: FollowedAccount): Promise<number | undefined> {
  const { database, source, keyOf, pollMs } = follower;
  const network = source.network.id;
  const { account, openUntil } = followed;
  const one = await findExchangeAccount(database.queries, { network, account });
  if (!one || one.removedAt !== null) {
    await stopFollowingRemoved(database.queries, network, account);
    return undefined;
  }
  const key = await keyOf(one);
  const polled = await pollStatement(follower, followed, one, key).catch(async (cause: unknown) => {
    if (cause instanceof SourceError && cause.kind === 'unsupported') await raiseRefused(follower, one, cause);
    throw cause;
  });
  if (!polled) return pollMs.open;
  if (polled.refusal) await raiseWaiting(follower, account, polled.refusal);
  await stopFollowingUnused(database.queries, network, account, polled.coveredUntil);
  return polled.coveredUntil <= openUntil ? pollMs.open : pollMs.resting;
}

/** Polls an account and schedules its next poll. Never throws: a failure is logged and lengthens the wait. */
async function pollOrPostpone(follower: StatementFollower, followed: FollowedAccount): Promise<void> {
  const { database, clock, log, source, count, pollMs } = follower;
  const network = source.network.id;
  const { account, failures } = followed;
  try {
    const inMs = await pollAccount(follower, followed);
    if (inMs !== undefined) await scheduleAccount(database.queries, network, account, inMs);
  } catch (cause) {
    count('failures');
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof SourceError)
      log.warn({ network, account, kind: cause.kind, reason }, 'exchange account was not answered for');
    else log.error({ err: cause, network, account }, 'exchange account could not be read');
    await raiseFailure(follower, followed, reason).catch((fault: unknown) =>
      log.error({ err: fault }, 'an alarm could not be raised'),
    );
    // If scheduling fails with the database, the claim expires.
    const inMs = backoffMs(pollMs.open, failures, cause, clock.rate);
    await scheduleAccount(database.queries, network, account, inMs, reason).catch(() => {});
  }
}

async function step(follower: StatementFollower): Promise<Step> {
  const { database, clock, source, concurrency, memory } = follower;
  const network = source.network.id;
  const unusedForMs = clock.nowMs() - (memory.foundUnusedMs ?? Number.NEGATIVE_INFINITY);
  if (unusedForMs >= 0 && unusedForMs < UNUSED_MS) return 'idle';
  const baseUrls = await listBaseUrls(database.queries, network);
  memory.foundUnusedMs = baseUrls.length === 0 ? clock.nowMs() : undefined;
  if (baseUrls.length === 0 || (await readChain(database.queries, network))?.retired) return 'idle';
  await refreshHead(follower, baseUrls);
  await takeDemands(database.queries, network, MAX_DEMANDS);
  if (memory.polls.size >= concurrency) await Promise.race(memory.polls);
  const claimed = await claimAccounts(database.queries, network, concurrency - memory.polls.size, CLAIM_SECONDS);
  for (const followed of claimed) {
    const poll = runBeside('account', () => pollOrPostpone(follower, followed)).finally(() =>
      memory.polls.delete(poll),
    );
    memory.polls.add(poll);
  }
  return claimed.length > 0 ? 'worked' : 'idle';
}

export async function followStatements(follower: StatementFollower): Promise<Step> {
  try {
    return await step(follower);
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    const network = follower.source.network.id;
    follower.log.warn({ network, kind: cause.kind, reason: cause.message }, 'platform did not answer');
    return 'idle';
  }
}

/** Waits for reads in progress before the database is closed. */
export async function finishStatements({ memory }: StatementFollower): Promise<void> {
  await Promise.all(memory.polls);
}
