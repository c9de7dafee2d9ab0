import { runBeside } from '../lib/watchdog.ts';
import { afterLook, afterPoll, hasChanged, remember } from './account-fingerprint.ts';
import type { AccountFollower, AccountHeads } from './account-follower.ts';
import type { AccountMark } from './account-source.ts';
import type { FollowedAccount } from './account-store.ts';
import { saveAccountHeads } from './account-store.ts';
import { claimAccounts, idleAccount, scheduleAccount, scheduleAccounts, takeDemands } from './account-turn-store.ts';
import { advanceAccount } from './advance-account.ts';
import { SourceError } from './chain-source.ts';
import { readChain } from './chain-store.ts';
import type { Look } from './choose-look.ts';
import { chooseLook, isResting } from './choose-look.ts';
import { deepenAccount, keepCursor } from './deepen-account.ts';
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
/** Most of them are only hinted at: as many as four calls of Solana's providers tell of. */
export const HINTED_CLAIMS = 132;

const lower = (left: AccountMark, right: AccountMark) => (left.height <= right.height ? left : right);

async function readHeads(follower: AccountFollower): Promise<AccountHeads> {
  const { database, source, clock } = follower;
  const first = await source.heads('first');
  const second = await source.heads('second');
  const heads = { confirmed: first.confirmed, finalized: lower(first.finalized, second.finalized) };
  await saveAccountHeads(database.queries, source.network.symbol, heads, new Date(clock.nowMs()));
  follower.heads = { atMs: clock.nowMs(), heads };
  return heads;
}

/** For deciding what to read, heads that are a moment old will do. */
async function recentHeads(follower: AccountFollower): Promise<AccountHeads> {
  const { heads, headsMs, clock } = follower;
  return heads && clock.nowMs() - heads.atMs < headsMs ? heads.heads : readHeads(follower);
}

/** What a turn is given: the looks to take, and what the account held before the heads were asked for. */
type Turn = { followed: FollowedAccount; look: Look; held: string | undefined };

/** One turn of one account: as much as one answer holds of each look that is due. Returns when the next one is. */
async function takeTurn(follower: AccountFollower, turn: Turn, heads: AccountHeads): Promise<number> {
  const { database, source, pollMs, fingerprints } = follower;
  const { look, held } = turn;
  const claimed = turn.followed;
  const followed = claimed.state === 'starting' ? await startAccount(follower, claimed, heads) : claimed;
  if (!followed) return pollMs.open;
  const { account, cursor, version } = followed;
  const known = { cursor, version, found: false, more: false };
  const first = look === 'second' ? known : await advanceAccount(follower, followed, heads);
  if (!first) return pollMs.open;
  if (look === 'first') await keepCursor(follower, followed, first);
  const second = look === 'first' ? undefined : await deepenAccount(follower, followed, first, heads);
  if (first.more || second?.more) {
    fingerprints.delete(account);
    return 0;
  }
  // Only now is what it holds explained as far as it can be.
  if (look !== 'second' && held !== undefined)
    remember(
      fingerprints,
      account,
      afterLook(fingerprints.get(account), { held, found: first.found, starting: claimed.state === 'starting' }),
    );
  if (!second || second.covered.time <= followed.openUntil) return pollMs.open;
  const tokens = source.network.tokens.map((token) => token.symbol);
  await idleAccount(database.queries, source.network.symbol, account, tokens, second.covered.time);
  return pollMs.resting;
}

/** Never throws: what fails is told, and the account waits longer each time. */
async function readInTurn(follower: AccountFollower, turn: Turn, heads: AccountHeads): Promise<void> {
  const { database, log, source, pollMs, counts } = follower;
  const network = source.network.symbol;
  const { account, failures } = turn.followed;
  try {
    const inMs = await takeTurn(follower, turn, heads);
    await scheduleAccount(database.queries, network, account, inMs);
  } catch (cause) {
    counts.failures += 1;
    // What it held was not read: it counts as changed.
    follower.fingerprints.delete(account);
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof SourceError)
      log.warn({ network, account, kind: cause.kind, reason }, 'account was not answered for');
    else log.error({ err: cause, network, account }, 'account could not be read');
    const backoffMs = Math.min(MAX_BACKOFF_MS, pollMs.open * 2 ** Math.min(failures, MAX_DOUBLINGS));
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

/**
 * Gives the claimed their turns, no more at once than may be. What is read because an account changed is read up to heads
 * that are newer than the change, so that what comes between is not taken for read.
 */
async function startTurns(follower: AccountFollower, claimed: readonly FollowedAccount[]): Promise<void> {
  const { database, source, coverSeconds, fingerprints, pollMs, reading, concurrency } = follower;
  const network = source.network.symbol;
  const held = await readFingerprints(follower, claimed);
  const before = follower.heads;
  const recent = await recentHeads(follower);
  const ends = await follower.findEnds(network, claimed.map(nameOf));
  const turns = claimed.map((followed): Turn => {
    const now = held.get(followed.account);
    const changed = hasChanged(fingerprints.get(followed.account), now);
    const reasons = { finalized: recent.finalized, changed, end: ends.get(followed.account), coverSeconds };
    return { followed, look: chooseLook(followed, reasons), held: now };
  });
  const quiet = turns.filter(({ look }) => look === 'none').map(({ followed }) => followed);
  const [resting, open] = [quiet.filter(isResting), quiet.filter((one) => !isResting(one))];
  await scheduleAccounts(database.queries, network, resting.map(nameOf), pollMs.resting);
  await scheduleAccounts(database.queries, network, open.map(nameOf), pollMs.open);
  for (const { account } of quiet) {
    const known = fingerprints.get(account);
    if (known) remember(fingerprints, account, afterPoll(known));
  }
  const due = turns.filter(({ look }) => look !== 'none');
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
  const claims = source.fingerprints ? HINTED_CLAIMS : concurrency - reading.size;
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
