import type { TestFault } from '../stores/test-fault-sql.ts';

/**
 * Acts: what a worker does for a test store (pay, reorg, advance time, fault), and the acts that make up each scenario.
 * Pure.
 */

export const PAYMENT_KINDS = ['exact', 'short', 'over', 'wrong_token'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

export type Act =
  /** A usual payment method is selected, unless the invoice shows one; for askers whose role may not select. */
  | { kind: 'choose' }
  /** A test payer pays the invoice's latest quote; a slow payment is not final until a `confirm` act. */
  | { kind: 'pay'; payment: PaymentKind; slow: boolean }
  /** All slow payments of the invoice become final. */
  | { kind: 'confirm' }
  /** A reorg takes the invoice's last payment out of its chain, or puts the payment into another block. */
  | { kind: 'reorg'; returns: boolean }
  /** Time passes for this invoice alone. */
  | { kind: 'advance'; seconds: number }
  /** Time passes for the invoice until its end, and its store's grace after that end, are over. */
  | { kind: 'end' }
  /** A fault of the whole test store begins and lasts for the given seconds; zero seconds end the fault. */
  | { kind: 'fault'; fault: TestFault; seconds: number }
  /** An outage of the test store is over: payments that the outage hid are read. */
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
] as const;
export type Scenario = (typeof SCENARIOS)[number];

const CONFIRMED_AFTER_MS = 3_000;
const REORG_AFTER_MS = 1_000;
/**
 * When a scenario puts back a payment that it took back after completion. Until then the store cannot be paid on that
 * network, so that a store without the sandbox API would otherwise lose one network after the other.
 */
const RETURNS_AFTER_MS = 60_000;
const OUTAGE_SECONDS = 10;
const FAULT_SECONDS = 60;

/** An act that is due as soon as it is asked for. */
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
};

export function planScenario(scenario: Scenario): readonly PlannedAct[] {
  return PLANS[scenario];
}

/**
 * Whether an act only ends what an earlier act began: confirms slow payments, or puts a payment back. Such acts are
 * allowed when an invoice takes no other act, or its followed account could wait for ever.
 */
export function isMending(act: Act): boolean {
  return act.kind === 'confirm' || (act.kind === 'reorg' && act.returns);
}

/** Whether a plan contains a payment, so that the invoice needs a quote first. */
export function needsQuote(plan: readonly PlannedAct[]): boolean {
  return plan.some(({ act }) => act.kind === 'pay');
}

/** Modulus that leaves the last four of an amount's eight decimals: no shop's price in USD uses these four decimals. */
const MAGIC_PLACES = 10_000n;

/**
 * The scenario that a test invoice plays by itself, chosen by the last decimals of its amount; undefined for other
 * amounts.
 */
export function magicScenario(amountUnits: bigint): Scenario | undefined {
  const number = amountUnits % MAGIC_PLACES;
  return number === 0n ? undefined : SCENARIOS[Number(number) - 1];
}
