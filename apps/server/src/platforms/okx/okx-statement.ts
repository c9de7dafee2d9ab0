import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { hintSchema } from '../exchange/hint.ts';
import { readUnits, tokenOfCoin } from '../exchange/statement-amount.ts';
import { unclearRow } from '../exchange/unclear-row.ts';
import type { StatementRow } from '../statement-source.ts';

/** Decodes `GET /api/v5/asset/deposit-history`: www.okx.com/docs-v5, "Get deposit history". */

/** Fields of a deposit of any coin by which pages are joined. */
const pageSchema = z.object({
  data: z.array(
    z.looseObject({
      depId: z.string().min(1).max(64),
      ccy: z.string(),
      ts: z.string().regex(/^\d{13}$/),
    }),
  ),
});

const depositSchema = z.object({
  state: z.string(),
  to: z.string(),
  from: hintSchema,
  fromWdId: hintSchema,
});

export type OkxDeposit = z.infer<typeof pageSchema>['data'][number];

export function decodeOkxPage(raw: unknown): OkxDeposit[] {
  return parseAnswer(pageSchema, raw, 'page of deposits').data;
}

export const timeOf = (deposit: OkxDeposit) => Number(deposit.ts);

/**
 * States of deposits by OKX's codes. Only `2` is final: credited, and free to be withdrawn. `1` is credited too, but
 * may be taken back. `11` is on a list of refused senders. Deposits that are frozen or wait for papers may still become
 * payments, and so may deposits in undocumented states.
 */
const STATES: Readonly<Record<string, StatementRow['state']>> = { '2': 'final', '11': 'failed' };

/**
 * The row of a deposit; undefined where the deposit is no payment to us, because it has another coin or no amount. A
 * deposit of one of our coins that cannot be read becomes an unclear row. So does one that names a receiving address:
 * OKX was asked for transfers inside of OKX, and documents that those name none.
 */
export function okxRow(network: ExchangeNetwork, deposit: OkxDeposit): StatementRow | undefined {
  const token = tokenOfCoin(network, deposit.ccy);
  if (!token) return undefined;
  const parsed = depositSchema.safeParse(deposit);
  const units = readUnits(deposit['amt'], token);
  if (units !== undefined && units <= 0n) return undefined;
  if (!parsed.success || units === undefined || parsed.data.to !== '')
    return unclearRow({ id: deposit.depId, token, atMs: timeOf(deposit), units });
  const { state, from, fromWdId } = parsed.data;
  return {
    id: deposit.depId,
    // `fromWdId` is the id that the payer's app shows for the same payment, which is a withdrawal there.
    ...(fromWdId === '' ? {} : { otherId: fromWdId }),
    token: token.symbol,
    units,
    atMs: timeOf(deposit),
    from,
    state: STATES[state] ?? 'pending',
  };
}
