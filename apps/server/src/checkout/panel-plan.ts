import type { PlannedAct } from '../sandbox/act.ts';
import { atOnce, planScenario } from '../sandbox/act.ts';
import { TEST_FAULTS } from '../stores/test-fault-sql.ts';
import type { TestFault } from '../stores/test-fault-sql.ts';

/** Actions of each button of the test payer's panel. */

const FAULT_SECONDS = 60;

const fault = (one: TestFault, seconds: number) => atOnce({ kind: 'fault', fault: one, seconds });

const PLANS: Readonly<Record<string, readonly PlannedAct[]>> = {
  pay: planScenario('pay'),
  short: planScenario('short'),
  over: planScenario('over'),
  wrong_token: planScenario('wrong_token'),
  twice: planScenario('twice'),
  late: planScenario('late'),
  pay_slowly: [atOnce({ kind: 'pay', payment: 'exact', slow: true })],
  confirm: [atOnce({ kind: 'confirm' })],
  take_back: [atOnce({ kind: 'reorg', returns: false })],
  put_back: [atOnce({ kind: 'reorg', returns: true })],
  expire: planScenario('expire'),
  no_node: [fault('outage', FAULT_SECONDS)],
  no_webhooks: [fault('webhooks', FAULT_SECONDS)],
  no_prices: [fault('prices', FAULT_SECONDS)],
  all_well: TEST_FAULTS.map((one) => fault(one, 0)),
};

/** Undefined for unknown buttons. */
export function panelPlan(ask: string): readonly PlannedAct[] | undefined {
  return Object.hasOwn(PLANS, ask) ? PLANS[ask] : undefined;
}
