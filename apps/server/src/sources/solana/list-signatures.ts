import { z } from 'zod';
import { setBounded } from '../../lib/bounded-map.ts';
import type { AccountRequest } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import { judgeProof } from './signature-proof.ts';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import { parseAnswer, resultOf } from './solana-rpc.ts';

/**
 * Lists the signatures of an address. Nodes list from the newest down, so a flooded address has many pages: page ends
 * are remembered, so that none is listed twice.
 */

const FIRST_PAGE = 25;
export const PAGE = 1_000;
export const MAX_PAGES_PER_READ = 25;
/** Seconds before `after` listed again, at most one page: earlier answers may have been incomplete. */
export const OVERLAP_SECONDS = 60;
/** For longer ranges the node is asked for its oldest block: the range may begin before it. */
const RECENT_SECONDS = 3_600;
const MAX_REMEMBERED_ADDRESSES = 1_000;
const MAX_PAGE_ENDS = 10_000;

const entriesSchema = z.array(
  z.object({ signature: z.string(), slot: z.int(), err: z.unknown(), blockTime: z.int().nullish() }),
);
const statusesSchema = z.object({ value: z.array(z.object({ slot: z.int() }).nullable()) });

export type SignatureEntry = { signature: string; slot: number; failed: boolean; blockTime: number | null };

/**
 * Complete up to `completeTo`, which is below the requested end while a flooded address is processed. `newer` are
 * entries above the end, perhaps not all.
 */
export type SignatureList = { entries: SignatureEntry[]; newer: SignatureEntry[]; completeTo: number };

type PageEnd = { signature: string; slot: number };
/** Page ends by commitment and address, newest first. Losing them costs only time. */
export type PageEnds = Map<string, PageEnd[]>;

/** The listing of one address, page by page from the newest down. */
type Walk = {
  address: string;
  key: string;
  ends: PageEnd[];
  before: PageEnd | null;
  completeTo: number;
  entries: SignatureEntry[];
  done: boolean;
};

/** Sends calls in one batch, so that one node answers all. */
export type AskTogether = (calls: readonly SolanaCall[]) => Promise<SolanaAnswer[]>;

type After = AccountRequest['after'];

function startWalk(pageEnds: PageEnds, address: string, { commitment, after, upTo }: AccountRequest): Walk {
  const key = `${commitment} ${address}`;
  // A page end in the slot after `after` is not used: the list would be complete only up to `after`, and the cursor
  // would never move.
  const ends = (pageEnds.get(key) ?? []).filter(({ slot }) => slot > after.height + 1 && slot <= upTo.height);
  const before = ends.at(-1) ?? null;
  const completeTo = before ? before.slot - 1 : upTo.height;
  return { address, key, ends, before, completeTo, entries: [], done: false };
}

/** Calls for the next page; from the second page on also for the status of the signature where it continues. */
function pageCalls({ address, before }: Walk, request: AccountRequest): SolanaCall[] {
  const { commitment, upTo } = request;
  const limit = before ? PAGE : FIRST_PAGE;
  const config = { commitment, limit, minContextSlot: upTo.height, ...(before && { before: before.signature }) };
  const page = { method: 'getSignaturesForAddress', params: [address, config] };
  if (!before) return [page];
  const status = { method: 'getSignatureStatuses', params: [[before.signature], { searchTransactionHistory: true }] };
  return [page, status];
}

/** Throws when the node does not know that signature: older nodes return an empty page instead of an error. */
function requireKnown(before: PageEnd, answer: unknown): void {
  const { value } = parseAnswer(statusesSchema, answer, 'status of a signature');
  if (value[0]?.slot !== before.slot)
    throw new SourceError('inconsistent', 'A page of signatures continues from one that is gone.');
}

/** A signature without block time counts as inside the overlap. */
function isBelowOverlap({ slot, blockTime }: { slot: number; blockTime?: number | null | undefined }, after: After) {
  return slot <= after.height && typeof blockTime === 'number' && blockTime < after.time - OVERLAP_SECONDS;
}

type Page = z.infer<typeof entriesSchema>;

/** Of the overlap at most one page is read: a flood there must not block the new range. */
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
  if (walk.ends.length < MAX_PAGE_ENDS) walk.ends.push(walk.before);
}

function remember(pageEnds: PageEnds, { key, ends }: Walk): void {
  if (ends.length === 0) pageEnds.delete(key);
  else setBounded(pageEnds, key, ends, MAX_REMEMBERED_ADDRESSES);
}

const HISTORY_CALL: SolanaCall = { method: 'getFirstAvailableBlock', params: [] };

/** Throws when the provider has pruned the start of the range: its list would end early. */
function requireHistory(answer: unknown, { after }: AccountRequest): void {
  if (parseAnswer(z.int(), answer, 'first block') > after.height + 1)
    throw new SourceError('unsupported', 'The provider has not kept what was asked for.');
}

/** Reads the next page of every unfinished listing, with the same node's proof of completeness. */
async function turnPages(
  walks: readonly Walk[],
  ask: AskTogether,
  request: AccountRequest,
  proofCall: SolanaCall,
): Promise<void> {
  const open = walks.filter(({ done }) => !done);
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

/** Signatures of a range and its overlap, once, oldest first. `proofCall` proves indexing of the newest blocks. */
export async function listSignatures(
  pageEnds: PageEnds,
  ask: AskTogether,
  addresses: readonly string[],
  request: AccountRequest,
  proofCall: SolanaCall,
): Promise<SignatureList> {
  const walks = addresses.map((address) => startWalk(pageEnds, address, request));
  try {
    for (let page = 0; walks.some(({ done }) => !done); page += 1) {
      if (page === MAX_PAGES_PER_READ)
        throw new SourceError('unavailable', 'An account has more signatures than one read lists; the next continues.');
      await turnPages(walks, ask, request, proofCall);
    }
  } catch (cause) {
    // After contradictions page ends are dropped: they may be from a dead fork.
    if (cause instanceof SourceError && cause.kind === 'inconsistent')
      for (const { key } of walks) pageEnds.delete(key);
    else for (const walk of walks) remember(pageEnds, walk);
    throw cause;
  }
  for (const walk of walks) remember(pageEnds, walk);
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
