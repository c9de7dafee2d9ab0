import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import { readHtml } from './html.ts';
import { followNetwork, setPrices } from '../../rig/site/market.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { ask, newInvoice, openApiSite, openStream, postForm, postJson } from '../../rig/site/api-site.ts';

/** A payer's page and a stranger who has the same code: what the payer sees changes only by the payer's own choice. */

const WITHIN = { timeout: 60_000, interval: 20 };
const USDT = { network: 'BSC', token: 'USDT' };
const USDC = { network: 'BSC', token: 'USDC' };
const NAMED = 'network=BSC&token=USDT';

let rig: ApiSite;
beforeAll(async () => {
  rig = await openApiSite(inject('template'));
});
afterAll(() => rig.close());
beforeEach(async () => {
  await followNetwork(rig.database, 'BSC');
  await setPrices(rig.database);
});

type Selected = { paths: { self: string; state: string; events: string }; view: CheckoutView };

async function choose(transId: string, method: Record<string, string>): Promise<Selected> {
  const response = await postJson(rig, `/bill/${transId}/select`, method);
  expect(response.status).toBe(200);
  return (await response.json()) as Selected;
}

const page = async (path: string, headers = {}) => (await ask(rig, path, { headers })).text();

async function state(transId: string, query = ''): Promise<CheckoutView> {
  return (await (await ask(rig, `/bill/${transId}/state${query}`)).json()) as CheckoutView;
}

/** Paths that the page's script is given. */
type Paths = Record<'self' | 'state' | 'events' | 'select' | 'check', string>;

function pathsIn(html: string): Paths {
  const element = readHtml(html).find(({ attributes }) =>
    attributes.some(([name, value]) => name === 'id' && value === 'state'),
  );
  return (JSON.parse(element?.text ?? '') as { paths: Paths }).paths;
}

const plainText = (html: string) => html.replaceAll(/<[^>]*>/g, '');
const NOTICE = /<div class="elsewhere" role="status">(.*?)<\/div><div class="step"/s;

describe('after a selection the address names its quote by network and token', () => {
  test('a form is redirected there, the script is given it, and it contains no counter', async () => {
    const transId = await newInvoice(rig);
    const form = await postForm(rig, `/bill/${transId}/select`, USDT);
    expect([form.status, form.headers.get('location')]).toEqual([303, `/bill/${transId}?${NAMED}`]);
    const { paths } = await choose(transId, USDT);
    expect(paths).toMatchObject({
      self: `/bill/${transId}?${NAMED}`,
      state: `/bill/${transId}/state?${NAMED}&lang=en`,
      events: `/bill/${transId}/events?${NAMED}&lang=en`,
    });
    const spanish = await postForm(rig, `/bill/${transId}/select`, { ...USDT, lang: 'es' });
    expect(spanish.headers.get('location')).toBe(`/bill/${transId}?${NAMED}&lang=es`);
  });

  test('page, state and stream keep showing it when something else is selected, in every language, with a notice', async () => {
    const transId = await newInvoice(rig);
    const { view: mine, paths } = await choose(transId, USDT);
    const stream = await openStream(rig, transId, {}, `?${NAMED}&lang=en`);
    await choose(transId, USDC);

    const seen = await state(transId, `?${NAMED}`);
    expect([seen.step, seen.quote?.amount, seen.quote?.address]).toEqual([
      'pay',
      mine.quote?.amount,
      mine.quote?.address,
    ]);
    for (const language of ['en', 'es', 'zh', 'ar']) {
      const html = await page(`${paths.self}&lang=${language}`);
      expect(html).toContain(mine.quote?.amount);
      const [, notice = ''] = NOTICE.exec(html) ?? [];
      expect(plainText(notice)).toContain('USDC');
      expect(notice).toContain(`href="/bill/${transId}?network=BSC&amp;token=USDC&amp;lang=${language}"`);
    }
    await expect.poll(() => stream.views().at(-1)?.elsewhere, WITHIN).toContain('token=USDC');
    expect(new Set(stream.views().map(({ quote }) => quote?.amount))).toEqual(new Set([mine.quote?.amount]));
    stream.close();
  });

  test('without script the page is refreshed, translated, checked and refused as the quote that it names', async () => {
    const transId = await newInvoice(rig);
    const {
      view: mine,
      paths: { self },
    } = await choose(transId, USDT);
    await choose(transId, USDC);
    const html = await page(self);
    expect(html).toContain(`url=/bill/${transId}?network=BSC&amp;token=USDT"`);
    expect(html).toContain(`href="/bill/${transId}?network=BSC&amp;token=USDT&amp;lang=es"`);
    const { select, check } = pathsIn(html);
    expect(await (await postForm(rig, check, { tx: 'x' })).text()).toContain(mine.quote?.amount);
    const refused = await postForm(rig, select, { network: 'X', token: 'Y' });
    expect(refused.headers.get('location')).toBe(`${self}&refusal=not-offered`);
  });
});

describe('an address that names nothing', () => {
  test('shows the latest, and its page then keeps to that', async () => {
    const transId = await newInvoice(rig);
    const { view: mine } = await choose(transId, USDT);
    const html = await page(`/bill/${transId}`);
    const paths = pathsIn(html);
    expect(html).toContain(mine.quote?.amount);
    expect(paths.self).toBe(`/bill/${transId}?${NAMED}`);
    for (const path of [paths.state, paths.events]) expect(path).toContain(NAMED);
    const { view: theirs } = await choose(transId, USDC);
    expect(await page(`/bill/${transId}`)).toContain(theirs.quote?.amount);
    expect(((await (await ask(rig, paths.state)).json()) as CheckoutView).quote?.amount).toBe(mine.quote?.amount);
  });

  test('a page that offers the methods goes on offering them, and announces what was selected', async () => {
    const transId = await newInvoice(rig);
    const { events, state: statePath } = pathsIn(await page(`/bill/${transId}`));
    const stream = await openStream(rig, transId, {}, events.slice(events.indexOf('?')));
    await choose(transId, USDT);
    await expect.poll(() => stream.views().at(-1)?.elsewhere, WITHIN).toContain(`href="/bill/${transId}?network=BSC`);
    expect(new Set(stream.views().map(({ step }) => step))).toEqual(new Set(['choose']));
    expect(((await (await ask(rig, statePath)).json()) as CheckoutView).step).toBe('choose');
    stream.close();
  });
});

describe('no GET selects or prices anything', () => {
  test.each(['network=BSC&token=USDC', 'network=SOL&token=SOL', 'network=BSC&token=USDT&refusal=closing', 'choose=1'])(
    '?%s of an invoice without that quote shows the choice and writes nothing',
    async (query) => {
      const transId = await newInvoice(rig);
      const quotes = async () => (await rig.database.pool.query('select count(*)::integer as n from quotes')).rows;
      const before = await quotes();
      for (const path of ['', '/state']) {
        const response = await ask(rig, `/bill/${transId}${path}?${query}`);
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }
      expect((await state(transId, `?${query}`)).step).toBe('choose');
      expect(await quotes()).toEqual(before);
    },
  );
});

test('a stranger who chooses everything else does not keep the payer from their own method', async () => {
  const transId = await newInvoice(rig);
  const { rows } = await rig.database.pool.query<{ id: string }>('select id from invoices where trans_id = $1', [
    transId,
  ]);
  const others = CHAIN_NETWORKS.flatMap((network) => network.tokens.map(({ symbol }) => [network.id, symbol])).filter(
    ([network]) => network !== 'BSC',
  );
  for (const [network, token] of others) {
    await rig.database.pool.query(
      `insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
         finality, price_sources, held_from)
       values ($1, $2, $3, 'nobody', 1, 1, now(), 1, 'finalized', '[]', now())`,
      [rows[0]?.id, network, token],
    );
  }
  expect(others.length).toBeGreaterThan(8);
  expect((await choose(transId, USDT)).view).toMatchObject({ step: 'pay', quote: USDT });
});
