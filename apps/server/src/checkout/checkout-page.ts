import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CheckoutView, SelectionRefusalCode, TransactionCheck } from '@counterfoil/checkout/checkout-view';
import { accentStyle, renderNotice, renderPage } from '@counterfoil/checkout/render-page';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageAssets } from './page-assets.ts';
import { contentPolicy } from './page-headers.ts';
import type { Language } from './visitor-request.ts';
import { readLanguage, wantsJson } from './visitor-request.ts';

/** Answers as documents, and as JSON for the page's own script. */

export const ASSETS_PATH = '/assets/checkout';

export type Pages = {
  sendPage(reply: FastifyReply, content: PageContent): Promise<FastifyReply>;
  sendNotice(request: FastifyRequest, reply: FastifyReply, kind: NoticeKind, status?: number): FastifyReply;
  pathOf(transId: string): string;
};

export type PageContent = Language & {
  view: CheckoutView;
  check?: TransactionCheck;
  refusal?: SelectionRefusalCode | null;
};

export type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

const NOTICE_STATUS: Record<NoticeKind, number> = { 'not-found': 404, 'too-many-requests': 429, unavailable: 503 };
const HTML = 'text/html; charset=utf-8';

const compress = promisify(gzip);
const FEW_BYTES = 1_024;

/** Compressed when the browser takes it: a phone waits for bytes, and the document holds nothing secret to be guessed by its size. */
async function sendDocument(reply: FastifyReply, html: string): Promise<FastifyReply> {
  reply.type(HTML).header('vary', 'accept-encoding');
  const taken = /\bgzip\b/i.test(reply.request.headers['accept-encoding'] ?? '');
  if (!taken || html.length < FEW_BYTES) return reply.send(html);
  return reply.header('content-encoding', 'gzip').send(await compress(html));
}

export function createPages(assets: PageAssets, basePath: string): Pages {
  const pathOf = (transId: string) => `${basePath}/bill/${transId}`;
  const shown = {
    scriptPath: assets.scriptName === null ? null : `${basePath}${ASSETS_PATH}/${assets.scriptName}`,
    stylePath: null,
    style: assets.style,
  };
  return {
    pathOf,
    sendPage: (reply, { view, language, languageFixed, check = null, refusal = null }) => {
      const self = pathOf(view.transId);
      const paths = {
        self,
        events: `${self}/events`,
        state: `${self}/state`,
        select: `${self}/select`,
        check: `${self}/check`,
      };
      reply.header('content-security-policy', contentPolicy([assets.style, accentStyle(view.store)]));
      return sendDocument(reply, renderPage({ view, language, languageFixed, check, refusal, assets: shown, paths }));
    },
    sendNotice: (request, reply, kind, status = NOTICE_STATUS[kind]) => {
      reply.status(status);
      if (wantsJson(request)) return reply.send({ error: kind });
      const { language } = readLanguage(request);
      reply.header('content-security-policy', contentPolicy([assets.style]));
      return reply.type(HTML).send(renderNotice(kind, language, shown));
    },
  };
}
