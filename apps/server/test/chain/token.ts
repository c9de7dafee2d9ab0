import type { Address, Hex } from 'viem';
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, stringToHex } from 'viem';
import type { Anvil } from './anvil.ts';
import { TOKEN } from './contracts.ts';
import { mine } from './reorg.ts';
import { ACCOUNT_KEYS, FAUCET, sendAll, sendLast } from './sender.ts';

export type TestToken = { address: Address; symbol: string; decimals: number };

/** Written down a second time on purpose: a wrong digit in the server's own list must not be copied here. */
const CANONICAL_TOKENS: Record<number, readonly TestToken[]> = {
  1: [
    { symbol: 'USDT', decimals: 6, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
    { symbol: 'USDC', decimals: 6, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  ],
  56: [
    { symbol: 'USDT', decimals: 18, address: '0x55d398326f99059fF775485246999027B3197955' },
    { symbol: 'USDC', decimals: 18, address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' },
  ],
  728126428: [{ symbol: 'USDT', decimals: 6, address: '0xa614f803B6FD780986A42c78Ec9c7f77e6DeD13C' }],
};

/** A trillion of an 18-decimals token: payers never run dry, and far from what 256 bits hold. */
export const MINTED_UNITS = 10n ** 30n;

export function canonicalTokens(chainId: number): readonly TestToken[] {
  return CANONICAL_TOKENS[chainId] ?? [];
}

export function canonicalToken(chainId: number, symbol: string): TestToken {
  const token = canonicalTokens(chainId).find((candidate) => candidate.symbol === symbol);
  if (!token) throw new Error(`The rig knows no ${symbol} on chain ${chainId}.`);
  return token;
}

function creationCode(token: Omit<TestToken, 'address'>): Hex {
  const args = [stringToHex(token.symbol, { size: 32 }), token.decimals];
  return encodeDeployData({ ...TOKEN, args });
}

export function mintData(to: Address, units: bigint): Hex {
  return encodeFunctionData({ abi: TOKEN.abi, functionName: 'mint', args: [to, units] });
}

/** Deploys the ordinary way, at an address that nobody chose; mines one block. */
export async function deployContract(chain: Anvil, data: Hex): Promise<Address> {
  const hash = await sendLast(chain, [{ from: FAUCET, data }]);
  await mine(chain);
  const receipt = await chain.rpc<{ contractAddress: Address; status: Hex }>('eth_getTransactionReceipt', [hash]);
  if (receipt.status !== '0x1') throw new Error('The contract was not deployed.');
  return receipt.contractAddress;
}

/** Storage does not come along, and need not: what the contract is made of is in its code. */
export async function copyCode(chain: Anvil, from: Address, to: Address): Promise<void> {
  const code = await chain.rpc<Hex>('eth_getCode', [from, 'latest']);
  await chain.rpc('anvil_setCode', [to, code]);
}

/** Puts a token at an address of one's choice and mints to all known accounts; mines two blocks. */
export async function installToken(chain: Anvil, token: TestToken): Promise<void> {
  await copyCode(chain, await deployContract(chain, creationCode(token)), token.address);
  await mintToAccounts(chain, token.address);
}

async function mintToAccounts(chain: Anvil, token: Address): Promise<void> {
  const mints = ACCOUNT_KEYS.map(({ address }) => ({
    from: FAUCET,
    to: token,
    data: mintData(address, MINTED_UNITS),
  }));
  await sendAll(chain, mints);
  await mine(chain);
}

/** USDT and USDC where this chain has them in the real world. */
export async function installCanonicalTokens(chain: Anvil): Promise<void> {
  for (const token of canonicalTokens(chain.chainId)) await installToken(chain, token);
}

/** A token that only its address tells from the real one. */
export async function deployLookAlike(chain: Anvil, original: TestToken): Promise<TestToken> {
  const address = await deployContract(chain, creationCode(original));
  await mintToAccounts(chain, address);
  return { ...original, address };
}

/** `eth_call` of one of the token's own functions, at the head. */
export async function readToken(chain: Anvil, token: Address, functionName: string, args: unknown[] = []) {
  const data = encodeFunctionData({ abi: TOKEN.abi, functionName, args });
  const answer = await chain.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']);
  return decodeFunctionResult({ abi: TOKEN.abi, functionName, data: answer });
}
