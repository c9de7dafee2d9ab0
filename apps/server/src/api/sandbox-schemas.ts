import { z } from 'zod';
import { PAYMENT_KINDS, SCENARIOS } from '../sandbox/act.ts';
import { MAX_FAULT_SECONDS } from '../sandbox/request-fault.ts';
import { TEST_FAULTS } from '../stores/test-fault-sql.ts';

/**
 * Bodies and answers of the sandbox API, for its OpenAPI document. Unknown fields are refused: a typo would otherwise
 * cause another payment than intended.
 */

/** A year, so that the end of a month or year can be tested. */
const MAX_ADVANCE_SECONDS = 31_536_000;

export const payBody = z
  .strictObject({
    payment: z
      .enum([...PAYMENT_KINDS, 'late', 'twice'])
      .default('exact')
      .meta({ description: 'What the test payer does. `late` first moves the invoice past its end.' }),
    slow: z
      .boolean()
      .default(false)
      .meta({ description: 'The payment is seen and waits for its confirmation, until `confirm`.' }),
    network_symbol: z.string().max(20).optional().meta({ description: 'Network to pay on, if none was selected.' }),
    token_symbol: z.string().max(20).optional().meta({ description: 'Token to pay in, with `network_symbol`.' }),
  })
  .meta({ id: 'SandboxPay' });

export const reorgBody = z
  .strictObject({
    returns: z
      .boolean()
      .default(false)
      .meta({ description: 'The payment is put into another block, also one that was taken out before.' }),
  })
  .meta({ id: 'SandboxReorg' });

export const advanceBody = z
  .strictObject({
    seconds: z
      .int()
      .min(1)
      .max(MAX_ADVANCE_SECONDS)
      .optional()
      .meta({ description: 'How much time passes for this invoice; absent: until its end is over.' }),
  })
  .meta({ id: 'SandboxAdvance' });

export const faultBody = z
  .strictObject({
    fault: z.enum(TEST_FAULTS).meta({
      description:
        '`outage`: nobody can read the networks. `webhooks`: attempts fail without being sent. `prices`: no method can be selected.',
    }),
    seconds: z.int().min(0).max(MAX_FAULT_SECONDS).meta({ description: 'How long it lasts; 0 ends it at once.' }),
  })
  .meta({ id: 'SandboxFault' });

export const playBody = z
  .strictObject({ scenario: z.enum(SCENARIOS).meta({ description: 'The same scenarios as by magic amounts.' }) })
  .meta({ id: 'SandboxPlay' });

const seconds = z.int().nonnegative().meta({ description: 'Unix timestamp in seconds.' });

const actSchema = z
  .strictObject({
    act: z.record(z.string(), z.unknown()).meta({ description: 'What is done.' }),
    due_at: seconds,
    done: z.boolean().optional().meta({ description: 'Present once a worker has tried.' }),
    note: z.string().optional().meta({ description: 'Why nothing could be done.' }),
    transactions: z
      .array(z.string())
      .optional()
      .meta({ description: 'Test transactions that the act made or touched.' }),
  })
  .meta({ id: 'SandboxAct' });

export const actsSchema = z
  .strictObject({ status: z.literal('success'), data: z.strictObject({ acts: z.array(actSchema) }) })
  .meta({ id: 'SandboxActs' });

const transferSchema = z
  .strictObject({
    transaction_hash: z.string(),
    network_symbol: z.string(),
    token_symbol: z.string(),
    amount: z.string(),
    at: seconds,
    in_chain: z.boolean(),
    pays: z.boolean().meta({ description: 'Whether it paid the invoice.' }),
    reason: z.string().optional().meta({ description: 'Why it pays nothing.' }),
  })
  .meta({ id: 'SandboxTransfer' });

const eventSchema = z
  .strictObject({
    event_id: z.string(),
    type: z.string(),
    sequence: z.int(),
    delivery: z.string().meta({ description: '`pending`, `delivered` or `failed`.' }),
    attempts: z.int(),
  })
  .meta({ id: 'SandboxEvent' });

export const explanationSchema = z
  .strictObject({
    status: z.literal('success'),
    data: z.strictObject({
      trans_id: z.string(),
      status: z.string(),
      late: z.boolean(),
      transfers: z.array(transferSchema),
      events: z.array(eventSchema),
      acts: z.array(actSchema),
    }),
  })
  .meta({ id: 'SandboxExplanation' });
