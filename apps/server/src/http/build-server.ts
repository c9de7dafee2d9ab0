import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Networks } from '../networks/networks.ts';
import { API_VERSION } from '../lib/api-version.ts';
import type { Clock } from '../lib/clock.ts';
import { systemClock } from '../lib/clock.ts';
import { PublicError } from '../api/public-error.ts';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';
import { MAX_BODY_BYTES } from '../api/request-body.ts';
import { decodableUrl } from '../lib/request-url.ts';
import { registerCheckoutRoutes } from '../checkout/checkout-routes.ts';
import type { PageAssets } from '../checkout/page-assets.ts';
import type { ViewerLimits } from '../checkout/viewers.ts';
import { CANCEL_PATH, registerCancelRoutes } from '../api/cancel-routes.ts';
import { registerInvoiceRoutes } from '../api/invoice-routes.ts';
import { LIST_PATH, registerListRoutes } from '../api/list-routes.ts';
import { registerSandboxRoutes } from '../api/sandbox-routes.ts';
import type { Inspectors } from '../sources/inspected-transaction.ts';
import type { Admit } from '../api/admit-request.ts';
import { admitStranger, admittedStore } from '../api/admit-request.ts';
import { boundBodies } from './bound-bodies.ts';
import { downloadJson } from './download-json.ts';
import { answerClientError, sendError, toPublicError, TRANSPORT_SECURITY } from './error-response.ts';
import { guardConnections, SERVER_TIMES } from './guard-connections.ts';
import type { Readiness } from './health-routes.ts';
import { isProbe, registerHealthRoutes } from './health-routes.ts';
import { observeConnections, observeRequests, observeViewers } from './metrics.ts';
import { registerOpenApi } from './openapi.ts';
import { readBodies } from './read-bodies.ts';
import { registerReferenceRoutes } from './reference-routes.ts';

type ServerOptions = {
  database: Database;
  networks: Networks;
  clock: Clock;
  log: FastifyBaseLogger;
  registry: Registry;
  admit: Admit;
  readiness: Readiness;
  checkoutUrl: string;
  privateCallbacks: boolean;
  /** CIDR ranges of proxies whose X-Forwarded-* headers are trusted. */
  trustedProxies: string[];
  httpsOnly: boolean;
  /** Whether the API reference is served at /docs; development only. */
  reference: boolean;
  assets: PageAssets;
  viewers: ViewerLimits;
  inspect: Inspectors;
};

/** Without checkout viewers, who have their own limit. */
const MAX_CONNECTIONS = 10_000;
/** As long as the request head that Node reads, so that our handler refuses overlong values. */
const MAX_PATH_PARAMETER = 16_384;
const REQUEST_ID_LENGTH = 20;
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomText(ALPHANUMERIC, REQUEST_ID_LENGTH),
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: MAX_BODY_BYTES,
    ...SERVER_TIMES,
    // The hook below refuses a missing Host header with our error body; Node would send none.
    http: { ...SERVER_TIMES.http, requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER, ignoreTrailingSlash: false },
    rewriteUrl: (request) => decodableUrl(request.url ?? '/'),
    return503OnClosing: false,
    clientErrorHandler: (cause, socket) => answerClientError(cause, socket, options.httpsOnly),
    frameworkErrors: (cause, request, reply) => {
      void answerUnrouted(options.admit, toPublicError(cause), request, reply);
    },
  });
  const total = MAX_CONNECTIONS + options.viewers.total;
  const guard = { total, trustedProxies: options.trustedProxies, clock: systemClock };
  observeConnections(options.registry, guardConnections(app.server, guard));
  // Node would answer an unknown Expect header with an empty 417; HTTP allows ignoring it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Handlers check bodies after authentication; route schemas only describe the API.
  app.setValidatorCompiler(() => (value) => ({ value }));
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  boundBodies(app, total);
  readBodies(app);
  setHeaders(app, options);
  downloadJson(app);
  observeRequests(app, options.registry);
  await registerOpenApi(app, options.admit);
  if (options.reference) registerReferenceRoutes(app);
  registerHealthRoutes(app, options.readiness);
  registerInvoiceRoutes(app, options);
  registerCancelRoutes(app, options);
  registerListRoutes(app, options);
  registerSandboxRoutes(app, options);
  observeViewers(options.registry, registerCheckoutRoutes(app, options));
  answerFaults(app, options.admit);
  return app;
}

const HEADERS = { 'api-version': API_VERSION, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

function setHeaders(app: FastifyInstance, { httpsOnly, readiness }: ServerOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    reply.header('x-request-id', request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw new PublicError('BAD_REQUEST');
    if (!httpsOnly) return;
    reply.header('strict-transport-security', TRANSPORT_SECURITY);
    if (request.protocol !== 'https' && !isProbe(request)) throw new PublicError('HTTPS_REQUIRED');
  });
  // `Connection: close` during shutdown: a busy connection would otherwise be kept alive and delay the end.
  app.addHook('onSend', async (_request, reply) => {
    if (readiness.shuttingDown) reply.header('Connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    if (isProbe(request)) return;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        address: request.ip,
        store: admittedStore(request),
      },
      'answered',
    );
  });
}

const OTHER_METHODS = {
  '/payment/crypto': 'POST',
  '/invoice/:trans_id': 'GET, HEAD',
  [CANCEL_PATH]: 'POST',
  [LIST_PATH]: 'GET, HEAD',
} as const;

function answerFaults(app: FastifyInstance, admit: Admit): void {
  app.setErrorHandler((cause, request, reply) => {
    const error = toPublicError(cause);
    return reply.hasHeader('RateLimit-Limit')
      ? sendError(error, request, reply)
      : answerUnrouted(admit, error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => answerUnrouted(admit, new PublicError('NOT_FOUND'), request, reply));
  for (const [url, allowed] of Object.entries(OTHER_METHODS)) {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !allowed.includes(method));
    app.route({
      method: methods,
      url,
      schema: { hide: true },
      handler: async (request, reply) => {
        reply.header('Allow', allowed);
        return answerUnrouted(admit, new PublicError('METHOD_NOT_ALLOWED'), request, reply);
      },
    });
  }
}

/** Counts and refuses unrouted requests: probing for paths is limited too. */
async function answerUnrouted(
  admit: Admit,
  error: PublicError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    await admitStranger(admit, request, reply);
  } catch (cause) {
    return sendError(toPublicError(cause), request, reply);
  }
  return sendError(error, request, reply);
}
