import { describe, expect, test } from 'vitest';
import type { AccountRequest } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import type { AskTogether, PageEnds } from './list-signatures.ts';
import { listSignatures as list, MAX_PAGES_PER_READ, OVERLAP_SECONDS, PAGE } from './list-signatures.ts';
import { proofCall } from './signature-proof.ts';
import type { SolanaAnswer } from './solana-rpc.ts';

type Entry = { signature: string; slot: number; err: null; blockTime: number };
const START = 1_000_000;

/** History of an address, oldest first, with `perSlot` signatures in each slot. */
function history(count: number, perSlot: number): Entry[] {
  return Array.from({ length: count }, (_unused, index) => {
    const slot = START + 1 + Math.floor(index / perSlot);
    return { signature: `s${index}`, slot, err: null, blockTime: slot };
  });
}

type Asked = { method: string; params: unknown[] };

const PROOF: SolanaAnswer = { result: { blockhash: 'x' }, error: null };

/** A minimal node with one flooded address, which follows the rules of a list of signatures. */
function nodeWith(
  entries: Entry[],
  { forget = new Set<string>(), proof = PROOF }: { forget?: Set<string>; proof?: SolanaAnswer } = {},
): { ask: AskTogether; pages: () => number } {
  let pages = 0;
  const positions = new Map(entries.map((entry, position) => [entry.signature, position]));
  const answer = ({ method, params }: Asked): unknown => {
    if (method === 'getFirstAvailableBlock') return 0;
    if (method === 'getSignatureStatuses') {
      const [signature = ''] = params[0] as string[];
      const found = entries[positions.get(signature) ?? -1];
      return { value: [found && !forget.has(signature) ? { slot: found.slot } : null] };
    }
    pages += 1;
    const { before, limit } = params[1] as { before?: string; limit: number };
    if (before !== undefined && forget.has(before)) return [];
    const end = before === undefined ? entries.length : (positions.get(before) ?? 0);
    return entries.slice(Math.max(0, end - limit), end).toReversed();
  };
  const answerTo = (call: Asked): SolanaAnswer =>
    call.method === 'getBlock' ? proof : { result: answer(call), error: null };
  return { ask: async (calls) => calls.map(answerTo), pages: () => pages };
}

/** Position at a height, with slots of one second. */
const markAt = (height: number) => ({ height, time: height });

function requestOf(after: number, upTo: number): AccountRequest {
  return { account: 'wallet', after: markAt(after), upTo: markAt(upTo), commitment: 'confirmed', pass: 'first' };
}

function listSignatures(pageEnds: PageEnds, ask: AskTogether, addresses: readonly string[], request: AccountRequest) {
  return list(pageEnds, ask, addresses, request, proofCall(request.upTo.height, request.commitment, 1));
}

const last = (entries: Entry[]) => entries.at(-1)?.slot ?? START;

describe('a list', () => {
  test('a list is complete over many pages, oldest first', async () => {
    const entries = history(3 * PAGE + 7, 2);
    const { ask } = nodeWith(entries);
    const listed = await listSignatures(new Map(), ask, ['a'], requestOf(START, last(entries)));
    expect(listed.completeTo).toBe(last(entries));
    expect(listed.entries.map((entry) => entry.signature)).toEqual(entries.map((entry) => entry.signature));
  });

  test('a list reaches a little below its start, and no further', async () => {
    const entries = history(1_000, 1);
    const { ask } = nodeWith(entries);
    const after = START + 900;
    const listed = await listSignatures(new Map(), ask, ['a'], requestOf(after, last(entries)));
    expect(listed.entries[0]?.slot).toBe(after - OVERLAP_SECONDS);
    expect(listed.entries).toHaveLength(100 + OVERLAP_SECONDS + 1);
  });

  test('a list names a transaction once that named several of the addresses', async () => {
    const entries = history(5, 1);
    const { ask } = nodeWith(entries);
    const listed = await listSignatures(new Map(), ask, ['a', 'b'], requestOf(START, last(entries)));
    expect(listed.entries).toHaveLength(5);
  });

  test('a list separates signatures that are newer than asked for', async () => {
    const entries = history(5, 1);
    const { ask } = nodeWith(entries);
    const listed = await listSignatures(new Map(), ask, ['a'], requestOf(START, START + 3));
    expect(listed.entries.map((entry) => entry.slot)).toEqual([START + 1, START + 2, START + 3]);
    expect(listed.newer.map((entry) => entry.slot)).toEqual([START + 4, START + 5]);
  });
});

describe('a page that goes on from a signature which the node does not know', () => {
  test('an empty page after an unknown signature is not the end, and its page ends are forgotten', async () => {
    const entries = history(3 * PAGE, 1);
    const forgotten = entries.at(-(25 + PAGE))?.signature ?? '';
    const { ask } = nodeWith(entries, { forget: new Set([forgotten]) });
    const pageEnds: PageEnds = new Map();
    const reading = listSignatures(pageEnds, ask, ['a'], requestOf(START, last(entries)));
    await expect(reading).rejects.toMatchObject({ kind: 'inconsistent' });
    expect(pageEnds.size).toBe(0);
  });
});

test('a list that is not in order is not believed', async () => {
  const entries = history(10, 1);
  const { ask } = nodeWith(entries.toReversed());
  const reading = listSignatures(new Map(), ask, ['a'], requestOf(START, last(entries)));
  await expect(reading).rejects.toMatchObject({ kind: 'inconsistent' });
});

test('a node that has deleted what was asked for is not believed', async () => {
  const ask: AskTogether = async (calls) =>
    calls.map(({ method }) => ({ result: method === 'getFirstAvailableBlock' ? START + 5 : [], error: null }));
  const reading = listSignatures(new Map(), ask, ['a'], requestOf(START, START + 20_000));
  await expect(reading).rejects.toMatchObject({ kind: 'unsupported' });
});

const refused = (code: number, message: string): SolanaAnswer => ({ error: { code, message } });

describe('a list is complete only if the node has written the block that it is asked up to', () => {
  test.each<[string, SolanaAnswer, string]>([
    ['not written yet', refused(-32_014, 'Block status not yet available for slot 7'), 'not-yet'],
    ['not there yet', refused(-32_004, 'Block not available for slot 7'), 'not-yet'],
    ['not confirmed, in the words of older nodes', { result: null, error: null }, 'not-yet'],
    [
      'thrown away',
      refused(-32_001, 'Block 7 cleaned up, does not exist on node. First available block: 9'),
      'unsupported',
    ],
    ['asked for too often', refused(-32_007, '50/second request limit reached'), 'rate'],
  ])('a list is refused when its last block is %s', async (_title, proof, kind) => {
    const entries = history(5, 1);
    const reading = listSignatures(new Map(), nodeWith(entries, { proof }).ask, ['a'], requestOf(START, last(entries)));
    await expect(reading).rejects.toMatchObject({ kind });
  });

  test('the proof of a complete list is asked for beside the newest page, of the same node', async () => {
    const entries = history(2 * PAGE, 1);
    const { ask } = nodeWith(entries);
    const together: string[][] = [];
    const asking: AskTogether = (calls) => {
      together.push(calls.map(({ method }) => method));
      return ask(calls);
    };
    await listSignatures(new Map(), asking, ['a'], requestOf(START, last(entries)));
    expect(together[0]).toEqual(['getBlock', 'getSignaturesForAddress']);
    expect(together.slice(1).flat()).not.toContain('getBlock');
  });
});

/** Reads as the engine does: from the end of the last answer, and again after a refusal. */
async function workOff(entries: Entry[]) {
  const node = nodeWith(entries);
  const pageEnds: PageEnds = new Map();
  const seen = new Set<string>();
  const reads: number[] = [];
  let after = START;
  while (after < last(entries)) {
    if (reads.length > 2_000) throw new Error('No progress.');
    const before = node.pages();
    const listed = await listSignatures(pageEnds, node.ask, ['a'], requestOf(after, last(entries))).catch(
      (cause: unknown) => {
        if (cause instanceof SourceError && cause.kind === 'unavailable') return null;
        throw cause;
      },
    );
    for (const entry of listed?.entries ?? []) seen.add(entry.signature);
    if (listed && listed.completeTo <= after) throw new Error('An answer without progress.');
    after = listed?.completeTo ?? after;
    reads.push(node.pages() - before);
  }
  return { seen, reads, pages: node.pages() };
}

describe('a flooded address', () => {
  test('a flooded address is worked off in bounded reads, and nothing of it is lost', async () => {
    const entries = history(70 * PAGE, 50);
    const { seen, reads, pages } = await workOff(entries);
    expect(seen.size).toBe(entries.length);
    expect(Math.max(...reads)).toBeLessThanOrEqual(MAX_PAGES_PER_READ);
    // Each page is read once on the way down, and one or two pages again for each step up.
    expect(pages).toBeLessThan(70 * 4);
  });

  test('a flooded address is worked off also when single slots hold more than a page', async () => {
    const entries = history(40 * PAGE, 2 * PAGE + 300);
    const { seen } = await workOff(entries);
    expect(seen.size).toBe(entries.length);
  });
});
