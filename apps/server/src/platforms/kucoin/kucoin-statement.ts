import { z } from 'zod';
import type { Token } from '../../networks/network.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { hintSchema } from '../exchange/hint.ts';
import type { RangeAnswer } from '../exchange/read-whole-range.ts';
import { readUnits } from '../exchange/statement-amount.ts';
import type { StatementRow } from '../statement-source.ts';

/**
 * Decodes the two lists that make a statement of KuCoin: `GET /api/v1/deposits` says what is a transfer inside of KuCoin and
 * what became of it, but gives it no id; `GET /api/v1/accounts/ledgers` has an id for every change of a balance.
 */

const timeSchema = z.int().min(1_000_000_000_000).max(9_999_999_999_999);

const depositSchema = z.object({
  currency: z.string(),
  status: z.string(),
  isInner: z.boolean(),
  amount: z.string(),
  walletTxId: hintSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema,
  arrears: z.boolean().nullish(),
});

const entrySchema = z.object({
  id: z.string().min(1).max(64),
  currency: z.string(),
  amount: z.string(),
  bizType: z.string(),
  direction: z.string(),
  createdAt: timeSchema,
});

/** A deposit of one of our coins. */
export type KucoinDeposit = {
  units: bigint;
  isInternal: boolean;
  state: 'pending' | 'final' | 'failed';
  /** The transaction, where KuCoin names one; in its examples it does so for what comes from a chain alone. */
  transaction: string;
  createdMs: number;
  updatedMs: number;
};

/** A change of a balance by a deposit. */
export type KucoinEntry = { id: string; units: bigint; atMs: number };

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.object({ totalNum: z.int().nonnegative(), items: z.array(item) }) });
const depositPageSchema = pageOf(depositSchema);
const entryPageSchema = pageOf(entrySchema);

/** The name that deposits have in the ledger. */
const DEPOSIT = 'deposit';
const INCOMING = 'in';
const STATES: Readonly<Record<string, KucoinDeposit['state']>> = {
  SUCCESS: 'final',
  FAILURE: 'failed',
  TRM_MGT_REJECTED: 'failed',
};

/** An answer of one page counts only when it has all that there is: pages shift while rows arrive. */
function requireWhole<Item>({ data }: { data: { totalNum: number; items: Item[] } }, pageLength: number): Item[] {
  const { totalNum, items } = data;
  if (items.length !== Math.min(totalNum, pageLength))
    throw new SourceError('inconsistent', 'KuCoin shows another number of rows than it counts.');
  return items;
}

/** What was credited can be taken back while the exchange account owes something. */
function stateOf({ status, arrears }: z.infer<typeof depositSchema>): KucoinDeposit['state'] {
  const state = STATES[status] ?? 'pending';
  return state === 'final' && arrears === true ? 'pending' : state;
}

export function decodeDeposits(raw: unknown, token: Token, pageLength: number): RangeAnswer<KucoinDeposit> {
  const page = parseAnswer(depositPageSchema, raw, 'page of deposits');
  const deposits = requireWhole(page, pageLength)
    .filter(({ currency }) => currency === token.contract)
    .map((deposit) => ({
      units: readUnits(deposit.amount, token),
      isInternal: deposit.isInner,
      state: stateOf(deposit),
      transaction: deposit.walletTxId,
      createdMs: deposit.createdAt,
      updatedMs: deposit.updatedAt,
    }));
  return { listed: page.data.totalNum, rows: deposits.filter(({ units }) => units > 0n) };
}

export function decodeEntries(raw: unknown, token: Token, pageLength: number): RangeAnswer<KucoinEntry> {
  const page = parseAnswer(entryPageSchema, raw, 'page of the ledger');
  const entries = requireWhole(page, pageLength)
    .filter(
      ({ currency, bizType, direction }) =>
        currency === token.contract && bizType.toLowerCase() === DEPOSIT && direction === INCOMING,
    )
    .map(({ id, amount, createdAt }) => ({ id, units: readUnits(amount, token), atMs: createdAt }));
  return { listed: page.data.totalNum, rows: entries.filter(({ units }) => units > 0n) };
}

/**
 * The row of an entry that is known as a transfer inside of KuCoin. Who paid is not said: the address of a deposit is the one
 * that it went to.
 */
export function kucoinRow(token: Token, { id, units, atMs }: KucoinEntry, deposit: KucoinDeposit): StatementRow {
  return {
    id,
    ...(deposit.transaction === '' ? {} : { otherId: deposit.transaction }),
    token: token.symbol,
    units,
    atMs,
    from: '',
    state: deposit.state,
  };
}
