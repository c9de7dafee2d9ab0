import { runBeside } from '../lib/watchdog.ts';
import { afterLook, afterPoll, keepFingerprint } from './account-fingerprint.ts';
import type { AccountFollower, RoundHeads } from './account-follower.ts';
import { lowerMark } from './account-read-end.ts';
import type { AccountMark } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { saveAccountHeads } from './account-sql.ts';
import { claimAccounts, idleAccount, scheduleAccount, scheduleAccounts, takeDemands } from './account-schedule-sql.ts';
import type { FirstRead } from './advance-account.ts';
import { advanceAccount } from './advance-account.ts';
import { SourceError } from '../sources/chain-source.ts';
import { readChain } from '../chains/chain-sql.ts';
import type { SecondRead } from './cover-account.ts';
import { coverAccount } from './cover-account.ts';
import type { Step } from '../chains/follow-chain.ts';
import type { PlannedTurns, Turn } from './plan-turns.ts';
import { planTurns } from './plan-turns.ts';
import { proveAccount } from './prove-account.ts';
import { retryUnreadable } from './retry-unreadable.ts';
import { startAccount } from './start-account.ts';

/**
 * Follows a network account by account. Each account has its own cursor, coverage and turn: one that is flooded or
 * cannot be read delays nobody else. Several workers share the accounts; what makes that safe is the version that every
 * commit compares, not the claim.
 */

const CLAIM_SECONDS = 30;
const MAX_DEMANDS = 1_000;
const MAX_BACKOFF_MS = 60_000;
const MAX_DOUBLINGS = 10;
/** A minute of polls. */
const MAX_PAST_HEADS = 30;
/** Accounts claimed at once where the source hints at balances: as many as four calls of a Solana provider tell of, 100 addresses each and three per account. */
export const CLAIMS_WITH_HINTS = 132;

/** The heads of earlier polls, each once. */
function pastOf(last: RoundHeads | undefined): AccountMark[] {
  if (!last) return [];
  const isNew = last.confirmed.height > (last.past[0]?.height ?? 0);
  return (isNew ? [last.confirmed, ...last.past] : [...last.past]).slice(0, MAX_PAST_HEADS);
}

/** Nothing is final before every provider that is asked says so: one alone may be wrong, or lie. */
async function readHeads(follower: AccountFollower): Promise<RoundHeads> {
  const { database, source, clock } = follower;
  const first = await source.heads('first');
  const second = source.providers.length > 1 ? await source.heads('second') : first;
  const heads: RoundHeads = {
    confirmed: first.confirmed,
    finalized: lowerMark(first.finalized, second.finalized),
    past: pastOf(follower.heads?.heads),
  };
  await saveAccountHeads(database.queries, source.network.symbol, heads, new Date(clock.nowMs()));
  follower.heads = { atMs: clock.nowMs(), heads };
  return heads;
}

/** For deciding what to read, heads that are a moment old will do. */
async function recentHeads(follower: AccountFollower): Promise<RoundHeads> {
  const { heads, headsMs, clock } = follower;
  return heads && clock.nowMs() - heads.atMs < headsMs ? heads.heads : readHeads(follower);
}

/** A turn under way. */
type RunningTurn = Turn & {
  /** The first read is behind it: what the account holds is explained as far as it can be. */
  isExplained: boolean;
};

/** The first read of a turn, as much of it as one answer holds. Undefined when another worker was faster. */
async function takeFirstRead(
  follower: AccountFollower,
  turn: RunningTurn,
  heads: RoundHeads,
): Promise<FirstRead | undefined> {
  const { fingerprints } = follower;
  const { reads, held, followed: claimed } = turn;
  const starting = claimed.state === 'starting';
  const followed = starting ? await startAccount(follower, claimed, heads) : claimed;
  if (!followed) return undefined;
  const read = reads.first ? await advanceAccount(follower, followed, heads) : { followed, found: false, more: false };
  if (!read) return undefined;
  turn.isExplained = true;
  const { account } = followed;
  if (read.more) fingerprints.delete(account);
  else if (reads.first && held !== undefined)
    keepFingerprint(fingerprints, account, afterLook(fingerprints.get(account), { held, found: read.found, starting }));
  return read;
}

/**
 * Settles what is final, and reads again what can be covered. What should be final and is not shown may be gone: the second
 * read decides that.
 */
async function takeSecondRead(
  follower: AccountFollower,
  { reads }: Turn,
  { followed, found }: FirstRead,
  heads: RoundHeads,
): Promise<SecondRead | undefined> {
  const { lacking } = reads.proofs || found ? await proveAccount(follower, followed, heads) : { lacking: undefined };
  if (reads.retries) {
    await retryUnreadable(follower, followed, heads);
    // What could be read after all changes what a second read must show: that is for the next turn.
    return undefined;
  }
  if (!reads.second && !lacking) return undefined;
  const second = await coverAccount(follower, followed, heads);
  if (lacking && second && second.covered.height < lacking.height)
    throw new SourceError('inconsistent', lacking.reason);
  return second;
}

/** One turn of one account. Returns when the next one is. */
async function takeTurn(follower: AccountFollower, turn: RunningTurn, heads: RoundHeads): Promise<number> {
  const { database, source, pollMs } = follower;
  const first = await takeFirstRead(follower, turn, heads);
  if (!first) return pollMs.open;
  const { account, openUntil } = first.followed;
  const second = await takeSecondRead(follower, turn, first, heads);
  if (first.more || second?.more) return 0;
  if (!second || second.covered.time <= openUntil) return pollMs.open;
  await idleAccount(database.queries, source.network.symbol, account, second.covered.time);
  return pollMs.resting;
}

/** How long an account is left alone after a failure. What is only not there yet is asked for at the next poll. */
function waitMs({ pollMs }: AccountFollower, failures: number, cause: unknown): number {
  if (cause instanceof SourceError && cause.kind === 'not-yet') return pollMs.open;
  const asked = cause instanceof SourceError ? (cause.retryAfterMs ?? 0) : 0;
  return Math.min(MAX_BACKOFF_MS, Math.max(asked, pollMs.open * 2 ** Math.min(failures, MAX_DOUBLINGS)));
}

/** Never throws: what fails is told, and the account waits longer each time. */
async function readInTurn(follower: AccountFollower, planned: Turn, heads: RoundHeads): Promise<void> {
  const { database, log, source, counts } = follower;
  const turn = { ...planned, isExplained: false };
  const network = source.network.symbol;
  const { account, failures } = turn.followed;
  try {
    const inMs = await takeTurn(follower, turn, heads);
    await scheduleAccount(database.queries, network, account, inMs);
  } catch (cause) {
    counts.failures += 1;
    // What it held was not read: it counts as changed.
    if (!turn.isExplained) follower.fingerprints.delete(account);
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof SourceError)
      log.warn({ network, account, kind: cause.kind, reason }, 'account was not answered for');
    else log.error({ err: cause, network, account }, 'account could not be read');
    // Without the database there is nothing to write to: the claim runs out by itself.
    await scheduleAccount(database.queries, network, account, waitMs(follower, failures, cause), reason).catch(
      () => {},
    );
  }
}

/** None where the source has no such hint, or does not give it now. */
async function readFingerprints(
  { source }: AccountFollower,
  claimed: readonly FollowedAccount[],
): Promise<ReadonlyMap<string, string>> {
  if (!source.fingerprints || claimed.length === 0) return new Map();
  return source.fingerprints(claimed.map(({ account }) => account)).catch((cause: unknown) => {
    if (cause instanceof SourceError) return new Map<string, string>();
    throw cause;
  });
}

/** Lets accounts wait that nothing is read of now. */
async function leaveAlone(follower: AccountFollower, { open, resting }: PlannedTurns['quiet']): Promise<void> {
  const { database, source, fingerprints, pollMs } = follower;
  const network = source.network.symbol;
  await scheduleAccounts(database.queries, network, resting.map(nameOf), pollMs.resting);
  await scheduleAccounts(database.queries, network, open.map(nameOf), pollMs.open);
  for (const { account } of [...resting, ...open]) {
    const known = fingerprints.get(account);
    if (known) keepFingerprint(fingerprints, account, afterPoll(known));
  }
}

/**
 * Gives claimed accounts their turns, no more at once than may be. What is read because an account changed is read up to heads
 * that are newer than the change, so that what comes between is not taken for read.
 */
async function startTurns(follower: AccountFollower, claimed: readonly FollowedAccount[]): Promise<void> {
  const { source, coverSeconds, fingerprints, reading, concurrency } = follower;
  const held = await readFingerprints(follower, claimed);
  const before = follower.heads;
  const recent = await recentHeads(follower);
  const { quiet, due } = planTurns(claimed, {
    held,
    known: fingerprints,
    ends: await follower.findEnds(source.network.symbol, claimed.map(nameOf)),
    finalized: recent.finalized,
    coverSeconds,
    ageSeconds: follower.secondReadAgeSeconds,
    providers: source.providers,
  });
  await leaveAlone(follower, quiet);
  if (due.length === 0) return;
  const heads = follower.heads === before ? await readHeads(follower) : recent;
  for (const turn of due) {
    if (reading.size >= concurrency) await Promise.race(reading);
    const taken = runBeside('account', () => readInTurn(follower, turn, heads)).finally(() => reading.delete(taken));
    reading.add(taken);
  }
}

const nameOf = ({ account }: FollowedAccount) => account;

async function step(follower: AccountFollower): Promise<Step> {
  const { database, source, concurrency, reading, pollMs } = follower;
  const network = source.network.symbol;
  if (!follower.verified) await source.verify();
  follower.verified = true;
  if ((await readChain(database.queries, network))?.retired) return 'idle';
  await takeDemands(database.queries, network, MAX_DEMANDS);
  if (reading.size >= concurrency) await Promise.race(reading);
  const claims = source.fingerprints ? CLAIMS_WITH_HINTS : concurrency - reading.size;
  const claimed = await claimAccounts(database.queries, network, claims, CLAIM_SECONDS);
  try {
    await startTurns(follower, claimed);
  } catch (cause) {
    await scheduleAccounts(database.queries, network, claimed.map(nameOf), pollMs.open);
    throw cause;
  }
  return claimed.length > 0 ? 'worked' : 'idle';
}

/** Starts the turns of accounts that are due; those under way go on beside the next step. */
export async function followAccounts(follower: AccountFollower): Promise<Step> {
  try {
    return await step(follower);
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    follower.log.warn(
      { network: follower.source.network.symbol, kind: cause.kind, reason: cause.message },
      'source did not answer',
    );
    return 'idle';
  }
}

/** Waits until no account is being read, before the database is closed. */
export async function finishReading(follower: AccountFollower): Promise<void> {
  await Promise.all(follower.reading);
}
