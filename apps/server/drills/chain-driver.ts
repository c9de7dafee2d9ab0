import type { Address, Hex } from 'viem';
import { setTimeout as wait } from 'node:timers/promises';
import type { Anvil } from '../test/chain/anvil.ts';
import { headerAt, mine, reorg } from '../test/chain/reorg.ts';
import { ACCOUNT_KEYS, nextNonce } from '../test/chain/sender.ts';
import { signPayment } from '../test/chain/signed.ts';

/** One actor per chain: it alone pays, mines and reorganises, so that nothing of the drill's own races. */

export type Payment = {
  to: Address;
  units: bigint;
  /** Without it, native coin. */
  token?: Address;
  /** Not in a block before this second. */
  notBefore?: number;
};

type Mined = { payment: Payment; payer: number; nonce: number; rawTransaction: Hex; height: number };

export type DriverCounts = {
  /** Blocks since the last one that held a payment or replaced another. */
  quietBlocks: number;
  reorgs: number;
  moved: number;
  dropped: number;
};

export type Driver = {
  /** Into the next blocks, in this order. */
  pay(payments: readonly Payment[]): void;
  /** Before the next block; payments in what is replaced are moved, or dropped and paid again. */
  requestReorg(depth: number): void;
  /** The height up to which it has mined; reorganisations do not lower it. */
  head(): number;
  /** Payments that no block holds yet, and reorganisations to come. */
  waiting(): number;
  counts(): DriverCounts;
  /** Rejects when the chain could not be driven. */
  running: Promise<void>;
  stop(): Promise<void>;
};

export type DriverOptions = { anvil: Anvil; blockMs: number; paymentsPerBlock: number; random: () => number };

/** The faucet, account 0, is busy; the others pay. */
const FIRST_PAYER = 1;
/** A dropped payment is paid again after up to so many seconds. */
const MAX_RESEND_SECONDS = 3;

type State = DriverOptions & {
  queue: Payment[];
  /** Signed, but in no block yet. */
  sent: number;
  mined: Mined[];
  reorgDepths: number[];
  head: number;
  counts: DriverCounts;
};

const nowSeconds = () => Math.floor(Date.now() / 1000);

function takeDue(state: State, time: number): Payment[] {
  const due = state.queue.filter((payment) => (payment.notBefore ?? 0) <= time).slice(0, state.paymentsPerBlock);
  const taken = new Set(due);
  state.queue = state.queue.filter((payment) => !taken.has(payment));
  return due;
}

async function signAll(state: State, payments: readonly Payment[]): Promise<Omit<Mined, 'height'>[]> {
  const nonces = new Map<number, number>();
  const signed: Omit<Mined, 'height'>[] = [];
  for (const payment of payments) {
    const payer = FIRST_PAYER + Math.floor(state.random() * (ACCOUNT_KEYS.length - FIRST_PAYER));
    const account = ACCOUNT_KEYS[payer];
    if (!account) throw new Error(`There is no payer ${payer}.`);
    const nonce = nonces.get(payer) ?? (await nextNonce(state.anvil, account.address));
    nonces.set(payer, nonce + 1);
    const { to, units, token } = payment;
    const { rawTransaction } = await signPayment(state.anvil, { payer, nonce, to, units, ...(token && { token }) });
    signed.push({ payment, payer, nonce, rawTransaction });
  }
  return signed;
}

async function mineBlock(state: State): Promise<void> {
  const { anvil } = state;
  const head = await headerAt(anvil, 'latest');
  const time = Math.max(head.timestamp, nowSeconds());
  const due = takeDue(state, time);
  state.sent = due.length;
  const signed = await signAll(state, due);
  if (signed.length > 0) {
    await anvil.batch(
      signed.map(({ rawTransaction }) => ({ method: 'eth_sendRawTransaction', params: [rawTransaction] })),
    );
  }
  // Blocks of one second share its time, as on chains with several blocks a second.
  const block = await mine(anvil, 1, { atTime: time });
  const { pending, queued } = await anvil.rpc<{ pending: Hex; queued: Hex }>('txpool_status');
  if (BigInt(pending) + BigInt(queued) > 0n) throw new Error(`Block ${block.number} left payments out.`);
  state.head = block.number;
  for (const one of signed) state.mined.push({ ...one, height: block.number });
  state.sent = 0;
  state.counts.quietBlocks = signed.length > 0 ? 0 : state.counts.quietBlocks + 1;
}

/** Of each payer the first few stay, in blocks of their own choosing; a nonce cannot stay without those before it. */
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
  const { anvil, counts } = state;
  const head = await headerAt(anvil, 'latest');
  const lowest = head.number - depth + 1;
  const touched = state.mined.filter((one) => one.height >= lowest);
  const { moved, dropped } = divide(state, touched, depth);
  const inclusions = moved.map(({ rawTransaction, height }) => ({ rawTransaction, offset: height }));
  await reorg(anvil, depth, inclusions, { secondsBetween: 0 });
  state.mined = [
    ...state.mined.filter((one) => one.height < lowest),
    ...moved.map((one) => ({ ...one, height: lowest + one.height })),
  ];
  const again = nowSeconds() + Math.floor(state.random() * (MAX_RESEND_SECONDS + 1));
  state.queue.push(...dropped.map(({ payment }) => ({ ...payment, notBefore: again })));
  counts.quietBlocks = 0;
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
    await mineBlock(state);
    await wait(Math.max(0, state.blockMs - (performance.now() - started)));
  }
}

export function startDriver(options: DriverOptions): Driver {
  const state: State = {
    ...options,
    queue: [],
    sent: 0,
    mined: [],
    reorgDepths: [],
    head: 0,
    counts: { quietBlocks: 0, reorgs: 0, moved: 0, dropped: 0 },
  };
  let stopped = false;
  const running = drive(state, () => stopped);
  // Whoever waits for the drill to settle sees it; here it only must not end the process.
  running.catch(() => {});
  return {
    pay: (payments) => void state.queue.push(...payments),
    requestReorg: (depth) => void state.reorgDepths.push(depth),
    head: () => state.head,
    waiting: () => state.queue.length + state.sent + state.reorgDepths.length,
    counts: () => ({ ...state.counts }),
    running,
    stop: async () => {
      stopped = true;
      await running.catch(() => {});
    },
  };
}
