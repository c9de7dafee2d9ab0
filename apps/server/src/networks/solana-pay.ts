import { formatDecimal } from '../lib/amount.ts';
import type { Token } from './network.ts';

/** The link that wallets open with everything filled in, as Solana Pay writes transfer requests. */

export type SolanaPayRequest = {
  /** The wallet itself: payers' wallets derive the token account. */
  wallet: string;
  token: Token;
  units: bigint;
  /** Keys that the payment will carry. */
  references: readonly string[];
  label?: string;
  message?: string;
};

/** Wallets cut longer texts, and a code to scan grows with them. */
const MAX_TEXT_CHARACTERS = 80;

/** Blanks as %20: the specification encodes by component, and wallets show a plus as one. Never half a character. */
function encodeText(text: string): string {
  return encodeURIComponent(Array.from(text.toWellFormed()).slice(0, MAX_TEXT_CHARACTERS).join(''));
}

export function solanaPayUri({ wallet, token, units, references, label, message }: SolanaPayRequest): string {
  const parameters = [
    `amount=${formatDecimal(units, token.decimals)}`,
    ...(token.contract === null ? [] : [`spl-token=${token.contract}`]),
    ...references.map((reference) => `reference=${reference}`),
    ...(label === undefined || label === '' ? [] : [`label=${encodeText(label)}`]),
    ...(message === undefined || message === '' ? [] : [`message=${encodeText(message)}`]),
  ];
  return `solana:${wallet}?${parameters.join('&')}`;
}
