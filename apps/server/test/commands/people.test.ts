import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { CommandLine } from '../../rig/commands/command-line.ts';
import { openCommandLine } from '../../rig/commands/command-line.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { writePrices } from '../../rig/invoices/write-prices.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createPerson } from '../../src/people/create-person.ts';
import type { OperatorRole } from '../../src/people/person.ts';

/** Commands that list users, and the prices that are in use. */

const MANY = 210;
const PAGE = 200;

let own: TestDatabase;
let line: CommandLine;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  line = openCommandLine(own);
});
afterAll(() => own.drop());

async function add(mail: string, name: string, operatorRole: OperatorRole | null = null): Promise<string> {
  const context = { database: own.database, clock: systemClock };
  const address = { normal: mail.toLowerCase(), shown: mail };
  const { code } = await createPerson(context, TESTER, { mail: address, name, language: 'en', operatorRole });
  return code;
}

test('users are listed with operator role, two-factor and whether they are disabled, without a secret', async () => {
  const [ada, bob] = [await add('Ada@acme.test', 'Ada', 'support'), await add('bob@acme.test', 'Bob')];
  await line.ask('person', 'disable', '--person', bob, '--reason', 'test');
  await own.database.pool.query(
    `insert into passkeys (person_id, credential_id, public_key, sign_count, backed_up, name, created_at)
     select id, '\\x01', '\\x02', 0, false, 'key', now() from people where code = $1`,
    [ada],
  );
  const listed = await line.ask('person', 'list');
  const created = expect.stringMatching(/^20/) as string;
  expect(listed).toMatchObject([
    { person: bob, name: 'Bob', email: 'bob@acme.test', operator: 'no', disabled: true, two_factor: false },
    {
      person: ada,
      name: 'Ada',
      email: 'Ada@acme.test',
      operator: 'support',
      disabled: false,
      two_factor: true,
      created_at: created,
    },
  ]);
  expect(await line.ask('person', 'list', '--name', 'ADA@')).toMatchObject([{ person: ada }]);
  expect(await line.ask('person', 'list', '--name', '%')).toEqual([]);
});

test('users are listed page by page, each exactly once', async () => {
  await own.database.pool.query(
    `insert into people (code, mail_normal, mail_shown, name, language, created_at)
     select 'PER-MANY' || lpad(n::text, 8, '0'), 'm' || n || '@many.test', 'm' || n || '@many.test', 'Many', 'en', now()
     from generate_series(1, ${MANY}) n`,
  );
  const listed: string[] = [];
  for (let after: string[] = []; ;) {
    const page = (await line.ask('person', 'list', ...after)) as { person: string }[];
    listed.push(...page.map(({ person }) => person));
    if (page.length < PAGE) break;
    after = ['--after', listed.at(-1) ?? ''];
  }
  const { rows } = await own.database.pool.query<{ code: string }>('select code from people order by id desc');
  expect(listed).toEqual(rows.map(({ code }) => code));
  expect(await line.refusal('person', 'list', '--after', 'PER-NONE')).toContain('PER-NONE');
});

test('price status shows every price with its sources, and why a source is not in use', async () => {
  const now = new Date(systemClock.nowMs());
  await writePrices(own.database, now, { ETH: '2500' });
  await writePrices(own.database, new Date(now.getTime() - 3_600_000), { SOL: '150' });
  await own.database.pool.query(
    `insert into price_reports (source, token, usd, observed_at) values ('binance', 'ETH', 2600, $1)`,
    [now],
  );
  const listed = (await line.ask('price', 'status')) as { token: string }[];
  expect(listed.map(({ token }) => token)).toContain('USDT');
  expect(listed.find(({ token }) => token === 'ETH')).toMatchObject({
    usd: '2500.00',
    sources: [
      { source: 'binance', usd: '2600.00', in_use: false, reason: 'outlier' },
      { source: 'coinbase', usd: '2500.00', in_use: true },
      { source: 'kraken', usd: '2500.00', in_use: true },
    ],
  });
  expect(listed.find(({ token }) => token === 'SOL')).toMatchObject({
    unavailable: 'no-fresh-sources',
    sources: [
      { source: 'binance', in_use: false, reason: 'no-report' },
      { source: 'coinbase', usd: '150.00', in_use: false, reason: 'too-old' },
      { source: 'kraken', in_use: false, reason: 'too-old', age_seconds: expect.any(Number) as number },
    ],
  });
});
