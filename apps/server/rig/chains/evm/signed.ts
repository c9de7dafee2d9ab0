import type { Address, Hex } from 'viem';
import { keccak256 } from 'viem';
import type { Anvil } from './anvil.ts';
import { transferData } from './payment.ts';
import { ACCOUNT_KEYS, nextNonce, TRANSACTION_GAS } from './sender.ts';

/** Transactions that keep their hash wherever they are included, and that others with their nonce replace. */

export type SignedTransaction = { rawTransaction: Hex; hash: Hex; nonce: number };

export type SignedPayment = {
  /** Index into the known accounts; 0 is the faucet, whose nonces are busy. */
  payer: number;
  to: Address;
  units: bigint;
  /** Without it, native coin. */
  token?: Address;
  /** The payer's next one unless given; the same one twice makes two transactions that exclude each other. */
  nonce?: number;
};

export async function signPayment(chain: Anvil, payment: SignedPayment): Promise<SignedTransaction> {
  const account = ACCOUNT_KEYS[payment.payer];
  if (!account) throw new Error(`There is no account ${payment.payer}.`);
  const nonce = payment.nonce ?? (await nextNonce(chain, account.address));
  const call =
    payment.token === undefined
      ? { to: payment.to, value: payment.units }
      : { to: payment.token, data: transferData(payment.to, payment.units) };
  const rawTransaction = await account.signTransaction({
    type: 'legacy',
    chainId: chain.chainId,
    gasPrice: 0n,
    gas: TRANSACTION_GAS,
    nonce,
    ...call,
  });
  return { rawTransaction, hash: keccak256(rawTransaction), nonce };
}

/** Into the pool; nothing is mined. */
export function sendSigned(chain: Anvil, signed: SignedTransaction): Promise<Hex> {
  return chain.rpc<Hex>('eth_sendRawTransaction', [signed.rawTransaction]);
}
