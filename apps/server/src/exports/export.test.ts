import { expect, test } from 'vitest';
import { CHUNK_BYTES, createChunkWriter } from './chunk-writer.ts';
import type { Exporter } from './export.ts';
import { decidePeriod, decideScope, EXPORT_KINDS, mayExport } from './export.ts';
import { createHash } from 'node:crypto';

const ASKED = { kind: 'invoices', merchantAccountId: 1n, storeIds: [1n, 2n], wholeMerchant: true } as const;
const OWNER: Exporter = { role: 'owner', allStores: true, storeIds: [] };
const SOME: Exporter = { role: 'finance', allStores: false, storeIds: [2n, 3n] };

test.each([
  ['an owner', ASKED, OWNER, { storeIds: [1n, 2n], wholeMerchant: true }],
  ['a member who sees fewer stores than then', ASKED, SOME, { storeIds: [2n], wholeMerchant: false }],
  ['a member who sees none of them any more', { ...ASKED, storeIds: [1n] }, SOME, undefined],
  ['a member whose role may not export any more', ASKED, { ...OWNER, role: 'viewer' }, undefined],
  ['a member with a role that nobody defined', ASKED, { ...OWNER, role: 'looking' }, undefined],
  ['somebody who is a member no more', ASKED, undefined, undefined],
  ['a merchant without stores', { ...ASKED, storeIds: [] }, OWNER, { storeIds: [], wholeMerchant: true }],
])('the scope is decided again when the file is made: %s', (_title, asked, exporter, expected) => {
  expect(decideScope(asked, exporter)).toEqual(expected && { merchantAccountId: 1n, ...expected });
});

const MOMENT = Date.UTC(2026, 10, 18, 12, 0, 59);
const NOW = MOMENT + 999;
const at = (secondsBack: number, ms = 0) => new Date(MOMENT - secondsBack * 1_000 + ms);
/** Fifteen minutes, and back to a whole minute. */
const HELD_BACK = 15 * 60 + 59;

test.each([
  ['without an end ends at the second of the request', 'invoices', {}, { toAt: at(0) }],
  ['that would end tomorrow ends at the second of the request', 'audit', { toAt: at(-86_400) }, { toAt: at(0) }],
  ['with an end in the past keeps it', 'transfers', { toAt: at(60) }, { toAt: at(60) }],
  ['with an end inside a second ends at the second', 'invoices', { toAt: at(60, 1) }, { toAt: at(60) }],
  ['keeps its beginning', 'invoices', { fromAt: at(60) }, { fromAt: at(60), toAt: at(0) }],
  ['that would begin tomorrow is empty', 'invoices', { fromAt: at(-86_400) }, { fromAt: at(0), toAt: at(0) }],
  ['of the ledger ends minutes before the request', 'statement', {}, { toAt: at(HELD_BACK) }],
  ['of the ledger with a recent end ends earlier', 'statement', { toAt: at(HELD_BACK - 1) }, { toAt: at(HELD_BACK) }],
  ['of the ledger with an earlier end keeps it', 'statement', { toAt: at(HELD_BACK + 1) }, { toAt: at(HELD_BACK + 1) }],
  [
    'of the ledger that would begin after its end is empty',
    'statement',
    { fromAt: at(1) },
    { fromAt: at(HELD_BACK), toAt: at(HELD_BACK) },
  ],
] as const)('a file %s', (_title, kind, asked, expected) => {
  const none = { fromAt: null, toAt: null };
  expect(decidePeriod(kind, { ...none, ...asked }, NOW)).toEqual({ ...none, ...expected });
});

test.each(EXPORT_KINDS)('a file with %s that begins at the end of another one joins it', (kind) => {
  const { toAt } = decidePeriod(kind, { fromAt: null, toAt: null }, NOW);
  const next = decidePeriod(kind, { fromAt: new Date(toAt.getTime()), toAt: null }, NOW + 86_400_000);
  expect([next.fromAt, toAt.getTime() % 1_000]).toEqual([toAt, 0]);
});

test.each([
  ['owner', true],
  ['admin', true],
  ['finance', true],
  ['developer', false],
  ['viewer', false],
])('%s may export: %s', (role, expected) => {
  expect([mayExport(role, 'invoices'), mayExport(role, 'audit')]).toEqual([expected, expected]);
});

const SIZES = [[0], [1], [CHUNK_BYTES], [CHUNK_BYTES + 1], [CHUNK_BYTES - 1, 1, 1], [10, 3 * CHUNK_BYTES, 7]];

test.each(SIZES)('a file written in pieces of %j bytes... is cut into whole chunks and a rest', async (...sizes) => {
  const saved: Buffer[] = [];
  const writer = createChunkWriter(async ({ number, bytes }) => {
    expect(number).toBe(saved.length);
    saved.push(Buffer.from(bytes));
  });
  const texts = sizes.map((size, index) => String(index).repeat(size));
  for (const text of texts) await writer.write(text);
  const { bytes, sha256 } = await writer.close();
  const whole = Buffer.from(texts.join(''));
  expect(Buffer.concat(saved).equals(whole)).toBe(true);
  expect({ bytes, hash: sha256.toString('hex') }).toEqual({
    bytes: whole.length,
    hash: createHash('sha256').update(whole).digest('hex'),
  });
  expect(saved.slice(0, -1).every(({ length }) => length === CHUNK_BYTES)).toBe(true);
  expect(saved.every(({ length }) => length > 0 && length <= CHUNK_BYTES)).toBe(true);
});
