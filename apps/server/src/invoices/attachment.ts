import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { chainUnits } from '../quotes/quote.ts';

/** Members' requests to attach a transfer to an invoice, which a worker performs. */

const CODE_LENGTH = 12;

export type AttachmentState = 'asked' | 'done' | 'refused' | 'failed';

export function createAttachmentCode(): string {
  return `ATT-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

const LONGEST_REST_MS = 600_000;
/** Attempts for a request that can be neither performed nor refused: about an hour. */
const MAX_TRIES = 14;

/** When a failed request is attempted again; undefined when its attempts are used up. */
export function nextTryAfter(tries: number, now: Date): Date | undefined {
  if (tries >= MAX_TRIES) return undefined;
  return new Date(now.getTime() + Math.min(LONGEST_REST_MS, SECOND_MS * 2 ** (tries - 1)));
}

type Money = { network: string; token: string; units: bigint };
export type QuotedAmount = { network: string; token: string; displayUnits: bigint };

/** Whether money has the token and network of a quote, and at least its amount. */
export function coversQuote(networks: Networks, money: Money, quotes: readonly QuotedAmount[]): boolean {
  const network = networks.get(money.network);
  const token = network && findToken(network, money.token);
  if (!token) return false;
  const alike = quotes.filter((quote) => quote.network === money.network && quote.token === money.token);
  return alike.some(({ displayUnits }) => money.units >= chainUnits(displayUnits, token));
}
