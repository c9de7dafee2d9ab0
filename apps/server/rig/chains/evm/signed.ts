import type { Address, Hex } from 'viem';
import { keccak256 } from 'viem';
import type { Anvil } from './anvil.ts';
import { transferData } from './payment.ts';
import { ACCOUNT_KEYS, nextNonce, TRANSACTION_GAS } from './sender.ts';

/** Signed transactions keep their hash in any block, and a second one with the same nonce replaces the first. */

export type SignedTransaction = { rawTransaction: Hex; hash: Hex; nonce: number };

export type SignedPayment = {
  /** Index into the known payers; index 0 is the faucet, whose nonces are in use. */
  payer: number;
  to: Address;
  units: bigint;
  /** Token contract; when absent, the payment is in coins. */
  token?: Address;
  /** Nonce, by default the payer's next nonce; two transactions with the same nonce exclude each other. */
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

/** Puts a signed transaction into the pool; mines nothing. */
export function sendSigned(chain: Anvil, signed: SignedTransaction): Promise<Hex> {
  return chain.rpc<Hex>('eth_sendRawTransaction', [signed.rawTransaction]);
}
