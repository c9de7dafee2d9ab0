import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Caddy } from '../../rig/processes/caddy.ts';
import type { Installation } from './installation.ts';
import type { SecureClient } from './secure-client.ts';
import { openSecureClient } from './secure-client.ts';
import type { Surroundings } from './surroundings.ts';
import { NETWORK, TOKEN } from './surroundings.ts';

/** A merchant who sells one thing, and the customer who buys it: over HTTPS, as the world reaches an installation. */

export type Clients = { api: SecureClient; checkout: SecureClient; dashboard: SecureClient };
export type Store = { merchant_id: string; api_key: string; webhook_secret: string };

const RECEIVING = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const JSON_TYPE = { 'content-type': 'application/json' };
const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 500;

export async function openClients({ apiUrl, checkoutUrl, dashboardUrl, rootCertificate }: Caddy): Promise<Clients> {
  const [api, checkout, dashboard] = await Promise.all(
    [apiUrl, checkoutUrl, dashboardUrl].map((url) => openSecureClient(url, rootCertificate)),
  );
  if (!api || !checkout || !dashboard) throw new Error('A host is missing.');
  return { api, checkout, dashboard };
}

/** Opens a store that can be paid, with the commands that the guide names. */
export async function openStore(installation: Installation): Promise<Store> {
  const admin = (...words: string[]) => installation.admin(...words);
  await admin('plan', 'create', '--code', 'standard', '--fee-rate', '0.5');
  const { merchant = '' } = await admin('merchant', 'create', '--name', 'Acme');
  const opened = await admin('store', 'create', '--merchant', merchant, '--name', 'Shop', '--plan', 'standard');
  const store = opened as Store;
  const { merchant_id: code } = store;
  await admin('wallet', 'add', '--store', code, '--network', NETWORK, '--address', RECEIVING);
  await admin('balance', 'credit', '--store', code, '--usd', '25', '--note', 'first top-up');
  return store;
}

/** Creates an invoice by the API. Returns its code. */
export async function createInvoice({ api }: Clients, store: Store, callbackUrl: string): Promise<string> {
  const { status, body } = await api.ask('/payment/crypto', {
    method: 'POST',
    headers: { ...JSON_TYPE, 'x-api-key': store.api_key },
    body: JSON.stringify({ merchant_id: store.merchant_id, amount: '50.00', callback_url: callbackUrl }),
  });
  const answer = JSON.parse(body) as { data?: { trans_id?: string } };
  if (!answer.data?.trans_id) throw new Error(`No invoice was created (${status}): ${body}`);
  return answer.data.trans_id;
}

/** Selects the token on the page, as soon as a worker follows its network and knows its price. */
async function select({ checkout }: Clients, transId: string) {
  let refusal = '';
  let view: CheckoutView | undefined;
  const isSelected = async () => {
    const { body } = await checkout.ask(`/bill/${transId}/select`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ network: NETWORK, token: TOKEN }),
    });
    refusal = body;
    view = (JSON.parse(body) as { view?: CheckoutView }).view;
    return Boolean(view?.quote?.injected);
  };
  await waitUntil(isSelected, { what: 'Nothing can be selected.', timeoutMs: READY_TIMEOUT_MS, pollMs: POLL_MS }).catch(
    (cause: unknown) => {
      throw new Error(`The payment page refuses: ${refusal}`, { cause });
    },
  );
  const injected = view?.quote?.injected;
  if (!injected) throw new Error('The page shows no payment.');
  return injected;
}

async function statusOf({ api }: Clients, store: Store, transId: string): Promise<string> {
  const { body } = await api.ask(`/invoice/${transId}`, { headers: { 'x-api-key': store.api_key } });
  return (JSON.parse(body) as { data?: { status?: string } }).data?.status ?? body;
}

/** Pays an invoice and waits until the API says that it is completed. Returns what the API said last. */
export async function buy(clients: Clients, around: Surroundings, store: Store, transId: string): Promise<string> {
  const { to, unitsHex } = await select(clients, transId);
  await around.pay(to, BigInt(unitsHex));
  let status = '';
  const isCompleted = async () => {
    status = await statusOf(clients, store, transId);
    return status === 'completed';
  };
  await waitUntil(isCompleted, { what: 'The payment does not count.', timeoutMs: READY_TIMEOUT_MS, pollMs: POLL_MS });
  return status;
}
