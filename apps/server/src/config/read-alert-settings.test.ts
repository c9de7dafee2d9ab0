import { describe, expect, test } from 'vitest';
import { faultsOf } from './server-process.ts';
import { readWorkerConfig } from './read-worker-config.ts';

const REQUIRED = {
  COUNTERFOIL_DATABASE_URL: 'postgresql://localhost/counterfoil',
  COUNTERFOIL_KEY_RING_FILE: 'ring',
  COUNTERFOIL_STATE_DIR: '/var/lib/counterfoil',
};
const MAIL = {
  COUNTERFOIL_MAIL_URL: 'smtps://me:secret@mail.example',
  COUNTERFOIL_MAIL_FROM: 'pay@example.com',
  COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example',
};
const SECRET = `whsec_${'A'.repeat(32)}`;
const HOOK = { COUNTERFOIL_ALARM_URL: 'https://alarms.example/a/?b=c', COUNTERFOIL_ALARM_SECRET: SECRET };

describe('alerts of a worker', () => {
  test('go nowhere unless the operator says where', () => {
    expect(readWorkerConfig(REQUIRED).alerts).toEqual({ email: undefined, webhook: undefined });
  });

  test('go to an email address and to a URL as it is written', () => {
    const { alerts } = readWorkerConfig({
      ...REQUIRED,
      ...MAIL,
      ...HOOK,
      COUNTERFOIL_ALARM_EMAIL: 'oncall@example.com',
    });
    expect(alerts.email?.shown).toBe('oncall@example.com');
    expect(alerts.webhook).toEqual({ url: HOOK.COUNTERFOIL_ALARM_URL, secret: SECRET });
  });

  test.each(['https://alarms.example', 'http://10.0.0.7:9095/alarms', 'http://alertmanager.monitoring.svc/hook'])(
    'may go to %s in production',
    (url) => {
      expect(faultsOf('worker', { ...REQUIRED, ...HOOK, COUNTERFOIL_ALARM_URL: url })).toEqual([]);
    },
  );

  test.each<[string, Record<string, string>, string]>([
    ['an email address without a mail server', { COUNTERFOIL_ALARM_EMAIL: 'a@b.example' }, 'COUNTERFOIL_ALARM_EMAIL'],
    ['two email addresses', { ...MAIL, COUNTERFOIL_ALARM_EMAIL: 'a@b.example,c@d.example' }, 'COUNTERFOIL_ALARM_EMAIL'],
    ['a URL without a secret', { COUNTERFOIL_ALARM_URL: 'https://alarms.example' }, 'COUNTERFOIL_ALARM_SECRET'],
    ['a short secret', { ...HOOK, COUNTERFOIL_ALARM_SECRET: 'whsec_AAAA' }, 'COUNTERFOIL_ALARM_SECRET'],
    ['another kind of secret', { ...HOOK, COUNTERFOIL_ALARM_SECRET: 'hunter2' }, 'COUNTERFOIL_ALARM_SECRET'],
    [
      'plain http to the Internet',
      { ...HOOK, COUNTERFOIL_ALARM_URL: 'http://alarms.example' },
      'COUNTERFOIL_ALARM_URL',
    ],
    ['a URL with a user', { ...HOOK, COUNTERFOIL_ALARM_URL: 'https://me@alarms.example' }, 'COUNTERFOIL_ALARM_URL'],
    [
      'the port of a database',
      { ...HOOK, COUNTERFOIL_ALARM_URL: 'https://alarms.example:5432' },
      'COUNTERFOIL_ALARM_URL',
    ],
    ['two URLs', { ...HOOK, COUNTERFOIL_ALARM_URL: 'https://a.example,https://b.example' }, 'COUNTERFOIL_ALARM_URL'],
  ])('are refused with %s', (_title, variables, name) => {
    const faults = faultsOf('worker', { ...REQUIRED, ...variables });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([name]);
  });
});
