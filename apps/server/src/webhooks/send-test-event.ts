import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { unixSeconds } from '../lib/clock.ts';
import { findUrlFault, hasAtMost } from '../lib/text.ts';
import { Refusal } from '../lib/refusal.ts';
import { holdStore } from '../stores/store-sql.ts';
import { findCallbackFault } from './callback-fault.ts';
import { createTestEventId, testBody } from './event.ts';
import { insertDeliveries } from './event-sql.ts';
import { requireEnabledEndpoint } from './require-endpoint.ts';
import { insertEndpointDeliveries } from './subscription-sql.ts';
import { countTestEvents, findNewestUrl, insertTestEvent } from './test-event-sql.ts';

const MAX_URL_CHARACTERS = 500;
const MAX_TEST_EVENTS = 30;

/** Refuses members who sent too many test events. Operators have no limit. */
async function requireBudget(tx: Tx, actor: Actor, storeId: bigint, at: Date): Promise<void> {
  if (actor.kind !== 'person') return;
  const sent = await countTestEvents(tx, storeId, new Date(at.getTime() - HOUR_MS), MAX_TEST_EVENTS);
  if (sent >= MAX_TEST_EVENTS) throw new Refusal('TOO_MANY_TEST_EVENTS', { most: MAX_TEST_EVENTS });
}

/** `privateCallbacks` allows private IP addresses; development only. */
type TestEventContext = Context & { privateCallbacks: boolean };

/**
 * To the webhook endpoint with a code, or to a URL: by default the store's most recently registered callback URL.
 */
type TestEventInput = { store: StoreRef } & ({ url: string | undefined } | { endpoint: string });

type Receiver = { url: string; endpointId: bigint | undefined };

async function findReceiver(tx: Tx, input: TestEventInput): Promise<Receiver> {
  if ('endpoint' in input) {
    const { id, url } = await requireEnabledEndpoint(tx, input);
    return { url, endpointId: id };
  }
  const url = input.url ?? (await findNewestUrl(tx, input.store.id));
  if (url === undefined) throw new Refusal('CALLBACK_UNKNOWN');
  return { url, endpointId: undefined };
}

/** Sends a test event like all others: signed, by a worker, with retries and log. */
export async function sendTestEvent(
  { database, clock, privateCallbacks }: TestEventContext,
  actor: Actor,
  input: TestEventInput,
): Promise<string> {
  const { id: storeId } = input.store;
  const named = 'url' in input ? input.url : undefined;
  if (named !== undefined && (findUrlFault(named) === 'form' || !hasAtMost(named, MAX_URL_CHARACTERS)))
    throw new Refusal('CALLBACK_INVALID', { maxCharacters: MAX_URL_CHARACTERS });
  const at = new Date(clock.nowMs());
  const eventId = createTestEventId();
  await inTransaction(database, async (tx) => {
    // Serialises requests about a store, so that they are counted.
    const { httpsCallbacksOnly } = await holdStore(tx, storeId);
    await requireBudget(tx, actor, storeId, at);
    const { url, endpointId } = await findReceiver(tx, input);
    const fault = findCallbackFault(url, { httpsCallbacksOnly }, privateCallbacks);
    if (fault !== undefined) throw new Refusal('CALLBACK_UNFIT', { fault });
    const body = testBody(eventId, unixSeconds(at));
    await insertTestEvent(tx, { eventId, storeId, body }, at);
    if (endpointId === undefined) await insertDeliveries(tx, [{ eventId, storeId, url }], at);
    else await insertEndpointDeliveries(tx, [{ eventId, endpointIds: [endpointId] }], at);
    await recordAudit(tx, clock, actor, {
      action: 'webhook.test',
      subject: `store:${storeId}`,
      details: { eventId, url, ...('endpoint' in input && { endpoint: input.endpoint }) },
    });
  });
  return eventId;
}
