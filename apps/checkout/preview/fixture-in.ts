import { formatMoney } from '@counterfoil/core/currency.ts';
import { renderArrivals } from '../src/arrivals.ts';
import type { CheckoutView, QuoteView } from '../src/checkout-view.ts';
import { renderContact } from '../src/contact-notice.ts';
import { renderElsewhere } from '../src/elsewhere-notice.ts';
import { exchangePhrases, renderGuide, renderWithdrawalHelp } from '../src/exchange-words.ts';
import { renderReceipt } from '../src/receipt.ts';
import { renderUnavailable } from '../src/unavailable-note.ts';
import { PLATFORMS } from './fixture-methods.ts';
import { FIXTURES } from './fixtures.ts';

/** Views of the fixtures with what the server renders in a visitor's language. */

const CONTACT = { supportUrl: 'https://northwind.example/help/payments', supportEmail: 'help@northwind.example' };
/** States of payers who may need help. */
const ASKING = new Set(['pay-arrival', 'paid-late', 'expired', 'expired-arrival', 'expired-binance', 'cancelled']);

/** What the server renders of a quote in the visitor's language. */
function renderedIn(quote: QuoteView, language: string): Partial<QuoteView> {
  const { token, network, networkName, standard, address } = quote;
  const amount = `${quote.amount} ${token}`;
  const platform = PLATFORMS[network];
  if (platform) return { guide: renderGuide({ language, ...platform, token, amount, account: address }) };
  return { help: renderWithdrawalHelp({ language, amount, networkName, standard }) };
}

/** The view of a state, with what the server renders in the given language. */
export function fixtureIn(name: string, language: string): CheckoutView | undefined {
  const view = FIXTURES[name];
  if (!view) return undefined;
  const { quote, transId, arrivals, payment, amountUsd } = view;
  const priced = view.priced && { ...view.priced, amount: formatMoney(language, 'EUR', view.priced.amount) };
  const storeName = view.store.name;
  const platform = quote && PLATFORMS[quote.network];
  const step = name === 'choose-elsewhere' ? 'choose' : 'pay';
  const chosen = { token: 'USDT', networkName: 'Tron', href: `/bill/pay-tron?lang=${language}` };
  return {
    ...view,
    priced,
    quote: quote && { ...quote, ...renderedIn(quote, language) },
    phrases: platform ? exchangePhrases(language, platform) : null,
    contact: ASKING.has(name) ? renderContact({ language, storeName, transId, ...CONTACT }) : '',
    arrivalsNote: renderArrivals({
      language,
      transId,
      arrivals,
      isAsked: name === 'pay-asked',
      isClaimed: name === 'pay-claimed',
      checkPath: `/bill/${name}/check`,
    }),
    unavailable: renderUnavailable(language, view.methods),
    receipt:
      view.step === 'paid' && payment
        ? renderReceipt({ language, storeName, name: view.name, transId, amountUsd, priced, payment })
        : '',
    elsewhere: name.endsWith('-elsewhere') ? renderElsewhere({ language, step, ...chosen }) : null,
  };
}
