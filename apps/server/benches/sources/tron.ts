import { createHash } from 'node:crypto';
import { pino } from 'pino';
import type { Address } from 'viem';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { readChain, readCoverage } from '../../src/chains/chain-sql.ts';
import { headLagBlocks } from '../../src/networks/profile.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import { findNetwork, NETWORKS } from '../../rig/chains/networks.ts';
import { payTokens } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken, installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import { TRON_CHAIN_ID } from '../../rig/chains/tron/block.ts';
import type { TronNode } from '../../rig/chains/tron/node.ts';
import { startTronNode, TRON_DEFAULTS } from '../../rig/chains/tron/node.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';

/** Measures how many requests following Tron costs, counted by the node, at 200 token transfers per block. */

const BLOCK_SECONDS = 3;
const BLOCKS_PER_MINUTE = 60 / BLOCK_SECONDS;
const TRANSFERS_PER_BLOCK = 200;
const WARM_BLOCKS = 40;
const MAX_STEPS = 200;
const UNITS = 1_000_000n;
/** Quota documented for TronGrid; plans differ and change. */
const QUOTA = { perSecond: 15, perDay: 100_000 };
const MINUTES_PER_DAY = 1_440;

const addressOf = (name: string): Address => `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;

type Looks = { first: number; second: number };

/** Counts the transfers of each read, to detect a reader that is cheap because it skips something. */
function counted(source: ChainSource, looks: Looks): ChainSource {
  return {
    ...source,
    read: async (request) => {
      const read = await source.read(request);
      looks.first += read.transfers.length;
      return read;
    },
    readBlocks: async (request) => {
      const read = await source.readBlocks(request);
      looks.second += read.transfers.length;
      return read;
    },
  };
}

async function mineBlocks(node: TronNode, blocks: number): Promise<void> {
  const token = canonicalToken(TRON_CHAIN_ID, 'USDT').address;
  for (let block = 0; block < blocks; block += 1) {
    const payments = Array.from({ length: TRANSFERS_PER_BLOCK }, (_unused, index) => ({
      token,
      to: addressOf(`stranger ${index}`),
      units: UNITS,
    }));
    await payTokens(node.anvil, payments);
    await mine(node.anvil, 1, { secondsBetween: BLOCK_SECONDS });
  }
}

/**
 * Polls like a worker's loop, without pause while there is work. Earlier reads are aged, so that second reads are due.
 */
async function poll(follower: Follower): Promise<void> {
  await follower.database.pool.query(`update chain_reads set read_at = read_at - interval '1 minute'`);
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const head = await followHead(follower);
    if ((await followTiers(follower)) !== 'worked' && head !== 'worked') return;
  }
  throw new Error('Following does not come to rest.');
}

async function requireHead(follower: Follower, head: number): Promise<void> {
  const { queries } = follower.database;
  const { id } = follower.source.network;
  const headLag = headLagBlocks(follower.source.network);
  const [coverage] = await readCoverage(queries, id);
  const cursor = await readChain(queries, id);
  if (cursor?.height !== head - headLag || coverage?.height !== head - TRON_DEFAULTS.solidLag)
    throw new Error(`At ${head} the reader is at ${cursor?.height} and covers ${coverage?.height}.`);
}

async function measure(node: TronNode, follower: Follower, looks: Looks, blocks: number, perPoll: number) {
  const before = node.counts();
  looks.first = 0;
  looks.second = 0;
  for (let done = 0; done < blocks; done += perPoll) {
    await mineBlocks(node, perPoll);
    await poll(follower);
  }
  const head = Number(await node.anvil.rpc<string>('eth_blockNumber'));
  await requireHead(follower, head);
  if (Math.min(looks.first, looks.second) !== blocks * TRANSFERS_PER_BLOCK)
    throw new Error(`${looks.first} and ${looks.second} transfers were read, not ${blocks * TRANSFERS_PER_BLOCK}.`);
  const after = node.counts();
  const calls = (counts: typeof after) => Object.values(counts.calls).reduce((sum, count) => sum + count, 0);
  return {
    requests: ((after.requests - before.requests) / blocks) * BLOCKS_PER_MINUTE,
    calls: ((calls(after) - calls(before)) / blocks) * BLOCKS_PER_MINUTE,
  };
}

function report(title: string, { requests, calls }: { requests: number; calls: number }): void {
  const perDay = requests * MINUTES_PER_DAY;
  console.log(
    `tron, ${title}: ${requests.toFixed(1)} requests/min (${calls.toFixed(1)} calls in them), ` +
      `${(requests / 60).toFixed(2)}/s of ${QUOTA.perSecond}/s, ${perDay.toFixed(0)}/day of ${QUOTA.perDay}/day`,
  );
}

export async function measureTron(blocks: number): Promise<{ requests_per_min: number }> {
  const network = findNetwork('TRC20');
  if (!network) throw new Error('TRC20 is unknown.');
  const perPoll = Math.round(network.pollMs / 1000 / BLOCK_SECONDS);
  const node = await startTronNode({ timestamp: Math.floor(systemClock.nowMs() / 1000) - 36_000 });
  try {
    return await withDrillDatabase(async ({ as }) => {
      await installCanonicalTokens(node.anvil);
      await mineBlocks(node, WARM_BLOCKS);
      const looks = { first: 0, second: 0 };
      const source = counted(createTronSource(network, [node.url], { genesisHash: await genesisOf(node.url) }), looks);
      const apply = createApplyTransfers({ clock: systemClock, networks: NETWORKS });
      const log = pino({ level: 'silent' });
      const follower = createFollower({
        database: as('worker'),
        clock: systemClock,
        log,
        source,
        owner: 'bench',
        apply,
      });
      await poll(follower);
      await mineBlocks(node, WARM_BLOCKS);
      // The second poll makes the second reads of what the first one read.
      await poll(follower);
      await poll(follower);
      const own = await measure(node, follower, looks, blocks, perPoll);
      report(`${TRANSFERS_PER_BLOCK} logs/block, asked every ${network.pollMs / 1000} s (its default)`, own);
      report('asked at every block', await measure(node, follower, looks, blocks, 1));
      return { requests_per_min: Math.round(own.requests * 10) / 10 };
    });
  } finally {
    await node.stop();
  }
}
