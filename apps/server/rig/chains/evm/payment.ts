import type { Address, Hex } from 'viem';
import { concat, encodeFunctionData, numberToHex, pad } from 'viem';
import type { Anvil } from './anvil.ts';
import { BATCH, TOKEN } from './contracts.ts';
import { mine } from './reorg.ts';
import type { Transaction } from './sender.ts';
import { ACCOUNT_KEYS, FAUCET, sendAll, sendLast } from './sender.ts';
import { copyCode, deployContract, mintData } from './token.ts';

/**
 * Ways in which money arrives, and ways in which money only seems to arrive. All functions but `payRevertingNative`
 * leave the payment in the node's pool, so that the test decides when and with what the payment is mined. All return
 * the transaction's hash.
 */

export type NativePayment = { to: Address; units: bigint; from?: Address };
export type TokenPayment = NativePayment & { token: Address };

/** Address of the contract that `payByBatch` and `payInternally` use. */
export const BATCH_ADDRESS: Address = '0x00000000000000000000000000000000000ba7c4';

const KNOWN = new Set(ACCOUNT_KEYS.map((account) => account.address.toLowerCase()));
const isKnown = (address: Address) => KNOWN.has(address.toLowerCase());

export function transferData(to: Address, units: bigint): Hex {
  return encodeFunctionData({ abi: TOKEN.abi, functionName: 'transfer', args: [to, units] });
}

function transfer({ token, to, units, from = FAUCET }: TokenPayment): Transaction {
  return { from, to: token, data: transferData(to, units) };
}

/** Mints the tokens that an unknown payer pays, in a separate transaction before the payment. */
function mints(payments: readonly TokenPayment[]): Transaction[] {
  return payments.flatMap(({ token, units, from = FAUCET }) =>
    isKnown(from) ? [] : [{ from: FAUCET, to: token, data: mintData(from, units) }],
  );
}

export function payToken(chain: Anvil, payment: TokenPayment): Promise<Hex> {
  return sendLast(chain, [...mints([payment]), transfer(payment)]);
}

/**
 * Sends many payments in few requests: a thousand payments take about a second. Payments of one payer keep their order.
 */
export async function payTokens(chain: Anvil, payments: readonly TokenPayment[]): Promise<Hex[]> {
  await sendAll(chain, mints(payments));
  return sendAll(chain, payments.map(transfer));
}

export async function payNative(chain: Anvil, { to, units, from = FAUCET }: NativePayment): Promise<Hex> {
  if (!isKnown(from)) {
    const held = await chain.rpc<Hex>('eth_getBalance', [from, 'latest']);
    await chain.rpc('anvil_setBalance', [from, numberToHex(BigInt(held) + units)]);
  }
  return sendLast(chain, [{ from, to, value: units }]);
}

/** Deploys the batch contract on first use, which mines a block. */
async function installBatch(chain: Anvil): Promise<void> {
  const present = await chain.rpc<Hex>('eth_getCode', [BATCH_ADDRESS, 'latest']);
  if (present === '0x') await copyCode(chain, await deployContract(chain, BATCH.bytecode), BATCH_ADDRESS);
}

type BatchedPayment = Omit<TokenPayment, 'from'>;

function sumByToken(payments: readonly BatchedPayment[]): [token: Address, units: bigint][] {
  const sums = new Map<Address, bigint>();
  for (const { token, units } of payments) sums.set(token, (sums.get(token) ?? 0n) + units);
  return [...sums];
}

/**
 * Pays several receivers in one transaction with a log each, as an exchange pays withdrawals. With an owner (one of the
 * known payers) the tokens are drawn from the owner by allowance, so that the logs' `from` is not the contract.
 */
export async function payByBatch(chain: Anvil, payments: readonly BatchedPayment[], owner?: Address): Promise<Hex> {
  await installBatch(chain);
  const list = payments.map(({ token, to, units }) => ({ token, to, value: units }));
  const prepared = sumByToken(payments).map(([token, units]): Transaction => {
    if (owner === undefined) return { from: FAUCET, to: token, data: mintData(BATCH_ADDRESS, units) };
    const data = encodeFunctionData({ abi: TOKEN.abi, functionName: 'approve', args: [BATCH_ADDRESS, units] });
    return { from: owner, to: token, data };
  });
  const data =
    owner === undefined
      ? encodeFunctionData({ abi: BATCH.abi, functionName: 'pay', args: [list] })
      : encodeFunctionData({ abi: BATCH.abi, functionName: 'payFrom', args: [owner, list] });
  return sendLast(chain, [...prepared, { from: FAUCET, to: BATCH_ADDRESS, data }]);
}

/** Pays coins through a contract, as smart wallets do: there is no log, and no transaction to the receiver. */
export async function payInternally(chain: Anvil, { to, units }: Omit<NativePayment, 'from'>): Promise<Hex> {
  await installBatch(chain);
  const data = encodeFunctionData({ abi: BATCH.abi, functionName: 'forward', args: [to] });
  return sendLast(chain, [{ from: FAUCET, to: BATCH_ADDRESS, data, value: units }]);
}

/** Address of the contract that `payFromWallet` uses. */
const WALLET_ADDRESS: Address = '0x00000000000000000000000000000000005afe00';
/**
 * Bytecode that calls the address in the first word of its input with the value in the second: `call(gas, addr, value,
 * 0, 0, 0, 0)`.
 */
const WALLET_CODE: Hex = '0x60006000600060006020356000355af100';

/** Pays coins of a contract wallet: the transaction itself has no value, and calls only the wallet. */
export async function payFromWallet(chain: Anvil, { to, units, from = FAUCET }: NativePayment): Promise<Hex> {
  await chain.rpc('anvil_setCode', [WALLET_ADDRESS, WALLET_CODE]);
  const held = await chain.rpc<Hex>('eth_getBalance', [WALLET_ADDRESS, 'latest']);
  await chain.rpc('anvil_setBalance', [WALLET_ADDRESS, numberToHex(BigInt(held) + units)]);
  const data = concat([pad(to, { size: 32 }), pad(numberToHex(units), { size: 32 })]);
  return sendLast(chain, [{ from, to: WALLET_ADDRESS, data }]);
}

/** Bytecode of `revert(0, 0)`. */
const REVERTING_CODE: Hex = '0x60006000fd';

/**
 * Sends a transaction with a value that its receiver never gets. Only a contract can refuse coins, so the receiver is a
 * contract for a single block, which this function mines.
 */
export async function payRevertingNative(
  chain: Anvil,
  { to, units }: Omit<NativePayment, 'from'>,
  block: { atTime?: number } = {},
): Promise<Hex> {
  const { pending } = await chain.rpc<{ pending: Hex }>('txpool_status');
  if (BigInt(pending) > 0n) throw new Error('Mine what is pending first: it might be refused as well.');
  await chain.rpc('anvil_setCode', [to, REVERTING_CODE]);
  const hash = await sendLast(chain, [{ from: FAUCET, to, value: units }]);
  await mine(chain, 1, block);
  await chain.rpc('anvil_setCode', [to, '0x']);
  return hash;
}

/** Writes a transfer of zero into the victim's history, which a stranger can do without the victim's consent. */
export function poison(chain: Anvil, { token, victim, to }: { token: Address; victim: Address; to: Address }) {
  const data = encodeFunctionData({ abi: TOKEN.abi, functionName: 'transferFrom', args: [victim, to, 0n] });
  return sendLast(chain, [{ from: FAUCET, to: token, data }]);
}
