import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { hintSchema } from '../exchange/hint.ts';
import { readUnits, tokenOfCoin } from '../exchange/statement-amount.ts';
import { idOfUnreadable, unclearRow } from '../exchange/unclear-row.ts';
import type { StatementRow } from '../statement-source.ts';

/**
 * Decodes `GET /v5/asset/deposit/query-internal-record`:
 * bybit-exchange.github.io/docs/v5/asset/deposit/internal-deposit-record.
 */

const pageSchema = z.object({
  result: z.object({
    rows: z.array(
      z.looseObject({
        coin: z.string(),
        // Rows have times in seconds, requests in milliseconds.
        createdTime: z.string().regex(/^\d{10}$/),
      }),
    ),
    nextPageCursor: z.string().max(1_024),
  }),
});

const depositSchema = z.object({
  id: z.string().min(1).max(64),
  type: z.int(),
  status: z.int(),
  complianceStatus: z.int().optional(),
  address: hintSchema,
  txID: hintSchema,
  fromMemberId: hintSchema,
});

export type BybitDeposit = z.infer<typeof pageSchema>['result']['rows'][number];
export type BybitPage = { rows: BybitDeposit[]; nextPageCursor: string };

export function decodeBybitPage(raw: unknown): BybitPage {
  return parseAnswer(pageSchema, raw, 'page of deposits').result;
}

/** The only documented type. */
const INTERNAL = 1;
const STATES: Readonly<Record<number, StatementRow['state']>> = { 2: 'final', 3: 'failed' };
/** Compliance statuses of complete deposits, in some countries: no papers required, or all accepted. */
const COMPLIED = new Set([undefined, 0, 3]);
const NOBODY = '0';

export const timeOf = (deposit: BybitDeposit) => Number(deposit.createdTime) * SECOND_MS;

function stateOf({ type, status, complianceStatus }: z.infer<typeof depositSchema>): StatementRow['state'] {
  const state = STATES[status] ?? 'pending';
  return state === 'final' && (type !== INTERNAL || !COMPLIED.has(complianceStatus)) ? 'pending' : state;
}

/** A deposit's row; undefined for other coins or no amount, unclear if unreadable. */
export function bybitRow(network: ExchangeNetwork, deposit: BybitDeposit): StatementRow | undefined {
  const token = tokenOfCoin(network, deposit.coin);
  if (!token) return undefined;
  const parsed = depositSchema.safeParse(deposit);
  const units = readUnits(deposit['amount'], token);
  const atMs = timeOf(deposit);
  if (!parsed.success || units === undefined)
    return unclearRow({ id: idOfUnreadable(deposit['id'], atMs), token, atMs });
  if (units <= 0n) return undefined;
  const { id, address, txID, fromMemberId } = parsed.data;
  return {
    id,
    // The payer's app shows the transaction number; a failed deposit has none.
    ...(txID === '' ? {} : { otherId: txID }),
    token: token.symbol,
    units,
    atMs,
    from: fromMemberId === '' || fromMemberId === NOBODY ? address : fromMemberId,
    state: stateOf(parsed.data),
  };
}
