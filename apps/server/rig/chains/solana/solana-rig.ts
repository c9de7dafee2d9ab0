import type { Address } from '@solana/kit';
import { findNetwork } from '../networks.ts';
import { createSolanaSource } from '../../../src/sources/solana/solana-source.ts';
import { randomAddress } from './accounts.ts';
import { lastBlock, submit } from './ledger.ts';
import { USDC, USDT } from './mints.ts';
import type { SolanaNode } from './node.ts';
import { startSolanaNode } from './node.ts';
import { payBatch, paySol, paySpl } from './payment.ts';
import { decodeWire } from './transaction.ts';
import { ACCOUNT_DEATHS, createAccountsReader } from './accounts-reader.ts';
import type { Arrival, RigHead, RigShare, RigStart, SourceRig } from '../chain-rig.ts';

/** Rig of Solana: a real virtual machine behind a node's JSON-RPC, followed account by account. */

const NETWORK = 'SOL';
const BLOCK_SECONDS = 1;
const AGE_SECONDS = 3_600;
const FIRST_BLOCKS = 40;

const SPARE_BLOCKS = 5;
/** Slightly longer than the engine doubts a missing payment before it counts as gone. */
const DOUBT_SECONDS = 11;

const MINTS = [
  { token: 'USDT', mint: USDT },
  { token: 'USDC', mint: USDC },
];

/** Produces blocks a second or more apart, the first at a given time. */
function mine(node: SolanaNode, blocks: number, times: { atTime?: number; secondsBetween?: number }): RigHead {
  const newest = node.ledger.blocks.get(node.ledger.slots.at(-1) ?? 0);
  const between = times.secondsBetween ?? BLOCK_SECONDS;
  const first = times.atTime ?? (newest?.time ?? 0) + between;
  let head = { slot: 0, time: 0 };
  for (let block = 0; block < blocks; block += 1) head = node.produce(1, { atTime: first + block * between });
  return { height: head.slot, time: head.time };
}

/** Replaces the newest blocks by as many in later slots, and includes the given transactions again at their offsets. */
function replace(node: SolanaNode, depth: number, again: readonly { txId: string; offset: number }[]): RigHead {
  const { ledger } = node;
  const held = new Map(again.map(({ txId }) => [txId, ledger.bySignature.get(txId)]));
  const newest = ledger.blocks.get(ledger.slots.at(-1) ?? 0);
  node.drop(depth, 'vanish');
  let head: RigHead = { height: 0, time: 0 };
  for (let offset = 0; offset < depth; offset += 1) {
    for (const { txId } of again.filter((one) => one.offset === offset)) {
      const transaction = held.get(txId);
      if (!transaction) throw new Error(`${txId} is unknown.`);
      submit(ledger, decodeWire(transaction.wire));
    }
    head = mine(node, 1, { atTime: (newest?.time ?? 0) + offset });
  }
  return head;
}

type Balance = { accountIndex: number; owner?: string; mint: string; uiTokenAmount: { amount: string } };
type Told = {
  meta: {
    err: unknown;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: Balance[];
    postTokenBalances: Balance[];
  };
};

async function ask(node: SolanaNode, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { result: unknown }).result;
}

function heldBy(balances: readonly Balance[], owner: string, mint: string): bigint {
  return balances
    .filter((one) => one.owner === owner && one.mint === mint)
    .reduce((sum, one) => sum + BigInt(one.uiTokenAmount.amount), 0n);
}

/** Credits to these addresses in every block, by the balances that the node shows. */
async function arrivalsAt(node: SolanaNode, addresses: readonly string[]): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  for (const slot of node.ledger.slots) {
    const block = node.ledger.blocks.get(slot);
    for (const { signature: txId, keys } of block?.transactions ?? []) {
      const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 1 };
      const told = (await ask(node, 'getTransaction', [txId, options])) as Told | null;
      if (!told || told.meta.err !== null) continue;
      for (const to of addresses) {
        const arrived = (token: string, units: bigint) => {
          if (units > 0n) arrivals.push({ txId, token, to, units, time: block?.time ?? 0 });
        };
        const { meta } = told;
        for (const { token, mint } of MINTS)
          arrived(
            token,
            heldBy(meta.postTokenBalances, to, mint.address) - heldBy(meta.preTokenBalances, to, mint.address),
          );
        const place = [...keys].indexOf(to as never);
        if (place >= 0) arrived('SOL', BigInt(meta.postBalances[place] ?? 0) - BigInt(meta.preBalances[place] ?? 0));
      }
    }
  }
  return arrivals;
}

function payTogether(node: SolanaNode, shares: readonly RigShare[]): Promise<string> {
  const tokens = shares.flatMap(({ token, to, units }) =>
    MINTS.filter((one) => one.token === token).map(({ mint }) => ({ mint, to: to as Address, units })),
  );
  const coins = shares.filter(({ token }) => token === 'SOL');
  return payBatch(node, tokens, { coins: coins.map(({ to, units }) => ({ to: to as Address, lamports: units })) });
}

/** A rig whose node can also have a lagging signature list, or a stalled head. */
export type SolanaRig = SourceRig & { lagIndex(slots: number): void; freeze(isFrozen: boolean): void };

export const startSolanaRig: RigStart<SolanaRig> = async (startSeconds) => {
  const network = findNetwork(NETWORK);
  if (!network) throw new Error(`${NETWORK} is unknown.`);
  const node = await startSolanaNode({ timestamp: startSeconds - AGE_SECONDS });
  mine(node, FIRST_BLOCKS, {});
  return {
    network: NETWORK,
    token: 'USDT',
    coin: 'SOL',
    blockSeconds: BLOCK_SECONDS,
    finalDepth: node.ledger.finalityLag,
    seesCoinsEarly: true,
    // The blocks must be final before the reader undoes a payment that is missing in them: until then another backend
    // may still show the payment.
    reorgIsBelieved: { blocks: node.ledger.finalityLag + SPARE_BLOCKS, seconds: DOUBT_SECONDS },
    // Credits of one token to one address in one transaction add up to one sum.
    toldApart: ['USDT', 'USDC', 'SOL'],
    failpoints: ACCOUNT_DEATHS,
    createReader: (engine) =>
      createAccountsReader({ ...engine, node }, createSolanaSource(network, [node.url], undefined, engine.clock)),
    settings: () => ({ [`COUNTERFOIL_RPC_${NETWORK}`]: node.url }),
    newAddress: randomAddress,
    mine: async (blocks, times) => mine(node, blocks, times),
    payToken: ({ to, units }) => paySpl(node, { mint: USDT, to: to as Address, units }),
    payCoin: async ({ to, units }) => paySol(node, { to: to as Address, lamports: units }),
    payTogether: (shares) => payTogether(node, shares),
    reorg: async (depth, again = []) => replace(node, depth, again),
    lag: (staleShare, lagSlots) => node.behave({ staleShare, lagSlots, splitBatches: lagSlots > 0 }),
    lagIndex: (indexLagSlots) => node.behave({ indexLagSlots }),
    freeze: (isFrozen) => node.behave({ standsAt: isFrozen ? (lastBlock(node.ledger)?.slot ?? 0) : null }),
    down: async () => node.behave({ fault: 'html', faultShare: 1 }),
    up: async () => node.behave({ fault: null }),
    arrivals: (addresses) => arrivalsAt(node, addresses),
    stop: () => node.stop(),
  };
};
