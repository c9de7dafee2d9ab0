import { runBeside } from '../lib/watchdog.ts';
import { afterRead, afterPoll, keepFingerprint } from './account-fingerprint.ts';
import type { AccountFollower, AccountFollowing, RoundHeads } from './account-follower.ts';
import { lowerPosition } from './account-read-end.ts';
import { backoffMs } from './backoff.ts';
import type { ChainPosition } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { saveAccountHeads } from './account-sql.ts';
import {
  claimAccounts,
  stopFollowingUnused,
  scheduleAccount,
  scheduleAccounts,
  takeDemands,
} from './account-schedule-sql.ts';
import type { FirstRead } from './advance-account.ts';
import { advanceAccount } from './advance-account.ts';
import { SourceError } from '../sources/chain-source.ts';
import { readChain } from '../chains/chain-sql.ts';
import type { SecondRead } from './cover-account.ts';
import { coverAccount } from './cover-account.ts';
import { noteDatabaseTime } from '../chains/database-clock.ts';
import type { Step } from '../chains/follow-chain.ts';
import { endChainAlarm, raiseChainAlarm } from '../chains/raise-chain-alarm.ts';
import { raiseProviderAlarms } from '../chains/raise-provider-alarms.ts';
import { watchHeads } from '../chains/watch-heads.ts';
import type { PlannedPolls, AccountPoll } from './plan-polls.ts';
import { planPolls } from './plan-polls.ts';
import { proveAccount } from './prove-account.ts';
import { retryUnreadable } from './retry-unreadable.ts';
import { startAccount } from './start-account.ts';

/**
 * Follows a network account by account. Each account has its own cursor, coverage and schedule, so a flooded or
 * unreadable one delays no other. Every commit compares the account's version; claims only save duplicate work.
 */

const CLAIM_SECONDS = 30;
const MAX_DEMANDS = 1_000;
/** One minute of polls. */
const MAX_PAST_HEADS = 30;
/** Four getMultipleAccounts calls of 100 addresses, three addresses per account. */
export const CLAIMS_WITH_HINTS = 132;

/** Consecutive failures before an RPC method that no provider supports raises an alarm. */
const LASTING_FAILURES = 5;

/** Confirmed heads of earlier polls without duplicates, newest first. */
function pastOf(last: RoundHeads | undefined): ChainPosition[] {
  if (!last) return [];
  const isNew = last.confirmed.height > (last.past[0]?.height ?? 0);
  return (isNew ? [last.confirmed, ...last.past] : [...last.past]).slice(0, MAX_PAST_HEADS);
}

/** A block is final only when every asked provider reports it: a single provider may be wrong or dishonest. */
async function readHeads(follower: AccountFollower): Promise<RoundHeads> {
  const { database, source, clock, memory, steady } = follower;
  const first = await source.heads('first');
  const second = source.providers.length > 1 ? await source.heads('second') : first;
  const heads: RoundHeads = {
    confirmed: first.confirmed,
    finalized: lowerPosition(first.finalized, second.finalized),
    past: pastOf(memory.heads?.heads),
  };
  const beforeMs = steady.nowMs();
  const databaseMs = await saveAccountHeads(database.queries, source.network.id, heads, new Date(clock.nowMs()));
  noteDatabaseTime(memory, { databaseMs, beforeMs, afterMs: steady.nowMs() }, follower.secondReadAgeSeconds * 1_000);
  memory.heads = { atMs: clock.nowMs(), heads };
  await watchHeads(follower, { latest: heads.confirmed.height, finalized: heads.finalized.height });
  return heads;
}

/** Slightly old heads are good enough to plan polls. */
async function recentHeads(follower: AccountFollower): Promise<RoundHeads> {
  const { headsMs, clock } = follower;
  const { heads } = follower.memory;
  return heads && clock.nowMs() - heads.atMs < headsMs ? heads.heads : readHeads(follower);
}

type RunningPoll = AccountPoll & {
  isExplained: boolean;
};

/** One first read, as much as one answer holds; undefined when another worker committed first. */
async function takeFirstRead(
  follower: AccountFollower,
  poll: RunningPoll,
  heads: RoundHeads,
): Promise<FirstRead | undefined> {
  const { fingerprints } = follower.memory;
  const { reads, balances, followed: claimed } = poll;
  const starting = claimed.state === 'starting';
  const followed = starting ? await startAccount(follower, claimed, heads) : claimed;
  if (!followed) return undefined;
  const read = reads.first ? await advanceAccount(follower, followed, heads) : { followed, found: false, more: false };
  if (!read) return undefined;
  poll.isExplained = true;
  const { account } = followed;
  if (read.more) fingerprints.delete(account);
  else if (reads.first && balances !== undefined)
    keepFingerprint(
      fingerprints,
      account,
      afterRead(fingerprints.get(account), { balances, found: read.found, starting }),
    );
  return read;
}

/** Settles final payments, then makes a due second read, which also decides whether an unshown payment is gone. */
async function takeSecondRead(
  follower: AccountFollower,
  { reads }: AccountPoll,
  { followed, found }: FirstRead,
  heads: RoundHeads,
): Promise<SecondRead | undefined> {
  const { lacking } = reads.proofs || found ? await proveAccount(follower, followed, heads) : { lacking: undefined };
  if (reads.retries) {
    await retryUnreadable(follower, followed, heads);
    // A newly readable transaction changes what a second read must show, so the second read waits for the next poll.
    return undefined;
  }
  if (!reads.second && !lacking) return undefined;
  const second = await coverAccount(follower, followed, heads);
  if (lacking && second && second.covered.height < lacking.height)
    throw new SourceError('inconsistent', lacking.reason);
  return second;
}

/** Returns the milliseconds until the next poll. */
async function pollAccount(follower: AccountFollower, poll: RunningPoll, heads: RoundHeads): Promise<number> {
  const { database, source, pollMs } = follower;
  const first = await takeFirstRead(follower, poll, heads);
  if (!first) return pollMs.open;
  const { account, openUntil } = first.followed;
  const second = await takeSecondRead(follower, poll, first, heads);
  if (first.more || second?.more) return 0;
  if (!second || second.covered.time <= openUntil) return pollMs.open;
  await stopFollowingUnused(database.queries, source.network.id, account, second.covered.time);
  return pollMs.resting;
}

/** Data that the provider does not have yet is requested again at the usual interval. */
function waitMs({ pollMs }: AccountFollowing, failures: number, cause: unknown): number {
  if (cause instanceof SourceError && cause.kind === 'not-yet') return pollMs.open;
  return backoffMs(pollMs.open, failures, cause);
}

/** Polls an account and schedules its next poll. Never throws: a failure is logged and lengthens the wait. */
async function pollOrPostpone(follower: AccountFollower, planned: AccountPoll, heads: RoundHeads): Promise<void> {
  const { database, log, source, count } = follower;
  const poll = { ...planned, isExplained: false };
  const network = source.network.id;
  const { account, failures } = poll.followed;
  try {
    const inMs = await pollAccount(follower, poll, heads);
    await scheduleAccount(database.queries, network, account, inMs);
    endChainAlarm(follower, 'method-unsupported', account);
  } catch (cause) {
    count('failures');
    // The read that should explain the changed balances failed, so they still count as changed.
    if (!poll.isExplained) follower.memory.fingerprints.delete(account);
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof SourceError)
      log.warn({ network, account, kind: cause.kind, reason }, 'account was not answered for');
    else log.error({ err: cause, network, account }, 'account could not be read');
    if (cause instanceof SourceError && cause.kind === 'unsupported' && failures >= LASTING_FAILURES)
      await raiseChainAlarm(follower, 'method-unsupported', { reason }, account).catch(() => {});
    // If scheduling fails with the database, the claim expires.
    await scheduleAccount(database.queries, network, account, waitMs(follower, failures, cause), reason).catch(
      () => {},
    );
  }
}

/** Balances by account; empty where the source does not provide them now. */
async function readFingerprints(
  { source }: AccountFollowing,
  claimed: readonly FollowedAccount[],
): Promise<ReadonlyMap<string, string>> {
  if (!source.fingerprints || claimed.length === 0) return new Map();
  return source.fingerprints(claimed.map(({ account }) => account)).catch((cause: unknown) => {
    if (cause instanceof SourceError) return new Map<string, string>();
    throw cause;
  });
}

async function postponeQuiet(follower: AccountFollower, { open, resting }: PlannedPolls['quiet']): Promise<void> {
  const { database, source, pollMs } = follower;
  const { fingerprints } = follower.memory;
  const network = source.network.id;
  await scheduleAccounts(database.queries, network, resting.map(nameOf), pollMs.resting);
  await scheduleAccounts(database.queries, network, open.map(nameOf), pollMs.open);
  for (const { account } of [...resting, ...open]) {
    const known = fingerprints.get(account);
    if (known) keepFingerprint(fingerprints, account, afterPoll(known));
  }
}

async function startPolls(follower: AccountFollower, claimed: readonly FollowedAccount[]): Promise<void> {
  const { source, coverSeconds, concurrency, memory } = follower;
  const { reading } = memory;
  const balances = await readFingerprints(follower, claimed);
  const before = memory.heads;
  const recent = await recentHeads(follower);
  const { quiet, due } = planPolls(claimed, {
    balances,
    known: memory.fingerprints,
    ends: await follower.findEnds(source.network.id, claimed.map(nameOf)),
    finalized: recent.finalized,
    coverSeconds,
    ageSeconds: follower.secondReadAgeSeconds,
    exact: follower.exact,
    providers: source.providers,
  });
  await postponeQuiet(follower, quiet);
  if (due.length === 0) return;
  const heads = memory.heads === before ? await readHeads(follower) : recent;
  for (const poll of due) {
    if (reading.size >= concurrency) await Promise.race(reading);
    const taken = runBeside('account', () => pollOrPostpone(follower, poll, heads)).finally(() =>
      reading.delete(taken),
    );
    reading.add(taken);
  }
}

const nameOf = ({ account }: FollowedAccount) => account;

async function step(follower: AccountFollower): Promise<Step> {
  const { database, source, concurrency, pollMs, memory } = follower;
  const { reading } = memory;
  const network = source.network.id;
  if (!memory.verified) await source.verify();
  memory.verified = true;
  if ((await readChain(database.queries, network))?.retired) return 'idle';
  await takeDemands(database.queries, network, MAX_DEMANDS);
  if (reading.size >= concurrency) await Promise.race(reading);
  const claims = source.fingerprints ? CLAIMS_WITH_HINTS : concurrency - reading.size;
  const claimed = await claimAccounts(database.queries, network, claims, CLAIM_SECONDS);
  try {
    await startPolls(follower, claimed);
  } catch (cause) {
    await scheduleAccounts(database.queries, network, claimed.map(nameOf), pollMs.open);
    throw cause;
  }
  return claimed.length > 0 ? 'worked' : 'idle';
}

export async function followAccounts(follower: AccountFollower): Promise<Step> {
  try {
    return await step(follower);
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    follower.log.warn(
      { network: follower.source.network.id, kind: cause.kind, reason: cause.message },
      'source did not answer',
    );
    return 'idle';
  } finally {
    await raiseProviderAlarms(follower);
  }
}

/** Waits for reads in progress before the database is closed. */
export async function finishReading(follower: AccountFollower): Promise<void> {
  await Promise.all(follower.memory.reading);
}
