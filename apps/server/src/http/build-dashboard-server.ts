import { MINUTE_SECONDS } from '@counterfoil/core/duration.ts';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import { MAX_BODY_BYTES } from '../api/request-body.ts';
import { toDashboardError } from '../dashboard/dashboard-answers.ts';
import type { DashboardContext } from '../dashboard/dashboard-context.ts';
import { DashboardError } from '../dashboard/dashboard-error.ts';
import { createRequestLanes } from '../dashboard/request-lanes.ts';
import { registerRoutes } from '../dashboard/route.ts';
import { DASHBOARD_ROUTES } from '../dashboard/routes.ts';
import { requireOwnRequest } from '../dashboard/signed-in-request.ts';
import { steadyClock, systemClock } from '../lib/clock.ts';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';
import { decodableUrl } from '../lib/request-url.ts';
import type { AppFiles } from './app-files.ts';
import { registerAppRoutes } from './app-routes.ts';
import { boundBodies } from './bound-bodies.ts';
import { downloadJson } from './download-json.ts';
import { answerClientError, sendError, TRANSPORT_SECURITY } from './error-response.ts';
import { guardConnections, SERVER_TIMES } from './guard-connections.ts';
import type { Readiness } from './health-routes.ts';
import { isProbe, registerHealthRoutes } from './health-routes.ts';
import { observeConnections, observeRequests } from './metrics.ts';
import { readBodies } from './read-bodies.ts';
import { countRefusedSignIns } from './sign-in-metrics.ts';
import { CALLS_PER_MINUTE, createRequestBudget, FILES_PER_MINUTE } from './request-budget.ts';
import { createRequestTurns } from './request-turns.ts';

type DashboardServerOptions = {
  context: DashboardContext;
  log: FastifyBaseLogger;
  registry: Registry;
  readiness: Readiness;
  appFiles: AppFiles;
  trustedProxies: string[];
  httpsOnly: boolean;
};

const BASE_PATH = '/api/dashboard';
const MAX_CONNECTIONS = 10_000;
const REQUEST_ID_LENGTH = 20;
const TOO_MANY = 429;
const RETRY_SECONDS = 1;

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
};

/** Whether a request loads a file of the app, which costs next to nothing. */
const isFile = ({ routeOptions: { url }, method }: FastifyRequest) =>
  method === 'GET' && url !== undefined && !url.startsWith(BASE_PATH);

const LINK_URLS = new Set(DASHBOARD_ROUTES.filter(({ byLink }) => byLink).map(({ url }) => `${BASE_PATH}${url}`));

/**
 * Admits or refuses a request: its address has used up its minute, or too many requests of its network wait. Requests
 * with a link are always admitted: others at the same address could get them refused, and links have their own budgets.
 */
function createAdmission(): (request: FastifyRequest) => Promise<void> {
  const takeCall = createRequestBudget(steadyClock, CALLS_PER_MINUTE);
  const takeFile = createRequestBudget(steadyClock, FILES_PER_MINUTE);
  const takeTurn = createRequestTurns();
  return async (request) => {
    if (isProbe(request) || LINK_URLS.has(request.routeOptions.url ?? '')) return;
    const hasTurn = await takeTurn(request.ip);
    const waitSeconds = hasTurn ? (isFile(request) ? takeFile : takeCall)(request.ip) : RETRY_SECONDS;
    if (waitSeconds !== undefined)
      throw new DashboardError('TOO_MANY_REQUESTS', { details: { retry_after_seconds: waitSeconds } });
  };
}

function setHeaders(app: FastifyInstance, { httpsOnly, readiness, context }: DashboardServerOptions): void {
  const admit = createAdmission();
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    reply.header('x-request-id', request.id);
    if (httpsOnly && !isProbe(request)) {
      reply.header('strict-transport-security', TRANSPORT_SECURITY);
      if (request.protocol !== 'https') throw new DashboardError('FOREIGN_REQUEST');
    }
    await admit(request);
    requireOwnRequest(context, request);
  });
  app.addHook('onSend', async (_request, reply) => {
    if (readiness.shuttingDown) reply.header('Connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    if (isProbe(request)) return;
    const { method, routeOptions, ip } = request;
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, route: routeOptions.url, status: reply.statusCode, ms, address: ip }, 'answered');
  });
}

function sendDashboardError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toDashboardError(cause);
  const { retry_after_seconds: seconds, minutes } = error.details ?? {};
  if (error.status === TOO_MANY && typeof seconds === 'number') reply.header('retry-after', seconds);
  else if (error.status === TOO_MANY && typeof minutes === 'number')
    reply.header('retry-after', minutes * MINUTE_SECONDS);
  return sendError(error, request, reply);
}

/** The server of the dashboard's app and API. */
export async function buildDashboardServer(options: DashboardServerOptions): Promise<FastifyInstance> {
  const { context, log, registry, readiness, appFiles, trustedProxies, httpsOnly } = options;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomText(ALPHANUMERIC, REQUEST_ID_LENGTH),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: MAX_BODY_BYTES,
    ...SERVER_TIMES,
    rewriteUrl: (request) => decodableUrl(request.url ?? '/'),
    return503OnClosing: false,
    clientErrorHandler: (cause, socket) => answerClientError(cause, socket, httpsOnly),
    frameworkErrors: (cause, request, reply) => void sendDashboardError(cause, request, reply),
  });
  const guard = { total: MAX_CONNECTIONS, trustedProxies, clock: systemClock };
  observeConnections(registry, guardConnections(app.server, guard));
  const countRefusal = countRefusedSignIns(registry);
  app.setErrorHandler((cause, request, reply) => {
    const error = toDashboardError(cause);
    countRefusal(request.routeOptions.url, error.code);
    return sendDashboardError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendDashboardError(new DashboardError('NOT_FOUND'), request, reply));
  boundBodies(app, MAX_CONNECTIONS);
  readBodies(app);
  setHeaders(app, options);
  downloadJson(app);
  observeRequests(app, registry);
  registerHealthRoutes(app, readiness);
  registerAppRoutes(app, appFiles);
  const lanes = createRequestLanes();
  await app.register(async (routes) => registerRoutes(routes, context, DASHBOARD_ROUTES, lanes), {
    prefix: BASE_PATH,
  });
  return app;
}
