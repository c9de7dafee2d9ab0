import type { AccountFollower, AccountHeads } from './account-follower.ts';
import type { AccountMark } from './account-source.ts';
import type { FollowedAccount } from './account-store.ts';
import { saveAccountHeads } from './account-store.ts';
import { claimAccounts, idleAccount, scheduleAccount, scheduleAccounts, takeDemands } from './account-turn-store.ts';
import { advanceAccount } from './advance-account.ts';
import { SourceError } from './chain-source.ts';
import { readChain } from './chain-store.ts';
import { deepenAccount } from './deepen-account.ts';
import type { Step } from './follow-chain.ts';
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
const MAX_FINGERPRINTS = 50_000;

const lower = (left: AccountMark, right: AccountMark) => (left.height <= right.height ? left : right);

async function readHeads({ source }: AccountFollower): Promise<AccountHeads> {
  const first = await source.heads('first');
  const second = await source.heads('second');
  return { confirmed: first.confirmed, finalized: lower(first.finalized, second.finalized) };
}

/**
 * Whether an account must be read in this turn, though nothing is known to have changed there: because something that
 * was seen is to settle, or its coverage is far behind, or it has not passed an end that is final.
 */
export function mustCover(account: FollowedAccount, finalized: AccountMark, coverSeconds: number): boolean {
  const { state, covered, openUntil, unsettled } = account;
  if (state === 'starting' || !covered || unsettled) return true;
  const passedEnd = covered.time <= openUntil && openUntil < finalized.time;
  return passedEnd || finalized.time - covered.time >= coverSeconds;
}

/** One turn of one account: as much as one answer holds of each look. */
async function takeTurn(follower: AccountFollower, claimed: FollowedAccount, heads: AccountHeads): Promise<number> {
  const { database, source, pollMs } = follower;
  const followed = claimed.state === 'starting' ? await startAccount(follower, claimed, heads) : claimed;
  const first = followed && (await advanceAccount(follower, followed, heads));
  const second = first && (await deepenAccount(follower, followed, first, heads));
  if (!followed || !second) return pollMs.open;
  if (first.more || second.more) return 0;
  if (second.covered.time <= followed.openUntil) return pollMs.open;
  const tokens = source.network.tokens.map((token) => token.symbol);
  await idleAccount(database.queries, source.network.symbol, followed.account, tokens, second.covered.time);
  return pollMs.resting;
}

/** Never throws: what fails is told, and the account waits longer each time. */
async function readInTurn(follower: AccountFollower, claimed: FollowedAccount, heads: AccountHeads): Promise<void> {
  const { database, log, source, pollMs, counts } = follower;
  const network = source.network.symbol;
  const { account } = claimed;
  try {
    const inMs = await takeTurn(follower, claimed, heads);
    await scheduleAccount(database.queries, network, account, inMs);
  } catch (cause) {
    counts.failures += 1;
    // What it held was not read: it counts as changed.
    follower.fingerprints.delete(account);
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof SourceError)
      log.warn({ network, account, kind: cause.kind, reason }, 'account was not answered for');
    else log.error({ err: cause, network, account }, 'account could not be read');
    const backoffMs = Math.min(MAX_BACKOFF_MS, pollMs.open * 2 ** Math.min(claimed.failures, MAX_DOUBLINGS));
    // Without the database there is nothing to write to: the claim runs out by itself.
    await scheduleAccount(database.queries, network, account, backoffMs, reason).catch(() => {});
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

function remember(fingerprints: Map<string, string>, held: ReadonlyMap<string, string>): void {
  for (const [account, fingerprint] of held) {
    fingerprints.delete(account);
    fingerprints.set(account, fingerprint);
    const [oldest] = fingerprints.keys();
    if (fingerprints.size > MAX_FINGERPRINTS && oldest !== undefined) fingerprints.delete(oldest);
  }
}

/**
 * Gives the claimed their turns. Nothing need be read where an account holds what it held when it was last read; what it
 * holds is asked for before the heads, so that what comes between is not taken for read.
 */
async function startTurns(follower: AccountFollower, claimed: readonly FollowedAccount[]): Promise<void> {
  const { database, source, coverSeconds, fingerprints, pollMs, reading } = follower;
  const network = source.network.symbol;
  const held = await readFingerprints(follower, claimed);
  const heads = await readHeads(follower);
  await saveAccountHeads(database.queries, network, heads);
  const isUnchanged = (one: FollowedAccount) => {
    const now = held.get(one.account);
    return now !== undefined && now === fingerprints.get(one.account) && !mustCover(one, heads.finalized, coverSeconds);
  };
  const unchanged = claimed.filter(isUnchanged).map(({ account }) => account);
  await scheduleAccounts(database.queries, network, unchanged, pollMs.open);
  remember(fingerprints, held);
  for (const account of claimed) {
    if (unchanged.includes(account.account)) continue;
    const turn = readInTurn(follower, account, heads).finally(() => reading.delete(turn));
    reading.add(turn);
  }
}

async function step(follower: AccountFollower): Promise<Step> {
  const { database, source, concurrency, reading, pollMs } = follower;
  const network = source.network.symbol;
  if (!follower.verified) await source.verify();
  follower.verified = true;
  if ((await readChain(database.queries, network))?.retired) return 'idle';
  await takeDemands(database.queries, network, MAX_DEMANDS);
  if (reading.size >= concurrency) await Promise.race(reading);
  const claimed = await claimAccounts(database.queries, network, concurrency - reading.size, CLAIM_SECONDS);
  try {
    await startTurns(follower, claimed);
  } catch (cause) {
    const accounts = claimed.map(({ account }) => account);
    await scheduleAccounts(database.queries, network, accounts, pollMs.open);
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
