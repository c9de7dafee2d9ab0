import type { Page } from 'playwright-core';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import type { TradeStore } from '../../server/rig/people/trade-rows.ts';
import {
  chooseMethod,
  complete,
  expire,
  placeOrder,
  receiveMoney,
  tellServer,
} from '../../server/rig/people/trade-rows.ts';
import type { Shot } from './shot.ts';
import { ALL_VIEWS, press, TWO_VIEWS } from './shot.ts';
import type { World } from './world.ts';

/** Invoices in all their states, and pictures of what is done with them. */

export type Trade = { paid: string; stray: string; long: string; test: string; hash: string };

const LONG_TITLE = 'Wholesale order of the Northwind Coffee Roasters and Tea Merchants of the Old Harbour, November';

async function placePaid(site: AppSite, store: TradeStore, name: string, minutesAgo: number): Promise<string> {
  const code = await placeOrder(site, store, { name, amount: '49.98', requestId: `ord_${minutesAgo}`, minutesAgo });
  await chooseMethod(site, code, `0.00${3_127 + minutesAgo}`);
  await receiveMoney(site, code);
  await complete(site, code);
  return code;
}

export async function prepareInvoices(
  site: AppSite,
  { store, shop, test }: Record<'store' | 'shop' | 'test', TradeStore>,
): Promise<Trade> {
  for (const [index, name] of ['moka pot, 6 cups', 'decaf sampler', 'filter papers'].entries()) {
    const code = await placePaid(site, store, `Order ${1_030 + index}: ${name}`, 200 - index * 20);
    await tellServer(site, code, [200]);
  }
  const failing = await placePaid(site, shop, 'Invoice W-2290, 12 sacks Sidamo', 95);
  await tellServer(site, failing, [500, 500, 503]);
  const lateOne = await placeOrder(site, store, { name: 'Order 1038: grinder burrs', amount: '64', minutesAgo: 88 });
  await chooseMethod(site, lateOne, '0.000211');
  await receiveMoney(site, lateOne);
  await complete(site, lateOne, { late: true });
  const stray = await placeOrder(site, shop, {
    name: 'Invoice W-2291, green coffee',
    amount: '120',
    requestId: 'W-2291',
    minutesAgo: 70,
  });
  await chooseMethod(site, stray, '0.043518');
  await receiveMoney(site, stray, { less: '1', reason: 'short' });
  await expire(site, stray);
  await tellServer(site, stray, [200]);
  const paid = await placePaid(site, store, 'Order 1001: two bags of Ethiopia Guji', 45);
  await tellServer(site, paid, [500, 200]);
  const long = await placeOrder(site, shop, { name: LONG_TITLE, amount: '999999.98765432', minutesAgo: 40 });
  await expire(site, long);
  const tried = await placeOrder(site, test, { name: 'A test order', amount: '5', minutesAgo: 20 });
  await placeOrder(site, store, { name: 'Order 1041: gift box “Yirgacheffe”', amount: '38', minutesAgo: 9 });
  const last = await placeOrder(site, store, { amount: '86.4', requestId: 'ord_1042', minutesAgo: 5 });
  await chooseMethod(site, last, '0.012907');
  await receiveMoney(site, last);
  await site.database.pool.query(`update invoices set status = 'processing' where trans_id = $1`, [last]);
  const { rows } = await site.database.pool.query<{ hash: string }>(
    'select transaction_hash as hash from invoices where trans_id = $1',
    [paid],
  );
  return { paid, stray, long, test: tried, hash: rows[0]?.hash ?? '' };
}

async function createByHand(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('Store').selectOption({ label: 'Coffee Roasters' });
  await page.getByLabel('Amount in USD').fill('49.98');
  await page.getByRole('dialog').getByRole('button', { name: 'Create invoice' }).click();
  await page.getByText('Send this link').waitFor();
}

const find = (text: string) => async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  if (text === '') return;
  await page.getByRole('combobox').fill(text);
  await page.getByText('Results', { exact: true }).waitFor();
};

export function invoiceShots({ base, trade: { paid, stray, hash } }: World): Shot[] {
  const list = `${base}/invoices`;
  return [
    { name: 'invoices-drawer', path: `${list}?invoice=${paid}` },
    { name: 'invoice-expired', path: `${list}/${stray}`, views: ALL_VIEWS },
    ...TWO_VIEWS.map((view) => ({
      name: 'invoices-chip',
      path: `${list}?status=completed&last=7d`,
      before: press('Network'),
      // Its position is decided once when it opens, so each size opens it again.
      views: [view],
    })),
    { name: 'invoices-create', path: `${list}?create=yes` },
    { name: 'invoices-created', path: `${list}?create=yes`, before: createByHand },
    { name: 'palette', path: list, before: find('') },
    { name: 'palette-found', path: list, before: find(hash) },
  ];
}
