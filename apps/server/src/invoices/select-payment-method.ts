import { randomInt } from 'node:crypto';
import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { formatDecimal, requireDecimal } from '../lib/amount.ts';
import type { Clock } from '../lib/clock.ts';
import { tierFor } from '../networks/finality.ts';
import type { Network, Token } from '../networks/network.ts';
import {
  carriesReferences,
  coverageScope,
  findNetwork,
  findToken,
  priceSymbol,
  readsAccounts,
} from '../networks/network.ts';
import { USD_DECIMALS } from '../ledger/fee.ts';
import { getPrice } from '../prices/get-price.ts';
import type { PricedToken } from '../prices/price.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import { insertDemand } from '../accounts/account-schedule-sql.ts';
import { judgeClock } from '../chains/judge-clock.ts';
import { isRead } from '../chains/reading.ts';
import { recordChanges } from './change-feed-sql.ts';
import type { AmountBand } from '../quotes/quote.ts';
import {
  amountBand,
  createReference,
  placesOf,
  SELECTION_CLOSES_SECONDS,
  unitsAtPlace,
  VOLATILE_MAX_LIFE_SECONDS,
  WINDOW_SKEW_SECONDS,
} from '../quotes/quote.ts';
import type { QuoteRow, SelectableInvoice, Slot } from './selection-sql.ts';
import {
  drawQuoteId,
  findFreeUnits,
  findSelectable,
  insertQuote,
  lockSelectable,
  lockWalletAddresses,
  readFollowed,
  readQuotes,
  readWalletAddresses,
  showQuote,
  takeSlot,
} from './selection-sql.ts';

/** Why a selection is refused. */
export type SelectionRefusal =
  | 'invoice-not-found'
  | 'not-waiting'
  | 'closing'
  | 'not-offered'
  | 'below-minimum'
  | 'volatile-too-long'
  | 'network-unavailable'
  | 'price-unavailable'
  | 'clock-wrong'
  | 'amounts-exhausted';

export type Selection = { selected: true; quote: QuoteRow } | { selected: false; refusal: SelectionRefusal };

const RANDOM_PROBES = 5;
const SEARCHES = 3;
const SEARCHED = 20;
/** Anybody with an invoice's code can meet a full band again and again. */
const EXHAUSTED_QUIET_MS = 3_600_000;
const CENT_UNITS = 10n ** BigInt(USD_DECIMALS - 2);

const refuse = (refusal: SelectionRefusal): Selection => ({ selected: false, refusal });

export type SelectionInput = { transId: string; network: string; token: string };

type Choice = { network: Network; token: Token; addresses: string[]; amountUnits: bigint };

/** What stands against a choice before any price is asked for. */
export function checkChoice(invoice: SelectableInvoice, choice: Choice, nowMs: number): SelectionRefusal | undefined {
  const leftSeconds = Math.floor((invoice.expiresAt.getTime() - nowMs) / 1000);
  if (invoice.status !== 'waiting') return 'not-waiting';
  if (leftSeconds < SELECTION_CLOSES_SECONDS) return 'closing';
  if (choice.addresses.length === 0) return 'not-offered';
  if (choice.amountUnits < BigInt(choice.network.minimumCents) * CENT_UNITS) return 'below-minimum';
  if (!choice.token.stable && leftSeconds > VOLATILE_MAX_LIFE_SECONDS) return 'volatile-too-long';
  return undefined;
}

export async function selectPaymentMethod(
  { database, clock }: Context,
  _actor: Actor,
  input: SelectionInput,
): Promise<Selection> {
  const invoice = await findSelectable(database.queries, input.transId);
  if (!invoice) return refuse('invoice-not-found');
  if (!invoice.live) return refuse('not-offered');
  const present = (await readQuotes(database.queries, invoice.id)).find(
    (quote) => quote.network === input.network && quote.token === input.token,
  );
  if (present) return inTransaction(database, (tx) => showAgain(tx, invoice.id, present));
  const network = findNetwork(input.network);
  const token = network && findToken(network, input.token);
  if (!network || !token) return refuse('not-offered');
  const wallets = await readWalletAddresses(database.queries, invoice.storeId);
  const choice: Choice = {
    network,
    token,
    addresses: wallets.filter((wallet) => wallet.network === network.symbol).map((wallet) => wallet.address),
    amountUnits: requireDecimal(invoice.amountUsd, USD_DECIMALS),
  };
  const refusal = checkChoice(invoice, choice, clock.nowMs());
  if (refusal) return refuse(refusal);
  const followed = await readFollowed(database.queries);
  const chain = followed.find((one) => one.network === network.symbol);
  if (!chain || chain.frozen) return refuse('network-unavailable');
  // A payment of such a quote would seem to have come before it, or after its end.
  if (!judgeClock(followed, clock).right) return refuse('clock-wrong');
  if (!isRead(chain, clock)) return refuse('network-unavailable');
  const price = await getPrice(database.queries, clock, priceSymbol(token) as PricedToken);
  if (!price.available) return refuse('price-unavailable');
  return inTransaction(database, (tx) => quoteInTransaction(tx, clock, invoice.id, choice, price));
}

/** Under the lock: what a completed invoice shows is the quote that was paid. */
async function showAgain(tx: Tx, invoiceId: bigint, quote: QuoteRow): Promise<Selection> {
  const invoice = await lockSelectable(tx, invoiceId);
  if (invoice.status !== 'waiting') return refuse('not-waiting');
  await showQuote(tx, invoiceId, quote.id, gateOf(quote));
  await recordChanges(tx, [invoiceId]);
  return { selected: true, quote };
}

/** What must be read past the end before an invoice with this quote expires. */
function gateOf(quote: Omit<QuoteRow, 'id'>): { network: string; tier: string; scope: string } {
  const network = findNetwork(quote.network);
  return {
    network: quote.network,
    tier: quote.finality,
    scope: network ? coverageScope(network, quote.toAddress) : '',
  };
}

type KnownPrice = { priceUnits: bigint; sources: readonly { source: string; priceUnits: bigint; at: Date }[] };

async function quoteInTransaction(
  tx: Tx,
  clock: Clock,
  invoiceId: bigint,
  asked: Choice,
  price: KnownPrice,
): Promise<Selection> {
  const { network, token } = asked;
  const invoice = await lockSelectable(tx, invoiceId);
  const at = new Date(clock.nowMs());
  // Again, under lock: an address that was removed meanwhile is watched no more.
  const choice = { ...asked, addresses: await lockWalletAddresses(tx, invoice.storeId, network.symbol) };
  const refusal = checkChoice(invoice, choice, at.getTime());
  if (refusal) return refuse(refusal);
  const quotes = await readQuotes(tx, invoiceId);
  const present = quotes.find((quote) => quote.network === network.symbol && quote.token === token.symbol);
  if (present) return showAgain(tx, invoiceId, present);
  const id = await drawQuoteId(tx);
  const taken = await takeAmount(tx, at, choice, id, amountBand(choice.amountUnits, price.priceUnits, token));
  if (!taken) {
    const details = { network: network.symbol, token: token.symbol, addresses: choice.addresses };
    const alarm = { kind: 'slots-exhausted', subject: `store:${invoice.storeId}`, details } as const;
    await raiseRarely(tx, at, alarm, EXHAUSTED_QUIET_MS);
    return refuse('amounts-exhausted');
  }
  const quote = {
    network: network.symbol,
    token: token.symbol,
    toAddress: taken.address,
    displayUnits: taken.displayUnits,
    tokenAmount: formatDecimal(taken.displayUnits, token.displayDecimals),
    tokenPriceUsd: formatDecimal(price.priceUnits, PRICE_DECIMALS),
    finality: tierFor(network.policy, choice.amountUnits),
    reference: carriesReferences(network) ? createReference() : null,
  };
  const priceSources = price.sources.map(({ source, priceUnits, at: saidAt }) => ({
    source,
    usd: formatDecimal(priceUnits, PRICE_DECIMALS),
    at: saidAt.toISOString(),
  }));
  await insertQuote(tx, id, { ...quote, invoiceId, priceSources, at });
  await showQuote(tx, invoiceId, id, gateOf(quote));
  if (readsAccounts(network)) {
    const startAt = new Date(at.getTime() - WINDOW_SKEW_SECONDS * 1_000);
    await insertDemand(tx, {
      network: network.symbol,
      account: taken.address,
      startAt,
      openUntil: invoice.expiresAt,
    });
  }
  await recordChanges(tx, [invoiceId]);
  return { selected: true, quote: { id, ...quote } };
}

/** An amount of its own: a few random draws, then the free ones of the whole band, then the store's other addresses. */
async function takeAmount(
  tx: Tx,
  at: Date,
  choice: Choice,
  quoteId: bigint,
  band: AmountBand,
): Promise<{ address: string; displayUnits: bigint } | undefined> {
  const { first, end } = placesOf(band.base, band.usualSalts);
  const probes = first < end ? RANDOM_PROBES : 0;
  for (const address of choice.addresses) {
    const slot: Slot = { network: choice.network.symbol, token: choice.token.symbol, address, quoteId, at };
    for (let probe = 0; probe < probes; probe += 1) {
      const displayUnits = unitsAtPlace(first + BigInt(randomInt(Number(end - first))));
      if (await takeSlot(tx, slot, displayUnits)) return { address, displayUnits };
    }
    for (let search = 0; search < SEARCHES; search += 1) {
      const free = await findFreeUnits(tx, slot, band, SEARCHED);
      if (free.length === 0) break;
      for (const displayUnits of free) {
        if (await takeSlot(tx, slot, displayUnits)) return { address, displayUnits };
      }
    }
  }
  return undefined;
}
