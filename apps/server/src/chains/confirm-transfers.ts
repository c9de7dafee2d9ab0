import type { ChainReceipt, ChainSource } from '../sources/chain-source.ts';
import type { ChainTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';
import type { Witnesses } from './witness.ts';

/**
 * Receipts decide what two reads of a range found: each hit is confirmed by its receipt, in that block, from the witness
 * that did not show it first. Token transfers are taken from the receipt, which lists them all and numbers them right.
 */

/** Hits at watched addresses that each of the two reads showed. */
export type TwoReads = { first: readonly ChainTransfer[]; second: readonly ChainTransfer[] };

export type ConfirmRules = {
  /** Both reads were asked for the network's own coin, so both must show it. */
  coinsTwice: boolean;
  /** Those of these transfers that go to watched addresses. */
  watched: (transfers: readonly ChainTransfer[]) => ChainTransfer[];
};

/** A hit that no receipt confirms: it is not recorded, and an operator is told. */
export type DoubtedHit = { tx: string; index: string; height: number; why: string };

export type Judged = { hits: ChainTransfer[]; doubted: DoubtedHit[] };

const UNPROVEN = { coin: 'only one read shows these coins', token: 'its receipt does not list it' };

const isCoin = ({ index }: ChainTransfer) => index === NATIVE_INDEX;
/** All but its number, which an answer that lacks the transfer before it tells too low. */
const content = ({ token, to, units, blockHash }: ChainTransfer) => `${token} ${to} ${units} ${blockHash}`;

function doubt({ txId, index, height }: ChainTransfer, why: string): DoubtedHit {
  return { tx: txId, index, height, why };
}

/** What a receipt says of the hits of its transaction. */
export function judgeByReceipt(reads: TwoReads, receipt: ChainReceipt | null, rules: ConfirmRules): Judged {
  const known = new Set(reads.first.map(content));
  const shown = [...reads.first, ...reads.second.filter((hit) => !known.has(content(hit)))];
  const here = shown.filter(({ blockHash }) => blockHash === receipt?.blockHash);
  const doubted = shown
    .filter((hit) => !here.includes(hit))
    .map((hit) => doubt(hit, receipt ? 'its receipt is of another block' : 'there is no receipt'));
  // Whole blocks list coins of failed transactions too: those paid nobody.
  if (!receipt?.succeeded || here.length === 0) return { hits: [], doubted };
  const tokens = rules.watched(receipt.transfers);
  const listed = new Set(tokens.map(content));
  const again = new Set(reads.second.map(content));
  const isProven = (hit: ChainTransfer) =>
    isCoin(hit) ? !rules.coinsTwice || (known.has(content(hit)) && again.has(content(hit))) : listed.has(content(hit));
  const unproven = here.filter((hit) => !isProven(hit));
  return {
    hits: [...tokens, ...here.filter((hit) => isCoin(hit) && isProven(hit))],
    doubted: [...doubted, ...unproven.map((hit) => doubt(hit, UNPROVEN[isCoin(hit) ? 'coin' : 'token']))],
  };
}

/** What one witness showed, judged by receipts of the other. */
export type Confirmed = Judged & { shownBy: string; confirmedBy: string };

/** Judges the hits of two reads: those that the first shows by receipts of the second witness, the others the other way round. */
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
    return { hits: judged.flatMap(({ hits }) => hits), doubted: judged.flatMap(({ doubted }) => doubted) };
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
