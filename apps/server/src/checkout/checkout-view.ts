import { createHash } from 'node:crypto';
import type {
  ArrivalView,
  CheckoutStep,
  CheckoutView,
  PaymentView,
  PricedView,
  QuoteView,
  StoreView,
} from '@counterfoil/checkout/checkout-view';
import {
  exchangePhrases,
  renderArrivals,
  renderContact,
  renderElsewhere,
  renderGuide,
  renderReceipt,
  renderUnavailable,
  renderWithdrawalHelp,
} from '@counterfoil/checkout/render-page';
import { formatDecimal, requireDecimal, trimZeros } from '@counterfoil/core/amount.ts';
import { formatMoney } from '@counterfoil/core/currency.ts';
import { formatUsd, USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { endOfWindow } from '../invoices/cancellation.ts';
import { findUrlFault } from '../lib/text.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import { parseTier } from '../networks/finality.ts';
import type { Network, Token } from '../networks/network.ts';
import { findToken, readsAccounts } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { chainUnits, SELECTION_CLOSES_SECONDS } from '../quotes/quote.ts';
import { onAccent } from './accent.ts';
import { arrivalViews } from './arrival-views.ts';
import type { CheckoutFacts, QuoteFact, TransferFact } from './checkout-facts-sql.ts';
import type { PageAddress, Shown } from './page-address.ts';
import { pagePath, writeAddress } from './page-address.ts';
import { methodName, paymentMethods } from './payment-methods.ts';
import type { Surroundings } from './network-conditions.ts';
import { injectedCall, walletLinks } from './wallet-links.ts';

/** Turns the facts of an invoice into its page's view. Everything that the page says is decided here. */

type ViewInput = {
  networks: Networks;
  facts: CheckoutFacts;
  surroundings: Surroundings;
  nowMs: number;
  drawQrCode: (text: string) => string;
  /** Path of the checkout on its host, without trailing slash. */
  basePath: string;
  address: PageAddress;
};

const MAX_OTHER_QUOTES = 5;

type Listed = { network: Network; token: Token };

function listed(networks: Networks, network: string, token: string): Listed | undefined {
  const found = networks.get(network);
  const of = found && findToken(found, token);
  return found && of && { network: found, token: of };
}

function isSelectable(facts: Pick<CheckoutFacts, 'status' | 'expiresAt'>, nowMs: number): boolean {
  const leftSeconds = Math.floor((facts.expiresAt.getTime() - nowMs) / 1000);
  return facts.status === 'waiting' && leftSeconds >= SELECTION_CLOSES_SECONDS;
}

/** Whether the invoice waits for a payment within its time. */
function isOpen(facts: Pick<CheckoutFacts, 'status' | 'expiresAt'>, nowMs: number): boolean {
  return facts.status === 'waiting' && nowMs <= facts.expiresAt.getTime();
}

function latestQuote({ quotes, quoteId }: CheckoutFacts): QuoteFact | undefined {
  const latestId = quoteId?.toString();
  return quotes.find((quote) => quote.id === latestId);
}

/** The quote in the page's URL. While the invoice is open no other one replaces it. */
function shownQuote(facts: CheckoutFacts, shown: Shown, nowMs: number): QuoteFact | undefined {
  const named =
    typeof shown === 'object'
      ? facts.quotes.find(({ network, token }) => network === shown.network && token === shown.token)
      : undefined;
  return named ?? (shown === 'latest' || !isOpen(facts, nowMs) ? latestQuote(facts) : undefined);
}

function stepOf(facts: CheckoutFacts, nowMs: number, quote: QuoteFact | undefined): CheckoutStep {
  switch (facts.status) {
    case 'completed':
      return 'paid';
    case 'expired':
      return facts.cancelledAt ? 'cancelled' : 'expired';
    case 'processing':
      return 'processing';
    case 'waiting':
      // Not expired before the last blocks up to its end were read.
      if (!isOpen(facts, nowMs)) return 'checking';
      return quote ? 'pay' : 'choose';
  }
}

function storeView({ storeName, accent, logo }: CheckoutFacts, basePath: string): StoreView {
  return {
    name: storeName,
    logoPath: logo === null ? null : `${basePath}/bill/logo/${logo}`,
    accent,
    onAccent: accent === null ? null : onAccent(accent),
  };
}

/** Guide and help in the visitor's language. */
function helpOf(language: string, { network, token }: Listed, quote: QuoteFact): Pick<QuoteView, 'guide' | 'help'> {
  const amount = `${quote.tokenAmount} ${token.symbol}`;
  const { standard } = network.payer;
  if (!isExchange(network))
    return { guide: '', help: renderWithdrawalHelp({ language, amount, networkName: network.name, standard }) };
  const { idName, sendsBy } = network.platform;
  const names = { platform: network.name, idName, token: token.symbol };
  return { guide: renderGuide({ language, way: sendsBy, ...names, amount, account: quote.toAddress }), help: '' };
}

function quoteView({ networks, drawQrCode, address }: ViewInput, quote: QuoteFact): QuoteView | null {
  const of = listed(networks, quote.network, quote.token);
  if (!of) return null;
  const { network, token } = of;
  const units = chainUnits(BigInt(quote.displayUnits), token);
  const payment = { network, token, to: quote.toAddress, units, amount: quote.tokenAmount, reference: quote.reference };
  return {
    ...methodName(network, token),
    amount: quote.tokenAmount,
    address: quote.toAddress,
    // Warn against sending coins through a contract, except where balances show these too (networks read by account).
    directOnly: token.contract === null && !readsAccounts(network),
    qrSvg: isExchange(network) ? '' : drawQrCode(quote.toAddress),
    ...helpOf(address.language, of, quote),
    links: walletLinks(payment),
    injected: injectedCall(payment),
  };
}

/** The completing payment or, while processing, the lowest one. */
function payingTransfer(facts: CheckoutFacts): TransferFact | undefined {
  if (facts.status === 'completed') {
    const paidBy = facts.paidTransferId?.toString();
    return facts.transfers.find((transfer) => transfer.id === paidBy);
  }
  if (facts.status !== 'processing') return undefined;
  return facts.transfers
    .filter((transfer) => transfer.reason === null)
    .toSorted((left, right) => left.height - right.height)[0];
}

function confirmationsOf(facts: CheckoutFacts, transfer: TransferFact, surroundings: Surroundings) {
  const quote = facts.quotes.find((one) => one.id === transfer.quoteId);
  const rule = quote && parseTier(quote.finality);
  const standing = surroundings.chains.get(transfer.network);
  if (facts.status !== 'processing' || rule?.kind !== 'confirmations' || !standing) return null;
  const seen = Math.max(0, standing.headHeight - transfer.height + 1);
  return { seen: Math.min(seen, rule.count), wanted: rule.count };
}

/** A payment in time is not called late where only its reading was, because the invoice had been cancelled. */
function isLate(facts: CheckoutFacts, { timeSeconds }: TransferFact): boolean {
  const inTime = timeSeconds * 1000 <= endOfWindow(facts).getTime();
  return !inTime || (facts.late && !facts.cancelledAt);
}

function paymentView({ networks, facts, surroundings }: ViewInput): PaymentView | null {
  const transfer = payingTransfer(facts);
  const of = transfer && listed(networks, transfer.network, transfer.token);
  if (!of) return null;
  const { explorerUrl } = of.network.payer;
  return {
    token: of.token.symbol,
    networkName: of.network.name,
    amount: formatDecimal(BigInt(transfer.units), of.token.decimals),
    txId: transfer.txId,
    explorerUrl: explorerUrl === null ? null : explorerUrl + transfer.txId,
    confirmations: confirmationsOf(facts, transfer, surroundings),
    late: isLate(facts, transfer),
    paidAtMs: transfer.timeSeconds * 1000,
  };
}

/** Notice that another method was selected last. */
function elsewhereNotice(input: ViewInput, step: CheckoutStep, shown: QuoteFact | undefined): string | null {
  const { networks, facts, basePath, address } = input;
  const latest = latestQuote(facts);
  if ((step !== 'choose' && step !== 'pay') || !latest || latest === shown) return null;
  const { network, token } = latest;
  return renderElsewhere({
    language: address.language,
    step,
    token,
    networkName: networks.get(network)?.name ?? network,
    href: writeAddress(pagePath(basePath, facts.transId), { ...address, shown: { network, token } }),
  });
}

type Trouble = Pick<CheckoutView, 'step' | 'arrivals' | 'payment'>;

const isOver = (step: CheckoutStep) => step === 'expired' || step === 'cancelled';

/** Unmatched transfers, and the question about one that may be another customer's. */
function arrivalsNote({ facts, basePath, address }: ViewInput, step: CheckoutStep, arrivals: ArrivalView[]): string {
  const { transId, quotes, claimedTxIds } = facts;
  return renderArrivals({
    language: address.language,
    transId,
    arrivals,
    isAsked: step !== 'paid' && step !== 'processing' && quotes.some(({ isAsked }) => isAsked),
    isClaimed: claimedTxIds.length > 0,
    checkPath: `${pagePath(basePath, transId)}/check`,
  });
}

/** The contact for ended invoices with unmatched or late money. */
function contactNotice({ facts, address }: ViewInput, { step, arrivals, payment }: Trouble): string {
  if (!isOver(step) && arrivals.length === 0 && payment?.late !== true) return '';
  const { storeName, transId, supportUrl, supportEmail } = facts;
  return renderContact({ language: address.language, storeName, transId, supportUrl, supportEmail });
}

function phrasesOf({ networks, facts, address }: ViewInput, shown: QuoteFact | undefined): CheckoutView['phrases'] {
  const network = networks.get((payingTransfer(facts) ?? shown)?.network ?? '');
  if (!network || !isExchange(network)) return null;
  return exchangePhrases(address.language, { platform: network.name, idName: network.platform.idName });
}

const usdText = ({ amountUsd }: CheckoutFacts) => formatUsd(requireDecimal(amountUsd, USD_DECIMALS));

/** Null for prices in USD, which have the same amount. */
function pricedView({ facts, address }: ViewInput): PricedView | null {
  const { currency, currencyAmount: amount, exchangeRate: rate } = facts;
  if (currency === null || currency === 'USD' || amount === null || rate === null) return null;
  return { amount: formatMoney(address.language, currency, amount), rate: `1 ${currency} = ${trimZeros(rate)} USD` };
}

function receiptOf(input: ViewInput, step: CheckoutStep, payment: PaymentView | null): string {
  if (step !== 'paid' || !payment) return '';
  const { facts, address } = input;
  const { storeName, name, transId } = facts;
  const amounts = { amountUsd: usdText(facts), priced: pricedView(input) };
  return renderReceipt({ language: address.language, storeName, name, transId, ...amounts, payment });
}

function returnUrl(facts: CheckoutFacts, step: CheckoutStep): string | null {
  const url = step === 'paid' ? facts.completedUrl : isOver(step) ? facts.expiredUrl : null;
  return url !== null && findUrlFault(url) === undefined ? url : null;
}

export function viewCheckout(input: ViewInput): CheckoutView {
  const { networks, facts, surroundings, nowMs, basePath, address } = input;
  const shown = shownQuote(facts, address.shown, nowMs);
  const step = stepOf(facts, nowMs, shown);
  const selectable = isSelectable(facts, nowMs);
  const payment = paymentView(input);
  const arrivals = arrivalViews(networks, facts);
  const methods = selectable ? paymentMethods({ networks, facts, surroundings, nowMs }) : [];
  const { transId } = facts;
  return {
    transId,
    step,
    store: storeView(facts, basePath),
    name: facts.name,
    description: facts.description,
    amountUsd: usdText(facts),
    priced: pricedView(input),
    nowMs,
    expiresAtMs: facts.expiresAt.getTime(),
    cancelledAtMs: facts.cancelledAt?.getTime() ?? null,
    selectable,
    methods,
    quote: shown ? quoteView(input, shown) : null,
    elsewhere: elsewhereNotice(input, step, shown),
    otherQuotes: facts.quotes
      .filter((quote) => quote !== shown)
      .toReversed()
      .slice(0, MAX_OTHER_QUOTES)
      .map((quote) => ({ token: quote.token, networkName: networks.get(quote.network)?.name ?? quote.network })),
    payment,
    arrivals,
    arrivalsNote: arrivalsNote(input, step, arrivals),
    unavailable: renderUnavailable(address.language, methods),
    receipt: receiptOf(input, step, payment),
    contact: contactNotice(input, { step, arrivals, payment }),
    phrases: phrasesOf(input, shown),
    returnUrl: returnUrl(facts, step),
  };
}

const TAG_LENGTH = 22;

/** Equal for views that differ only in creation time. */
export function tagOf(view: CheckoutView): string {
  const content = JSON.stringify({ ...view, nowMs: 0 });
  return createHash('sha256').update(content).digest('base64url').slice(0, TAG_LENGTH);
}
