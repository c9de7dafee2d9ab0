import { renderCheck, sayRefusal } from '@counterfoil/checkout/render-page';
import { isTransId } from '@counterfoil/core/code.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientNetworks, clientSurroundings } from '../lib/client-address.ts';
import { systemClock } from '../lib/clock.ts';
import { chooseEncoding } from '../lib/content-encoding.ts';
import { PublicError } from '../api/public-error.ts';
import { readBytes } from '../api/request-body.ts';
import { selectPaymentMethod } from '../invoices/select-payment-method.ts';
import { Refusal } from '../lib/refusal.ts';
import { requestActs } from '../sandbox/request-acts.ts';
import { panelPlan } from './panel-plan.ts';
import { findLogo } from '../stores/brand-sql.ts';
import type { LogoExtension } from '../stores/logo.ts';
import { LOGO_TYPES } from '../stores/logo.ts';
import type { CheckoutContext, CheckoutOptions } from './checkout-context.ts';
import { createCheckoutContext, STRANGER } from './checkout-context.ts';
import type { CheckoutFacts } from './checkout-facts-sql.ts';
import { ASSETS_PATH } from './checkout-page.ts';
import { tagOf } from './checkout-view.ts';
import { eventText, openEventStream, STREAM_HEADERS } from './event-stream.ts';
import type { Watching } from './live-views.ts';
import type { PageAddress } from './page-address.ts';
import { isOwnRequest, PAGE_HEADERS } from './page-headers.ts';
import { WINDOW_SECONDS } from './visit-counts.ts';
import type { Visit, VisitorLimits } from './visitor-limits.ts';
import { parseForm, readAddress, readFields, readLanguage, readRefusal, wantsJson } from './visitor-request.ts';

const SERVER_FAULT = 500;
const IMMUTABLE = 'public, max-age=31536000, immutable';

function refuseTooMany(context: CheckoutContext, request: FastifyRequest, reply: FastifyReply): undefined {
  reply.header('retry-after', WINDOW_SECONDS);
  const refusal = 'too-many-requests';
  const said = sayRefusal(readLanguage(request).language, refusal);
  if (wantsJson(request)) reply.status(429).send({ error: refusal, refusal, said });
  else context.pages.sendNotice(request, reply, 'too-many-requests');
}

type Visited = {
  facts: CheckoutFacts;
  client: readonly ClientNetwork[];
  /** Whether the visitor has opened this invoice before. */
  known: boolean;
};

const admitGuess = (limits: VisitorLimits, client: readonly ClientNetwork[]) =>
  limits.admitUnknown(client) ? 'unknown' : 'refused';

/**
 * Finds the requested invoice if the visitor may ask; otherwise answers. Malformed and unknown codes are answered alike
 * and counted. After too many wrong codes, further wrong ones are refused, but never an existing invoice.
 */
async function findInvoice(
  context: CheckoutContext,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visited | undefined> {
  const { limits, pages } = context;
  const client = clientNetworks(request.ip);
  const { trans_id: transId = '' } = request.params as { trans_id?: string };
  const isOver = limits.isOver(visit, client, transId);
  const facts = !isOver && isTransId(transId) ? await context.findFacts(transId) : undefined;
  const visitor = { client, around: clientSurroundings(request.ip) };
  const admission = isOver ? 'refused' : facts ? limits.admit(visit, visitor, transId) : admitGuess(limits, client);
  // One query reads many invoices; making all their pages together would delay every other request.
  const isShown = admission !== 'refused' && facts !== undefined;
  const hasTurn = await (isShown ? context.takePageTurn(visitor.around, transId) : context.refusals.pass());
  if (admission === 'refused') return refuseTooMany(context, request, reply);
  if (!hasTurn) {
    pages.sendNotice(request, reply.header('retry-after', WINDOW_SECONDS), 'unavailable');
    return undefined;
  }
  if (facts) return { facts, client, known: admission === 'known' };
  pages.sendNotice(request, reply, 'not-found');
  return undefined;
}

async function showPage(context: CheckoutContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visited = await findInvoice(context, 'read', request, reply);
  if (!visited) return reply;
  const { facts } = visited;
  const address = readAddress(request);
  const view = await context.view(facts, address);
  return context.pages.sendPage(reply, { view, ...address, refusal: readRefusal(request), live: facts.live });
}

async function showState(
  context: CheckoutContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visited = await findInvoice(context, 'read', request, reply);
  if (!visited) return reply;
  const { facts } = visited;
  const view = await context.view(facts, readAddress(request));
  const tag = `"${tagOf(view)}"`;
  // The browser may keep the state, but must revalidate it by etag.
  reply.header('cache-control', 'private, no-cache').header('etag', tag);
  return request.headers['if-none-match'] === tag ? reply.status(304).send() : reply.send(view);
}

async function streamViews(
  context: CheckoutContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visited = await findInvoice(context, 'read', request, reply);
  if (!visited) return reply;
  const { facts } = visited;
  const { client, known } = visited;
  const { watching, pages } = context;
  const address = readAddress(request);
  const view = await context.view(facts, address);
  const tag = tagOf(view);
  // A paid invoice no longer changes: 204 stops the client from reconnecting.
  if (view.step === 'paid' && request.headers['last-event-id'] === tag) return reply.status(204).send();
  const refusal = watching.refusalFor({ client, invoiceId: facts.id, known });
  if (refusal === 'too-many') {
    refuseTooMany(context, request, reply);
    return reply;
  }
  if (refusal === 'full') return pages.sendNotice(request, reply.header('retry-after', WINDOW_SECONDS), 'unavailable');
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...STREAM_HEADERS });
  const stream = openEventStream(raw, () => systemClock.nowMs());
  stream.send(eventText(tag, JSON.stringify(view)));
  const leave = watching.watch({ client, address, invoiceId: facts.id, stream, view, version: BigInt(facts.version) });
  raw.once('close', leave);
  if (raw.destroyed) leave();
  return reply;
}

async function select(context: CheckoutContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isOwnRequest(request, context.checkoutUrl)) return reply.status(403).send({ error: 'cross-site' });
  const json = wantsJson(request);
  const fields = readFields(request);
  const visited = await findInvoice(context, 'select', request, reply);
  if (!visited) return reply;
  const { facts } = visited;
  const { transId } = facts;
  const { pages } = context;
  const input = { transId, network: fields['network'] ?? '', token: fields['token'] ?? '' };
  const selection = await selectPaymentMethod(context, STRANGER, input);
  const asked = readAddress(request, fields['lang']);
  if (!selection.selected) {
    const { refusal } = selection;
    // Unexpected: the invoice was just found, and invoices are never deleted.
    if (refusal === 'invoice-not-found') return pages.sendNotice(request, reply, 'not-found');
    if (json) return reply.status(409).send({ refusal, said: sayRefusal(asked.language, refusal) });
    return reply.redirect(pages.addressOf(transId, asked, { refusal }), 303);
  }
  const { network, token } = selection.quote;
  const address: PageAddress = { ...asked, shown: { network, token } };
  if (!json) return reply.redirect(pages.addressOf(transId, address), 303);
  const changed = await context.findFacts(transId);
  const view = await context.view(changed ?? facts, address);
  return reply.send({ view, paths: pages.pathsOf(transId, address) });
}

async function check(context: CheckoutContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isOwnRequest(request, context.checkoutUrl)) return reply.status(403).send({ error: 'cross-site' });
  const visited = await findInvoice(context, 'check', request, reply);
  if (!visited) return reply;
  const { facts } = visited;
  const fields = readFields(request);
  const named = fields['tx'] ?? '';
  const answer =
    (await context.checkExchangePayment(facts, named, request.log)) ??
    (await context.checkTransaction(facts, { text: named, around: clientSurroundings(request.ip) }, request.log));
  const address = readAddress(request, fields['lang']);
  const view = await context.view(facts, address);
  if (wantsJson(request)) {
    return reply.send({ check: answer, said: renderCheck(address.language, view.phrases, answer) });
  }
  return context.pages.sendPage(reply, { view, ...address, check: answer, live: facts.live });
}

/** An action of the test payer. Live stores have no such URL. */
async function askTestPayer(
  context: CheckoutContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!isOwnRequest(request, context.checkoutUrl)) return reply.status(403).send({ error: 'cross-site' });
  const visited = await findInvoice(context, 'select', request, reply);
  if (!visited) return reply;
  const { facts } = visited;
  if (facts.live) return context.pages.sendNotice(request, reply, 'not-found');
  const plan = panelPlan(readFields(request)['ask'] ?? '');
  if (!plan) return reply.status(400).send({ error: 'unknown' });
  const json = wantsJson(request);
  const { transId } = facts;
  try {
    await requestActs(context, STRANGER, { transId, plan });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    if (json) return reply.status(409).send({ refusal: cause.code });
  }
  if (json) return reply.send({ asked: true });
  return reply.redirect(context.pages.addressOf(transId, readAddress(request)), 303);
}

function sendAsset({ assets }: CheckoutContext, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { name = '' } = request.params as { name?: string };
  const asset = assets.files.get(name);
  if (!asset) return reply.status(404).send({ error: 'not-found' });
  const { encoding, bytes } = chooseEncoding(asset, request.headers['accept-encoding'] ?? '');
  reply.header('cache-control', IMMUTABLE).header('vary', 'accept-encoding').type(asset.type);
  return (encoding === undefined ? reply : reply.header('content-encoding', encoding)).send(bytes);
}

const LOGO_FILE = /^([0-9a-f]{64})\.(png|jpg|webp)$/;

/** The URL has the logo's hash, which visitors learn only from pages with that logo. */
async function sendLogo(context: CheckoutContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!context.limits.admitAsset(clientNetworks(request.ip))) {
    refuseTooMany(context, request, reply);
    return reply;
  }
  const [, hash = '', extension = ''] = LOGO_FILE.exec((request.params as { file?: string }).file ?? '') ?? [];
  const bytes = hash === '' ? undefined : await findLogo(context.database.queries, hash, extension as LogoExtension);
  if (!bytes) return reply.status(404).send({ error: 'not-found' });
  // Keeps scripts in a logo from running when it is opened as a page.
  reply.header('content-security-policy', "default-src 'none'; sandbox").header('cache-control', IMMUTABLE);
  return reply.type(LOGO_TYPES[extension as LogoExtension]).send(bytes);
}

export function registerCheckoutRoutes(app: FastifyInstance, options: CheckoutOptions): Watching {
  const context = createCheckoutContext(app, options);
  // Otherwise the server would wait for the streams' connections to close.
  app.addHook('preClose', () => context.watching.close());
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      async (_request: FastifyRequest, payload: FastifyRequest['raw']) => {
        const bytes = await readBytes(payload);
        return bytes ? parseForm(bytes) : { fault: 'too-large' };
      },
    );
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(PAGE_HEADERS);
    });
    scope.setErrorHandler((cause, request, reply) => {
      if (cause instanceof Refusal && cause.code === 'TOO_BUSY') {
        refuseTooMany(context, request, reply);
        return reply;
      }
      const status = cause instanceof PublicError ? cause.status : SERVER_FAULT;
      if (status >= SERVER_FAULT) request.log.error({ err: cause }, 'checkout failed');
      return context.pages.sendNotice(request, reply, 'unavailable', status);
    });
    const hidden = { schema: { hide: true } };
    scope.get('/bill/:trans_id', hidden, (request, reply) => showPage(context, request, reply));
    scope.get('/bill/:trans_id/state', hidden, (request, reply) => showState(context, request, reply));
    scope.get('/bill/:trans_id/events', { ...hidden, exposeHeadRoute: false }, (request, reply) =>
      streamViews(context, request, reply),
    );
    scope.post('/bill/:trans_id/select', hidden, (request, reply) => select(context, request, reply));
    scope.post('/bill/:trans_id/sandbox', hidden, (request, reply) => askTestPayer(context, request, reply));
    scope.post('/bill/:trans_id/check', hidden, (request, reply) => check(context, request, reply));
    scope.get('/bill/logo/:file', hidden, (request, reply) => sendLogo(context, request, reply));
    scope.get(`${ASSETS_PATH}/:name`, hidden, async (request, reply) => sendAsset(context, request, reply));
  });
  return context.watching;
}
