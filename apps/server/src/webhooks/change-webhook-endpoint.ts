import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireSetting } from '../people/attempt.ts';
import { requireElevated } from '../people/require-elevated.ts';
import { holdStore } from '../stores/store-sql.ts';
import { endEarlierEndpointSecrets } from './endpoint-secret-sql.ts';
import { requireEndpoint } from './require-endpoint.ts';
import { disableEndpoint, enableEndpoint, setEndpointTypes } from './webhook-endpoint-sql.ts';

type EndpointChange = { types: readonly InvoiceEventType[] } | { enabled: boolean };
type ChangeInput = { store: StoreRef; endpoint: string; change: EndpointChange };

const isSame = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((one) => right.includes(one));

async function requireChange({ database }: Context, actor: Actor): Promise<void> {
  if (actor.kind === 'person') requireElevated(actor);
  await requireSetting(database.queries, actor);
}

async function saveChange(tx: Tx, id: bigint, { change, at }: { change: EndpointChange; at: Date }): Promise<void> {
  if ('types' in change) await setEndpointTypes(tx, id, change.types, at);
  else if (change.enabled) await enableEndpoint(tx, id, at);
  else await disableEndpoint(tx, id, { at, deleted: false });
}

function auditOf(
  before: { types: readonly string[]; url: string },
  { endpoint, change }: { endpoint: string; change: EndpointChange },
) {
  if ('types' in change)
    return { action: 'endpoint.change', details: { endpoint, before: before.types, after: change.types } } as const;
  const action = change.enabled ? 'endpoint.enable' : 'endpoint.disable';
  return { action, details: { endpoint, url: before.url } } as const;
}

/** Changes which events a webhook endpoint receives, or disables or enables it. Pending deliveries end when disabled. */
export async function changeWebhookEndpoint(
  context: Context,
  actor: Actor,
  { store, endpoint, change }: ChangeInput,
): Promise<void> {
  const { database, clock } = context;
  await requireChange(context, actor);
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    await holdStore(tx, store.id);
    const before = await requireEndpoint(tx, { store, endpoint });
    const isUnchanged =
      'types' in change ? isSame(before.types, change.types) : change.enabled === (before.disabledAt === null);
    if (isUnchanged) throw new Refusal('ENDPOINT_UNCHANGED', { endpoint });
    await saveChange(tx, before.id, { change, at });
    await recordAudit(tx, clock, actor, { subject: `store:${store.id}`, ...auditOf(before, { endpoint, change }) });
  });
}

/** Deletes a webhook endpoint and ends its secrets. Its deliveries stay in the log; pending ones end. */
export async function deleteWebhookEndpoint(
  context: Context,
  actor: Actor,
  { store, endpoint }: Pick<ChangeInput, 'store' | 'endpoint'>,
): Promise<void> {
  const { database, clock } = context;
  await requireChange(context, actor);
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    await holdStore(tx, store.id);
    const { id, url } = await requireEndpoint(tx, { store, endpoint });
    await disableEndpoint(tx, id, { at, deleted: true });
    await endEarlierEndpointSecrets(tx, id, { at, until: at });
    await recordAudit(tx, clock, actor, {
      action: 'endpoint.delete',
      subject: `store:${store.id}`,
      details: { endpoint, url },
    });
  });
}
