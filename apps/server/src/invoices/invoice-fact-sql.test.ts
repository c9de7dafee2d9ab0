import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { readAttemptFacts } from './invoice-fact-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

test('attempts of an invoice are listed in the order in which they were made', async () => {
  await own.database.pool.query(
    `insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
     select now() - make_interval(mins => ago), delivery, number, 12, 500, '{}'
     from (values (1, 20, 1), (3, 10, 1), (2, 10, 2)) as made (ago, delivery, number)`,
  );
  const attempts = await readAttemptFacts(own.database.queries, [10n, 20n]);
  expect(attempts.map(({ deliveryId, number }) => [deliveryId, number])).toEqual([
    [10n, 1],
    [10n, 2],
    [20n, 1],
  ]);
});
