import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { API_VERSION } from '../lib/api-version.ts';

const DESCRIPTION = `Accept cryptocurrency payments. Your backend creates an invoice in USD and redirects the customer to the
returned \`url_payment\`; the money goes straight to your own wallet; a signed webhook tells you when it is \`completed\` or \`expired\`.

Use the API key from backend servers only. Clients should retry \`INTERNAL_ERROR\` with exponential backoff, and wait
\`retry_after_seconds\` after \`RATE_LIMIT_EXCEEDED\`. A create call with a \`request_id\` can be repeated safely.`;

export async function registerOpenApi(app: FastifyInstance): Promise<void> {
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
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      // The page asks nobody else for anything: no fonts, no telemetry, no services of its maker.
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
}
