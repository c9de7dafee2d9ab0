import { setTimeout as wait } from 'node:timers/promises';
import type { Address } from 'viem';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { payTokens } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { ACCOUNT_KEYS } from '../../rig/chains/evm/sender.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Payers' wallets and the chain's miner: every block holds the token transfers that were asked for since the last one. */

type Payment = { transId: string; token: Address; to: Address; units: bigint };

export type Payer = { pay(payment: Payment): void; stop(): Promise<void> };

export type PayerOptions = {
  blockMs: number;
  onMined: (transIds: readonly string[], atMs: number) => void;
  onFault: (cause: unknown) => void;
};

/** Payers with tokens, without the first, which mints and deploys. */
const PAYERS = ACCOUNT_KEYS.slice(1).map(({ address }) => address);

export function startPayer(anvil: Anvil, { blockMs, onMined, onFault }: PayerOptions): Payer {
  let waiting: Payment[] = [];
  const stopping = new AbortController();

  async function makeBlock(): Promise<void> {
    const paid = waiting;
    waiting = [];
    const transfers = paid.map((payment, index) => ({ ...payment, from: PAYERS[index % PAYERS.length] as Address }));
    await payTokens(anvil, transfers);
    await mine(anvil);
    onMined(
      paid.map(({ transId }) => transId),
      systemClock.nowMs(),
    );
  }

  async function makeBlocks(): Promise<void> {
    let nextAtMs = systemClock.nowMs();
    while (!stopping.signal.aborted) {
      await makeBlock();
      nextAtMs = Math.max(nextAtMs + blockMs, systemClock.nowMs());
      await wait(nextAtMs - systemClock.nowMs());
    }
  }

  const done = makeBlocks().catch(onFault);
  return {
    pay: (payment) => waiting.push(payment),
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
