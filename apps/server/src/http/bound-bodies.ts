import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../lib/refusal.ts';
import { createConnectionShares } from './guard-connections.ts';

const RETRY_SECONDS = 1;

const hasBody = ({ raw: { headers } }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Bounds how many bodies of one client are received at once, with the share that a client has of all connections. A proxy
 * has no share, and opens a connection for each request of HTTP/2: one client could fill all places, and the memory of
 * the proxy, with bodies that never end.
 */
export function boundBodies(app: FastifyInstance, total: number): void {
  const shares = createConnectionShares(total);
  app.addHook('preParsing', async (request, reply, payload) => {
    const { raw, ip } = request;
    if (!hasBody(request)) return payload;
    if (!shares.take(ip)) {
      // The body is not read, and would be taken for the next request.
      reply.header('Connection', 'close');
      throw new Refusal('TOO_BUSY', { retryAfterSeconds: RETRY_SECONDS });
    }
    raw.once('close', () => shares.leave(ip));
    return payload;
  });
}
