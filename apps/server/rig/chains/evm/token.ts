import type { Address, Hex } from 'viem';
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, stringToHex } from 'viem';
import type { Anvil } from './anvil.ts';
import { TOKEN } from './contracts.ts';
import { mine } from './reorg.ts';
import { ACCOUNT_KEYS, FAUCET, sendAll, sendLast } from './sender.ts';

export type TestToken = { address: Address; symbol: string; decimals: number };

/**
 * Contracts of tokens by chain id. This list repeats the server's list on purpose: a wrong digit in the server's list
 * must not be copied here.
 */
const CANONICAL_TOKENS: Record<number, readonly TestToken[]> = {
  1: [
    { symbol: 'USDT', decimals: 6, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
    { symbol: 'USDC', decimals: 6, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  ],
  56: [
    { symbol: 'USDT', decimals: 18, address: '0x55d398326f99059fF775485246999027B3197955' },
    { symbol: 'USDC', decimals: 18, address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' },
  ],
  10: [
    { symbol: 'USDT', decimals: 6, address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58' },
    { symbol: 'USDT0', decimals: 6, address: '0x01bFF41798a0BcF287b996046Ca68b395DbC1071' },
    { symbol: 'USDC', decimals: 6, address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85' },
  ],
  137: [
    { symbol: 'USDT', decimals: 6, address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F' },
    { symbol: 'USDC', decimals: 6, address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
  ],
  8453: [
    { symbol: 'USDT', decimals: 6, address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2' },
    { symbol: 'USDC', decimals: 6, address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  ],
  42161: [
    { symbol: 'USDT', decimals: 6, address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' },
    { symbol: 'USDC', decimals: 6, address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' },
  ],
  43114: [
    { symbol: 'USDT', decimals: 6, address: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7' },
    { symbol: 'USDC', decimals: 6, address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E' },
  ],
  728126428: [{ symbol: 'USDT', decimals: 6, address: '0xa614f803B6FD780986A42c78Ec9c7f77e6DeD13C' }],
};

/**
 * Units minted for each known payer, a trillion of an 18-decimals token: payers never run out, and 256 bits are far
 * from full.
 */
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

/** Deploys a contract at an address that the node chooses; mines one block. */
export async function deployContract(chain: Anvil, data: Hex): Promise<Address> {
  const hash = await sendLast(chain, [{ from: FAUCET, data }]);
  await mine(chain);
  const receipt = await chain.rpc<{ contractAddress: Address; status: Hex }>('eth_getTransactionReceipt', [hash]);
  if (receipt.status !== '0x1') throw new Error('The contract was not deployed.');
  return receipt.contractAddress;
}

/**
 * Copies a contract's code without its storage, which the rig's contracts do not need, because their constants are in
 * the code.
 */
export async function copyCode(chain: Anvil, from: Address, to: Address): Promise<void> {
  const code = await chain.rpc<Hex>('eth_getCode', [from, 'latest']);
  await chain.rpc('anvil_setCode', [to, code]);
}

/** Puts a token at a chosen address and mints units for all known payers; mines two blocks. */
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

/** Installs USDT and USDC at the addresses that they have on the real chain. */
export async function installCanonicalTokens(chain: Anvil): Promise<void> {
  for (const token of canonicalTokens(chain.chainId)) await installToken(chain, token);
}

/** Deploys a token that differs from the real token only in its contract's address. */
export async function deployLookAlike(chain: Anvil, original: TestToken): Promise<TestToken> {
  const address = await deployContract(chain, creationCode(original));
  await mintToAccounts(chain, address);
  return { ...original, address };
}

/** Calls a read-only function of a token at the head. */
export async function readToken(chain: Anvil, token: Address, functionName: string, args: unknown[] = []) {
  const data = encodeFunctionData({ abi: TOKEN.abi, functionName, args });
  const answer = await chain.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']);
  return decodeFunctionResult({ abi: TOKEN.abi, functionName, data: answer });
}
