import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseBody, readBytes } from '../api/request-body.ts';

/** Numbers that keep their digits, because they are money. */
const EXACT_NUMBERS = new Set(['amount']);

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const UNREADABLE_TYPE = 'application/octet-stream';

/** Reads all bodies: JSON, or a fault that a handler refuses once it knows the caller. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // An invalid Content-Type is replaced: Fastify would refuse the request before it is admitted and counted.
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = UNREADABLE_TYPE;
  });
  app.addContentTypeParser('application/json', async (request: FastifyRequest, stream: FastifyRequest['raw']) => {
    if (request.headers['content-encoding'] !== undefined) return { fault: 'unsupported' };
    const bytes = await readBytes(stream, request.routeOptions.bodyLimit);
    return bytes ? parseBody(bytes, EXACT_NUMBERS) : { fault: 'too-large' };
  });
  app.addContentTypeParser('*', async (_request: FastifyRequest, stream: FastifyRequest['raw']) => {
    const bytes = await readBytes(stream);
    return { fault: bytes ? 'unsupported' : 'too-large' };
  });
}
