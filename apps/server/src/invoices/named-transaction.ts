import type { Network, Token } from '../networks/network.ts';
import { chainUnits, WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';

/** Rules for submitted transactions. */

export type Namer = 'payer' | 'merchant' | 'operator';

export type NamedOutcome =
  | 'found'
  | 'known'
  | 'nothing'
  | 'failed'
  | 'out-of-window'
  | 'pruned'
  | 'ambiguous'
  | 'untraceable'
  | 'unanswered';

export type NamedQuote = {
  id: bigint;
  token: string;
  toAddress: string;
  displayUnits: bigint;
  heldFrom: number;
  heldTo: number | null;
};

/** Whether a block's time is in the window in which a quote owns its amount, as in matching. */
export function isInWindow({ heldFrom, heldTo }: Pick<NamedQuote, 'heldFrom' | 'heldTo'>, blockTime: number): boolean {
  return blockTime >= Math.floor(heldFrom) - WINDOW_SKEW_SECONDS && (heldTo === null || blockTime < heldTo);
}

/** The quote that coins were meant for, and why they pay nothing automatically. */
export function explainCoins(
  quotes: readonly NamedQuote[],
  coin: Token,
  units: bigint,
): { quoteId: bigint; reason: string } | undefined {
  const ofCoin = quotes.filter(({ token }) => token === coin.symbol);
  const exact = ofCoin.find(({ displayUnits }) => chainUnits(displayUnits, coin) === units);
  if (exact) return { quoteId: exact.id, reason: 'named' };
  const nearest = ofCoin.at(-1);
  if (nearest)
    return { quoteId: nearest.id, reason: units < chainUnits(nearest.displayUnits, coin) ? 'short' : 'over' };
  const latest = quotes.at(-1);
  return latest && { quoteId: latest.id, reason: 'wrong_token' };
}

const DIGITS = /^[0-9a-f]{64}$/;

/** A transaction id in stored form; undefined when malformed. */
export function storedTxId({ family }: Network, text: string): string | undefined {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  if (!DIGITS.test(digits)) return undefined;
  return family === 'evm' ? `0x${digits}` : digits;
}
