import type { FastifyInstance } from 'fastify';

const NAME = 'attachment; filename="api.json"';

/** Marks every JSON answer as a download: a browser that is led to its address shows no text of strangers as a page. */
export function downloadJson(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('application/json'))
      reply.header('content-disposition', NAME);
  });
}
