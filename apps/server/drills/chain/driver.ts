import { setTimeout as wait } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { encodeFunctionData, keccak256 } from 'viem';
import { BATCH } from '../../rig/chains/evm/contracts.ts';
import type { Traffic } from '../../rig/chains/evm/network-block.ts';
import type { NetworkChain } from '../../rig/chains/evm/network-chain.ts';
import { BATCH_ADDRESS } from '../../rig/chains/evm/payment.ts';
import { ACCOUNT_KEYS, nextNonce, TRANSACTION_GAS } from '../../rig/chains/evm/sender.ts';
import { signPayment } from '../../rig/chains/evm/signed.ts';
import type { HideLog } from './side-faults.ts';

/**
 * Driver of a simulated chain: only the driver pays, makes blocks and makes reorgs, so that the drill's own actions
 * never race.
 */

export type Payment = {
  to: string;
  units: bigint;
  /** Token symbol; when absent, the payment is in coins. */
  token?: string;
  /** Earliest block time, in seconds. */
  notBefore?: number;
  /**
   * How the log index treats the payment. `phantom`: the payment is after a stranger's transfer in one transaction, and
   * the first answer lacks that transfer. `hidden`: the index never shows the payment. `late`: the index shows the
   * payment after some seconds.
   */
  disguise?: 'phantom' | 'hidden' | 'late';
};

type DriverCounts = {
  /** Blocks since the last block that held a payment or replaced another block. */
  quietBlocks: number;
  reorgs: number;
  moved: number;
  dropped: number;
};

export type Driver = {
  /** Queues payments for the next blocks, in this order. */
  pay(payments: readonly Payment[]): void;
  /** Requests a reorg before the next block; payments in replaced blocks are moved, or dropped and paid again. */
  requestReorg(depth: number): void;
  /** Height up to which blocks were made; reorgs do not lower this height. */
  head(): number;
  /** Number of payments that no block holds yet, plus the number of requested reorgs. */
  waiting(): number;
  counts(): DriverCounts;
  /** Sets the maximum number of payments per block. */
  pace(paymentsPerBlock: number): void;
  /** Puts traffic of strangers into the given number of next blocks. */
  crowd(traffic: Traffic, blocks: number): void;
  /** Number of blocks with traffic of strangers that are still to come. */
  crowding(): number;
  /** Rejects when the chain can no longer be driven. */
  running: Promise<void>;
  stop(): Promise<void>;
};

export type DriverOptions = {
  chain: NetworkChain;
  paymentsPerBlock: number;
  random: () => number;
  hideLog: HideLog;
  /** Converts the network's addresses for the real node, and finds the contracts of its tokens. */
  toHexAddress: (address: string) => Address;
  tokenAddress: (symbol: string) => Address;
};

/** Index of the first paying wallet; the wallet at index 0 is the faucet, whose nonces are in use. */
const FIRST_PAYER = 1;
/** Longest time until a dropped payment is paid again. */
const MAX_RESEND_SECONDS = 60;
/** Interval at which a driver checks whether the next block is due. */
export const TICK_MS = 100;
const SECOND_MS = 1_000;
/** How long the index lacks a `late` log. */
const LATE_SECONDS = 60;
const VISITOR: Address = '0x00000000000000000000000000000000deadbeef';
const STRANGERS_UNITS = 5_000_000n;

type Signed = { payment: Payment; payer: number; nonce: number; rawTransaction: Hex; hash: Hex };
type Mined = Signed & { height: number };

type State = DriverOptions & {
  queue: Payment[];
  /** Number of payments that are signed, but in no block yet. */
  sent: number;
  mined: Mined[];
  reorgDepths: number[];
  head: number;
  busyHeight: number;
  traffic: Traffic | undefined;
  crowdedBlocks: number;
  counts: Omit<DriverCounts, 'quietBlocks'>;
};

const nowSeconds = ({ chain }: State) => Math.floor(chain.clock.nowMs() / SECOND_MS);

/** Chooses a block among those to come and the payments that it gets; undefined if no payment is due. */
function takeDue(state: State, blocks: number, firstMs: number): { place: number; payments: Payment[] } | undefined {
  const earliest = Math.min(...state.queue.map(({ notBefore = 0 }) => notBefore));
  const blockMs = state.chain.profile.blockSeconds * SECOND_MS;
  const timeAt = (place: number) => Math.floor((firstMs + place * blockMs) / SECOND_MS);
  const places = Array.from({ length: blocks }, (_unused, place) => place).filter((place) => timeAt(place) >= earliest);
  const [first] = places;
  if (first === undefined) return undefined;
  // Payments that waited for their earliest block time go into the first possible block. Other payments go into a
  // random block of those that are made now, so that payments are not always in the first of several blocks.
  const waited = earliest > timeAt(-1);
  const place = waited ? first : (places[Math.floor(state.random() * places.length)] ?? first);
  const due = state.queue.filter(({ notBefore = 0 }) => notBefore <= timeAt(place)).slice(0, state.paymentsPerBlock);
  const taken = new Set(due);
  state.queue = state.queue.filter((payment) => !taken.has(payment));
  return { place, payments: due };
}

async function signBatch(state: State, payment: Payment, payer: number, nonce: number): Promise<Hex> {
  const account = ACCOUNT_KEYS[payer];
  if (!account || payment.token === undefined) throw new Error('Only tokens are paid in batches.');
  const token = state.tokenAddress(payment.token);
  const list = [
    { token, to: VISITOR, value: STRANGERS_UNITS },
    { token, to: state.toHexAddress(payment.to), value: payment.units },
  ];
  const data = encodeFunctionData({ abi: BATCH.abi, functionName: 'pay', args: [list] });
  const { chainId } = state.chain.anvil;
  return account.signTransaction({
    type: 'legacy',
    chainId,
    gasPrice: 0n,
    gas: TRANSACTION_GAS,
    nonce,
    to: BATCH_ADDRESS,
    data,
  });
}

async function signOne(state: State, payment: Payment, payer: number, nonce: number): Promise<Signed> {
  const { to, units, token, disguise } = payment;
  if (disguise === 'phantom') {
    const rawTransaction = await signBatch(state, payment, payer, nonce);
    const hash = keccak256(rawTransaction);
    state.hideLog(hash, 0, { answers: 1 });
    return { payment, payer, nonce, rawTransaction, hash };
  }
  const address = state.toHexAddress(to);
  const target = { payer, nonce, to: address, units, ...(token !== undefined && { token: state.tokenAddress(token) }) };
  const { rawTransaction, hash } = await signPayment(state.chain.anvil, target);
  if (disguise === 'hidden') state.hideLog(hash, 0);
  if (disguise === 'late') state.hideLog(hash, 0, { seconds: LATE_SECONDS });
  return { payment, payer, nonce, rawTransaction, hash };
}

async function signAll(state: State, payments: readonly Payment[]): Promise<Signed[]> {
  const nonces = new Map<number, number>();
  const signed: Signed[] = [];
  for (const payment of payments) {
    const payer = FIRST_PAYER + Math.floor(state.random() * (ACCOUNT_KEYS.length - FIRST_PAYER));
    const account = ACCOUNT_KEYS[payer];
    if (!account) throw new Error(`There is no payer ${payer}.`);
    const nonce = nonces.get(payer) ?? (await nextNonce(state.chain.anvil, account.address));
    nonces.set(payer, nonce + 1);
    signed.push(await signOne(state, payment, payer, nonce));
  }
  return signed;
}

async function makeBlocks(state: State): Promise<void> {
  const { chain, traffic } = state;
  const due = chain.due();
  if (due.blocks === 0) return;
  const crowded = traffic !== undefined && state.crowdedBlocks > 0;
  const blocks = crowded ? Math.min(due.blocks, state.crowdedBlocks) : due.blocks;
  const more = crowded ? { traffic } : {};
  if (crowded) state.crowdedBlocks -= blocks;
  const taken = state.queue.length > 0 ? takeDue(state, blocks, due.firstMs) : undefined;
  if (!taken) {
    state.head = (await chain.produce(blocks, { empty: true, ...more })).height;
    return;
  }
  state.sent = taken.payments.length;
  const signed = await signAll(state, taken.payments);
  await chain.anvil.batch(
    signed.map(({ rawTransaction }) => ({ method: 'eth_sendRawTransaction', params: [rawTransaction] })),
  );
  state.head = (await chain.produce(blocks, { pendingInto: taken.place, ...more })).height;
  for (const one of signed) {
    const height = chain.heightOf(one.hash);
    if (height === undefined) throw new Error(`${chain.symbol} left a payment out.`);
    state.mined.push({ ...one, height });
    state.busyHeight = Math.max(state.busyHeight, height);
  }
  state.sent = 0;
}

/**
 * Divides payments of replaced blocks: each payer's first few payments move to other blocks; the payer's other payments
 * are dropped, because a nonce cannot be used before the nonces below it.
 */
function divide(state: State, touched: readonly Mined[], depth: number): { moved: Mined[]; dropped: Mined[] } {
  const moved: Mined[] = [];
  const dropped: Mined[] = [];
  for (const ofPayer of Map.groupBy(touched, (one) => one.payer).values()) {
    const inOrder = ofPayer.toSorted((left, right) => left.nonce - right.nonce);
    const kept = Math.floor(state.random() * (inOrder.length + 1));
    let offset = 0;
    for (const [position, one] of inOrder.entries()) {
      offset += Math.floor(state.random() * (depth - offset));
      if (position < kept) moved.push({ ...one, height: offset });
      else dropped.push(one);
    }
  }
  return { moved: moved.toSorted((left, right) => left.height - right.height || left.nonce - right.nonce), dropped };
}

async function reorganise(state: State, depth: number): Promise<void> {
  const { chain, counts } = state;
  const lowest = chain.head() - depth + 1;
  const { moved, dropped } = divide(
    state,
    state.mined.filter((one) => one.height >= lowest),
    depth,
  );
  await chain.reorg(
    depth,
    moved.map(({ rawTransaction, height }) => ({ rawTransaction, offset: height })),
  );
  state.mined = [
    ...state.mined.filter((one) => one.height < lowest),
    ...moved.map((one) => ({ ...one, height: lowest + one.height })),
  ];
  const again = nowSeconds(state) + Math.floor(state.random() * (MAX_RESEND_SECONDS + 1));
  state.queue.push(...dropped.map(({ payment }) => ({ ...payment, notBefore: again })));
  state.busyHeight = chain.head();
  counts.reorgs += 1;
  counts.moved += moved.length;
  counts.dropped += dropped.length;
}

async function drive(state: State, stopping: () => boolean): Promise<void> {
  while (!stopping()) {
    const started = performance.now();
    const [depth] = state.reorgDepths;
    if (depth !== undefined) {
      await reorganise(state, depth);
      state.reorgDepths.shift();
    }
    await makeBlocks(state);
    await wait(Math.max(0, TICK_MS - (performance.now() - started)));
  }
}

export function startDriver(options: DriverOptions): Driver {
  const head = options.chain.head();
  const state: State = {
    ...options,
    queue: [],
    sent: 0,
    mined: [],
    reorgDepths: [],
    head,
    busyHeight: head,
    traffic: undefined,
    crowdedBlocks: 0,
    counts: { reorgs: 0, moved: 0, dropped: 0 },
  };
  let stopped = false;
  const running = drive(state, () => stopped);
  // A failure of the driver is reported to the code that awaits `running`; without this handler the failure would end
  // the process.
  running.catch(() => {});
  return {
    pay: (payments) => void state.queue.push(...payments),
    requestReorg: (depth) => void state.reorgDepths.push(depth),
    head: () => state.head,
    waiting: () => state.queue.length + state.sent + state.reorgDepths.length,
    counts: () => ({ ...state.counts, quietBlocks: state.head - state.busyHeight }),
    pace: (paymentsPerBlock) => {
      state.paymentsPerBlock = paymentsPerBlock;
    },
    crowd: (traffic, blocks) => {
      state.traffic = traffic;
      state.crowdedBlocks = blocks;
    },
    crowding: () => state.crowdedBlocks,
    running,
    stop: async () => {
      stopped = true;
      await running.catch(() => {});
    },
  };
}
