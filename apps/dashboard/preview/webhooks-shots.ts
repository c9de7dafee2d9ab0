import type { Page } from 'playwright-core';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../server/rig/invoices/make-unmatched.ts';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import type { TradeStore } from '../../server/rig/people/trade-rows.ts';
import { makeEvent } from '../../server/rig/webhooks/make-event.ts';
import type { Shot } from './shot.ts';
import { press, TWO_VIEWS } from './shot.ts';
import type { World } from './world.ts';

/** Unmatched money and webhooks with rows of every kind, and pictures of what is done about them. */

const LONG_AMOUNT = '123456789012.123456789012345678';
const HOUR_MS = 3_600_000;
const BODY = JSON.stringify({
  event: 'invoice.expired',
  event_id: 'evt_7Jd2Kq0sVx4LmB9TfR1aZe8C',
  sequence: 1,
  trans_id: 'TID-K7M2Q9X4B8D3F6H1',
  request_id: 'ord_1001',
  status: 'expired',
  data: { amount: '49.98', token_symbol: 'USDT', network_symbol: 'BSC', token_amount: '49.983127', late: false },
});

export type WebhookRows = { event: string; failed: string; transfer: string };

async function makeMoney({ database }: AppSite, store: TradeStore): Promise<string> {
  await settleChain(database);
  const meant = await quoteInvoice(database, store, '120.043518');
  await quoteInvoice(database, store, '118.5');
  const paid = await quoteInvoice(database, store, '49.983127');
  const { to } = meant;
  const from = '0x28C6c06298d514Db089934071355E5743bf21d60';
  await receiveUnmatched(database, to, { amount: '250', reason: 'unknown', from });
  await receiveUnmatched(database, to, { amount: LONG_AMOUNT, reason: 'unknown', from });
  await receiveUnmatched(database, to, { amount: '49.983127', reason: 'late', quoteId: paid.quoteId, from });
  await receiveUnmatched(database, to, { amount: '75', token: 'USDC', reason: 'wrong_token', from });
  await receiveUnmatched(database, to, { amount: '119.043518', quoteId: meant.quoteId, from });
  return receiveUnmatched(database, to, { amount: '121.5', reason: 'over', quoteId: meant.quoteId, from });
}

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

async function makeEvents({ database }: AppSite, { id }: TradeStore): Promise<Pick<WebhookRows, 'event' | 'failed'>> {
  const url = 'https://shop.northwind.example/hooks/pay';
  const failing = 'https://wholesale.northwind.example/cf';
  const failed = await makeEvent(database, id, {
    url: 'https://old.northwind.example/a/very/long/path/of/a/receiver/that/does/not/end/before/it/is/cut',
    state: 'failed',
    status: null,
    error: 'ENOTFOUND: getaddrinfo ENOTFOUND old.northwind.example',
    type: 'invoice.expired',
    at: ago(40),
    body: BODY,
  });
  for (let made = 0; made < 5; made += 1) {
    await makeEvent(database, id, { url, status: 200, type: 'invoice.expired', at: ago(9 - made) });
  }
  await makeEvent(database, id, { url, status: 204, at: ago(3) });
  for (const hours of [2, 1]) {
    const at = ago(hours);
    const excerpt = '<html><title>502 Bad Gateway</title></html>';
    await makeEvent(database, id, {
      url: failing,
      state: 'pending',
      status: 502,
      type: 'invoice.expired',
      at,
      excerpt,
    });
  }
  const event = await makeEvent(database, id, {
    url: failing,
    state: 'pending',
    status: 502,
    type: 'invoice.expired',
    body: BODY,
    excerpt: '<html><title>502 Bad Gateway</title></html>',
  });
  await database.pool.query(
    `update deliveries d set next_attempt_at = now() + interval '1 hour' where state = 'pending'`,
  );
  await database.pool.query(
    `update endpoints set host = 'wholesale.northwind.example', failures = 3, failing_since = now() - interval '2 hours' where url = $1`,
    [failing],
  );
  return { event, failed };
}

export async function prepareWebhooks(site: AppSite, store: TradeStore): Promise<WebhookRows> {
  const transfer = await makeMoney(site, store);
  const events = await makeEvents(site, store);
  await site.database.pool.query(
    `update invoices set name = 'Invoice W-' || (2100 + id) || ', green coffee' where store_id = $1 and name is null`,
    [store.id],
  );
  return { transfer, ...events };
}

/** Opens the confirmation of the first suggestion, in any language. */
const attach = (page: Page) => page.locator('.sug button').first().click();

const follow = (name: RegExp) => (page: Page) => page.getByRole('link', { name }).first().click();

export const webhookShots = ({ base, hooks: { failed, transfer } }: World): Shot[] => [
  { name: 'unmatched-late', path: `${base}/unmatched`, before: follow(/Arrived after/) },
  { name: 'unmatched-not-ours', path: `${base}/unmatched/${transfer}`, before: press('Not a customer payment', true) },
  { name: 'unmatched-attach', path: `${base}/unmatched/${transfer}`, before: press(/^Attach to/) },
  { name: 'unmatched-attach-rtl', path: `${base}/unmatched/${transfer}`, before: attach, language: 'ar' },
  ...TWO_VIEWS.map((view) => ({
    name: 'webhooks-date',
    path: `${base}/webhooks?state=failed`,
    before: press('Date', true),
    views: [view],
  })),
  { name: 'webhooks-replay', path: `${base}/webhooks`, before: press('Resend events from a period', true) },
  { name: 'webhooks-send-test', path: `${base}/webhooks`, before: press('Send test event', true) },
  { name: 'webhooks-secret', path: `${base}/webhooks`, before: press('Rotate secret', true) },
  { name: 'webhook-failed', path: `${base}/webhooks/${failed}` },
  { name: 'audit-details', path: `${base}/audit`, before: press(/^Details of/) },
];
