import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { API_VERSION } from '../lib/api-version.ts';
import { chooseEncoding, encodeDocument } from '../lib/content-encoding.ts';
import type { Admit } from '../api/admit-request.ts';
import { admitStranger } from '../api/admit-request.ts';

const DESCRIPTION = `Accept cryptocurrency payments. Your backend creates an invoice in USD and redirects the customer to the
returned \`url_payment\`; the money goes straight to your own wallet; a signed webhook tells you when it is \`completed\` or \`expired\`.

Use the API key from backend servers only. Clients should retry \`INTERNAL_ERROR\` with exponential backoff, and wait
\`retry_after_seconds\` after \`RATE_LIMIT_EXCEEDED\`. A create call with a \`request_id\` can be repeated safely.`;

const TAG_LENGTH = 22;
/** Caching of the document: it changes with a deployment, and nobody depends on the hour. */
const KEPT = 'public, max-age=3600';

export async function registerOpenApi(app: FastifyInstance, admit: Admit): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Counterfoil merchant API', version: API_VERSION, description: DESCRIPTION },
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
      security: [{ apiKey: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  let document = encodeDocument('application/json; charset=utf-8', '{}');
  let tag = '';
  // Made once, when all routes are known: for each request it would cost more than a payment.
  app.addHook('onReady', async () => {
    document = encodeDocument(document.type, JSON.stringify(app.swagger()));
    tag = `"${createHash('sha256').update(document.plain).digest('base64url').slice(0, TAG_LENGTH)}"`;
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    await admitStranger(admit, request, reply);
    reply.header('cache-control', KEPT).header('etag', tag).header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === tag) return reply.status(304).send();
    const { encoding, bytes } = chooseEncoding(document, request.headers['accept-encoding'] ?? '');
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type(document.type).send(bytes);
  });
}
