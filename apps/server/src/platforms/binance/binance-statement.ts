import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { hintSchema } from '../exchange/hint.ts';
import type { RangeAnswer } from '../exchange/read-whole-range.ts';
import { readUnits, tokenOfCoin } from '../exchange/statement-amount.ts';
import { idOfUnreadable, unclearRow } from '../exchange/unclear-row.ts';
import type { StatementRow } from '../statement-source.ts';

/** Rows of the two lists of transfers inside Binance: Pay, and internal deposits. */

const payAnswerSchema = z.object({
  code: z.literal('000000'),
  success: z.literal(true),
  data: z.array(z.looseObject({ currency: z.string(), transactionTime: z.int().nonnegative() })),
});
type RawPay = z.infer<typeof payAnswerSchema>['data'][number];

/**
 * A row of Pay: it has no status, because everything listed has happened. `orderId`, which the payer's app shows, is
 * undocumented (https://github.com/JKorf/Binance.Net/issues/1375). The receiver may be an internal id; the account is
 * known from the key.
 */
const payRowSchema = z.object({
  orderType: z.string(),
  transactionId: z.string().min(1),
  orderId: hintSchema,
  payerInfo: z.object({ accountId: hintSchema, name: hintSchema }).optional().catch(undefined),
});

const depositsSchema = z.array(z.looseObject({ coin: z.string(), insertTime: z.int().nonnegative() }));
type RawDeposit = z.infer<typeof depositsSchema>[number];

const depositSchema = z.object({
  id: z.string().min(1),
  txId: hintSchema,
  transferType: z.int(),
  status: z.int(),
  travelRuleStatus: z.int().nullish(),
});

/** Payments: from user to user, and from customer to merchant. */
const PAYMENTS = new Set(['C2C', 'PAY']);
/** Money that the account once sent and that comes back: not payments. */
const OWN_MONEY_BACK = new Set(['PAY_REFUND', 'CRYPTO_BOX_RF']);
const HELD_AND_RETURNED = 'C2C_HOLDING_RF';
const REFUND = 'PAY_REFUND';

const INTERNAL = 1;
const FINAL_STATUS = 1;
/** 2: rejected. 7: a wrong deposit. */
const FAILED_STATUSES = new Set([2, 7]);
/** No more information about the origin of the money is required. */
const TRAVEL_RULE_DONE = 0;

/** Unknown types, and types that no customer pays with (a gift, a payout), stay pending. */
function stateOfPay(orderType: string): StatementRow['state'] {
  if (PAYMENTS.has(orderType)) return 'final';
  return orderType === HELD_AND_RETURNED ? 'failed' : 'pending';
}

/**
 * Our id of a refund. Whether Binance gives it another id than its payment is undocumented, and a payment may be
 * refunded in parts, so it includes `refund` and the time.
 */
const idOfRefund = (transactionId: string, atMs: number) => `refund ${atMs} ${transactionId}`;

function decodePayRow(network: ExchangeNetwork, raw: RawPay): StatementRow[] {
  const token = tokenOfCoin(network, raw.currency);
  if (token === undefined) return [];
  const atMs = raw.transactionTime;
  const parsed = payRowSchema.safeParse(raw);
  const units = readUnits(raw['amount'], token);
  if (!parsed.success || units === undefined)
    return [unclearRow({ id: idOfUnreadable(raw['transactionId'], atMs), token, atMs })];
  const { transactionId, orderId, orderType, payerInfo } = parsed.data;
  if (orderType === REFUND && units < 0n)
    return [
      { id: idOfRefund(transactionId, atMs), token: token.symbol, units: -units, atMs, from: '', state: 'refund' },
    ];
  if (units <= 0n || OWN_MONEY_BACK.has(orderType)) return [];
  return [
    {
      id: transactionId,
      ...(orderId === '' ? {} : { otherId: orderId }),
      token: token.symbol,
      units,
      atMs,
      from: payerInfo?.accountId || payerInfo?.name || '',
      state: stateOfPay(orderType),
    },
  ];
}

/** Decodes an answer of Pay: https://developers.binance.com/docs/pay/rest-api */
export function decodePay(network: ExchangeNetwork, answer: unknown): RangeAnswer<StatementRow> {
  const { data } = parseAnswer(payAnswerSchema, answer, 'Pay history');
  return { listed: data.length, rows: data.flatMap((raw) => decodePayRow(network, raw)) };
}

function stateOfDeposit({ status, travelRuleStatus }: z.infer<typeof depositSchema>): StatementRow['state'] {
  if (FAILED_STATUSES.has(status)) return 'failed';
  const isDone = (travelRuleStatus ?? TRAVEL_RULE_DONE) === TRAVEL_RULE_DONE;
  return status === FINAL_STATUS && isDone ? 'final' : 'pending';
}

function decodeDeposit(network: ExchangeNetwork, raw: RawDeposit): StatementRow[] {
  const token = tokenOfCoin(network, raw.coin);
  if (token === undefined) return [];
  const atMs = raw.insertTime;
  const parsed = depositSchema.safeParse(raw);
  if (parsed.data !== undefined && parsed.data.transferType !== INTERNAL) return [];
  const units = readUnits(raw['amount'], token);
  if (!parsed.success || units === undefined) return [unclearRow({ id: idOfUnreadable(raw['id'], atMs), token, atMs })];
  if (units <= 0n) return [];
  const row = parsed.data;
  return [
    {
      id: row.id,
      ...(row.txId === '' ? {} : { otherId: row.txId }),
      token: token.symbol,
      units,
      atMs,
      from: '',
      state: stateOfDeposit(row),
    },
  ];
}

/** Decodes a list of deposits: https://developers.binance.com/docs/wallet/capital/deposite-history */
export function decodeDeposits(network: ExchangeNetwork, answer: unknown): RangeAnswer<StatementRow> {
  const deposits = parseAnswer(depositsSchema, answer, 'deposit history');
  return { listed: deposits.length, rows: deposits.flatMap((raw) => decodeDeposit(network, raw)) };
}
