import type { Page } from 'playwright-core';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../server/rig/invoices/make-unmatched.ts';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import { openAppStore } from '../../server/rig/people/app-store.ts';
import { makeEvent } from '../../server/rig/webhooks/make-event.ts';
import type { Shot } from './shot.ts';

/** Unmatched money, webhooks and the audit log, with rows of every kind. */

const LONG_NAME = 'Wholesale of the Old Harbour, Coffee and Tea for Restaurants';
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

async function makeMoney(site: AppSite): Promise<string> {
  const { database } = site;
  await settleChain(database);
  const store = await openAppStore(site, LONG_NAME);
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

async function makeEvents(site: AppSite): Promise<Pick<WebhookRows, 'event' | 'failed'>> {
  const { database } = site;
  const { id } = await openAppStore(site, 'Northwind shop');
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

export async function prepareWebhooks(site: AppSite): Promise<WebhookRows> {
  const transfer = await makeMoney(site);
  return { transfer, ...(await makeEvents(site)) };
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();

export function webhookShots({ account }: AppSite, { event, failed, transfer }: WebhookRows): Shot[] {
  const base = `/m/${account}`;
  return [
    { name: 'unmatched', path: `${base}/unmatched` },
    { name: 'unmatched-item', path: `${base}/unmatched/${transfer}` },
    {
      name: 'unmatched-late',
      path: `${base}/unmatched`,
      before: (page) => page.getByRole('link', { name: /Came after the end/ }).click(),
    },
    {
      name: 'unmatched-long',
      path: `${base}/unmatched`,
      before: (page) => page.getByRole('link', { name: /123,456/ }).click(),
    },
    { name: 'unmatched-not-ours', path: `${base}/unmatched/${transfer}`, before: press('Not ours') },
    { name: 'unmatched-empty', path: `${base}/unmatched?show=aside` },
    { name: 'webhooks', path: `${base}/webhooks` },
    { name: 'webhooks-filter', path: `${base}/webhooks?state=failed`, before: press('Date') },
    { name: 'webhooks-none', path: `${base}/webhooks?http=3xx` },
    { name: 'webhooks-replay', path: `${base}/webhooks`, before: press('Replay a range') },
    { name: 'webhooks-test', path: `${base}/webhooks`, before: press('Send test event') },
    { name: 'webhooks-secret', path: `${base}/webhooks`, before: press('Make a new secret') },
    { name: 'webhook', path: `${base}/webhooks/${event}` },
    { name: 'webhook-failed', path: `${base}/webhooks/${failed}` },
    {
      name: 'audit',
      path: `${base}/audit`,
      before: (page) =>
        page
          .getByRole('button', { name: /^Details of/ })
          .first()
          .click(),
    },
  ];
}
