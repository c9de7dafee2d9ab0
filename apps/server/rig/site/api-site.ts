import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { get } from 'node:http';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import type { ServerProcess } from '../processes/server-process.ts';
import type { Template } from '../database/template-database.ts';
import type { TestDatabase } from '../database/test-database.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore } from '../stores/open-store.ts';
import { openTestDatabase } from '../database/test-database.ts';
import { startApi } from '../processes/server-process.ts';
import { followNetwork, setPrices } from './market.ts';

/** A real API process with a store that can be paid, and requests as a customer makes them. */

export type ApiSite = TestDatabase & { server: ServerProcess; store: TestStore; close(): Promise<void> };

export async function openApiSite(template: Template, settings: Record<string, string> = {}): Promise<ApiSite> {
  const own = await openTestDatabase(template);
  const store = await openStore(own.database);
  await followNetwork(own.database, 'BSC');
  await setPrices(own.database);
  const server = await startApi(own.url, { COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1', ...settings });
  return {
    ...own,
    server,
    store,
    close: async () => {
      await server.stop();
      await own.drop();
    },
  };
}

export async function newInvoice(
  rig: ApiSite,
  fields: Record<string, unknown> = {},
  store = rig.store,
): Promise<string> {
  const response = await fetch(`${rig.server.url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': store.apiKey },
    body: JSON.stringify({ merchant_id: store.merchantId, amount: '50.00', ...fields }),
  });
  const body = (await response.json()) as { data?: { trans_id: string } };
  if (!body.data) throw new Error(`Not created: ${JSON.stringify(body)}`);
  return body.data.trans_id;
}

/** Settings of a process with a stopped clock, so that no minute of its limits ends during a test. */
export const stopClockAt = (atMs: number) => ({ COUNTERFOIL_CLOCK_PACE: `0@${atMs}` });

let visitors = 0;

type Served = Pick<ApiSite, 'server'>;

/**
 * Sends a request as a new visitor, unless the headers name a visitor: only tests of limits come near a visitor's
 * limit.
 */
export function ask(rig: Served, path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  visitors += 1;
  const visitor = `10.${visitors >> 16}.${(visitors >> 8) & 255}.${visitors & 255}`;
  const all = new Headers({ 'x-forwarded-for': visitor, ...(headers as Record<string, string>) });
  return fetch(`${rig.server.url}${path}`, { redirect: 'manual', headers: all, ...init });
}

export function postJson(rig: Served, path: string, body: unknown, headers: Record<string, string> = {}) {
  return ask(rig, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

export function postForm(rig: Served, path: string, fields: Record<string, string>, headers = {}): Promise<Response> {
  return ask(rig, path, { method: 'POST', headers, body: new URLSearchParams(fields) });
}

export async function stateOf(rig: Served, transId: string): Promise<CheckoutView> {
  const response = await ask(rig, `/bill/${transId}/state`);
  if (!response.ok) throw new Error(`State answered ${response.status}.`);
  return (await response.json()) as CheckoutView;
}

type StreamEvent = { event: string; id: string | undefined; data: string };

/** A customer's event stream, with events in the order in which they came. */
export type Stream = {
  status: number;
  headers: IncomingMessage['headers'];
  events: StreamEvent[];
  views(): CheckoutView[];
  ended: Promise<void>;
  close(): void;
};

function parseEvent(block: string): StreamEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { event: fields.get('event') ?? 'message', id: fields.get('id'), data };
}

export async function openStream(
  rig: ApiSite,
  transId: string,
  headers: Record<string, string> = {},
  query = '',
): Promise<Stream> {
  const request: ClientRequest = get(`${rig.server.url}/bill/${transId}/events${query}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const events: StreamEvent[] = [];
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    events.push(...blocks.flatMap((block) => parseEvent(block) ?? []));
  });
  // Errors of the connection are ignored, because tests and the server may close a stream at any time.
  request.on('error', () => {});
  response.on('error', () => {});
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    views: () => events.filter(({ event }) => event === 'view').map(({ data }) => JSON.parse(data) as CheckoutView),
    ended: new Promise((resolve) => response.once('close', resolve)),
    close: () => request.destroy(),
  };
}
