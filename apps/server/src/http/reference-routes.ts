import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { encodeDocument, chooseEncoding } from '../lib/content-encoding.ts';
import { SERVER_FOLDER } from '../lib/server-folder.ts';
import { styleSource } from '../checkout/page-assets.ts';

/** The API reference, for development only: in production it would share the checkout page's origin. */

const PAGE = join(SERVER_FOLDER, 'reference.html');
const INLINE_STYLE = /<style>([^<]*)<\/style>/;

export function registerReferenceRoutes(app: FastifyInstance): void {
  if (!existsSync(PAGE)) return;
  const html = readFileSync(PAGE, 'utf8');
  const document = encodeDocument('text/html; charset=utf-8', html);
  const headers = {
    'content-security-policy': `default-src 'none'; img-src data:; style-src ${styleSource(INLINE_STYLE.exec(html)?.[1] ?? '')}; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    vary: 'accept-encoding',
  };
  app.get('/docs', { schema: { hide: true } }, async (request, reply) => {
    const { encoding, bytes } = chooseEncoding(document, request.headers['accept-encoding'] ?? '');
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.headers(headers).type(document.type).send(bytes);
  });
}
