import { z } from 'zod';
import type { AccountRequest } from '../../account-source.ts';
import { SourceError } from '../../chain-source.ts';
import type { SolanaCall } from './solana-rpc.ts';
import { parseAnswer } from './solana-rpc.ts';

/**
 * Which transactions named an address. Nodes list them newest first only, so that the oldest of a flooded address are
 * many pages away: the way down is remembered and gone once.
 */

/** Most looks find nothing new, and one short page tells. */
const FIRST_PAGE = 25;
export const PAGE = 1_000;
export const MAX_PAGES_PER_READ = 25;
/** How far below `after` is looked again, within a page: a node's list can be behind its own slot. About a minute. */
export const OVERLAP_SLOTS = 150;
/** A longer range than this may begin before what a node has kept. About an hour. */
const RECENT_SLOTS = 9_000;
const MAX_LADDERS = 1_000;
const MAX_RUNGS = 10_000;

const entriesSchema = z.array(
  z.object({ signature: z.string(), slot: z.int(), err: z.unknown(), blockTime: z.int().nullish() }),
);
const statusesSchema = z.object({ value: z.array(z.object({ slot: z.int() }).nullable()) });

export type SignatureEntry = { signature: string; slot: number; failed: boolean; blockTime: number | null };

/** Complete up to `completeTo`, which is below what was asked for while a flooded address is worked off. */
export type SignatureList = { entries: SignatureEntry[]; completeTo: number };

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

export type AskPages = (calls: readonly SolanaCall[]) => Promise<unknown[]>;

function startWalk(ladders: Ladders, address: string, request: AccountRequest): Walk {
  const key = `${request.commitment} ${address}`;
  // A rung in the very next slot would leave that slot unfinished for ever.
  const rungs = (ladders.get(key) ?? []).filter(({ slot }) => slot > request.after + 1 && slot <= request.upTo.height);
  const before = rungs.at(-1) ?? null;
  const completeTo = before ? before.slot - 1 : request.upTo.height;
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

/** A node that does not know where to go on from answers an empty page: that must not pass for the end. */
function requireKnown(before: Rung, answer: unknown): void {
  const { value } = parseAnswer(statusesSchema, answer, 'status of a signature');
  if (value[0]?.slot !== before.slot)
    throw new SourceError('inconsistent', 'A page of signatures goes on from one that is gone.');
}

/** The overlap ends with the page that reached it: a flood there must not keep the range from being read. */
function isEnd(page: readonly { slot: number }[], limit: number, after: number): boolean {
  const last = page.at(-1);
  if (!last || page.length < limit) return true;
  return last.slot <= Math.max(0, after - OVERLAP_SLOTS) || (last.slot <= after && limit === PAGE);
}

function takePage(walk: Walk, answer: unknown, after: number): void {
  const floor = after - OVERLAP_SLOTS;
  const page = parseAnswer(entriesSchema, answer, 'page of signatures');
  let previous = walk.before?.slot ?? Number.MAX_SAFE_INTEGER;
  for (const { signature, slot, err, blockTime } of page) {
    if (slot > previous) throw new SourceError('inconsistent', 'A page of signatures is not in order.');
    previous = slot;
    if (slot <= floor) continue;
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
  ladders.delete(key);
  if (rungs.length === 0) return;
  ladders.set(key, rungs);
  const oldest = ladders.keys().next();
  if (ladders.size > MAX_LADDERS && oldest.done !== true) ladders.delete(oldest.value);
}

async function turnPages(walks: readonly Walk[], ask: AskPages, request: AccountRequest): Promise<void> {
  const open = walks.filter(({ done }) => !done);
  const asked = open.map((walk) => ({ walk, before: walk.before, calls: pageCalls(walk, request) }));
  const answers = await ask(asked.flatMap(({ calls }) => calls));
  let position = 0;
  for (const { walk, before, calls } of asked) {
    const [page, status] = answers.slice(position, position + calls.length);
    position += calls.length;
    if (before) requireKnown(before, status);
    takePage(walk, page, request.after);
  }
}

/** What the provider must have kept for the end of its list to be the end. */
async function requireHistory(ask: AskPages, request: AccountRequest): Promise<void> {
  if (request.upTo.height - request.after <= RECENT_SLOTS) return;
  const [first] = await ask([{ method: 'getFirstAvailableBlock', params: [] }]);
  if (parseAnswer(z.int(), first, 'first block') > request.after + 1)
    throw new SourceError('unavailable', 'The provider has not kept what was asked for.');
}

/** Every signature of the addresses after the range's start and a little before it, each once, oldest first. */
export async function listSignatures(
  ladders: Ladders,
  ask: AskPages,
  addresses: readonly string[],
  request: AccountRequest,
): Promise<SignatureList> {
  await requireHistory(ask, request);
  const walks = addresses.map((address) => startWalk(ladders, address, request));
  try {
    for (let page = 0; walks.some(({ done }) => !done); page += 1) {
      if (page === MAX_PAGES_PER_READ)
        throw new SourceError('unavailable', 'An account has more signatures than one read lists; the next goes on.');
      await turnPages(walks, ask, request);
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
  const entries = [...bySignature.values()].filter(({ slot }) => slot <= completeTo);
  return { entries: entries.sort((left, right) => left.slot - right.slot), completeTo };
}
