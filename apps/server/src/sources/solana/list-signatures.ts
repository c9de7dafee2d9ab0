import { z } from 'zod';
import { setBounded } from '../../lib/bounded-map.ts';
import type { AccountRequest } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import { judgeProof } from './signature-proof.ts';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import { parseAnswer, resultOf } from './solana-rpc.ts';

/**
 * Which transactions named an address. Nodes list them newest first only, so that the oldest of a flooded address are
 * many pages away: the way down is remembered and gone once.
 */

/** Most reads find nothing new, and one short page tells. */
const FIRST_PAGE = 25;
export const PAGE = 1_000;
export const MAX_PAGES_PER_READ = 25;
/** How far below `after` is listed again, within a page: what a balancer's slower node lacked is made up for. */
export const OVERLAP_SECONDS = 60;
/** A longer range than this may begin before what a node has kept. */
const RECENT_SECONDS = 3_600;
const MAX_LADDERS = 1_000;
const MAX_RUNGS = 10_000;

const entriesSchema = z.array(
  z.object({ signature: z.string(), slot: z.int(), err: z.unknown(), blockTime: z.int().nullish() }),
);
const statusesSchema = z.object({ value: z.array(z.object({ slot: z.int() }).nullable()) });

export type SignatureEntry = { signature: string; slot: number; failed: boolean; blockTime: number | null };

/**
 * Complete up to `completeTo`, which is below what was asked for while a flooded address is worked off. `newer` was listed
 * above what was asked for: it is there, and more may be.
 */
export type SignatureList = { entries: SignatureEntry[]; newer: SignatureEntry[]; completeTo: number };

/** Where a page ended. */
type Rung = { signature: string; slot: number };
/** By commitment and address, newest first. What is lost with the process is only time. */
export type Ladders = Map<string, Rung[]>;

type Walk = {
  address: string;
  key: string;
  rungs: Rung[];
  before: Rung | null;
  completeTo: number;
  entries: SignatureEntry[];
  done: boolean;
};

/** Answers to calls that one node was asked together. */
export type AskTogether = (calls: readonly SolanaCall[]) => Promise<SolanaAnswer[]>;

type After = AccountRequest['after'];

function startWalk(ladders: Ladders, address: string, { commitment, after, upTo }: AccountRequest): Walk {
  const key = `${commitment} ${address}`;
  // A rung in the very next slot would leave that slot unfinished for ever.
  const rungs = (ladders.get(key) ?? []).filter(({ slot }) => slot > after.height + 1 && slot <= upTo.height);
  const before = rungs.at(-1) ?? null;
  const completeTo = before ? before.slot - 1 : upTo.height;
  return { address, key, rungs, before, completeTo, entries: [], done: false };
}

/** An older provider may know nothing of `minContextSlot`; its own slot stands beside the pages then. */
function pageCalls({ address, before }: Walk, request: AccountRequest): SolanaCall[] {
  const { commitment, upTo } = request;
  const limit = before ? PAGE : FIRST_PAGE;
  const config = { commitment, limit, minContextSlot: upTo.height, ...(before && { before: before.signature }) };
  const page = { method: 'getSignaturesForAddress', params: [address, config] };
  if (!before) return [page];
  const status = { method: 'getSignatureStatuses', params: [[before.signature], { searchTransactionHistory: true }] };
  return [page, status];
}

/** Older nodes that do not know where to go on from answer an empty page: that must not pass for the end. */
function requireKnown(before: Rung, answer: unknown): void {
  const { value } = parseAnswer(statusesSchema, answer, 'status of a signature');
  if (value[0]?.slot !== before.slot)
    throw new SourceError('inconsistent', 'A page of signatures goes on from one that is gone.');
}

/** Far enough below the range. An entry without a time is not known to be. */
function isBelowOverlap({ slot, blockTime }: { slot: number; blockTime?: number | null | undefined }, after: After) {
  return slot <= after.height && typeof blockTime === 'number' && blockTime < after.time - OVERLAP_SECONDS;
}

type Page = z.infer<typeof entriesSchema>;

/** The overlap ends with the page that reached it: a flood there must not keep the range from being read. */
function isEnd(page: Page, limit: number, after: After): boolean {
  const last = page.at(-1);
  if (!last || page.length < limit) return true;
  return isBelowOverlap(last, after) || (last.slot <= after.height && limit === PAGE);
}

function takePage(walk: Walk, answer: unknown, after: After): void {
  const page = parseAnswer(entriesSchema, answer, 'page of signatures');
  let previous = walk.before?.slot ?? Number.MAX_SAFE_INTEGER;
  for (const entry of page) {
    const { signature, slot, err, blockTime } = entry;
    if (slot > previous) throw new SourceError('inconsistent', 'A page of signatures is not in order.');
    previous = slot;
    if (isBelowOverlap(entry, after)) continue;
    const failed = err !== null && err !== undefined;
    walk.entries.push({ signature, slot, failed, blockTime: blockTime ?? null });
  }
  const last = page.at(-1);
  walk.done = isEnd(page, walk.before ? PAGE : FIRST_PAGE, after);
  if (walk.done || !last) return;
  walk.before = { signature: last.signature, slot: last.slot };
  if (walk.rungs.length < MAX_RUNGS) walk.rungs.push(walk.before);
}

function remember(ladders: Ladders, { key, rungs }: Walk): void {
  if (rungs.length === 0) ladders.delete(key);
  else setBounded(ladders, key, rungs, MAX_LADDERS);
}

const HISTORY_CALL: SolanaCall = { method: 'getFirstAvailableBlock', params: [] };

/** What the provider must have kept for the end of its list to be the end. */
function requireHistory(answer: unknown, { after }: AccountRequest): void {
  if (parseAnswer(z.int(), answer, 'first block') > after.height + 1)
    throw new SourceError('unsupported', 'The provider has not kept what was asked for.');
}

/** The next page of every walk that goes on, with whatever else one node must say for the pages to be believed. */
async function turnPages(
  walks: readonly Walk[],
  ask: AskTogether,
  request: AccountRequest,
  proofCall: SolanaCall,
): Promise<void> {
  const open = walks.filter(({ done }) => !done);
  // Only a newest page can lack what the node has not written yet.
  const proof = open.some(({ before }) => before === null) ? [proofCall] : [];
  const history = request.upTo.time - request.after.time > RECENT_SECONDS ? [HISTORY_CALL] : [];
  const asked = open.map((walk) => ({ walk, before: walk.before, calls: pageCalls(walk, request) }));
  const calls = [...proof, ...history, ...asked.flatMap((one) => one.calls)];
  const answers = await ask(calls);
  if (proof.length > 0) judgeProof(answers[0]);
  const results = calls.map((call, position) =>
    position < proof.length ? undefined : resultOf(call, answers[position]),
  );
  let position = proof.length + history.length;
  if (history.length > 0) requireHistory(results[proof.length], request);
  for (const { walk, before, calls: own } of asked) {
    const [page, status] = results.slice(position, position + own.length);
    position += own.length;
    if (before) requireKnown(before, status);
    takePage(walk, page, request.after);
  }
}

/**
 * Every signature of the addresses after the range's start and a little before it, each once, oldest first. `proofCall` asks
 * the node whether it has written what its newest pages would hold.
 */
export async function listSignatures(
  ladders: Ladders,
  ask: AskTogether,
  addresses: readonly string[],
  request: AccountRequest,
  proofCall: SolanaCall,
): Promise<SignatureList> {
  const walks = addresses.map((address) => startWalk(ladders, address, request));
  try {
    for (let page = 0; walks.some(({ done }) => !done); page += 1) {
      if (page === MAX_PAGES_PER_READ)
        throw new SourceError('unavailable', 'An account has more signatures than one read lists; the next goes on.');
      await turnPages(walks, ask, request, proofCall);
    }
  } catch (cause) {
    // The way down may have led along a fork that is gone.
    if (cause instanceof SourceError && cause.kind === 'inconsistent') for (const { key } of walks) ladders.delete(key);
    else for (const walk of walks) remember(ladders, walk);
    throw cause;
  }
  for (const walk of walks) remember(ladders, walk);
  const completeTo = Math.min(...walks.map((walk) => walk.completeTo));
  const oldestFirst = walks.flatMap((walk) => walk.entries.toReversed());
  const bySignature = new Map(oldestFirst.map((entry) => [entry.signature, entry]));
  const all = [...bySignature.values()].sort((left, right) => left.slot - right.slot);
  return {
    entries: all.filter(({ slot }) => slot <= completeTo),
    newer: completeTo === request.upTo.height ? all.filter(({ slot }) => slot > completeTo) : [],
    completeTo,
  };
}
