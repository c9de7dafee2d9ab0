import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { readUnits, tokenOfCoin } from '../exchange/statement-amount.ts';
import type { StatementRow } from '../statement-source.ts';

/** Decodes `GET /api/v5/asset/deposit-history`: www.okx.com/docs-v5, "Get deposit history". */

const pageSchema = z.object({
  data: z.array(
    z.object({
      depId: z.string().min(1).max(64),
      ccy: z.string(),
      amt: z.string(),
      ts: z.string().regex(/^\d{13}$/),
      state: z.string(),
      from: z.string(),
      to: z.string(),
      fromWdId: z.string(),
    }),
  ),
});

export type OkxDeposit = z.infer<typeof pageSchema>['data'][number];

export function decodeOkxPage(raw: unknown): OkxDeposit[] {
  return parseAnswer(pageSchema, raw, 'page of deposits').data;
}

export const timeOf = (deposit: OkxDeposit) => Number(deposit.ts);

/**
 * `2` is the only final word: credited, and free to be withdrawn. `1` is credited too, but may be taken back. `11` stands on a
 * list of refused senders. What is frozen or waits for papers may still become a payment, and so may states that
 * nobody has documented.
 */
const STATES: Readonly<Record<string, StatementRow['state']>> = { '2': 'final', '11': 'failed' };

/** The row of a deposit; undefined where it is no payment to us: another coin, nothing, or money from a chain. */
export function okxRow(network: ExchangeNetwork, deposit: OkxDeposit): StatementRow | undefined {
  const token = tokenOfCoin(network, deposit.ccy);
  // Only deposits from chains name an address that they went to.
  if (!token || deposit.to !== '') return undefined;
  const units = readUnits(deposit.amt, token);
  if (units <= 0n) return undefined;
  return {
    id: deposit.depId,
    // The payer's app knows the payment as a withdrawal.
    ...(deposit.fromWdId === '' ? {} : { otherId: deposit.fromWdId }),
    token: token.symbol,
    units,
    atMs: timeOf(deposit),
    from: deposit.from,
    state: STATES[deposit.state] ?? 'pending',
  };
}
