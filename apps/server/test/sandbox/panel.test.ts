import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openStore } from '../../rig/stores/open-store.ts';
import type { TestSite } from '../../rig/sandbox/test-site.ts';
import { createTestInvoice, openTestSite, untilExplained } from '../../rig/sandbox/test-site.ts';

/** The test payer's panel on the page of a test store, without a script. */

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite(inject('template'));
});
afterAll(() => site.close());

const page = (transId: string) => fetch(`${site.server.url}/bill/${transId}`);

function press(transId: string, ask: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ ask });
  return fetch(`${site.server.url}/bill/${transId}/sandbox`, { method: 'POST', body, headers, redirect: 'manual' });
}

test('the page of a test store says TEST and has the panel; a live page has no word of either', async () => {
  const trying = await page(await createTestInvoice(site, '25'));
  const html = await trying.text();
  expect(html).toContain('<strong>TEST</strong>');
  expect(html).toContain('name="ask" value="pay"');
  expect(html).toMatch(/src="[^"]*\/sandbox-panel-[^"]+\.js"/);
  const live = await openStore(site.database, { ring: site.store.ring });
  const other = await page(await createTestInvoice(site, '25', live));
  expect(await other.text()).not.toMatch(/sandbox|TEST|test-band/);
  expect(trying.headers.get('content-security-policy')).not.toBe(other.headers.get('content-security-policy'));
});

test('a button pays the invoice, and the page comes back', async () => {
  const transId = await createTestInvoice(site, '25');
  const answer = await press(transId, 'pay');
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toContain(`/bill/${transId}`);
  await untilExplained(site, transId, ({ status }) => status === 'completed');
});

test('a script is answered in JSON, and told why when nothing can be done', async () => {
  const transId = await createTestInvoice(site, '25');
  const json = { accept: 'application/json' };
  expect(await (await press(transId, 'no_prices', json)).json()).toEqual({ asked: true });
  await untilExplained(site, transId, ({ acts }) => acts.every(({ done }) => done === true));
  const refused = await press(transId, 'pay', json);
  expect([refused.status, await refused.json()]).toEqual([409, { refusal: 'METHOD_NOT_SELECTED' }]);
  await press(transId, 'all_well', json);
  await untilExplained(site, transId, ({ acts }) => acts.every(({ done }) => done === true));
  expect((await press(transId, 'pay', json)).status).toBe(200);
  await untilExplained(site, transId, ({ status }) => status === 'completed');
});

test('a live invoice has no such address, an unknown button asks for nothing, and another site cannot press one', async () => {
  const live = await openStore(site.database, { ring: site.store.ring });
  const liveId = await createTestInvoice(site, '25', live);
  expect((await press(liveId, 'pay')).status).toBe(404);
  const transId = await createTestInvoice(site, '25');
  expect((await press(transId, 'win')).status).toBe(400);
  expect((await press(transId, 'pay', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const { rows } = await site.database.pool.query(
    'select from sandbox_acts a join invoices i on i.id = a.invoice_id where i.trans_id = any($1)',
    [[liveId, transId]],
  );
  expect(rows).toEqual([]);
});
