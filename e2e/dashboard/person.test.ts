import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import { closeServer, listen } from '../../apps/server/rig/fakes/listen.ts';
import { openVisit, requireNoFaults } from './person.ts';

/** Answers a page that asks for the status which its address ends with. */
const server = createServer((request, response) => {
  const [, what, status] = (request.url ?? '').split('/');
  if (what === 'answer') return response.writeHead(Number(status)).end('{}');
  const script = `fetch('/answer/${status}').then(() => document.title = 'asked')`;
  return response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><script>${script}</script>`);
});

let browser: Browser;
let origin: string;
beforeAll(async () => {
  browser = await launchBrowser();
  origin = `http://localhost:${await listen(server)}`;
});
afterAll(async () => {
  await browser?.close();
  await closeServer(server);
});

async function ask(status: number) {
  const visit = await openVisit(browser, origin);
  await visit.page.goto(`${origin}/page/${status}`);
  await visit.page.waitForFunction(() => document.title === 'asked');
  await visit.context.close();
  return visit;
}

test.each([500, 503])('a page whose server answers %i has a fault, whatever it shows', async (status) => {
  const visit = await ask(status);
  expect(() => requireNoFaults(visit)).toThrow(`${status} from /answer/${status}`);
});

test('a refusal that the page words is no fault', async () => {
  requireNoFaults(await ask(409));
});
