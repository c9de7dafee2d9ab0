import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import type { Address } from 'viem';
import { callRpc } from '../rig/chains/json-rpc.ts';
import { transferData } from '../rig/chains/evm/payment.ts';
import { FAUCET } from '../rig/chains/evm/sender.ts';
import { DEV_CHAIN_URL, DEV_NETWORK, DEV_TOKEN } from './dev-chain.ts';

/**
 * Pays an invoice of `pnpm dev` as its customer would: takes the selection of the payment page, or selects the test
 * token there when nothing is selected yet, and sends exactly that on the local chain.
 */

const checkoutUrl = process.env['COUNTERFOIL_CHECKOUT_URL'] ?? 'http://127.0.0.1:3000';

type Answer = { view?: CheckoutView; refusal?: string };
type Quote = NonNullable<CheckoutView['quote']>;

async function choose(page: string): Promise<Quote> {
  const response = await fetch(`${page}/select`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ network: DEV_NETWORK, token: DEV_TOKEN }),
  });
  const { view, refusal } = (await response.json()) as Answer;
  if (!view?.quote) throw new Error(`The payment page refuses: ${refusal ?? response.status}.`);
  return view.quote;
}

async function readQuote(page: string): Promise<Quote> {
  const response = await fetch(`${page}/state`);
  if (!response.ok) throw new Error(`There is no payment page at ${page}.`);
  const { step, quote } = (await response.json()) as CheckoutView;
  if (step !== 'choose' && step !== 'pay') throw new Error(`This invoice takes no payment any more: ${step}.`);
  return quote ?? choose(page);
}

async function send({ injected }: Quote): Promise<string> {
  if (!injected) throw new Error('The local chain has no such token.');
  const { contract, to, unitsHex } = injected;
  const payment = contract
    ? { to: contract, data: transferData(to as Address, BigInt(unitsHex)) }
    : { to, value: unitsHex };
  return callRpc(DEV_CHAIN_URL, { method: 'eth_sendTransaction', params: [{ from: FAUCET, ...payment }] });
}

async function payInvoice(transId: string): Promise<string> {
  const page = `${checkoutUrl}/bill/${transId}`;
  const quote = await readQuote(page);
  const hash = await send(quote);
  return `Sent ${quote.amount} ${quote.token} to ${quote.address} in ${hash}. Watch it arrive: ${page}`;
}

try {
  const [transId] = process.argv.slice(2);
  if (transId === undefined) throw new Error('Which invoice? pnpm dev:pay TID-...');
  console.log(await payInvoice(transId));
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 1;
}
