import type { ChainReceipt, ChainSource } from '../sources/chain-source.ts';
import type { ChainTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';
import type { Witnesses } from './witness.ts';

/**
 * Confirms transfers of a rescan: each needs a receipt in the same block, from the witness that did not show it first.
 * Receipts list all token transfers with the right numbers.
 */

export type TwoReads = { first: readonly ChainTransfer[]; second: readonly ChainTransfer[] };

type ConfirmRules = {
  coinsTwice: boolean;
  select: (transfers: readonly ChainTransfer[]) => ChainTransfer[];
};

/** A transfer without a confirming receipt: not recorded, and reported to the operator. */
export type DoubtedTransfer = { tx: string; index: string; height: number; why: string };

export type Judged = { watched: ChainTransfer[]; doubted: DoubtedTransfer[] };

const UNPROVEN = { coin: 'only one read shows these coins', token: 'its receipt does not list it' };

const isCoin = ({ index }: ChainTransfer) => index === NATIVE_INDEX;
/** Without its number, which is too low when an answer lacks an earlier transfer. */
const content = ({ token, to, units, blockHash }: ChainTransfer) => `${token} ${to} ${units} ${blockHash}`;

function doubt({ txId, index, height }: ChainTransfer, why: string): DoubtedTransfer {
  return { tx: txId, index, height, why };
}

export function judgeByReceipt(reads: TwoReads, receipt: ChainReceipt | null, rules: ConfirmRules): Judged {
  const known = new Set(reads.first.map(content));
  const shown = [...reads.first, ...reads.second.filter((transfer) => !known.has(content(transfer)))];
  const here = shown.filter(({ blockHash }) => blockHash === receipt?.blockHash);
  const doubted = shown
    .filter((transfer) => !here.includes(transfer))
    .map((transfer) => doubt(transfer, receipt ? 'its receipt is of another block' : 'there is no receipt'));
  // A block also lists coin transfers of failed transactions; only the receipt says that they failed.
  if (!receipt?.succeeded || here.length === 0) return { watched: [], doubted };
  const tokens = rules.select(receipt.transfers);
  const listed = new Set(tokens.map(content));
  const again = new Set(reads.second.map(content));
  const isProven = (transfer: ChainTransfer) =>
    isCoin(transfer)
      ? !rules.coinsTwice || (known.has(content(transfer)) && again.has(content(transfer)))
      : listed.has(content(transfer));
  const unproven = here.filter((transfer) => !isProven(transfer));
  return {
    watched: [...tokens, ...here.filter((transfer) => isCoin(transfer) && isProven(transfer))],
    doubted: [
      ...doubted,
      ...unproven.map((transfer) => doubt(transfer, UNPROVEN[isCoin(transfer) ? 'coin' : 'token'])),
    ],
  };
}

/** Transfers of one witness, judged by receipts of the other. */
export type Confirmed = Judged & { shownBy: string; confirmedBy: string };

/** Judges the first read by the second witness's receipts, and additions of the second read by the first's. */
export async function confirmTransfers(
  source: ChainSource,
  witnesses: Witnesses,
  reads: TwoReads,
  rules: ConfirmRules,
): Promise<{ first: Confirmed; second: Confirmed }> {
  const first = Map.groupBy(reads.first, ({ txId }) => txId);
  const second = Map.groupBy(reads.second, ({ txId }) => txId);
  const judge = async (txIds: readonly string[], confirmedBy: string): Promise<Judged> => {
    const receipts = txIds.length === 0 ? [] : await source.receipts(txIds, { only: confirmedBy });
    const judged = txIds.map((txId, position) => {
      const shown = { first: first.get(txId) ?? [], second: second.get(txId) ?? [] };
      return judgeByReceipt(shown, receipts[position] ?? null, rules);
    });
    return { watched: judged.flatMap(({ watched }) => watched), doubted: judged.flatMap(({ doubted }) => doubted) };
  };
  const onlySecond = [...second.keys()].filter((txId) => !first.has(txId));
  const names = { shownBy: witnesses.first, confirmedBy: witnesses.second };
  return {
    first: { ...(await judge([...first.keys()], names.confirmedBy)), ...names },
    second: {
      ...(await judge(onlySecond, names.shownBy)),
      shownBy: names.confirmedBy,
      confirmedBy: names.shownBy,
    },
  };
}
