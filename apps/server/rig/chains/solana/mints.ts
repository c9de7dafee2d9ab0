import type { Address } from '@solana/kit';
import { address } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { putMint } from './accounts.ts';
import { TOKEN_2022_PROGRAM } from './instructions.ts';

/** Mints: the real tokens at their mainnet addresses, a lookalike, and a mint of the newer token program. */

export type SolanaMint = { address: Address; decimals: number; program?: Address };

export const USDT: SolanaMint = { address: address('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'), decimals: 6 };
export const USDC: SolanaMint = { address: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), decimals: 6 };
/** A mint that calls itself USDT wherever a name is shown. */
export const LOOKALIKE: SolanaMint = { address: address('6ssEdoFG2csmTJ6VWtEg6YVG9RkqbiRSzEBSywwHHfYh'), decimals: 6 };
export const NEWER: SolanaMint = {
  address: address('2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo'),
  decimals: 6,
  program: TOKEN_2022_PROGRAM,
};

export function installMints(svm: LiteSVM): void {
  for (const { address: at, ...mint } of [USDT, USDC, LOOKALIKE, NEWER]) putMint(svm, at, mint);
}
