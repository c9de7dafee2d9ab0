import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Explanation, TestSite } from '../../rig/sandbox/test-site.ts';
import {
  act,
  askSandbox,
  chooseMethod,
  createTestInvoice,
  openTestSite,
  untilExplained,
} from '../../rig/sandbox/test-site.ts';
import type { Outcome, Step } from './scenario-table.ts';
import { isLike, SCENARIO_TABLE } from './scenario-table.ts';

/** The scenario table in the sandbox: a real API, a real worker, and a test payer at the merchant's command. */

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite(inject('template'));
});
afterAll(() => site.close());

function outcomeOf({ status, late, transfers, events }: Explanation): Outcome {
  return {
    status,
    late,
    transfers: transfers.map(({ in_chain, pays, reason }) => ({
      in_chain,
      pays,
      ...(reason !== undefined && { reason }),
    })),
    events: events.map(({ type }) => type),
  };
}

async function takeStep(store: TestStore, transId: string, step: Step): Promise<void> {
  if ('pay' in step) await act(site, transId, 'pay', { payment: step.pay, slow: step.slow === true }, store);
  if ('confirm' in step) await act(site, transId, 'confirm', {}, store);
  if ('reorg' in step) await act(site, transId, 'reorg', { returns: step.reorg === 'returns' }, store);
  if ('pass' in step) await act(site, transId, 'advance', {}, store);
  if ('outage' in step) {
    if (step.outage === 'ends') await untilOut(store);
    await askSandbox(site, store, '/sandbox/faults', { fault: 'outage', seconds: step.outage === 'begins' ? 60 : 0 });
  }
  if ('until' in step) await untilExplained(site, transId, (one) => isLike(outcomeOf(one), step.until), store);
}

/** Waits until a reader has met the outage of a store. */
async function untilOut({ id }: TestStore): Promise<void> {
  const isOut = async () => {
    const { rows } = await site.database.pool.query(
      `select from followed_accounts f join wallets w on w.network = f.network and w.address = f.account
       where w.store_id = $1 and f.last_error like '%outage%'`,
      [id],
    );
    return rows.length > 0;
  };
  await waitUntil(isOut, { what: 'No reader has met the outage.', timeoutMs: 60_000, pollMs: 20 });
}

describe('in the sandbox', () => {
  test.each(SCENARIO_TABLE)('an invoice that is $name', async ({ steps, outcome }) => {
    const store = await openStore(site.database, { test: true, ring: site.store.ring });
    const transId = await createTestInvoice(site, '25', store);
    await chooseMethod(site, transId);
    for (const step of steps) await takeStep(store, transId, step);
    const explained = await untilExplained(site, transId, (one) => isLike(outcomeOf(one), outcome), store);
    expect(outcomeOf(explained)).toEqual(outcome);
    expect(explained.acts.filter(({ done }) => done !== true)).toEqual([]);
  });

  test('nothing of it is in the ledger, and the ledger is right', async () => {
    const { rows } = await site.database.pool.query('select kind from ledger_entries where invoice_id is not null');
    expect(rows).toEqual([]);
    expect(await findLedgerFaults(site.database.queries, 10)).toEqual([]);
  });

  test('nobody is alarmed', async () => {
    const { rows } = await site.database.pool.query('select kind, subject from alarms');
    expect(rows).toEqual([]);
  });
});
