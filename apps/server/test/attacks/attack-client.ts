import { inject } from 'vitest';
import type { Answer, Transport, Wire } from '../../rig/requests/transport.ts';
import { openTransport } from '../../rig/requests/transport.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { startApi } from '../../rig/processes/server-process.ts';

/** Tools of an attacker: a real server, and a client that sends exactly what it is given. */

export type Target = TestDatabase & { server: ServerProcess; transport: Transport; close(): Promise<void> };

const CONNECTIONS = 32;

export async function openTarget(settings: Record<string, string> = {}): Promise<Target> {
  const own = await openTestDatabase(inject('template'));
  const server = await startApi(own.url, settings);
  const transport = openTransport(server.url, CONNECTIONS);
  const close = async () => {
    transport.close();
    await server.stop();
    await own.drop();
  };
  return { ...own, server, transport, close };
}

/** Stops the server and returns everything that it ever wrote. */
export async function stopAndRead({ server }: Target): Promise<string> {
  await server.stop();
  return server.output();
}

export type Reply = Answer & { json: ReplyBody };
type ReplyBody = {
  status?: string;
  error_code?: string;
  request_id?: string;
  idempotent?: boolean;
  details?: Record<string, unknown>;
  data?: Record<string, unknown> & { trans_id: string };
};

export type Headers = readonly (readonly [string, string])[];

export async function send(transport: Transport, wire: Partial<Wire> & { path: string }): Promise<Reply> {
  const outcome = await transport.send({ method: 'GET', headers: [], body: undefined, ...wire });
  if (!('answer' in outcome)) throw new Error(`${wire.path}: ${JSON.stringify(outcome)}`);
  return { ...outcome.answer, json: JSON.parse(outcome.answer.body) as ReplyBody };
}

const JSON_TYPE = ['content-type', 'application/json'] as const;

/** Sends a create with the given body. */
export function post(
  transport: Transport,
  store: Pick<TestStore, 'apiKey'>,
  body: string | Buffer,
  headers: Headers = [JSON_TYPE],
): Promise<Reply> {
  return send(transport, {
    method: 'POST',
    path: '/payment/crypto',
    headers: [['x-api-key', store.apiKey], ...headers],
    body: Buffer.from(body),
  });
}

/** Sends a create that is valid except for `fields`. */
export function create(transport: Transport, store: TestStore, fields: Record<string, unknown> = {}): Promise<Reply> {
  return post(transport, store, JSON.stringify({ merchant_id: store.merchantId, amount: 5, ...fields }));
}

export function lookup(transport: Transport, store: Pick<TestStore, 'apiKey'>, transId: string): Promise<Reply> {
  return send(transport, { path: `/invoice/${transId}`, headers: [['x-api-key', store.apiKey]] });
}

/** Code of a created invoice; throws when there is none. */
export function transIdOf(reply: Reply): string {
  if (!reply.json.data) throw new Error(`Not created: ${reply.body}`);
  return reply.json.data.trans_id;
}

/** Names of the fields that a refusal complains about. */
export function refusedFields(reply: Reply): unknown[] {
  const errors = reply.json.details?.['errors'];
  return Array.isArray(errors) ? errors.map((one: { field: unknown }) => one.field) : [];
}
