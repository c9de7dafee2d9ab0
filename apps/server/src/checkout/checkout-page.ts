import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CheckoutView, SelectionRefusalCode, TransactionCheck } from '@counterfoil/checkout/checkout-view';
import type { PagePaths } from '@counterfoil/checkout/render-page';
import { accentStyle, PANEL_STYLE, renderNotice, renderPage } from '@counterfoil/checkout/render-page';
import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EncodedDocument } from '../lib/content-encoding.ts';
import { acceptedEncodings, chooseEncoding, encodeDocument } from '../lib/content-encoding.ts';
import type { Clock } from '../lib/clock.ts';
import { tagOf } from './checkout-view.ts';
import { createRecentPages } from './recent-pages.ts';
import type { PageAssets } from './page-assets.ts';
import { styleSource } from './page-assets.ts';
import type { PageAddress, Shown } from './page-address.ts';
import { pagePath, writeAddress } from './page-address.ts';
import { contentPolicy } from './page-headers.ts';
import { readLanguage, wantsJson } from './visitor-request.ts';

export const ASSETS_PATH = '/assets/checkout';

export type Pages = {
  sendPage(reply: FastifyReply, content: PageContent): Promise<FastifyReply>;
  sendNotice(request: FastifyRequest, reply: FastifyReply, kind: NoticeKind, status?: number): FastifyReply;
  addressOf(transId: string, address: PageAddress, further?: Record<string, string>): string;
  pathsOf(transId: string, address: PageAddress): PagePaths;
};

type PageContent = PageAddress & {
  view: CheckoutView;
  check?: TransactionCheck;
  refusal?: SelectionRefusalCode | null;
  /** Whether the store is live; a test store's page has the test payer's panel. */
  live: boolean;
  /** The panel's message about the last action. */
  said?: string | null;
};

type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

const NOTICE_STATUS: Record<NoticeKind, number> = { 'not-found': 404, 'too-many-requests': 429, unavailable: 503 };
const HTML = 'text/html; charset=utf-8';

const compress = promisify(gzip);
const FEW_BYTES = 1_024;

/** Compressed if accepted: the size of the document reveals no secret. */
async function sendDocument(reply: FastifyReply, html: string): Promise<FastifyReply> {
  reply.type(HTML).header('vary', 'accept-encoding');
  const taken = acceptedEncodings(reply.request.headers['accept-encoding'] ?? '').has('gzip');
  if (!taken || html.length < FEW_BYTES) return reply.send(html);
  return reply.header('content-encoding', 'gzip').send(await compress(html));
}

/** The step or quote that stays shown when another page of the invoice selects another method. */
function keptBy({ step, quote }: CheckoutView, asked: Shown): Shown {
  if (step === 'choose') return 'choice';
  return step === 'pay' && quote ? { network: quote.network, token: quote.token } : asked;
}

function pathsOf(path: string, address: PageAddress): PagePaths {
  // Stream and state have one language, so their URLs always include it.
  const spoken = { ...address, languageFixed: true };
  return {
    self: writeAddress(path, address),
    events: writeAddress(`${path}/events`, spoken),
    state: writeAddress(`${path}/state`, spoken),
    select: writeAddress(`${path}/select`, address),
    check: writeAddress(`${path}/check`, address),
    languages: Object.fromEntries(
      LANGUAGE_CODES.map((language) => [language, writeAddress(path, { ...spoken, language })]),
    ),
  };
}

export function createPages(assets: PageAssets, basePath: string, clock: Clock): Pages {
  const recent = createRecentPages(clock);
  const assetPaths = {
    scriptPath: assets.scriptName === null ? null : `${basePath}${ASSETS_PATH}/${assets.scriptName}`,
    stylePath: null,
    style: assets.style,
  };
  const panelPath = assets.panelName === null ? null : `${basePath}${ASSETS_PATH}/${assets.panelName}`;
  const ownStyles = assets.style === null || assets.style === '' ? [] : [styleSource(assets.style)];
  const noticePolicy = contentPolicy(ownStyles);
  /** By kind and language, rendered once: strangers mostly get notices. */
  const notices = new Map<string, EncodedDocument>();
  const noticeOf = (kind: NoticeKind, language: string) => {
    const key = `${kind} ${language}`;
    const notice = notices.get(key) ?? encodeDocument(HTML, renderNotice(kind, language, assetPaths));
    notices.set(key, notice);
    return notice;
  };
  return {
    addressOf: (transId, address, further) => writeAddress(pagePath(basePath, transId), address, further),
    pathsOf: (transId, address) => pathsOf(pagePath(basePath, transId), address),
    sendPage: (reply, { view, check = null, refusal = null, live, said = null, ...asked }) => {
      const { language, languageFixed } = asked;
      const paths = pathsOf(pagePath(basePath, view.transId), { ...asked, shown: keptBy(view, asked.shown) });
      const accent = accentStyle(view.store);
      const panel = live ? null : { path: `${pagePath(basePath, view.transId)}/sandbox`, scriptPath: panelPath, said };
      const styles = [...ownStyles, ...[accent, panel ? PANEL_STYLE : ''].filter((one) => one !== '').map(styleSource)];
      reply.header('content-security-policy', contentPolicy(styles));
      const render = () =>
        renderPage({ view, language, languageFixed, check, refusal, assets: assetPaths, paths, panel });
      // The result of a check is for that visitor alone.
      if (check) return sendDocument(reply, render());
      const key = [tagOf(view), language, languageFixed, refusal, paths.self, said].join(' ');
      return sendDocument(reply, recent(key, render));
    },
    sendNotice: (request, reply, kind, status = NOTICE_STATUS[kind]) => {
      reply.status(status);
      if (wantsJson(request)) return reply.send({ error: kind });
      const notice = noticeOf(kind, readLanguage(request).language);
      const { encoding, bytes } = chooseEncoding(notice, request.headers['accept-encoding'] ?? '');
      reply.header('content-security-policy', noticePolicy).header('vary', 'accept-encoding').type(HTML);
      return (encoding === undefined ? reply : reply.header('content-encoding', encoding)).send(bytes);
    },
  };
}
