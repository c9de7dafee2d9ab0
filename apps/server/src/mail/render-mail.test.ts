import type { Language } from '@counterfoil/core/language.ts';
import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { describe, expect, test } from 'vitest';
import type { MailFacts, MailTemplate } from './mail.ts';
import { renderMail } from './render-mail.ts';

const DASHBOARD = 'https://dashboard.example/app';
const LINK = `${DASHBOARD}/go?token=abc&more=1`;
const AT = new Date('2026-11-20T09:30:00Z');
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Facts for rendering every template; `name` is used wherever user input can appear. */
const factsWith = (name: string): MailFacts => ({
  'verify-address': { link: LINK, expiresAt: AT },
  invitation: { inviter: name, merchant: name, role: 'finance', link: LINK, expiresAt: AT },
  'reset-password': { link: LINK, expiresAt: AT },
  'password-changed': { at: AT, link: LINK },
  'address-changed': { newAddress: 'bob@new.example', at: AT, link: LINK },
  'factor-added': { factor: 'recovery-codes', at: AT, link: null },
  'factor-removed': { factor: 'all', at: AT, link: LINK },
  'restore-requested': { effectiveAt: AT, link: LINK },
  'restore-stopped': { at: AT },
  'account-restored': { at: AT },
  'factors-reset-requested': { requestedBy: name, effectiveAt: AT, link: LINK },
  'member-factors-reset': { person: name, requestedBy: name, effectiveAt: AT, link: LINK },
  'recovery-code-used': { at: AT, left: 3 },
  'role-changed': { merchant: name, changedBy: name, role: 'viewer' },
  'team-changed': { merchant: name, member: name, role: 'owner', changedBy: name, at: AT, more: 2 },
  'method-change-requested': {
    merchant: name,
    store: name,
    network: 'Ethereum',
    address: ADDRESS,
    requestedBy: name,
    effectiveAt: AT,
    link: LINK,
  },
  'method-change-cancelled': {
    merchant: name,
    store: name,
    network: 'Ethereum',
    address: ADDRESS,
    cancelledBy: name,
    at: AT,
  },
  'method-removed': { merchant: name, store: name, network: 'Ethereum', address: ADDRESS, removedBy: name, at: AT },
  'method-changed': { merchant: name, store: name, network: 'Ethereum', address: ADDRESS, at: AT },
  'method-delay-changed': { merchant: name, hours: 12, from: AT },
  'methods-locked': { merchant: name, lockedBy: name, at: AT },
  'methods-unlocked': { merchant: name, unlockedBy: name, at: AT },
  'api-key-changed': { merchant: name, store: name, hint: 'ab12', oldEndsAt: AT, changedBy: name, at: AT },
  'webhook-secret-changed': { merchant: name, store: name, oldEndsAt: AT, endpoint: null, changedBy: name, at: AT },
  'webhook-endpoint-added': { merchant: name, store: name, url: 'https://shop.example/hook', changedBy: name, at: AT },
  'store-switched': { merchant: name, store: name, active: false, changedBy: name, at: AT, more: 2 },
  'new-sign-in': { browser: name, ip: '2001:db8::1', at: AT },
  'brand-changed': { merchant: name, store: name, contact: true, changedBy: name, at: AT, more: 2 },
  'https-only-off': { merchant: name, store: name, changedBy: name, at: AT, more: 2 },
  'payment-attached': { merchant: name, store: name, invoice: 'TID-A', changedBy: name, at: AT, more: 2 },
  'audit-exported': { merchant: name, changedBy: name, at: AT },
  'operator-view': { merchant: name, operator: name, reason: name, until: AT },
  'account-disabled': { at: AT },
  'account-enabled': { at: AT },
  'staff-role-changed': { staffRole: 'support', at: AT },
  'two-factor-code-used-again': { at: AT },
  'two-factor-required': { merchant: name, changedBy: name, at: AT, isMissing: true, link: LINK },
  'two-factor-optional': { merchant: name, changedBy: name, at: AT },
  'member-without-two-factor': { merchant: name, member: name, at: AT },
  'membership-ended': { merchant: name, changedBy: name, at: AT },
  'low-balance': { merchant: name, store: name, amount: '12.50' },
  'endpoint-failing': { merchant: name, store: name, host: name, since: AT, isLong: true },
  'endpoint-back': { merchant: name, store: name, host: name, at: AT },
  'unmatched-money': { merchant: name, count: 3, at: AT },
  'payment-claimed': { merchant: name, store: name, amount: '48.983127 USDT', order: name, link: LINK },
  'api-key-ending': { merchant: name, store: name, hint: 'ab12', endsAt: AT },
  'exchange-key-ending': { merchant: name, network: 'Binance', account: name, endsAt: AT },
  'mail-test': {},
});

const TEMPLATES = Object.keys(factsWith('')) as MailTemplate[];
const CASES = TEMPLATES.flatMap((template) => LANGUAGE_CODES.map((language) => [template, language] as const));

const render = (template: MailTemplate, language: Language, name: string) =>
  renderMail({ template, language, facts: factsWith(name)[template], dashboardUrl: DASHBOARD });

const HOSTILE = {
  script: '<script>alert(1)</script><img src=x onerror=alert(1)>',
  quotes: `"'><a href="https://evil.example">x</a>`,
  'a header': 'Bob\r\nBcc: eve@evil.example\r\n\r\nHello',
  separators: 'Bob\u2028Eve\u0085\u0000\u001b[31m',
  'a turned text': 'Bob \u202e\u2066moc.live\u2069',
  'a link': 'Win at https://evil.example/now or evil.example',
  'a long name': 'N'.repeat(500),
  'text from the right': 'שלום עולם متجر',
  'half a surrogate pair': 'Bob \ud83d',
} as const;

const NOT_PRINTED = /(?!\n)\p{Cc}|[\u2028-\u202e\u2066\u2067]/u;
const TAGS = /<\/?([a-z0-9]+)/g;
const OURS = new Set('html head meta title style body table tr td h1 p a'.split(' '));

describe.each(CASES)('%s in %s', (template, language) => {
  test.each(Object.entries(HOSTILE))('is harmless with %s as a name', (_what, name) => {
    const { subject, text, html } = render(template, language, name);
    expect(subject).not.toMatch(/[\r\n]|N{81}/);
    expect(Array.from(subject).length).toBeLessThanOrEqual(150);
    for (const part of [subject, text, html]) {
      expect(part).not.toMatch(NOT_PRINTED);
      expect(part.isWellFormed()).toBe(true);
      expect(part).not.toMatch(/evil\.example|N{301}/);
    }
    expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
    expect([...html.matchAll(TAGS)].map((match) => match[1]).filter((tag) => !OURS.has(tag ?? ''))).toEqual([]);
    const links = [...html.matchAll(/<[^>]*?\s(?:href|src|background|on[a-z]+)="([^"]*)"/g)].map((match) => match[1]);
    expect(html).not.toMatch(/<[^>]*(?:url\(|@import|javascript:)/);
    expect(links.filter((link) => link !== LINK.replace('&', '&amp;'))).toEqual([]);
    expect(text.match(/https?:\/\/\S+/g) ?? []).toEqual(links.map(() => LINK));
  });

  test('says the same in both parts, whole, in its own language and direction', () => {
    const { subject, text, html } = render(template, language, 'Acme');
    expect(subject).not.toBe('');
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    const plain = html
      .replace(/<head>.*<\/head>/s, '')
      .replaceAll(/<[^>]+>/g, '\n')
      .replaceAll('&amp;', '&')
      .replaceAll('&#39;', "'");
    const lines = plain.split('\n').filter((line) => line.trim() !== '');
    for (const line of lines) expect(text).toContain(line);
    expect(text).not.toMatch(/undefined|\[object|Invalid|\$\{/);
    expect(text).toContain('dashboard.example');
  });
});

test.each(TEMPLATES)('%s has a subject of its own in every language', (template) => {
  const subjects = LANGUAGE_CODES.map((language) => render(template, language, 'Acme').subject);
  expect(new Set(subjects).size).toBe(LANGUAGE_CODES.length);
});

test.each(LANGUAGE_CODES)('owners read in %s whether somebody joined or left', (language) => {
  const joined = factsWith('Acme')['team-changed'];
  const [now, gone] = [joined, { ...joined, role: null }].map((facts) =>
    renderMail({ template: 'team-changed', language, facts, dashboardUrl: DASHBOARD }),
  );
  expect(gone?.subject).not.toBe(now?.subject);
  expect(gone?.text).not.toMatch(/undefined|null/);
});

test.each(LANGUAGE_CODES)('a mail in %s that stands for more changes of stores says how many', (language) => {
  for (const template of ['store-switched', 'brand-changed', 'https-only-off', 'payment-attached'] as const) {
    const alone = { ...factsWith('Acme')[template], more: 0 };
    const [one, many] = [alone, { ...alone, more: 417 }].map(
      (facts) => renderMail({ template, language, facts, dashboardUrl: DASHBOARD }).text,
    );
    expect(many).toContain('417');
    expect(many?.length).toBeGreaterThan(one?.length ?? 0);
  }
});

test('a change of where money goes shows both ends of the address and when it takes effect', () => {
  const { text } = render('method-change-requested', 'en', 'Acme');
  expect(text).toContain('New address: 0x529084…E4169EE7');
  expect(text).toContain('Takes effect: 20 November 2026 at 09:30 UTC');
});

test.each([
  ['https://evil.example/app/go'],
  ['https://dashboard.example.evil.example/app/go'],
  ['https://dashboard.example/apple'],
  ['https://dashboard.example/app'],
  ['https://dashboard.example@evil.example/app/go'],
  ['http://dashboard.example/app/go'],
  ['javascript:alert(1)'],
  ['//dashboard.example/app/go'],
  ['https://dashboard.example/app/\r\ngo'],
  [''],
])('a mail with the link %j is not made', (link) => {
  const facts = { link, expiresAt: AT };
  expect(() => renderMail({ template: 'verify-address', language: 'en', facts, dashboardUrl: DASHBOARD })).toThrow(
    'link to something else',
  );
});
