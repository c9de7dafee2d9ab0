import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { API_VERSION } from '../lib/api-version.ts';
import { chooseEncoding, encodeDocument } from '../lib/content-encoding.ts';
import type { Admit } from '../api/admit-request.ts';
import { admitStranger } from '../api/admit-request.ts';
import { SANDBOX_PATH } from '../api/sandbox-routes.ts';

/** OpenAPI documents: the merchant API's contract, and the sandbox API outside of it. */

const CONTRACT = `Accept cryptocurrency payments. Your backend creates an invoice in USD and redirects the customer to the
returned \`url_payment\`; the money goes straight to your own wallet; a signed webhook tells you when it is \`completed\` or \`expired\`.

Use the API key from backend servers only. Clients should retry \`INTERNAL_ERROR\` with exponential backoff, and wait
\`retry_after_seconds\` after \`RATE_LIMIT_EXCEEDED\`. A create call with a \`request_id\` can be repeated safely.`;

const SANDBOX = `Try your integration without money. A test store (key \`cf_test_...\`) creates invoices by the merchant API as a live one does;
here a test payer pays them, or fails to, and faults happen on purpose. Only what is asked of a test store happens to it.

Acts are performed by a worker, mostly within a second. This is a tool for developers and no part of the contract.`;

const TAG_LENGTH = 22;
/** Changes only with a deployment, and may be seen an hour later. */
const KEPT = 'public, max-age=3600';

type ApiDocument = {
  path: string;
  title: string;
  description: string;
  /** The decorator of the framework with the document. */
  decorator: 'swagger' | 'sandboxSwagger';
  describes: (url: string) => boolean;
  /** Whether a schema belongs to the document, by name. */
  names: (schema: string) => boolean;
};

const isSandboxPath = (url: string) => url.startsWith(`${SANDBOX_PATH}/`);
const isSandboxSchema = (name: string) => name.startsWith('Sandbox');

const DOCUMENTS: readonly ApiDocument[] = [
  {
    path: '/openapi.json',
    title: 'Counterfoil merchant API',
    description: CONTRACT,
    decorator: 'swagger',
    describes: (url) => !isSandboxPath(url),
    names: (schema) => !isSandboxSchema(schema),
  },
  {
    path: '/openapi-sandbox.json',
    title: 'Counterfoil sandbox API',
    description: SANDBOX,
    decorator: 'sandboxSwagger',
    describes: isSandboxPath,
    names: isSandboxSchema,
  },
];

type Transform = typeof jsonSchemaTransform;

function describeOnly(describes: ApiDocument['describes']): Transform {
  return (route) => {
    const transformed = jsonSchemaTransform(route);
    if (describes(route.url)) return transformed;
    return { ...transformed, schema: { ...transformed.schema, hide: true } };
  };
}

/** The document, without the schemas of others, which the framework adds to each. */
export function readDocument(app: FastifyInstance, decorator: ApiDocument['decorator']): unknown {
  const make = app.getDecorator<() => { components?: { schemas?: Record<string, unknown> } }>(decorator);
  const document = make();
  const names = DOCUMENTS.find((one) => one.decorator === decorator)?.names ?? (() => true);
  const schemas = Object.entries(document.components?.schemas ?? {}).filter(([name]) => names(name));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/** Registers the plugin of a document, for the routes that `describes` accepts. */
async function describeRoutes(app: FastifyInstance, one: ApiDocument): Promise<void> {
  const { title, description, decorator, describes } = one;
  await app.register(swagger, {
    decorator,
    openapi: {
      openapi: '3.1.0',
      info: { title, version: API_VERSION, description },
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
      security: [{ apiKey: [] }],
    },
    transform: describeOnly(describes),
    transformObject: jsonSchemaTransformObject,
  });
}

function serveDocument(app: FastifyInstance, admit: Admit, { path, decorator }: ApiDocument): void {
  let document = encodeDocument('application/json; charset=utf-8', '{}');
  let tag = '';
  // Made once, when all routes exist: making it per request would cost too much.
  app.addHook('onReady', async () => {
    document = encodeDocument(document.type, JSON.stringify(readDocument(app, decorator)));
    tag = `"${createHash('sha256').update(document.plain).digest('base64url').slice(0, TAG_LENGTH)}"`;
  });
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    await admitStranger(admit, request, reply);
    reply.header('cache-control', KEPT).header('etag', tag).header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === tag) return reply.status(304).send();
    const { encoding, bytes } = chooseEncoding(document, request.headers['accept-encoding'] ?? '');
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type(document.type).send(bytes);
  });
}

export async function registerOpenApi(app: FastifyInstance, admit: Admit): Promise<void> {
  // Awaited before routes are added: earlier routes would miss the error handler.
  for (const document of DOCUMENTS) await describeRoutes(app, document);
  for (const document of DOCUMENTS) serveDocument(app, admit, document);
}
