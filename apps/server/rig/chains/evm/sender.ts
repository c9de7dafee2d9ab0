import { pbkdf2Sync } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { numberToHex } from 'viem';
import { HDKey, hdKeyToAccount } from 'viem/accounts';
import type { Anvil } from './anvil.ts';

export type Transaction = {
  from: Address;
  /** Receiver; when absent, the data is the code of a new contract. */
  to?: Address;
  data?: Hex;
  value?: bigint;
};

const MNEMONIC = 'test test test test test test test test test test test junk';
const ACCOUNTS = 10;
/** As BIP-39 defines it. Every file that loads this module waits for it, and native code takes a hundredth of the time. */
const SEED = pbkdf2Sync(MNEMONIC, 'mnemonic', 2_048, 64, 'sha512');
const WALLET = HDKey.fromMasterSeed(SEED);

/**
 * Payers that every node starts with: these payers hold coins, `installToken` mints tokens for them, and their keys are
 * known.
 */
export const ACCOUNT_KEYS = Array.from({ length: ACCOUNTS }, (_, addressIndex) =>
  hdKeyToAccount(WALLET, { addressIndex }),
);

/**
 * Default payer, which also mints and deploys. Signed transactions use the other payers, because the faucet's nonces
 * are in use.
 */
export const FAUCET: Address = hdKeyToAccount(WALLET, { addressIndex: 0 }).address;

/**
 * Gas limit of every transaction: enough for each call of the rig. Without a limit the node would estimate the gas,
 * which runs each transaction twice.
 */
export const TRANSACTION_GAS = 10_000_000n;
const CALLS_PER_BATCH = 500;

const queues = new WeakMap<Anvil, Promise<unknown>>();

/**
 * Runs senders one after another: two senders at once would read the same nonce, and one transaction would replace the
 * other.
 */
function inTurn<Result>(chain: Anvil, work: () => Promise<Result>): Promise<Result> {
  const turn = (queues.get(chain) ?? Promise.resolve()).then(work);
  queues.set(
    chain,
    turn.catch(() => undefined),
  );
  return turn;
}

export async function nextNonce(chain: Anvil, address: Address): Promise<number> {
  return Number(await chain.rpc<Hex>('eth_getTransactionCount', [address, 'pending']));
}

async function sendNumbered(chain: Anvil, transactions: readonly Transaction[]): Promise<Hex[]> {
  const nonces = new Map<string, number>();
  for (const { from } of transactions) {
    const key = from.toLowerCase();
    if (!nonces.has(key)) nonces.set(key, await nextNonce(chain, from));
  }
  const calls = transactions.map(({ from, to, data, value = 0n }) => {
    const key = from.toLowerCase();
    const nonce = nonces.get(key) ?? 0;
    nonces.set(key, nonce + 1);
    const gas = numberToHex(TRANSACTION_GAS);
    const request = { from, to, data, value: numberToHex(value), nonce: numberToHex(nonce), gas, gasPrice: '0x0' };
    return { method: 'eth_sendTransaction', params: [request] };
  });
  const hashes: Hex[] = [];
  for (let start = 0; start < calls.length; start += CALLS_PER_BATCH) {
    hashes.push(...(await chain.batch<Hex>(calls.slice(start, start + CALLS_PER_BATCH))));
  }
  return hashes;
}

/** Puts transactions into the node's pool, those of each sender in this order; mines nothing. */
export function sendAll(chain: Anvil, transactions: readonly Transaction[]): Promise<Hex[]> {
  return inTurn(chain, () => sendNumbered(chain, transactions));
}

/**
 * Puts transactions into the pool one after another: the node works on the calls of a batch in parallel, and a block
 * takes transactions in the order in which they came. Returns the hash of the last transaction; the earlier
 * transactions only prepare it.
 */
export function sendLast(chain: Anvil, transactions: readonly Transaction[]): Promise<Hex> {
  return inTurn(chain, async () => {
    let last: Hex | undefined;
    for (const transaction of transactions) [last] = await sendNumbered(chain, [transaction]);
    if (last === undefined) throw new Error('There is no transaction to send.');
    return last;
  });
}
