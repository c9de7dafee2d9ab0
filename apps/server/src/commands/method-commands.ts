import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import { DELAY_HOURS } from '../merchants/method-delay.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { cancelMethodChange } from '../wallets/cancel-method-change.ts';
import { changeMethodDelay } from '../wallets/change-method-delay.ts';
import { lockMethodsForOperator } from '../wallets/lock-methods.ts';
import { listChanges } from '../wallets/method-change-sql.ts';
import type { AnnouncedMethod } from '../wallets/request-method-change.ts';
import { unlockMethodsForOperator } from '../wallets/unlock-methods.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

/** Commands about changes of payment methods that wait, and about the lock that stops them. */

const MAX_LISTED = 50;
const reason = z.string().trim().min(1).max(500);

/** Options of commands that add a payment method: the operator's order to add it at once. */
export const orderFields = {
  now: z
    .enum(['yes', 'no'])
    .default('no')
    .transform((word) => word === 'yes'),
  reason: reason.optional(),
};
export const orderOptions = {
  now: 'yes|no          add it at once, past the delay; the owners are told all the same (no)',
  reason: 'TEXT         why, for the audit; needed for --now yes',
};

/** The order of an operator who says `--now yes`; undefined without it. */
export function orderOf(input: { now: boolean; reason?: string | undefined }): { reason: string } | undefined {
  if (!input.now) return undefined;
  return { reason: reason.parse(input.reason) };
}

/** Whether the reason is given where the order needs one. */
export const hasReason = (input: { now: boolean; reason?: string | undefined }) =>
  !input.now || input.reason !== undefined;
export const NO_REASON = { path: ['reason'], message: 'is needed for --now yes' };

/** What is printed of a change that waits. */
export const showWaiting = (waiting: AnnouncedMethod | undefined) =>
  waiting ? { change: waiting.change, state: 'scheduled', takes_effect: waiting.effectiveAt } : { takes_effect: 'now' };

const storeChoice = z.object({ store: z.string() });

const methodList = command<OperatorContext, typeof storeChoice>('method list', {
  summary: 'Changes of the payment methods of a store, newest first.',
  options: { store: 'MERCHANT_ID' },
  input: storeChoice,
  run: async (context, { store: code }) => {
    const { id } = await storeForOperator(context, context.actor, code);
    return listChanges(context.database.queries, id, MAX_LISTED);
  },
});

const cancelInput = z.object({ store: z.string(), change: z.string(), reason });

const methodCancel = command<OperatorContext, typeof cancelInput>('method cancel', {
  summary: 'Cancel a pending change; the owners are notified. Audited.',
  options: { store: 'MERCHANT_ID', change: 'MCH-...', reason: 'TEXT         why, for the audit' },
  input: cancelInput,
  run: async (context, { store: code, change, reason: why }) => {
    const store = await storeForOperator(context, context.actor, code);
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    await cancelMethodChange(parts, context.actor, { store, change, reason: why });
    return { store: code, change, cancelled: true };
  },
});

const lockInput = z.object({
  merchant: z
    .string()
    .regex(/^\d{1,18}$/, 'must be a number')
    .transform(BigInt),
  reason,
});
const lockOptions = { merchant: 'NUMBER', reason: 'TEXT         why, for the audit' };

const methodLock = command<OperatorContext, typeof lockInput>('method lock', {
  summary:
    'Stop all changes of where the stores of a merchant receive; no method and no API key can be added. Audited.',
  options: lockOptions,
  input: lockInput,
  run: async (context, { merchant, reason: why }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    await lockMethodsForOperator(parts, context.actor, { merchantAccountId: merchant, reason: why });
    return { merchant, locked: true };
  },
});

const methodUnlock = command<OperatorContext, typeof lockInput>('method unlock', {
  summary: 'Let payment methods of a merchant be changed again; what was stopped stays stopped. Audited.',
  options: lockOptions,
  input: lockInput,
  run: async (context, { merchant, reason: why }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    await unlockMethodsForOperator(parts, context.actor, { merchantAccountId: merchant, reason: why });
    return { merchant, locked: false };
  },
});

const delayInput = lockInput.extend({
  hours: wholeNumber(DELAY_HOURS.minimum, DELAY_HOURS.maximum),
});

const methodDelay = command<OperatorContext, typeof delayInput>('method delay', {
  summary:
    'Change how long payment-method changes of a merchant wait; a shorter delay applies after the old one. Audited.',
  options: { ...lockOptions, hours: `${DELAY_HOURS.minimum}..${DELAY_HOURS.maximum}` },
  input: delayInput,
  run: async (context, { merchant, hours, reason: why }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const asked = { merchantAccountId: merchant, hours, reason: why };
    const { appliesFrom } = await changeMethodDelay(parts, context.actor, asked);
    const state = appliesFrom.getTime() > context.clock.nowMs() ? 'scheduled' : 'applies';
    return { merchant, hours, state, applies_from: appliesFrom };
  },
});

export const methodCommands = [methodList, methodCancel, methodLock, methodUnlock, methodDelay];
