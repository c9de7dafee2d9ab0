import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Target } from './attack-client.ts';
import { create, lookup, openTarget, post, send, stopAndRead } from './attack-client.ts';

let target: Target;
let store: TestStore;

beforeAll(async () => {
  target = await openTarget({ COUNTERFOIL_LOG_LEVEL: 'debug' });
  store = await openStore(target.database);
});
afterAll(() => target.close());

const FORGERY = '{"level":30,"msg":"forged"}';
const BREAKS = ['\r\n', '\n', '\r', '\u2028', '\u0085', '\u001b[2K', '"}\n', '\\n'];

test('a line names who called and for which store, and no value that the database refused', async () => {
  const own = await openTarget({ COUNTERFOIL_LOG_LEVEL: 'debug' });
  const seller = await openStore(own.database);
  await own.database.pool.query(`alter table invoices add constraint refused check (name <> 'REFUSED')`);
  await create(own.transport, seller, { name: 'REFUSED', description: 'SECRETWORD' });
  await lookup(own.transport, seller, 'TID-0000000000000000');
  const output = await stopAndRead(own);
  await own.close();
  expect(output).not.toContain('SECRETWORD');
  const answered = output
    .split('\n')
    .filter((line) => line.includes('"answered"'))
    .map((line) => JSON.parse(line) as { address?: string; store?: string });
  expect(answered).toContainEqual(expect.objectContaining({ address: '127.0.0.1', store: seller.merchantId }));
});

test('line breaks in what is sent forge no log line: every line is one JSON object of ours', async () => {
  for (const [turn, line] of BREAKS.entries()) {
    const text = `x${line}${FORGERY}${line}`;
    const fields = { request_id: `${turn}${text}`, name: text, description: text };
    await create(target.transport, store, fields);
    await create(target.transport, store, { ...fields, name: `other ${text}` });
    await post(target.transport, store, text);
    await lookup(target.transport, store, encodeURIComponent(text));
    await send(target.transport, { path: `/${encodeURIComponent(text)}` });
    const safe = text.replaceAll(/[^ -~]/g, ' ');
    await send(target.transport, {
      path: '/',
      headers: [
        ['user-agent', safe],
        ['x-request-id', safe],
      ],
    });
  }
  // A failure logs its cause, whose text contains the request_id or the value.
  await target.database.pool.query('alter table wallets rename to wallets_away');
  for (const line of BREAKS) await create(target.transport, store, { request_id: `y${line}${FORGERY}` });
  await target.database.pool.query('alter table wallets_away rename to wallets');
  const output = await stopAndRead(target);

  const lines = output.split('\n').filter((line) => line !== '');
  expect(lines.length).toBeGreaterThan(BREAKS.length);
  for (const line of lines) {
    const entry = JSON.parse(line) as { msg: unknown; level: unknown };
    expect(entry.level).toBeTypeOf('number');
    expect(entry.msg).not.toBe('forged');
  }
});
