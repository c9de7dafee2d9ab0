import type { FastifyInstance } from 'fastify';

const NAME = 'attachment; filename="api.json"';

/** JSON is sent as a download: a browser never shows strangers' text as a page. */
export function downloadJson(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('application/json'))
      reply.header('content-disposition', NAME);
  });
}
