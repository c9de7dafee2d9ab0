import { setTimeout as wait } from 'node:timers/promises';
import type { Address } from '@solana/kit';
import type { Clock } from '../../src/lib/clock.ts';
import { USDC, USDT } from '../../rig/chains/solana/mints.ts';
import type { SolanaNode } from '../../rig/chains/solana/node.ts';
import { paySol, paySpl } from '../../rig/chains/solana/payment.ts';
import type { Driver, Payment } from './driver.ts';
import { TICK_MS } from './driver.ts';
import type { TrueChain, TrueTransfer } from './truth.ts';
import { paymentKey } from './truth.ts';

/** Driver of Solana: slots at the network's pace, without reorgs. */

const NETWORK = 'SOL';
const SECOND_MS = 1_000;
const MINTS: Record<string, typeof USDT> = { USDT, USDC };

export type SolanaDriver = Driver & { truth(): TrueChain };

type State = {
  node: SolanaNode;
  clock: Clock;
  slotMs: number;
  paymentsPerBlock: number;
  random: () => number;
  queue: Payment[];
  sent: number;
  /** Time of the last slot. */
  lastMs: number;
  busySlot: number;
  paid: { signature: string; payment: Payment }[];
};

async function payOne({ node, paid }: State, payment: Payment): Promise<void> {
  const to = payment.to as Address;
  const mint = payment.token === undefined ? undefined : MINTS[payment.token];
  if (payment.token !== undefined && !mint) throw new Error(`The rig has no ${payment.token}.`);
  const signature = mint
    ? await paySpl(node, { mint, to, units: payment.units })
    : paySol(node, { to, lamports: payment.units });
  paid.push({ signature, payment });
}

async function makeSlots(state: State): Promise<void> {
  const { node, clock, slotMs } = state;
  const slots = Math.floor((clock.nowMs() - state.lastMs) / slotMs);
  if (slots <= 0) return;
  const timeAt = (place: number) => Math.floor((state.lastMs + (place + 1) * slotMs) / SECOND_MS);
  const earliest = Math.min(...state.queue.map(({ notBefore = 0 }) => notBefore));
  const places = Array.from({ length: slots }, (_unused, place) => place).filter((place) => timeAt(place) >= earliest);
  const chosen = places[Math.floor(state.random() * places.length)];
  for (let place = 0; place < slots; place += 1) {
    if (place === chosen) {
      const due = state.queue
        .filter(({ notBefore = 0 }) => notBefore <= timeAt(place))
        .slice(0, state.paymentsPerBlock);
      const taken = new Set(due);
      state.queue = state.queue.filter((payment) => !taken.has(payment));
      state.sent = due.length;
      for (const payment of due) await payOne(state, payment);
    }
    const { slot } = node.produce(1, { atTime: timeAt(place) });
    if (place === chosen) state.busySlot = slot;
  }
  state.sent = 0;
  state.lastMs += slots * slotMs;
}

const headSlot = ({ node }: State) => node.ledger.slots.at(-1) ?? 0;

function truthOf(state: State): TrueChain {
  const { ledger } = state.node;
  const head = headSlot(state);
  const timeMsAt = (height: number) => {
    let slot = height;
    while (slot > 0 && !ledger.blocks.has(slot)) slot -= 1;
    return (ledger.blocks.get(slot)?.time ?? 0) * SECOND_MS;
  };
  const transfers = state.paid.flatMap(({ signature, payment }): TrueTransfer[] => {
    const found = ledger.bySignature.get(signature);
    const block = found && ledger.blocks.get(found.slot);
    if (!found || !block || found.error !== null) return [];
    const { to, units, token = NETWORK } = payment;
    const key = paymentKey(NETWORK, token, to, units);
    return [{ network: NETWORK, tx: signature, height: found.slot, time: block.time, token, to, units, key }];
  });
  return { network: NETWORK, head, transfers, timeMsAt };
}

async function drive(state: State, stopping: () => boolean): Promise<void> {
  while (!stopping()) {
    const started = performance.now();
    await makeSlots(state);
    await wait(Math.max(0, TICK_MS - (performance.now() - started)));
  }
}

export type SolanaDriverOptions = Pick<State, 'node' | 'clock' | 'slotMs' | 'paymentsPerBlock' | 'random'>;

export function startSolanaDriver(options: SolanaDriverOptions): SolanaDriver {
  const state: State = {
    ...options,
    queue: [],
    sent: 0,
    lastMs: options.clock.nowMs(),
    busySlot: 0,
    paid: [],
  };
  let stopped = false;
  const running = drive(state, () => stopped);
  running.catch(() => {});
  return {
    pay: (payments) => void state.queue.push(...payments),
    requestReorg: () => {
      throw new Error('Nothing is replaced on Solana.');
    },
    head: () => headSlot(state),
    waiting: () => state.queue.length + state.sent,
    counts: () => ({ quietBlocks: headSlot(state) - state.busySlot, reorgs: 0, moved: 0, dropped: 0 }),
    pace: (paymentsPerBlock) => {
      state.paymentsPerBlock = paymentsPerBlock;
    },
    crowd: () => {},
    crowding: () => 0,
    truth: () => truthOf(state),
    running,
    stop: async () => {
      stopped = true;
      await running.catch(() => {});
    },
  };
}
