import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { unixSeconds } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { hasAtMost, isWebUrl } from '../lib/text.ts';
import { createTestEventId, testBody } from './event.ts';
import { insertEvents } from './event-store.ts';
import { findNewestUrl } from './test-store.ts';

const MAX_URL_CHARACTERS = 500;

export type TestInput = {
  storeId: bigint;
  /** The newest callback address of the store, unless told. */
  url: string | undefined;
  actor: string;
};

/** Writes an event that tells of nothing, on the way of all others: signed, sent by a worker, tried again, logged. */
export async function testWebhook(database: Database, clock: Clock, input: TestInput): Promise<string> {
  const { storeId, actor } = input;
  if (input.url !== undefined && !(isWebUrl(input.url) && hasAtMost(input.url, MAX_URL_CHARACTERS)))
    throw new OperatorError(`--url: must be an http or https URL of at most ${MAX_URL_CHARACTERS} characters`);
  const at = new Date(clock.nowMs());
  const eventId = createTestEventId();
  await inTransaction(database, async (tx) => {
    const url = input.url ?? (await findNewestUrl(tx, storeId));
    if (url === undefined) throw new OperatorError('This store has no callback address yet: name one with --url.');
    const body = testBody(eventId, unixSeconds(at));
    const event = { eventId, storeId, invoiceId: null, sequence: 1, type: 'webhook.test', body, url } as const;
    await insertEvents(tx, [event], at);
    await recordAudit(tx, clock, {
      actor,
      action: 'webhook.test',
      subject: `store:${storeId}`,
      details: { eventId, url },
    });
  });
  return eventId;
}
