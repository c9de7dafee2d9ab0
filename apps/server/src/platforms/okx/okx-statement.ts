import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { hintSchema } from '../exchange/hint.ts';
import { readUnits, tokenOfCoin } from '../exchange/statement-amount.ts';
import { unclearRow } from '../exchange/unclear-row.ts';
import type { StatementRow } from '../statement-source.ts';

/** Decodes `GET /api/v5/asset/deposit-history`: www.okx.com/docs-v5, "Get deposit history". */

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
 * Only `2` is final: credited and withdrawable. `1` is credited but reversible. `11` is from a refused sender. Frozen
 * deposits, those that wait for papers and those in undocumented states may still become payments.
 */
const STATES: Readonly<Record<string, StatementRow['state']>> = { '2': 'final', '11': 'failed' };

/**
 * The row of a deposit; undefined for other coins or no amount. One of our coins that cannot be read becomes unclear,
 * and so does one with a receiving address, which internal transfers are documented not to have.
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
    // The id of the withdrawal in the payer's app.
    ...(fromWdId === '' ? {} : { otherId: fromWdId }),
    token: token.symbol,
    units,
    atMs: timeOf(deposit),
    from,
    state: STATES[state] ?? 'pending',
  };
}
