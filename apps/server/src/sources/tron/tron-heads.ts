import type { AskProviders } from '../ask-providers.ts';
import type { Heads, Pass } from '../chain-source.ts';
import type { HeadWatch } from '../head-watch.ts';
import { createReadHeads } from '../head-watch.ts';
import { decodeBlock, toHex } from '../json-rpc/evm-decode.ts';
import { decodeHeads } from '../json-rpc/read-heads.ts';
import { getBlock } from '../json-rpc/rpc-call.ts';
import type { BlockRef } from '../transfer.ts';
import { tronBlock } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';

type TronHeads = {
  heads: (pass: Pass) => Promise<Heads>;
  blockAt: (height: number, pass: Pass) => Promise<BlockRef | null>;
  /** Announces the block that will be read after the next heads, to fetch it in the same batch. */
  expectBlock: (height: number) => void;
};

type Prefetched = { height: number; block: BlockRef | null };

function blockOf(raw: unknown): BlockRef | null {
  const block = decodeBlock(raw);
  return block && tronBlock(block);
}

export function createTronHeads(ask: AskProviders<TronEndpoint>, watch: HeadWatch): TronHeads {
  const readWatched = createReadHeads(ask, watch, ({ latest }: Omit<Heads, 'by'>) => latest.height);
  let expected: number | undefined;
  let prefetched: Prefetched | undefined;

  async function heads(pass: Pass): Promise<Heads> {
    prefetched = undefined;
    const height = pass === 'first' ? expected : undefined;
    const more = height === undefined ? [] : [getBlock(toHex(height))];
    const calls = [getBlock('latest'), getBlock('finalized'), ...more];
    return readWatched(pass, async (endpoint) => {
      const [latest, finalized, atCursor] = await endpoint.each(calls);
      const decoded = decodeHeads(latest, finalized);
      if (height !== undefined && atCursor?.error === null) prefetched = { height, block: blockOf(atCursor.result) };
      return { latest: tronBlock(decoded.latest), safe: null, finalized: tronBlock(decoded.finalized) };
    });
  }

  async function blockAt(height: number, pass: Pass): Promise<BlockRef | null> {
    const ready = prefetched;
    prefetched = undefined;
    if (pass === 'first') {
      expected = height;
      if (ready?.height === height) return ready.block;
    }
    const [raw] = await ask(pass, (endpoint) => endpoint.call([getBlock(toHex(height))]));
    return blockOf(raw);
  }

  return {
    heads,
    blockAt,
    expectBlock: (height) => {
      expected = height;
    },
  };
}
