import { expect, test } from 'vitest';
import { parseMailServer } from './parse-mail-server.ts';

const SETTINGS = {
  url: 'smtp://user:pass%3Aword@mail.example',
  from: 'Counterfoil <no-reply@counterfoil.example>',
  dashboardUrl: 'https://dashboard.example',
  production: true,
};
const address = { shown: 'no-reply@counterfoil.example', normal: 'no-reply@counterfoil.example' };

test('a mail server is a host with a port, a sign-in and a sender', () => {
  expect(parseMailServer(SETTINGS)).toEqual({
    faults: [],
    server: {
      host: 'mail.example',
      port: 587,
      encryption: 'starttls',
      signIn: { user: 'user', password: 'pass:word' },
      from: { name: 'Counterfoil', address },
      dashboardUrl: 'https://dashboard.example',
    },
  });
});

test.each([
  ['smtp://mail.example', true, 587, 'starttls'],
  ['smtp://mail.example:2525', true, 2525, 'starttls'],
  ['smtps://mail.example/', true, 465, 'implicit'],
  ['smtp://localhost', true, 587, 'starttls'],
  ['smtp://mail.example', false, 587, 'starttls'],
  ['smtp://localhost:1025', false, 1025, 'if-offered'],
  ['smtp://127.0.0.1:1025', false, 1025, 'if-offered'],
  ['smtp://[::1]:1025', false, 1025, 'if-offered'],
  ['smtp://10.0.0.4', false, 587, 'starttls'],
  ['smtp://localhost.evil.example', false, 587, 'starttls'],
  ['smtps://localhost', false, 465, 'implicit'],
])('%s in production: %s, is asked at port %s, encryption %s', (url, production, port, encryption) => {
  expect(parseMailServer({ ...SETTINGS, url, production }).server).toMatchObject({
    port,
    encryption,
    signIn: undefined,
  });
});

test.each([
  'mail.example',
  'https://mail.example',
  'smtp:mail.example',
  'smtp://',
  'smtp://user@mail.example',
  'smtp://:secret@mail.example',
  'smtp://%ff:secret@mail.example',
  'smtp://mail.example/inbox',
  'smtp://mail.example?tls=no',
  'smtp://mail.example#x',
  '',
])('%j is no mail server, and the fault does not repeat it', (url) => {
  const { server, faults } = parseMailServer({ ...SETTINGS, url });
  expect(server).toBeUndefined();
  expect(faults).toEqual([expect.stringMatching(/^COUNTERFOIL_MAIL_URL: (?!.*secret)/)]);
});

test.each([
  ['no-reply@counterfoil.example', ''],
  ['<no-reply@counterfoil.example>', ''],
  ['Our Shop <no-reply@counterfoil.example>', 'Our Shop'],
  ['"Our Shop" <no-reply@counterfoil.example>', 'Our Shop'],
  ['متجرنا <no-reply@counterfoil.example>', 'متجرنا'],
])('%j is a sender', (from, name) => {
  expect(parseMailServer({ ...SETTINGS, from }).server?.from).toEqual({ name, address });
});

test.each([
  undefined,
  '',
  'Counterfoil',
  'Counterfoil <a@b.example>, <c@d.example>',
  'a@b.example, c@d.example',
  'Counter\nfoil <a@b.example>',
  'Counter"foil <a@b.example>',
  `${'N'.repeat(81)} <a@b.example>`,
  'Counterfoil <a@localhost>',
])('%j is no sender', (from) => {
  expect(parseMailServer({ ...SETTINGS, from }).faults).toEqual([expect.stringContaining('COUNTERFOIL_MAIL_FROM')]);
});

test('every fault is named at once', () => {
  const { faults } = parseMailServer({ url: '', from: '', dashboardUrl: undefined, production: true });
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'COUNTERFOIL_MAIL_URL',
    'COUNTERFOIL_MAIL_FROM',
    'COUNTERFOIL_DASHBOARD_URL',
  ]);
});
