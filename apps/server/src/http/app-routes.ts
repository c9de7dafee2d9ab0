import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DashboardError } from '../dashboard/dashboard-error.ts';
import type { EncodedDocument } from '../lib/content-encoding.ts';
import { chooseEncoding } from '../lib/content-encoding.ts';
import type { AppFiles } from './app-files.ts';

/** Files of the dashboard's app, and one document for every page. */

/** First path segments of pages; others are no pages. */
const PAGES = [
  'sign-in',
  'sign-up',
  'verify',
  'create-business',
  'forgot',
  'reset',
  'invitation',
  'lock',
  'email',
  'keep-factors',
  'undo',
  'm',
  'me',
];

/** Everything comes from this server, and the document has no inline content: injected scripts do not run. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = 'The dashboard is not built: run pnpm build. Its API answers under /api/dashboard.\n';
const UNAVAILABLE = 503;

function sendFile(request: FastifyRequest, reply: FastifyReply, file: EncodedDocument, caching: string): FastifyReply {
  const accepted = request.headers['accept-encoding'];
  const { encoding, bytes } = chooseEncoding(file, Array.isArray(accepted) ? accepted.join(',') : (accepted ?? ''));
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply
    .headers({ 'content-type': file.type, 'cache-control': caching, vary: 'accept-encoding' })
    .send(request.method === 'HEAD' ? undefined : bytes);
}

export function registerAppRoutes(app: FastifyInstance, { document, assets }: AppFiles): void {
  const sendDocument = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!document) return reply.code(UNAVAILABLE).type('text/plain; charset=utf-8').send(NOT_BUILT);
    reply.header('content-security-policy', POLICY);
    return sendFile(request, reply, document, 'no-cache');
  };
  for (const url of ['/', ...PAGES.flatMap((page) => [`/${page}`, `/${page}/*`])]) app.get(url, sendDocument);
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = assets.get(request.params.name);
    if (!file) throw new DashboardError('NOT_FOUND');
    return sendFile(request, reply, file, 'public, max-age=31536000, immutable');
  });
}
