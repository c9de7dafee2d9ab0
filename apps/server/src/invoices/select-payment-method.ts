import { isSandboxId } from '@counterfoil/core/network-id.ts';
import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { stopClock } from '../lib/clock.ts';
import { readsAccounts } from '../networks/network.ts';
import type { Networks, NetworksContext } from '../networks/networks.ts';
import { getPrice } from '../prices/get-price.ts';
import { openQuote } from '../quotes/open-quote.ts';
import type { QuoteRequest } from '../quotes/open-quote.ts';
import type { QuoteRow } from '../quotes/quote.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import { demandSelected } from '../accounts/account-schedule-sql.ts';
import type { MethodChoice, Offer, SelectionFacts, SelectionRefusal } from './decide-selection.ts';
import { decideSelection } from './decide-selection.ts';
import { readSelectionFacts, showQuote, showSelected } from './selection-sql.ts';

export type Selection = { selected: true; quote: QuoteRow } | { selected: false; refusal: SelectionRefusal };

type SelectionInput = MethodChoice & { transId: string };

/** Pause between alarms about exhausted amounts, because anyone with an invoice's code can cause them. */
const EXHAUSTED_QUIET_MS = 3_600_000;
/** Most decisions of one selection; one overtaken by another change is decided again. */
const MAX_DECISIONS = 5;

const refuse = (refusal: SelectionRefusal): Selection => ({ selected: false, refusal });

/** Decides twice: before the price is read, to refuse cheaply, and under the invoice's row lock. */
export async function selectPaymentMethod(
  { database, clock, networks }: NetworksContext,
  _actor: Actor,
  input: SelectionInput,
): Promise<Selection> {
  const facts = await readSelectionFacts(database.queries, input.transId);
  const decision = decideSelection(networks, facts, input, stopClock(clock));
  if ('refusal' in decision) return refuse(decision.refusal);
  if ('show' in decision) return inTransaction(database, (tx) => selectUnderLock(tx, { clock, networks }, input));
  const price = await getPrice(database.queries, clock, decision.open.token.pricedAs);
  if (!price.available) return refuse('price-unavailable');
  return inTransaction(database, (tx) => selectUnderLock(tx, { clock, networks }, input, price));
}

/** As above, in the caller's transaction, which must not hold the invoice's lock for long. */
export async function selectInTransaction(
  tx: Tx,
  { clock, networks }: Pick<NetworksContext, 'clock' | 'networks'>,
  input: SelectionInput,
): Promise<Selection> {
  const facts = await readSelectionFacts(tx, input.transId);
  const decision = decideSelection(networks, facts, input, stopClock(clock));
  if ('refusal' in decision) return refuse(decision.refusal);
  if ('show' in decision) return selectUnderLock(tx, { clock, networks }, input);
  const price = await getPrice(tx, clock, decision.open.token.pricedAs);
  return price.available ? selectUnderLock(tx, { clock, networks }, input, price) : refuse('price-unavailable');
}

type KnownPrice = QuoteRequest['price'];

async function selectUnderLock(
  tx: Tx,
  { clock, networks }: Pick<NetworksContext, 'clock' | 'networks'>,
  input: SelectionInput,
  price?: KnownPrice,
): Promise<Selection> {
  for (let decisions = 1; decisions <= MAX_DECISIONS; decisions += 1) {
    const facts = await readSelectionFacts(tx, input.transId, 'for update');
    const now = stopClock(clock);
    const decision = decideSelection(networks, facts, input, now);
    if ('refusal' in decision) return refuse(decision.refusal);
    if ('show' in decision) return showAgain(tx, networks, decision.show);
    if (!facts || !price) throw new Error(`A quote of ${input.transId} is gone.`);
    const selection = await openOffer(tx, now, facts, decision.open, price);
    if (selection) return selection;
  }
  throw new Error(`The wallets of ${input.transId} change too often.`);
}

async function showAgain(tx: Tx, networks: Networks, quote: QuoteRow): Promise<Selection> {
  const network = networks.get(quote.network);
  await showQuote(tx, quote.id, network !== undefined && readsAccounts(network));
  return { selected: true, quote };
}

/** Undefined when a wallet was removed, or the payment method selected, first. */
async function openOffer(
  tx: Tx,
  now: Clock,
  facts: SelectionFacts,
  offer: Offer,
  price: KnownPrice,
): Promise<Selection | undefined> {
  const at = new Date(now.nowMs());
  const byAccount = readsAccounts(offer.network);
  const startAt = new Date(at.getTime() - WINDOW_SKEW_SECONDS * 1_000);
  const along = [showSelected(byAccount), demandSelected({ wanted: byAccount, startAt, openUntil: facts.expiresAt })];
  const opened = await openQuote(tx, { ...offer, invoiceId: facts.id, storeId: facts.storeId, price, at }, along);
  if ('quote' in opened) return { selected: true, quote: opened.quote };
  if (opened.failure === 'overtaken') return undefined;
  const details = { network: offer.network.id, token: offer.token.symbol, addresses: offer.addresses };
  const alarm = { kind: 'slots-exhausted', subject: `store:${facts.storeId}`, details } as const;
  if (!isSandboxId(offer.network.id)) await raiseRarely(tx, at, alarm, EXHAUSTED_QUIET_MS);
  return refuse('amounts-exhausted');
}
