import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Target } from './attack-client.ts';
import { create, openTarget } from './attack-client.ts';

/**
 * Internal addresses in every spelling that the URL parser understands: they are refused when stored, not only when
 * sent to.
 */

let target: Target;
let store: TestStore;
beforeAll(async () => {
  target = await openTarget({ COUNTERFOIL_PRIVATE_CALLBACKS: 'refuse' });
  store = await openStore(target.database);
});
afterAll(() => target.close());

const INSIDE = [
  'http://127.0.0.1/',
  'http://127.0.0.1:5432/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://2130706433/',
  'http://017700000001/',
  'http://0x7f000001/',
  'http://0x7f.0.0.0x1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://%31%32%37.0.0.1/',
  'http://shop.example@127.0.0.1/',
  'http://127.0.0.1#@shop.example/',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://100.100.100.200/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://168.63.129.16/',
  'http://192.0.0.192/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://localhost/',
  'http://LocalHost/',
  'http://localhost./',
  'http://localhost../',
  'http://metadata.localhost/',
];

test.each([0, 22, 25, 53, 110, 6667])(
  'port %d, which is none of the web, is refused by name of its field',
  async (port) => {
    const reply = await create(target.transport, store, { callback_url: `https://shop.example:${port}/hook` });
    expect({ status: reply.status, details: reply.json.details }).toMatchObject({
      status: 400,
      details: { errors: [{ field: 'callback_url' }] },
    });
  },
);

test.each(INSIDE)('%s is refused by name of its field', async (url) => {
  const reply = await create(target.transport, store, { callback_url: url });
  expect({ status: reply.status, details: reply.json.details }).toMatchObject({
    status: 400,
    details: { errors: [{ field: 'callback_url' }] },
  });
});

test.each(['http://[fe80::1%25eth0]/', 'http://[fe80::1%eth0]/', 'http://[::1', 'http://127.0.0.1\\@shop.example/'])(
  '%s is no URL',
  async (url) => {
    const reply = await create(target.transport, store, { callback_url: url });
    expect(reply.json).toMatchObject({
      error_code: 'VALIDATION_ERROR',
      details: { errors: [{ field: 'callback_url' }] },
    });
  },
);

test('none of these refused addresses was stored', async () => {
  const { rows } = await target.database.pool.query('select from invoices');
  expect(rows).toEqual([]);
});

test.each([80, 443, 8080, 8443, 3000])('port %d is accepted', async (port) => {
  expect((await create(target.transport, store, { callback_url: `https://shop.example:${port}/hook` })).status).toBe(
    200,
  );
});
