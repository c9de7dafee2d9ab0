import { formatDecimal } from '@counterfoil/core/amount.ts';
import { firstCharacters } from '../lib/text.ts';
import type { Token } from './network.ts';

/** Links that open a wallet with address, amount and references filled in. */

type SolanaPayRequest = {
  /** The wallet, not its token account, which the payer's wallet derives. */
  wallet: string;
  token: Token;
  units: bigint;
  /** References that the payment will carry. */
  references: readonly string[];
  label?: string;
  message?: string;
};

/** Wallets cut longer labels and messages, and QR codes grow with them. */
const MAX_TEXT_CHARACTERS = 80;

/** Encodes a text, cut between characters. Spaces become %20, because wallets would show a plus sign. */
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
