import type { CancellableInvoice } from '../../src/invoices/cancellation-sql.ts';
import { performCancels } from '../../src/invoices/perform-cancels.ts';
import { requestCancel } from '../../src/invoices/request-cancel.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { EngineFixture } from './engine-fixture.ts';

type Engine = Pick<EngineFixture, 'as'> & { clock: Clock };

const NO_FAILPOINT = () => {};

/** One round of the worker's loop. */
export async function performRequests(engine: Engine): Promise<void> {
  await performCancels({ database: engine.as('worker'), clock: engine.clock, failpoint: NO_FAILPOINT });
}

/** Performs requests to cancel as long as `work` runs. */
export async function performDuring<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const working = work().finally(() => over.abort());
  const performing = (async () => {
    while (!over.signal.aborted) await performRequests(engine);
  })();
  const [outcome] = await Promise.allSettled([working, performing]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Cancels an invoice as by API key: the API requests it, and a worker performs it in the meantime. */
export function cancel(engine: Engine, store: TestStore, transId: string): Promise<CancellableInvoice> {
  const context = { database: engine.as('api'), clock: engine.clock };
  const actor = { kind: 'key', storeId: store.id } as const;
  return performDuring(engine, () => requestCancel(context, actor, { store: store.ref, transId }));
}

/** Requests a cancel and performs it immediately; a refusal is as good, because a payment may have been seen. */
export async function tryCancel(engine: Engine, store: TestStore, transId: string): Promise<void> {
  const context = { database: engine.as('api'), clock: engine.clock };
  const asked = { store: store.ref, transId, maxWaitMs: 0 };
  try {
    await requestCancel(context, { kind: 'key', storeId: store.id }, asked);
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'INVOICE_NOT_CANCELLABLE') return;
    throw cause;
  }
  await performRequests(engine);
}
