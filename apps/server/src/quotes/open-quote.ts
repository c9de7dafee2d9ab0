import { randomInt } from 'node:crypto';
import { formatDecimal } from '@counterfoil/core/amount.ts';
import type { RawBuilder } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { tierFor } from '../networks/finality.ts';
import { EXCHANGE_GATE_TIER, isExchange } from '../networks/exchange-networks.ts';
import type { Network, Token } from '../networks/network.ts';
import { carriesReferences } from '../networks/network.ts';
import type { SourcePrice } from '../prices/guarded-median.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import type { AmountBand, AmountShare, QuoteRow } from './quote.ts';
import { amountBand, createReference, placesOf, unitsAtPlace } from './quote.ts';
import type { NewQuote } from './quote-sql.ts';
import { findFreeUnits, insertQuote } from './quote-sql.ts';

/** Opens a quote with a unique amount at one of the store's addresses. */

const RANDOM_PROBES = 5;
const SEARCHES = 3;
const SEARCHED = 20;

export type QuoteRequest = {
  invoiceId: bigint;
  storeId: bigint;
  network: Network;
  token: Token;
  addresses: readonly string[];
  /** In units of 10^-8 USD. */
  amountUnits: bigint;
  share: AmountShare;
  price: { priceUnits: bigint; sources: readonly SourcePrice[] };
  at: Date;
};

/** `exhausted`: no amount is free at any address. `overtaken`: a wallet was removed or a quote was created first. */
type OpenedQuote = { quote: QuoteRow } | { failure: 'exhausted' | 'overtaken' };

/** `along` are further CTEs of the statement that inserts the quote (see `insertQuote`). */
export async function openQuote(
  tx: Tx,
  request: QuoteRequest,
  along: readonly RawBuilder<unknown>[],
): Promise<OpenedQuote> {
  const { network, token, price } = request;
  const band = amountBand(request.amountUnits, price.priceUnits, token, request.share);
  const quote = {
    network: network.id,
    token: token.symbol,
    tokenPriceUsd: formatDecimal(price.priceUnits, PRICE_DECIMALS),
    finality: tierFor(network.policy, request.amountUnits),
    reference: carriesReferences(network) ? createReference() : null,
    gateTier: isExchange(network) ? EXCHANGE_GATE_TIER : null,
  };
  const priceSources = price.sources.map(({ source, priceUnits, at }) => ({
    source,
    usd: formatDecimal(priceUnits, PRICE_DECIMALS),
    at: at.toISOString(),
  }));
  const { invoiceId, storeId, at } = request;
  for (const toAddress of request.addresses) {
    const asked = { ...quote, toAddress, invoiceId, storeId, priceSources, at };
    const opened = await openAtAddress({ tx, quote: asked, token, band, share: request.share, along });
    if (opened !== 'exhausted') return opened === 'overtaken' ? { failure: opened } : { quote: opened };
  }
  return { failure: 'exhausted' };
}

type Attempt = {
  tx: Tx;
  quote: NewQuote;
  token: Token;
  band: AmountBand;
  share: AmountShare;
  along: readonly RawBuilder<unknown>[];
};

/** Opens a quote at one address: with a few random amounts, then with free amounts of the whole band. */
async function openAtAddress(attempt: Attempt): Promise<QuoteRow | 'exhausted' | 'overtaken'> {
  const { tx, quote, band, share } = attempt;
  const drawn = await openWithOneOf(attempt, drawUnits(band, share));
  if (drawn !== 'exhausted') return drawn;
  for (let search = 0; search < SEARCHES; search += 1) {
    const free = await findFreeUnits(tx, quote, { band, share }, SEARCHED);
    if (free.length === 0) return 'exhausted';
    const found = await openWithOneOf(attempt, free);
    if (found !== 'exhausted') return found;
  }
  return 'exhausted';
}

function drawUnits(band: AmountBand, share: AmountShare): bigint[] {
  const { first, end } = placesOf(band.base, band.usualSalts, share);
  const draws = first < end ? RANDOM_PROBES : 0;
  return Array.from({ length: draws }, () => unitsAtPlace(first + BigInt(randomInt(Number(end - first))), share));
}

/** Opens a quote with the first free amount of `units`, retried at most once per amount. */
async function openWithOneOf(
  { tx, quote, token, along }: Attempt,
  units: readonly bigint[],
): Promise<QuoteRow | 'exhausted' | 'overtaken'> {
  const amounts = units.map((displayUnits) => ({
    displayUnits,
    tokenAmount: formatDecimal(displayUnits, token.displayDecimals),
  }));
  for (let tries = 0; tries < amounts.length; tries += 1) {
    const inserted = await insertQuote(tx, quote, amounts, along);
    if (inserted.outcome === 'taken') return 'exhausted';
    if (inserted.outcome === 'overtaken') return 'overtaken';
    if (inserted.outcome === 'inserted') {
      const { network, token: symbol, toAddress, tokenPriceUsd, finality, reference } = quote;
      return { ...inserted.quote, network, token: symbol, toAddress, tokenPriceUsd, finality, reference };
    }
  }
  return 'exhausted';
}
