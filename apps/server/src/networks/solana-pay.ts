import { formatDecimal } from '../lib/amount.ts';
import { firstCharacters } from '../lib/text.ts';
import type { Token } from './network.ts';

/** Solana Pay links: a wallet opens such a link with address, amount and references filled in. */

type SolanaPayRequest = {
  /** Address of the receiver's wallet, not of its token account: the payer's wallet derives the token account. */
  wallet: string;
  token: Token;
  units: bigint;
  /** References that the payment will carry. */
  references: readonly string[];
  label?: string;
  message?: string;
};

/** Longest label or message: wallets cut longer texts, and a QR code grows with them. */
const MAX_TEXT_CHARACTERS = 80;

/**
 * Encodes a text, cut between characters if it is too long. Spaces become %20, because wallets would show a plus sign
 * as such.
 */
function encodeText(text: string): string {
  return encodeURIComponent(firstCharacters(text.toWellFormed(), MAX_TEXT_CHARACTERS));
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
