import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { accentStyle, chooseLanguage, renderNotice, renderPage } from '../src/render-page.ts';
import type { PageAssets } from '../src/server-contract.ts';
import { fixtureIn } from './fixture-in.ts';
import { FIXTURES } from './fixtures.ts';

/**
 * The preview server shows every state of the checkout page from fixtures, without a database. Content security policy
 * and compression are those of the real server.
 */

const DIST = join(import.meta.dirname, '../dist');

type Manifest = Record<string, { file: string; css?: string[] }>;

function readAssets(): PageAssets {
  const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest;
  const entry = manifest['src/hydrate-page.ts'];
  const style = readFileSync(join(DIST, entry?.css?.[0] ?? ''), 'utf8');
  return { scriptPath: `/${entry?.file ?? ''}`, stylePath: null, style };
}

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function sendPage(response: ServerResponse, html: string, styles: string[]): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' ${styles.map(hash).join(' ')}; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  });
  response.end(gzipSync(html));
}

function answer(request: IncomingMessage, response: ServerResponse, assets: PageAssets): void {
  const url = new URL(request.url ?? '/', 'http://preview');
  const [, first = '', name = '', action] = url.pathname.split('/');
  if (first === 'assets') {
    response.writeHead(200, { 'content-type': 'text/javascript', 'content-encoding': 'gzip' });
    return void response.end(readFileSync(join(DIST, 'assets', `${name.replaceAll('..', '')}.gz`)));
  }
  const language = chooseLanguage(url.searchParams.get('lang'), request.headers['accept-language']);
  const view = fixtureIn(name, language);
  if (first !== 'bill' || !view) {
    return sendPage(response, renderNotice('not-found', language, assets), [assets.style ?? '']);
  }
  if (action === 'state') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(view));
  }
  if (action === 'events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.write(`event: beat\ndata: ${String(view.nowMs)}\n\n`);
  }
  const self = `/bill/${name}`;
  const html = renderPage({
    view,
    language,
    languageFixed: url.searchParams.has('lang'),
    check: null,
    refusal: null,
    panel: null,
    assets,
    paths: {
      self: `${self}${url.search}`,
      events: `${self}/events?lang=${language}`,
      state: `${self}/state?lang=${language}`,
      select: `${self}/select`,
      check: `${self}/check`,
      languages: Object.fromEntries(LANGUAGE_CODES.map((code) => [code, `${self}?lang=${code}`])),
    },
  });
  return sendPage(response, html, [assets.style ?? '', accentStyle(view.store)]);
}

export async function servePreview(port: number): Promise<{ origin: string; server: Server }> {
  const assets = readAssets();
  const server = createServer((request, response) => answer(request, response, assets));
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return { origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, server };
}

if (import.meta.main) {
  const { origin } = await servePreview(4_780);
  for (const name of Object.keys(FIXTURES)) console.log(`${origin}/bill/${name}`);
}
