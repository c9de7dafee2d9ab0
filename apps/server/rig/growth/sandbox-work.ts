import type { Act } from '../../src/sandbox/act.ts';
import { requestActs } from '../../src/sandbox/request-acts.ts';
import { NETWORKS } from '../chains/networks.ts';
import { createMakeInvoice } from '../invoices/make-invoice.ts';
import { admitStore } from '../stores/admit-store.ts';
import { openStore, VISITOR } from '../stores/open-store.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { WorkerRig } from './worker-rig.ts';
import { drain } from './worker-rig.ts';

/**
 * A worker's work for a test store: payments, confirmations, reorgs before and after completion, faults, and advanced
 * time.
 */

const SECOND_MS = 1_000;
const PAY = { kind: 'pay', payment: 'exact', slow: false } as const;
const follows = (name: string) => /^(sandbox|explain|pending|expire)/.test(name);

async function ask(rig: WorkerRig, transId: string, ...acts: Act[]): Promise<void> {
  const context = { database: rig.own, clock: rig.clock, networks: NETWORKS };
  // Requested like by the dashboard: a worker selects a missing payment method.
  const plan = acts.map((act) => ({ act, afterMs: 0 }));
  await requestActs(context, VISITOR, { transId, plan, chosenByWorker: true });
  await drain(rig, follows);
  rig.clock.advance(SECOND_MS);
  await drain(rig, follows);
}

async function newTestInvoice(rig: WorkerRig, store: TestStore): Promise<string> {
  await drain(rig, (name) => name === 'prices');
  const body = {
    merchant_id: store.merchantId,
    amount: '25',
    callback_url: `http://127.0.0.1:${rig.receiver.port}/good`,
  };
  return createMakeInvoice(rig.own)(await admitStore(rig.own, store), rig.clock, body);
}

/** Performs every sandbox action on invoices of a new test store. */
export async function workInSandbox(rig: WorkerRig): Promise<void> {
  const store = await openStore(rig.own, { clock: rig.clock, test: true, ring: rig.store.ring });
  await drain(rig, follows);
  const lost = await newTestInvoice(rig, store);
  await ask(rig, lost, PAY);
  await ask(rig, lost, { kind: 'reorg', returns: false });
  await ask(rig, lost, { kind: 'reorg', returns: true });
  const slow = await newTestInvoice(rig, store);
  await ask(rig, slow, { ...PAY, slow: true });
  // The second confirmation finds no payment that waits.
  await ask(rig, slow, { kind: 'advance', seconds: 60 }, { kind: 'confirm' }, { kind: 'confirm' });
  await ask(rig, slow, { kind: 'fault', fault: 'outage', seconds: 0 }, { kind: 'recover' });
  await ask(rig, await newTestInvoice(rig, store), { ...PAY, payment: 'short' }, { kind: 'end' });
}
