import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Target } from './attack-client.ts';
import { create, lookup, openTarget, post, refusedFields, transIdOf } from './attack-client.ts';

let target: Target;
let store: TestStore;

beforeAll(async () => {
  target = await openTarget();
  store = await openStore(target.database, { creditMicroUsd: 10n ** 14n });
});
afterAll(() => target.close());

const charge = (source: string) =>
  post(target.transport, store, `{"merchant_id":"${store.merchantId}","amount":${source}}`);

/** Accepted amounts as written, and as the API shows them. */
const ACCEPTED: [string, string][] = [
  ['5', '5.00'],
  ['5.5', '5.50'],
  ['50.00', '50.00'],
  ['0.1', '0.10'],
  ['0.01', '0.01'],
  ['0.00000001', '0.00000001'],
  ['0.10000000', '0.10'],
  ['1.23456789', '1.23456789'],
  ['999999.99999999', '999999.99999999'],
  ['1000000', '1000000.00'],
  ['1000000.00', '1000000.00'],
  ['1000000.00000000', '1000000.00'],
];

/** Refused amounts that are valid JSON numbers, so they are tried as numbers and as text. */
const REFUSED_NUMBERS = [
  '0',
  '0.0',
  '0.00000000',
  '-0',
  '-0.0',
  '-1',
  '-0.00000001',
  '1e3',
  '1E3',
  '1e+3',
  '1e-7',
  '1e-400',
  '1e400',
  '5e-324',
  '5.0e0',
  '0.000000001',
  '0.000000000001',
  '0.30000000000000004',
  '999999.999999995',
  '1000000.00000001',
  '1000000.0000000000000000001',
  '1000000.01',
  '1000001',
  '9999999',
  '10000000',
  '9007199254740993',
  '123456789012345680000',
  '1.000000000',
];

/** Refused amounts that are not JSON numbers: as a number the body is malformed, as text the amount is refused. */
const REFUSED_TEXTS = [
  ' 5',
  '5 ',
  ' 5 ',
  '5\\n',
  '\\t5',
  '5\\u0000',
  '\\u00a05',
  '+5',
  '.5',
  '5.',
  '.',
  '-',
  '5.5.5',
  '5,5',
  '1,000',
  '1.000,5',
  '1_000',
  '1 000',
  '00005',
  '05',
  '0x10',
  '0b11',
  '0o17',
  '5n',
  '5f',
  '$5',
  '5%',
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'true',
  '\\u0663',
  '\\uff15',
  '\\u2460',
  '\\u00bd',
  '\\u22125',
  '5\\u200b',
  '1000000.00\\u0000',
];

const REFUSED_VALUES = ['true', 'false', '[5]', '["5"]', '[]', '{}', '{"valueOf":5}', '{"toString":"5"}'];
const MALFORMED = ['+5', '.5', '5.', '00005', '0x10', 'NaN', 'Infinity', '-Infinity', '1_000', '5n', "'5'", '-', '5e'];

describe('amount tricks', () => {
  test.each(ACCEPTED)('%s is taken to the last digit, as a number and as text', async (written, shown) => {
    for (const source of [written, `"${written}"`]) {
      const reply = await charge(source);
      expect([source, reply.json.data?.['amount']]).toEqual([source, shown]);
      expect((await lookup(target.transport, store, transIdOf(reply))).json.data?.['amount']).toBe(shown);
    }
  });

  test.each(REFUSED_NUMBERS)(
    '%s is refused as a number and as text: the digits as written are judged',
    async (written) => {
      for (const source of [written, `"${written}"`]) {
        const reply = await charge(source);
        expect([source, reply.status, reply.json.error_code]).toEqual([source, 400, 'VALIDATION_ERROR']);
        expect(refusedFields(reply)).toEqual(['amount']);
      }
    },
  );

  test.each(REFUSED_TEXTS)('"%s" is refused: text is matched, never converted', async (written) => {
    const reply = await charge(`"${written}"`);
    expect([reply.status, refusedFields(reply)]).toEqual([400, ['amount']]);
  });

  test.each(REFUSED_VALUES)('%s is refused: only a number or text is an amount', async (source) => {
    const reply = await charge(source);
    expect([reply.status, refusedFields(reply)]).toEqual([400, ['amount']]);
  });

  test.each(MALFORMED)('%s unquoted is refused as no JSON', async (source) => {
    const reply = await charge(source);
    expect([reply.status, refusedFields(reply)]).toEqual([400, ['body']]);
  });

  test.each(['null', '""'])('%s counts as no amount at all', async (source) => {
    expect(refusedFields(await charge(source))).toEqual(['amount']);
  });

  test('the last of two amounts counts, whichever form they have', async () => {
    for (const [sources, shown] of [
      ['1,"amount":2.50', '2.50'],
      ['"1","amount":2.5', '2.50'],
      ['1e400,"amount":"2.5"', '2.50'],
      ['1,"\\u0061mount":2.5', '2.50'],
    ] as const) {
      expect([sources, (await charge(sources)).json.data?.['amount']]).toEqual([sources, shown]);
    }
    expect((await charge('5,"amount":5e0')).json.error_code).toBe('VALIDATION_ERROR');
  });

  test('an amount elsewhere in the body is not the amount', async () => {
    expect((await charge('5,"data":{"amount":7}')).json.data?.['amount']).toBe('5.00');
    expect(refusedFields(await charge('"x","data":{"amount":7}'))).toEqual(['amount']);
  });
});

type NumericColumn = { name: string; type: string; column: string; checks: string[] };

/** All numeric columns, each with the checks that concern it alone. */
const NUMERIC_COLUMNS = `
select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, quote_ident(a.attname) as column,
  array(select pg_get_expr(k.conbin, k.conrelid) from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.atttypid = 'numeric'::regtype
order by 1`;

async function isTaken({ type, column, checks }: NumericColumn, value: string): Promise<boolean> {
  const rule = ['true', ...checks].map((check) => `(${check})`).join(' and ');
  const judge = `select ${rule} as ok from (select '${value}'::${type} as ${column}) row`;
  try {
    const { rows } = await target.database.pool.query<{ ok: boolean }>(judge);
    return rows[0]?.ok !== false;
  } catch {
    // The type itself refuses: infinity does not fit a precision.
    return false;
  }
}

describe('numbers that are none, past the application', () => {
  test('no numeric column takes NaN or an infinity: NaN > 0 is true in PostgreSQL, so every check has two ends', async () => {
    const { rows: columns } = await target.database.pool.query<NumericColumn>(NUMERIC_COLUMNS);
    expect(columns.map((column) => column.name)).toContain('invoices.amount_usd');
    const taken: string[] = [];
    for (const column of columns) {
      expect([column.name, await isTaken(column, '1')]).toEqual([column.name, true]);
      for (const value of ['NaN', 'Infinity', '-Infinity']) {
        if (await isTaken(column, value)) taken.push(`${column.name} takes ${value}`);
      }
    }
    expect(taken).toEqual([]);
  });

  test.each([
    ['NaN', '23514'],
    ['Infinity', '22003'],
    ['-Infinity', '22003'],
  ])('an invoice over %s cannot be stored by any statement', async (amount, code) => {
    const transId = transIdOf(await create(target.transport, store));
    const change = target.database.pool.query(`update invoices set amount_usd = $1 where trans_id = $2`, [
      amount,
      transId,
    ]);
    await expect(change).rejects.toMatchObject({ code });
  });

  test.each(['0', '-1', '1000000.00000001', '1000001'])(
    'an invoice over %s cannot be stored by any statement',
    async (amount) => {
      const insert = target.database.pool.query(
        `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       values ($1, 'TID-ZZZZZZZZZZZZZZZZ', $2, now(), now() + interval '1 hour', 0)`,
        [store.id, amount],
      );
      await expect(insert).rejects.toThrow(/invoices_amount_usd_check/);
    },
  );
});
