import type { TestFault } from '../stores/test-fault-sql.ts';

/** Actions of a worker for a test store (pay, reorg, advance time, fault), and those of each scenario. */

export const PAYMENT_KINDS = ['exact', 'short', 'over', 'wrong_token'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

export type Act =
  /** Select a usual payment method if there is none; for requesters whose role may not select. */
  | { kind: 'choose' }
  /** Pay the invoice's latest quote; a slow payment is final only after `confirm`. */
  | { kind: 'pay'; payment: PaymentKind; slow: boolean }
  /** Make all slow payments of the invoice final. */
  | { kind: 'confirm' }
  /** Remove the invoice's last payment from its chain, or move it to another block. */
  | { kind: 'reorg'; returns: boolean }
  /** Cancel the invoice, as its merchant would. */
  | { kind: 'cancel' }
  /** Time passes for this invoice alone. */
  | { kind: 'advance'; seconds: number }
  /** Time passes until the invoice's end and grace are over. */
  | { kind: 'end' }
  /** A fault of the whole test store for some seconds; zero ends it. */
  | { kind: 'fault'; fault: TestFault; seconds: number }
  | { kind: 'recover' };

export type PlannedAct = { act: Act; afterMs: number };

export const SCENARIOS = [
  'pay',
  'short',
  'over',
  'late',
  'twice',
  'wrong_token',
  'slow',
  'reorg_before',
  'reorg_after',
  'expire',
  'outage',
  'webhooks',
  'prices',
  'paid_after_cancel',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

const CONFIRMED_AFTER_MS = 3_000;
const REORG_AFTER_MS = 1_000;
/** The second of a cancel is still in time. */
const PAID_AFTER_CANCEL_MS = 2_000;
/**
 * When a scenario restores a payment that it removed after completion. Until then the store cannot be paid on that
 * network: without the sandbox API it would lose one network after the other.
 */
const RETURNS_AFTER_MS = 60_000;
const OUTAGE_SECONDS = 10;
const FAULT_SECONDS = 60;

export const atOnce = (act: Act): PlannedAct => ({ act, afterMs: 0 });
const later = (afterMs: number, act: Act): PlannedAct => ({ act, afterMs });
const pay = (payment: PaymentKind, slow = false) => atOnce({ kind: 'pay', payment, slow });
const fault = (one: TestFault, seconds: number) => atOnce({ kind: 'fault', fault: one, seconds });

const PLANS: Record<Scenario, readonly PlannedAct[]> = {
  pay: [pay('exact')],
  short: [pay('short')],
  over: [pay('over')],
  late: [atOnce({ kind: 'end' }), pay('exact')],
  twice: [pay('exact'), pay('exact')],
  wrong_token: [pay('wrong_token')],
  slow: [pay('exact', true), later(CONFIRMED_AFTER_MS, { kind: 'confirm' })],
  reorg_before: [pay('exact', true), later(REORG_AFTER_MS, { kind: 'reorg', returns: false })],
  reorg_after: [
    pay('exact'),
    later(REORG_AFTER_MS, { kind: 'reorg', returns: false }),
    later(RETURNS_AFTER_MS, { kind: 'reorg', returns: true }),
  ],
  expire: [atOnce({ kind: 'end' })],
  outage: [fault('outage', OUTAGE_SECONDS), pay('exact')],
  webhooks: [fault('webhooks', FAULT_SECONDS), pay('exact')],
  prices: [fault('prices', FAULT_SECONDS)],
  paid_after_cancel: [
    atOnce({ kind: 'cancel' }),
    later(PAID_AFTER_CANCEL_MS, { kind: 'pay', payment: 'exact', slow: false }),
  ],
};

export function planScenario(scenario: Scenario): readonly PlannedAct[] {
  return PLANS[scenario];
}

/**
 * Whether an action only ends what an earlier one began: confirms or restores payments. Allowed when no other action
 * is, or the account could wait indefinitely.
 */
export function isMending(act: Act): boolean {
  return act.kind === 'confirm' || (act.kind === 'reorg' && act.returns);
}

export function needsQuote(plan: readonly PlannedAct[]): boolean {
  return plan.some(({ act }) => act.kind === 'pay');
}

/** Leaves the last four of an amount's eight decimals, which real USD prices do not use. */
const MAGIC_PLACES = 10_000n;

/** The scenario of an amount's last decimals, which plays automatically; undefined for other amounts. */
export function magicScenario(amountUnits: bigint): Scenario | undefined {
  const number = amountUnits % MAGIC_PLACES;
  return number === 0n ? undefined : SCENARIOS[Number(number) - 1];
}
