import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import { unixSeconds } from '../lib/clock.ts';
import { sleep } from '../lib/loop.ts';
import { SCENARIOS } from '../sandbox/act.ts';
import type { AskedAct, KnownAct } from '../sandbox/act-sql.ts';
import { readActs } from '../sandbox/act-sql.ts';
import { playScenario } from '../sandbox/play-scenario.ts';
import type { DashboardContext } from './dashboard-context.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

/** Routes about test stores: actions of the test payer. */

const MAX_WAIT_SECONDS = 3;
const POLL_MS = 100;

const playBody = z.strictObject({
  scenario: z.enum(SCENARIOS).describe('The same scenarios as by magic amounts'),
  wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).optional(),
});

const viewAct = ({ act, dueAt, outcome }: KnownAct) => ({
  act: act.kind,
  due_at: unixSeconds(dueAt),
  done: outcome?.done ?? null,
  note: outcome?.note ?? null,
});

/** Waits, within limits, until a worker has attempted all due actions; returns them. */
async function awaitActs(
  { database, clock }: DashboardContext,
  asked: readonly AskedAct[],
  waitSeconds: number,
): Promise<KnownAct[]> {
  const nowMs = clock.nowMs();
  const ids = asked.map(({ id }) => id);
  for (;;) {
    const acts = await readActs(database.queries, ids);
    const waits = acts.some(({ dueAt, doneAt }) => doneAt === null && dueAt.getTime() <= nowMs);
    if (!waits || clock.nowMs() >= nowMs + waitSeconds * SECOND_MS) return acts;
    await sleep(POLL_MS, new AbortController().signal);
  }
}

export const sandboxRoutes: readonly DashboardRoute[] = [
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/invoices/:invoice/test-payment',
      summary: 'Have a test payer pay an invoice of a test store',
      body: playBody,
      held: 'wait',
    },
    async ({ context, person, path: { account = '', invoice = '' }, input: { scenario, wait_seconds } }) => {
      const asked = await playScenario(context, person, { merchantCode: account, transId: invoice, scenario });
      const acts = await awaitActs(context, asked, wait_seconds ?? MAX_WAIT_SECONDS);
      return { acts: acts.map(viewAct) };
    },
  ),
];
