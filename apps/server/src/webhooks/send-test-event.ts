import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { unixSeconds } from '../lib/clock.ts';
import { hasAtMost, isWebUrl } from '../lib/text.ts';
import { Refusal } from '../lib/refusal.ts';
import { createTestEventId, testBody } from './event.ts';
import { insertEvents } from './event-sql.ts';
import { findNewestUrl } from './test-event-sql.ts';

const MAX_URL_CHARACTERS = 500;

/** `url`: where to send the event; by default the store's most recently registered callback URL. */
type TestEventInput = { store: StoreRef; url: string | undefined };

/** Sends a test event in the same way as all events: signed, sent by a worker, tried again, logged. */
export async function sendTestEvent(
  { database, clock }: Context,
  actor: Actor,
  input: TestEventInput,
): Promise<string> {
  const { id: storeId } = input.store;
  if (input.url !== undefined && !(isWebUrl(input.url) && hasAtMost(input.url, MAX_URL_CHARACTERS)))
    throw new Refusal('CALLBACK_INVALID', { maxCharacters: MAX_URL_CHARACTERS });
  const at = new Date(clock.nowMs());
  const eventId = createTestEventId();
  await inTransaction(database, async (tx) => {
    const url = input.url ?? (await findNewestUrl(tx, storeId));
    if (url === undefined) throw new Refusal('CALLBACK_UNKNOWN');
    const body = testBody(eventId, unixSeconds(at));
    const event = { eventId, storeId, invoiceId: null, sequence: 1, type: 'webhook.test', body, url } as const;
    await insertEvents(tx, [event], at);
    await recordAudit(tx, clock, actor, {
      action: 'webhook.test',
      subject: `store:${storeId}`,
      details: { eventId, url },
    });
  });
  return eventId;
}
