import { describe, expect, test } from 'vitest';
import { readDashboardConfig } from './read-dashboard-config.ts';

const SETTINGS = {
  COUNTERFOIL_DATABASE_URL: 'postgresql://counterfoil_dashboard@localhost/counterfoil',
  COUNTERFOIL_VIEWS_DATABASE_URL: 'postgresql://counterfoil_views@localhost/counterfoil',
  COUNTERFOIL_KEY_RING_FILE: '/etc/counterfoil/ring.json',
  COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.acme.test',
  COUNTERFOIL_CHECKOUT_URL: 'https://pay.acme.test',
};

test('a dashboard with its own host name is accepted, with its own ports', () => {
  expect(readDashboardConfig(SETTINGS)).toMatchObject({
    dashboardUrl: 'https://dashboard.acme.test',
    port: 3003,
    operationsPort: 3004,
    production: true,
    registration: 'closed',
  });
});

const MAIL = { COUNTERFOIL_MAIL_URL: 'smtp://mail.acme.test', COUNTERFOIL_MAIL_FROM: 'pay@acme.test' };

test.each(['closed', 'invited', 'open'])('registration can be %s', (policy) => {
  const settings = { ...SETTINGS, ...MAIL, COUNTERFOIL_REGISTRATION: policy };
  expect(readDashboardConfig(settings).registration).toBe(policy);
});

test('registration can be open without a mail server in development only', () => {
  const settings = { ...SETTINGS, COUNTERFOIL_REGISTRATION: 'open' };
  expect(() => readDashboardConfig(settings)).toThrow('COUNTERFOIL_REGISTRATION: open needs a mail server');
  expect(() => readDashboardConfig({ ...settings, COUNTERFOIL_MAIL_URL: '' })).toThrow('needs a mail server');
  expect(readDashboardConfig({ ...settings, COUNTERFOIL_ENVIRONMENT: 'development' }).registration).toBe('open');
});

test('a dashboard for development is at localhost', () => {
  const settings = { ...SETTINGS, COUNTERFOIL_ENVIRONMENT: 'development' };
  expect(readDashboardConfig({ ...settings, COUNTERFOIL_DASHBOARD_URL: 'http://localhost:3003' })).toMatchObject({
    dashboardUrl: 'http://localhost:3003',
  });
});

describe('refused is', () => {
  test.each([
    ['an IP address', { COUNTERFOIL_DASHBOARD_URL: 'https://192.0.2.1' }, 'passkeys know no IP addresses'],
    ['an IPv6 address', { COUNTERFOIL_DASHBOARD_URL: 'https://[2001:db8::1]' }, 'passkeys know no IP addresses'],
    ['plain http', { COUNTERFOIL_DASHBOARD_URL: 'http://dashboard.acme.test' }, 'must be an https address'],
    ['a path', { COUNTERFOIL_DASHBOARD_URL: 'https://acme.test/dashboard' }, 'must have no path'],
    [
      'a checkout by plain http',
      { COUNTERFOIL_CHECKOUT_URL: 'http://pay.acme.test' },
      'COUNTERFOIL_CHECKOUT_URL: must',
    ],
    [
      'a checkout with a user',
      { COUNTERFOIL_CHECKOUT_URL: 'https://a:b@pay.acme.test' },
      'COUNTERFOIL_CHECKOUT_URL: must',
    ],
    [
      "the checkout's host with a dot behind it",
      { COUNTERFOIL_DASHBOARD_URL: 'https://pay.acme.test.' },
      "must not be the checkout's host",
    ],
    ["the checkout's host", { COUNTERFOIL_DASHBOARD_URL: 'https://pay.acme.test' }, "must not be the checkout's host"],
    ['an unknown policy of registration', { COUNTERFOIL_REGISTRATION: 'everybody' }, 'COUNTERFOIL_REGISTRATION'],
    ['a missing address', { COUNTERFOIL_DASHBOARD_URL: undefined }, 'COUNTERFOIL_DASHBOARD_URL'],
    ['a missing key ring', { COUNTERFOIL_KEY_RING_FILE: undefined }, 'COUNTERFOIL_KEY_RING_FILE'],
    ['a missing database for views', { COUNTERFOIL_VIEWS_DATABASE_URL: undefined }, 'COUNTERFOIL_VIEWS_DATABASE_URL'],
    ['any database role', { COUNTERFOIL_ANY_DATABASE_ROLE: 'allow' }, 'is for development only'],
    [
      'plain http in development, but for localhost',
      { COUNTERFOIL_ENVIRONMENT: 'development', COUNTERFOIL_DASHBOARD_URL: 'http://dashboard.acme.test' },
      'must be https, but for localhost',
    ],
  ])('%s', (_title, settings: Record<string, string | undefined>, fault) => {
    expect(() => readDashboardConfig({ ...SETTINGS, ...settings })).toThrow(fault);
  });
});
