import type { ServerProcess } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** Calls to the API in the concurrency drill, made as any merchant's backend makes them. */

export type ApiAnswer = {
  status: number;
  body: {
    status: string;
    error_code?: string;
    limit_type?: string;
    idempotent?: boolean;
    data?: { trans_id?: string };
    details?: Record<string, unknown>;
  };
};

const AMOUNT_USD = '50.00';
/** Fee of every invoice of this drill: 0.5 % of 50 USD. */
export const FEE_MICRO_USD = 250_000n;

export function createBody(store: TestStore, requestId: string): string {
  return JSON.stringify({ merchant_id: store.merchantId, amount: AMOUNT_USD, request_id: requestId });
}

async function answerOf(response: Response): Promise<ApiAnswer> {
  return { status: response.status, body: (await response.json()) as ApiAnswer['body'] };
}

export async function postCreate(server: ServerProcess, headers: Record<string, string>, body: string) {
  return answerOf(
    await fetch(`${server.url}/payment/crypto`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }),
  );
}

export async function getInvoice(server: ServerProcess, headers: Record<string, string>, transId: string) {
  return answerOf(await fetch(`${server.url}/invoice/${transId}`, { headers }));
}

export function createFor(server: ServerProcess, store: TestStore, requestId: string): Promise<ApiAnswer> {
  return postCreate(server, { 'x-api-key': store.apiKey }, createBody(store, requestId));
}

/** Makes `count` calls at once, spread evenly over the processes. */
export function inParallel<T>(
  servers: readonly ServerProcess[],
  count: number,
  call: (server: ServerProcess, position: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(
    Array.from({ length: count }, (_, position) => {
      const server = servers[position % servers.length];
      if (!server) throw new Error('No server to ask.');
      return call(server, position);
    }),
  );
}

/** Counts of answers as text, such as "1 x 200, 3 x 402 INSUFFICIENT_BALANCE". */
export function tally(answers: readonly ApiAnswer[]): string {
  const counts = new Map<string, number>();
  for (const { status, body } of answers) {
    const name = `${status}${body.error_code ? ` ${body.error_code}` : ''}${body.limit_type ? ` ${body.limit_type}` : ''}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} x ${name}`).join(', ');
}
