import { describe, expect, test } from 'vitest';
import { fixtureIn } from '../preview/fixture-in.ts';
import { FIXTURES } from '../preview/fixtures.ts';
import type { CheckoutView, SelectionRefusalCode, TransactionCheck } from '../src/checkout-view.ts';
import { LANGUAGES } from '../src/language.ts';
import { en } from '../src/locales/en.ts';
import { accentStyle, renderContact, renderElsewhere, renderNotice, renderPage } from '../src/render-page.ts';
import type { PageInput } from '../src/server-contract.ts';

const ASSETS = { scriptPath: '/assets/page.js', stylePath: null, style: 'body{}' };
const LINKS = { en: '/bill/X?lang=en', es: '/bill/X?network=BSC&token=USDT&lang=es' };
const PATHS = { self: '/bill/X', events: '/e', state: '/s', select: '/select', check: '/check', languages: LINKS };

function html(name: string, part: Partial<PageInput> = {}): string {
  const { language = 'en' } = part;
  const view = fixtureIn(name, language) as CheckoutView;
  const input = {
    view,
    language,
    languageFixed: false,
    check: null,
    refusal: null,
    panel: null,
    assets: ASSETS,
    paths: PATHS,
  };
  return renderPage({ ...input, ...part });
}

describe.each(Object.keys(FIXTURES))('the page in state %s', (name) => {
  test.each(Object.keys(LANGUAGES))(
    'in %s keeps to the content security policy and leaves no placeholder unfilled',
    (language) => {
      const page = html(name, { language });
      expect(page).not.toMatch(/\sstyle=/);
      expect(page).not.toMatch(/\son\w+=/);
      expect([...page.matchAll(/<script(?![^>]*type="application\/json")[^>]*>/g)].map(([tag]) => tag)).toEqual([
        '<script type="module" src="/assets/page.js">',
      ]);
      const visible = page.slice(page.indexOf('<body>'), page.indexOf('<script type="application/json"'));
      expect(visible).not.toMatch(/\{\w+\}|undefined|NaN/);
      expect(page).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    },
  );
});

describe('coins', () => {
  test.each(Object.keys(LANGUAGES))('in %s the payer is warned of contract wallets before paying', (language) => {
    const warning = LANGUAGES[language]?.phrases.directOnly ?? '';
    expect(warning).not.toBe('');
    expect(html('pay-coin', { language })).toContain(`<span>${warning}</span>`);
    expect(html('pay', { language })).not.toContain(`<span>${warning}</span>`);
  });
});

const visibleText = (page: string) =>
  page.slice(page.indexOf('<body>'), page.indexOf('<script type="application/json"')).replaceAll(/<[^>]+>/g, '');

describe('inside an exchange platform', () => {
  const NAMES = { 'pay-binance': 'Binance ID', 'pay-okx': 'OKX UID', 'pay-kucoin': 'KuCoin UID' };

  test.each(Object.keys(LANGUAGES))('in %s the payer reads the id by its name, and the steps', (language) => {
    for (const [name, idName] of Object.entries(NAMES)) {
      const page = html(name, { language });
      const { quote } = fixtureIn(name, language) as CheckoutView;
      expect(visibleText(page).split(idName).length).toBeGreaterThan(2);
      expect(visibleText(page).split(quote?.address ?? '').length).toBeGreaterThan(2);
      expect(/<ol>.*?<\/ol>/s.exec(page)?.[0].match(/<li>/g)).toHaveLength(4);
      expect(page).not.toContain('class="qr"');
    }
  });

  test('platforms whose steps differ have different ones, and an unknown one general words', () => {
    expect(visibleText(html('pay-binance'))).toContain('Open Binance and go to Pay, then Send.');
    expect(visibleText(html('pay-okx'))).toContain('withdraw USDT as an internal transfer to another OKX user');
    expect(visibleText(html('pay-kucoin'))).toContain('choose to send USDT to another KuCoin user');
  });

  test('the payer is asked for the id of the payment, and shown it by its name', () => {
    expect(visibleText(html('pay-binance'))).toContain('ID of the payment');
    expect(visibleText(html('pay-binance'))).not.toContain('hash');
    expect(visibleText(html('paid-binance'))).toContain('Payment ID at BinanceP_A1U7XTVXHFE71115');
    expect(html('paid-binance')).not.toContain('target="_blank"');
    expect(visibleText(html('processing-binance'))).toContain('Waiting until Binance calls it final');
  });

  test('a few exchange accounts are always listed, many fold under the names of their platforms', () => {
    expect(html('choose-many')).not.toMatch(/<summary[^>]*><i class="icon icon-swap"/);
    const [folded = ''] = /<summary[^>]*><i class="icon icon-swap".*?<\/summary>/s.exec(html('choose-exchanges')) ?? [];
    expect(visibleText(`<body>${folded}<script type="application/json"`)).toBe(
      'Exchange accountsBinance, OKX, Bybit, KuCoin',
    );
  });

  test('its words are not carried by pages of payments on chains', () => {
    for (const name of ['pay', 'choose', 'paid']) expect(html(name)).not.toMatch(/exchange:|guideTitle|Binance/);
  });
});

const found = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, id = '']) => id);

const symbols = (page: string) => found(page, /<symbol id="([^"]+)"/g);

/** The page to choose on, with one method that differs from the fixture's first. */
function withMethod(part: Partial<CheckoutView['methods'][number]>): string {
  const view = FIXTURES['choose'] as CheckoutView;
  const [first] = view.methods;
  return html('choose', { view: { ...view, methods: first ? [{ ...first, ...part }] : [] } });
}

describe('marks', () => {
  test('are there for a method that cannot be chosen now: it may be while the page is open', () => {
    expect(symbols(html('choose'))).toContain('network-POLYGON');
    expect(symbols(html('paid'))).toEqual([]);
  });

  test.each(Object.keys(FIXTURES))('in state %s are drawn once each, and only those that the page can show', (name) => {
    const page = html(name);
    const used = found(page, /<use href="#([^"]+)"/g);
    expect(symbols(page)).toEqual([...new Set(symbols(page))]);
    expect(used.filter((id) => !symbols(page).includes(id))).toEqual([]);
    expect(used.length > 0).toBe(/^(choose|pay|long)(?!-none)/.test(name));
  });

  test('that are not known are letters, which stay text', () => {
    const page = withMethod({ token: 'X<b>', network: 'NEW', networkName: 'newnet' });
    expect(page).toMatch(
      /<symbol id="token-X&lt;b[^"]*"[^>]*><path fill="#[0-9a-f]{6}"[^>]*><\/path><text[^>]*>X&lt;B/,
    );
    expect(page).toMatch(/<symbol id="network-NEW".*?<text[^>]*>N<\/text>/);
  });

  test("of the sandbox's networks are those of the real ones", () => {
    expect(withMethod({ network: 'sandbox:BSC' })).toMatch(
      /<symbol id="network-sandbox:BSC"[^>]*><path fill="#F0B90B"/,
    );
  });
});

describe('choosing', () => {
  test.each(Object.keys(LANGUAGES))(
    'in %s methods that cannot be chosen are said below the list, with why',
    (language) => {
      const page = html('choose', { language });
      const phrases = LANGUAGES[language]?.phrases;
      const said = phrases?.['unavailable.network-unavailable'].replace('{methods}', 'Polygon (USDC)');
      expect(visibleText(page)).toContain(`${phrases?.unavailableTitle ?? ''}${said ?? ''}`);
      expect(page).not.toContain('value="POLYGON"');
    },
  );

  test('a page on which nothing can be chosen says so, and why of every method, once for each reason', () => {
    const page = visibleText(html('choose-none'));
    for (const text of [
      'No way to pay is available at this moment.',
      'Not available at the moment',
      'Binance (USDT, USDC), OKX (USDT): the shop’s account there takes no payments.',
      'Tron (USDT), Polygon (USDT): the network cannot be reached.',
      'Ethereum (USDT): the amount is too small.',
      'BNB Smart Chain (BNB): there is no reliable price.',
      'Ethereum (ETH): offered only in the last hour of this invoice.',
    ])
      expect(page.split(text)).toHaveLength(2);
  });

  test('a page on which all can be chosen says nothing of others', () => {
    expect(html('choose-exchanges')).not.toContain('class="unavailable"');
  });

  test('the cheapest network says so in words, and a closed token names its networks', () => {
    expect(html('choose').match(/Lowest fee<\/span>/g)).toHaveLength(1);
    expect(html('choose-many')).toContain('<span class="hidden">BNB Smart Chain, Tron,');
  });
});

test('money that does not match is shown with what was asked, what arrived and the difference', () => {
  expect(visibleText(html('pay-arrival'))).toContain('Expected49.983127 USDTReceived49.683127 USDTDifference−0.3 USDT');
  expect(html('pay-arrival')).toContain('note-warn');
});

describe('a payment of a different amount', () => {
  test('that can only be for this invoice is confirmed by one button, and the rest is not to be sent', () => {
    const page = html('pay-arrival');
    expect(visibleText(page)).toContain('Is this your payment?');
    expect(visibleText(page)).toContain('Don’t send the rest.');
    expect(page).toMatch(/<form method="post" action="[^"]+" class="claim">.*<input type="hidden" name="tx" value="0x/);
  });

  test('that was confirmed is not asked about again', () => {
    const page = html('pay-claimed');
    expect(visibleText(page)).toContain('You confirmed this payment.');
    expect(page).not.toContain('Is this your payment?');
  });

  test('that may be another customer’s is asked for by its hash, without its amount or hash', () => {
    const page = html('pay-asked');
    const note = page.slice(page.indexOf('A payment of a different amount'), page.indexOf('class="quote"'));
    expect(note).toContain('Don’t send the rest.');
    expect(note).toMatch(/<input id="claim-tx" name="tx"/);
    expect(note).not.toMatch(/0x[0-9a-f]{8}|USDT/);
  });
});

describe('hostile text', () => {
  const evil = `</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>"'\u2028`;

  test('of a shop or an invoice stays text, in the page and in its state', () => {
    const view = { ...(FIXTURES['pay'] as CheckoutView), name: evil, description: evil };
    const page = html('pay', { view: { ...view, store: { ...view.store, name: evil } } });
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img src=x');
    const state = /<script type="application\/json" id="state">(.*)<\/script>/.exec(page)?.[1] ?? '';
    expect(state).not.toContain('<');
    expect((JSON.parse(state) as { view: CheckoutView }).view.name).toBe(evil);
  });

  test('as a colour is ignored', () => {
    const store = { name: 'x', logoPath: null, accent: '#fff}body{display:none', onAccent: '#000000' };
    expect(accentStyle(store)).toBe('');
    expect(accentStyle({ ...store, accent: '#ff5a1f' })).toBe(':root{--accent:#ff5a1f;--on-accent:#000000}');
  });

  test('as an address to return to is not offered', () => {
    const view = { ...(FIXTURES['paid'] as CheckoutView), returnUrl: 'javascript:alert(1)' };
    expect(html('paid', { view })).not.toContain('href="javascript');
  });
});

describe('without script', () => {
  test('a method is chosen and a transaction checked by forms that carry the language of the address', () => {
    const paths = { ...PATHS, self: '/bill/X?network=BSC&token=USDT&lang=es' };
    const page = html('pay', { languageFixed: true, language: 'es', paths });
    expect(page).toContain('<form method="post" action="/select">');
    expect(page).toContain('<form method="post" action="/check"');
    expect(page).toContain('<input type="hidden" name="lang" value="es"');
    expect(page).toContain(
      '<noscript><meta http-equiv="refresh" content="15;url=/bill/X?network=BSC&amp;token=USDT&amp;lang=es"></noscript>',
    );
    expect(page).toContain('<a href="/bill/X?network=BSC&amp;token=USDT&amp;lang=es" lang="es"');
  });

  test.each(['choose', 'paid', 'expired'])('a page in state %s does not refresh by itself', (name) => {
    expect(html(name)).not.toContain('http-equiv="refresh"');
  });

  test('address, amount and QR code are in the first HTML', () => {
    const page = html('pay');
    expect(page.replaceAll(/<[^>]+>/g, '')).toContain('0x8894E0a0c962CB723c1976a4421c95949bE2D4E3');
    expect(page).toContain('49.98<mark>3127</mark>');
    expect(page).toContain('class="qr-code"');
  });
});

describe('answers in plain words', () => {
  const check = { token: 'USDT', networkName: 'Tron', amount: '0.3', seconds: 200, blocks: null };
  const reasons = Object.keys(en)
    .filter((key) => key.startsWith('check.'))
    .map((key) => key.slice('check.'.length) as TransactionCheck['reason']);

  test.each(reasons)('a transaction that is %s has its sentence in every language', (reason) => {
    for (const language of Object.keys(LANGUAGES)) {
      const page = html('pay', { language, check: { ...check, reason } });
      expect(page.match(/class="note note-/g)).toHaveLength(1);
    }
  });

  test('a short payment is shown with the missing amount', () => {
    expect(html('pay', { check: { ...check, reason: 'short' } }).replaceAll(/<[^>]+>/g, '')).toContain(
      'it is 0.3 USDT too little',
    );
  });

  const refusals = Object.keys(en)
    .filter((key) => key.startsWith('refused.'))
    .map((key) => key.slice('refused.'.length) as SelectionRefusalCode);

  test.each(refusals)('a selection refused as %s shows the reason', (refusal) => {
    expect(html('choose', { refusal })).toContain(en[`refused.${refusal}`]);
  });

  test.each(['not-found', 'too-many-requests', 'unavailable'] as const)(
    'the notice %s is rendered in the language asked for',
    (kind) => {
      expect(renderNotice(kind, 'zh', ASSETS)).toContain('lang="zh"');
    },
  );
});

describe('whom a payer with a problem can ask', () => {
  test.each(Object.keys(LANGUAGES))('is said in %s where a payment is short or late or none came', (language) => {
    for (const name of ['expired', 'pay-arrival', 'paid-late']) {
      const [notice = ''] = /<div class="contact">.*?<\/p><\/div><\/div>/s.exec(html(name, { language })) ?? [];
      for (const text of ['TID-K7M2Q9X4B8D3F6H1', 'mailto:help@northwind.example?subject=TID-', 'northwind.example'])
        expect(notice).toContain(text);
    }
    expect(html('pay', { language })).not.toContain('class="contact"');
  });

  test('is text and two links at most, whatever the store wrote', () => {
    const hostile = '<img src=x onerror=alert(1)>"';
    const input = { language: 'en', storeName: hostile, transId: 'TID-1' };
    const links = { supportUrl: `https://a.example/${hostile}`, supportEmail: `"${hostile}@b.example` };
    const notice = renderContact({ ...input, ...links });
    expect(notice).not.toContain('<img');
    expect(notice.match(/href="[^"]*"/g)).toHaveLength(2);
    expect(renderContact({ ...input, supportUrl: 'javascript:alert(1)', supportEmail: null })).toBe('');
    expect(renderContact({ ...input, supportUrl: null, supportEmail: null })).toBe('');
  });
});

describe('a choice that was made elsewhere', () => {
  test.each(Object.keys(LANGUAGES))(
    'is announced in %s with a link to it, and does not change what is shown',
    (language) => {
      for (const name of ['pay-elsewhere', 'choose-elsewhere']) {
        const page = html(name, { language });
        const [notice = ''] = /<div class="elsewhere" role="status">.*?<\/a>/s.exec(page) ?? [];
        for (const text of ['USDT', 'Tron', `href="/bill/pay-tron?lang=${language}"`]) expect(notice).toContain(text);
      }
      expect(html('pay-elsewhere', { language })).toContain('49.98<mark>3127</mark>');
    },
  );

  test('names of tokens and networks stay text', () => {
    const hostile = '<img src=x onerror=alert(1)>"';
    const notice = renderElsewhere({
      language: 'en',
      step: 'pay',
      token: hostile,
      networkName: hostile,
      href: hostile,
    });
    expect(notice).not.toContain('<img');
    expect(notice.match(/href="[^"]*"/g)).toHaveLength(1);
  });
});
