import { describe, expect, test } from 'vitest';
import type { AppliedMigration } from './compatibility.ts';
import { judgeSchema, readCompatibleFrom } from './compatibility.ts';
import { readMigrations } from './migrate.ts';

/**
 * Migrations from before files declared their compatibility. Databases store their checksums, so not a byte of them may
 * change.
 */
const LANDED = [
  ['0001-foundation.sql', '45f6640e26235a764d129576f77e2ce08bf5e8c4904000018604f13e1c25a3e5'],
  ['0002-ledger.sql', '5081ef624324985454c67e55765369673c41d31b5c6b2d59bff00ad750938e4f'],
  ['0003-wallets.sql', '7dba620b38e54afb8bbe0bde40a4487afb531e5c415d44eaf37559f5990bd8e3'],
  ['0004-invoices.sql', '6565f30511ec51968f31b0edcfb56b973a14a89e1ff6b119cb2fb5fc518f3ebe'],
  ['0005-prices.sql', 'bfffdca6a918e67d7796c63e7593c3fbd55c1c9d1f5118b0b8db631ec4c70b74'],
  ['0006-quotes.sql', '451a6af00b9d4885ee17be95fca2fe1ede92858c47684a18376273557619a1c8'],
  ['0007-transfers.sql', '9868f1a01081ad1194827de727504b77958cc5599b8a555dab7b0312825be284'],
  ['0008-deliveries.sql', 'a1a06c9a879ac4df811d0d7a273a4c66890722e482737ea6c65cb11c6618f256'],
  ['0009-room-to-rest.sql', 'd868fa04eeaed34c57d68f750045122d090ba6cd647879f0d32b1e673eb99ae8'],
  ['0010-webhook-care.sql', '1435367e060021b5c5d60c34a596b96afd829c6d60bbfa141bb4185a19fe450e'],
  ['0011-brands.sql', 'e89a4b8897d525eb31b045b563092d1c53bb68ac56f6e44a382aeceb8594e6b5'],
  ['0012-invoice-changes.sql', '04730a07e326c46cf91443d678d5bf91897cc2347a8212b8006ca2f0ff65ed70'],
  ['0013-accounts.sql', '17f42c71ae73c1f716d747ab7bdead9a5f76f5ad06a07684e3cc2c4f2d48e8a0'],
  ['0014-references.sql', '74a03a86a0a1e8c6687787101112f32b0add20d1ea3e91e8ec8b9b3e8675dcca'],
  ['0015-evidence.sql', 'b1a270cbfceff8774d1de49ff37e7fd644477466fef2de114060e217fbf46f0b'],
  ['0016-growth.sql', '31f24d4d01ef91f0e3084db8506f2ce551edae3851b744f770f971df53dcb232'],
  ['0017-decisions.sql', 'db31ef95f5231062a6c66e17727dd7ddca5747e3f07e0ce20ceb47660940e9e5'],
  ['0018-unreadable-transactions.sql', '68ebc194d4782f9ed5d71f8314833b7d2aaaf2e3c0de46d531b31e3bbc41af2e'],
  ['0019-room-to-prove.sql', '4f54f93fabc40aca8236d293a4824fbd3c6fe2077ae4dc77b9adb882cc159d07'],
  ['0020-named-transactions.sql', '52f92ad950e8974037c01f7fe33bbbfd6d3b24c1dc0340444649f905c28749d2'],
  ['0021-turns-of-stores.sql', '6841f90508d4a8f5391946ad15aa464333dfa1517ecc716954a47574c8ec50d1'],
] as const;

test('released migrations are unchanged, byte for byte', async () => {
  const found = (await readMigrations()).map(({ name, checksum }) => [name, checksum]);
  expect(found.slice(0, LANDED.length)).toEqual(LANDED);
});

const file = (sql: string) => ({ version: 30, name: '0030-some.sql', sql });

describe('a migration', () => {
  test.each<[string, string, number]>([
    ['that only adds leaves all earlier versions able to run', '-- expand\nselect 1;', 25],
    ['that removes something names the oldest version that can still run', '-- contract: 0029\nselect 1;', 29],
    ['cannot allow versions again that an earlier migration excluded', '-- contract: 0022\nselect 1;', 25],
  ])('%s', (_title, sql, compatibleFrom) => {
    expect(readCompatibleFrom(file(sql), 25)).toBe(compatibleFrom);
  });

  test.each([
    'select 1;',
    '-- What it is for.\n-- expand\n',
    '-- contract\n',
    '-- expand and contract\n',
    '--expand\n',
  ])('a migration that begins with %j is refused', (sql) =>
    expect(() => readCompatibleFrom(file(sql), 25)).toThrow('neither "-- expand" nor "-- contract: NNNN"'),
  );

  test('a migration cannot ask for a version newer than itself', () => {
    expect(() => readCompatibleFrom(file('-- contract: 0031\n'), 25)).toThrow('newer than itself');
  });
});

const rows = (...from: (number | null)[]): AppliedMigration[] =>
  from.map((compatibleFrom, at) => ({
    version: at + 1,
    name: `${at + 1}`,
    checksum: `sum-${at + 1}`,
    compatibleFrom,
  }));

describe('a version that knows three migrations', () => {
  const known = rows(1, 1, 1);

  test.each<[string, AppliedMigration[], string]>([
    ['nothing yet', [], 'behind'],
    ['two of them', rows(1, 1), 'behind'],
    ['all three', rows(1, 1, 1), 'current'],
    ['all three, without stored compatibility', rows(null, null, null), 'current'],
    ['two more that only add', rows(1, 1, 1, 1, 1), 'compatible'],
    ['one more that needs this version', rows(1, 1, 1, 3), 'compatible'],
    ['one more that needs a later version', rows(1, 1, 1, 4), 'newer'],
    ['one that needs a later version below one that only adds', rows(1, 1, 1, 4, 4), 'newer'],
    ['one more without stored compatibility', rows(1, 1, 1, null), 'newer'],
    ['another third one', [...rows(1, 1), { version: 3, name: '3', checksum: 'other' }], 'changed'],
    [
      'another first one, and more that only adds',
      [{ ...rows(1)[0], checksum: 'other' } as AppliedMigration, ...rows(1, 1, 1, 1).slice(1)],
      'changed',
    ],
  ])('on a schema with %s', (_title, applied, state) => {
    expect(judgeSchema(known, applied).state).toBe(state);
  });
});
