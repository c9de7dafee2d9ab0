import { expect, test } from 'vitest';
import { CHUNK_BYTES, createChunkWriter } from './chunk-writer.ts';
import type { Exporter } from './export.ts';
import { decideScope, mayExport } from './export.ts';
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
