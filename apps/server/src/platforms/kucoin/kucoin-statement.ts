import { z } from 'zod';
import type { Token } from '../../networks/network.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { hintSchema } from '../exchange/hint.ts';
import type { RangeAnswer } from '../exchange/read-whole-range.ts';
import { readUnits } from '../exchange/statement-amount.ts';
import { unclearRow } from '../exchange/unclear-row.ts';
import type { StatementRow } from '../statement-source.ts';

/**
 * A KuCoin statement combines lists: `GET /api/v1/deposits` has internal transfers and their state, without ids; `GET
 * /api/v1/accounts/ledgers` and `GET /api/v1/hf/accounts/ledgers` (trading account) have an id for every balance
 * change.
 */

const timeSchema = z.int().min(1_000_000_000_000).max(9_999_999_999_999);
/** The trading account's ledger shows times as text. */
const entryTimeSchema = z.union([
  timeSchema,
  z
    .string()
    .regex(/^\d{13}$/)
    .transform(Number),
]);

const placedSchema = z.looseObject({ currency: z.string(), createdAt: timeSchema });

const depositSchema = z.object({
  status: z.string(),
  isInner: z.boolean(),
  walletTxId: hintSchema,
  updatedAt: timeSchema,
  arrears: z.boolean().nullish(),
});

const entrySchema = z.looseObject({
  id: z.string().min(1).max(64),
  currency: z.string(),
  bizType: z.string(),
  direction: z.string(),
  createdAt: entryTimeSchema,
});
const contextSchema = z.object({ txId: hintSchema });

export type KucoinDeposit = {
  units: bigint | undefined;
  isInternal: boolean;
  state: 'pending' | 'final' | 'failed';
  /** Whether the deposit was credited, so that the ledger has or will have an entry. */
  isBooked: boolean;
  /** The transaction id, or empty; in KuCoin's examples only chain deposits have one. */
  transaction: string;
  createdMs: number;
  updatedMs: number;
};

export type KucoinEntry = {
  id: string;
  units: bigint | undefined;
  /** The transaction id as its deposit has it, or empty. */
  transaction: string;
  atMs: number;
};
export type BookedEntry = KucoinEntry & { units: bigint };

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.object({ totalNum: z.int().nonnegative(), items: z.array(item) }) });
const depositPageSchema = pageOf(placedSchema);
const entryPageSchema = pageOf(entrySchema);
const tradingEntriesSchema = z.object({ data: z.array(entrySchema) });

const DEPOSIT = 'deposit';
const INCOMING = 'in';
const CREDITED = 'SUCCESS';
const STATES: Readonly<Record<string, KucoinDeposit['state']>> = {
  [CREDITED]: 'final',
  FAILURE: 'failed',
  TRM_MGT_REJECTED: 'failed',
};

/** Requires as many rows as the answer itself counts, up to a full page: otherwise rows are missing. */
function requireWhole<Item>({ data }: { data: { totalNum: number; items: Item[] } }, pageLength: number): Item[] {
  const { totalNum, items } = data;
  if (items.length !== Math.min(totalNum, pageLength))
    throw new SourceError('inconsistent', 'KuCoin shows another number of rows than it counts.');
  return items;
}

/** A credited deposit is pending while the account has arrears, because KuCoin may reverse it. */
function stateOf({ status, arrears }: z.infer<typeof depositSchema>): KucoinDeposit['state'] {
  const state = STATES[status] ?? 'pending';
  return state === 'final' && arrears === true ? 'pending' : state;
}

/** A deposit that cannot be read counts as internal, which may be a payment, unless it came from a chain. */
function readDeposit(raw: z.infer<typeof placedSchema>, token: Token): KucoinDeposit {
  const createdMs = raw.createdAt;
  const parsed = depositSchema.safeParse(raw);
  const units = readUnits(raw['amount'], token);
  if (!parsed.success || units === undefined) {
    const isInternal = raw['isInner'] !== false;
    const facts = { state: 'pending', isBooked: false, transaction: '', createdMs, updatedMs: createdMs } as const;
    return { units: undefined, isInternal, ...facts };
  }
  const { status, isInner, walletTxId, updatedAt } = parsed.data;
  return {
    units,
    isInternal: isInner,
    state: stateOf(parsed.data),
    isBooked: status === CREDITED,
    transaction: walletTxId,
    createdMs,
    updatedMs: Math.max(createdMs, updatedAt),
  };
}

const isMoney = ({ units }: { units: bigint | undefined }) => units === undefined || units > 0n;

export function decodeDeposits(raw: unknown, token: Token, pageLength: number): RangeAnswer<KucoinDeposit> {
  const page = parseAnswer(depositPageSchema, raw, 'page of deposits');
  const deposits = requireWhole(page, pageLength)
    .filter(({ currency }) => currency === token.contract)
    .map((deposit) => readDeposit(deposit, token));
  return { listed: page.data.totalNum, rows: deposits.filter(isMoney) };
}

/**
 * The transaction in an entry's context, which is JSON in a text: `{"orderId":"62ff...","txId":"0e26...@488d..."}`
 * (github.com/ccxt/ccxt/pull/14666).
 */
function transactionOf(context: unknown): string {
  if (typeof context !== 'string' || context === '') return '';
  try {
    const parsed: unknown = JSON.parse(context);
    return contextSchema.safeParse(parsed).data?.txId ?? '';
  } catch {
    return '';
  }
}

/** Deposit entries of one coin; other types are dropped, regardless of the request. */
function depositEntries(entries: readonly z.infer<typeof entrySchema>[], token: Token): KucoinEntry[] {
  return entries
    .filter(
      ({ currency, bizType, direction }) =>
        currency === token.contract && bizType.toLowerCase() === DEPOSIT && direction === INCOMING,
    )
    .map((entry) => ({
      id: entry.id,
      units: readUnits(entry['amount'], token),
      transaction: transactionOf(entry['context']),
      atMs: entry.createdAt,
    }))
    .filter(isMoney);
}

export function decodeEntries(raw: unknown, token: Token, pageLength: number): RangeAnswer<KucoinEntry> {
  const page = parseAnswer(entryPageSchema, raw, 'page of the ledger');
  return { listed: page.data.totalNum, rows: depositEntries(requireWhole(page, pageLength), token) };
}

/** The trading account's ledger has neither pages nor a count. */
export function decodeTradingEntries(raw: unknown, token: Token): RangeAnswer<KucoinEntry> {
  const { data } = parseAnswer(tradingEntriesSchema, raw, 'ledger of the trading account');
  return { listed: data.length, rows: depositEntries(data, token) };
}

/** A deposit's id until its ledger entry provides one. */
const provisionalIdOf = (token: Token, { createdMs, units }: KucoinDeposit) =>
  `deposit ${token.symbol} ${createdMs} ${units ?? 'unreadable'}`;

const otherIdOf = ({ transaction }: KucoinDeposit) => (transaction === '' ? {} : { otherId: transaction });

/**
 * The row of an internal transfer: the id of its ledger entry, and the time when it was sent, perhaps hours before it
 * was credited. The address is the receiver's, so the payer is unknown.
 */
export function kucoinRow(token: Token, { id, units }: BookedEntry, deposit: KucoinDeposit): StatementRow {
  return {
    id,
    provisionalId: provisionalIdOf(token, deposit),
    ...otherIdOf(deposit),
    token: token.symbol,
    units,
    atMs: deposit.createdMs,
    from: '',
    state: deposit.state,
  };
}

/** The row of an uncredited internal transfer, pending or failed; undefined without a readable amount. */
export function uncreditedRow(token: Token, deposit: KucoinDeposit): StatementRow | undefined {
  const { units, isInternal, isBooked, createdMs } = deposit;
  if (units === undefined || !isInternal || isBooked) return undefined;
  const id = provisionalIdOf(token, deposit);
  const state = deposit.state === 'failed' ? 'failed' : 'pending';
  return {
    id,
    provisionalId: id,
    ...otherIdOf(deposit),
    token: token.symbol,
    units,
    atMs: createdMs,
    from: '',
    state,
  };
}

/**
 * The unclear rows of a transfer that cannot be read or paired: one for the deposit, and one without amount for each
 * possible entry, so that a payment recorded earlier under that entry's id does not count as gone.
 */
export function unclearRows(token: Token, deposit: KucoinDeposit, entries: readonly KucoinEntry[]): StatementRow[] {
  const { createdMs: atMs, units } = deposit;
  const id = provisionalIdOf(token, deposit);
  return [
    { ...unclearRow({ id, token, atMs, units }), provisionalId: id },
    ...entries.map((entry) => unclearRow({ id: entry.id, token, atMs })),
  ];
}
