import { z } from 'zod';
import { NOTICE_TOPICS } from '../notices/notice.ts';
import { seconds } from './answer-parts.ts';

const usd = z.string().describe('An amount in USD, exact');
const fee = usd.nullable().describe('Null for members who may not see balances');
const durations = z
  .strictObject({ median_ms: z.int().nullable(), p95_ms: z.int().nullable() })
  .describe('Read from counts by spans of time, so approximate; null without payments');
const counted = {
  created: z.int(),
  completed: z.int().describe('By the day of completion, also late ones'),
  expired: z.int().describe('By the day of expiry, also those that were paid later'),
  cancelled: z.int().describe('By the day of the cancel; not counted as expired'),
  late: z.int().describe('Of the completed ones'),
  volume_usd: usd,
  fee_usd: fee,
};
const figures = z.strictObject({
  ...counted,
  success_permille: z
    .int()
    .nullable()
    .describe('Completed of all that ended, without cancelled ones; null when none did'),
  detect: durations,
  final: durations,
});
const notFor = (permission: string) => `Null for members without the permission \`${permission}\``;

const attention = z.strictObject({
  failing_receivers: z
    .array(z.strictObject({ merchant_id: z.string(), host: z.string(), since: seconds }))
    .nullable()
    .describe(notFor('delivery.see')),
  unmatched_money: z.boolean(),
  waiting_methods: z
    .array(z.strictObject({ merchant_id: z.string(), network: z.string(), effective_at: seconds }))
    .nullable()
    .describe(notFor('method.see')),
  faulty_accounts: z
    .array(
      z.strictObject({
        network: z.string(),
        account: z.string(),
        fault: z.string().nullable(),
        stopped: z.boolean(),
      }),
    )
    .nullable()
    .describe(notFor('method.see')),
  ending_keys: z
    .array(z.strictObject({ merchant_id: z.string(), hint: z.string(), ends_at: seconds }))
    .nullable()
    .describe(notFor('api_key.use')),
});

const home = z.strictObject({
  today: figures,
  week: figures,
  month: figures,
  balances: z
    .array(
      z.strictObject({
        merchant_id: z.string(),
        available_usd: usd,
        days_left: z.int().nullable().describe('At the fees of the last seven days; null without any'),
        low: z.boolean(),
        empty: z.boolean().describe('Whether its invoices are rejected for lack of balance'),
      }),
    )
    .nullable()
    .describe(notFor('balance.see')),
  steps: z.strictObject({
    store: z.boolean(),
    method: z.boolean(),
    funded: z.boolean().describe('Whether a live store has a balance, or pays no fees'),
    test_payment: z.boolean(),
    webhook: z.boolean().describe('Whether a webhook was answered with 2xx'),
    live_payment: z.boolean(),
  }),
  attention,
});

const days = z.strictObject({
  from: z.string(),
  to: z.string(),
  days: z
    .array(
      z.strictObject({
        day: z.string().describe('A day in UTC'),
        ...counted,
        methods: z.array(
          z.strictObject({
            network: z.string(),
            token: z.string(),
            completed: z.int(),
            late: z.int(),
            volume_usd: usd,
            fee_usd: fee,
          }),
        ),
      }),
    )
    .describe('The newest first; days without any figures are left out'),
  totals: z.strictObject(counted),
});

const notifications = z.strictObject({
  accounts: z.array(
    z.strictObject({
      account: z.string(),
      name: z.string(),
      wanted: z.partialRecord(z.enum(NOTICE_TOPICS), z.boolean()).describe('Of what the role may be told'),
    }),
  ),
});

export const HOME_FORMS: Readonly<Record<string, z.ZodType>> = {
  'GET /accounts/:account/home': home,
  'GET /accounts/:account/stores/:store/days': days,
  'GET /me/notifications': notifications,
};
