import type { Tx } from '../db/transaction.ts';
import type { Token } from '../networks/network.ts';
import type { ChainTransfer, BlockRef, StoredTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';
import type { Following } from '../chains/follower.ts';
import type { InnerCoins, UnknownCoins } from '../sources/named-coins.ts';
import { agreeOnCoins, innerIndex } from '../sources/named-coins.ts';
import { insertNamedTransfer, sumStoredCoins } from '../transfers/named-transfer-sql.ts';
import { comparableAddress, placeTransfers } from '../chains/filter-transfers.ts';
import type { Evidence } from '../transfers/transfer-sql.ts';
import type { Witnesses } from '../chains/witness.ts';
import { witnessNames } from '../chains/witness.ts';
import type { NamedQuote, Namer } from './named-transaction.ts';
import { explainCoins } from './named-transaction.ts';

/** Coins that a submitted transaction brought to an invoice's addresses, directly or through a contract. */

type CoinQuestion = {
  txId: string;
  block: BlockRef;
  coin: Token;
  /** Quotes whose window includes the block's time. */
  quotes: readonly NamedQuote[];
};

export type FoundCoins = {
  coin: Token;
  quotes: readonly NamedQuote[];
  transfers: { transfer: StoredTransfer; evidence: Evidence; gain?: bigint }[];
  /** Why contract transfers are unknown. */
  unknown?: UnknownCoins;
};

/** The transaction's own value to the address; undefined when the witnesses disagree. */
async function readDirect(
  { source }: Following,
  witnesses: Witnesses,
  { txId, block }: CoinQuestion,
  to: string,
): Promise<ChainTransfer[] | undefined> {
  const range = { from: block.height, to: block.height, native: true, headers: 'ends' } as const;
  const [first = [], ...others] = await Promise.all(
    witnessNames(witnesses).map(async (only) => {
      const { transfers } = await source.readBlocks({ ...range, pass: { only } });
      return transfers.filter(
        (one) => one.txId === txId && one.index === NATIVE_INDEX && one.to === to && one.from !== to,
      );
    }),
  );
  const isSame = (other: readonly ChainTransfer[]) =>
    other.length === first.length && other.every((one, at) => one.units === first[at]?.units);
  return others.every(isSame) ? first : undefined;
}

async function readInner(
  { source }: Following,
  witnesses: Witnesses,
  { txId, block }: CoinQuestion,
  to: string,
): Promise<InnerCoins | undefined> {
  const { innerCoins } = source;
  if (!innerCoins) return { how: 'unknown', why: 'untraceable' };
  const request = { txId, height: block.height, blockHash: block.hash, to };
  return agreeOnCoins(await Promise.all(witnessNames(witnesses).map((only) => innerCoins(request, { only }))));
}

async function findAt(
  follower: Following,
  witnesses: Witnesses,
  question: CoinQuestion,
  address: string,
): Promise<FoundCoins | undefined> {
  const { txId, block, coin } = question;
  const to = comparableAddress(follower.source.network)(address);
  const direct = await readDirect(follower, witnesses, question, to);
  const inner = await readInner(follower, witnesses, question, to);
  if (!direct || !inner) return undefined;
  const quotes = question.quotes.filter(({ toAddress }) => toAddress === address);
  const found: FoundCoins = { coin, quotes, transfers: [], ...(inner.how === 'unknown' && { unknown: inner.why }) };
  const pass = { only: witnesses.first };
  const place = async (transfer: ChainTransfer) =>
    placeTransfers(follower, [{ ...transfer, to: address }], [block], pass);
  for (const transfer of direct)
    for (const placed of await place(transfer))
      found.transfers.push({ transfer: placed, evidence: { by: witnesses.first, how: 'blocks' } });
  if (inner.how === 'unknown' || inner.units === 0n) return found;
  const { units, from, how } = inner;
  const passed = { token: coin.symbol, txId, index: innerIndex(to), from, to: address, units };
  for (const placed of await place({ ...passed, height: block.height, blockHash: block.hash }))
    found.transfers.push({
      transfer: placed,
      evidence: { by: witnesses.first, how },
      ...(how === 'balances' && { gain: inner.gain }),
    });
  return found;
}

/** Coins at every address of the invoice; undefined when the witnesses contradict each other. */
export async function findNamedCoins(
  follower: Following,
  witnesses: Witnesses,
  question: CoinQuestion,
): Promise<FoundCoins[] | undefined> {
  const all: FoundCoins[] = [];
  for (const address of new Set(question.quotes.map(({ toAddress }) => toAddress))) {
    const found = await findAt(follower, witnesses, question, address);
    if (!found) return undefined;
    all.push(found);
  }
  return all;
}

const least = (left: bigint, right: bigint) => (left < right ? left : right);

/** Records coins for manual attachment, in the caller's transaction under the chain's lock. Returns new transfers. */
export async function recordNamedCoins(
  tx: Tx,
  network: string,
  namedBy: Namer,
  coins: readonly FoundCoins[],
  at: Date,
): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (const { coin, quotes, transfers } of coins) {
    for (const { transfer, evidence, gain } of transfers) {
      const { to, height } = transfer;
      // Coins found by balances count at most as the balance's gain in the block, less coins already recorded there.
      const stored =
        gain === undefined ? 0n : await sumStoredCoins(tx, { network, token: coin.symbol, to, height }, transfer);
      const units = gain === undefined ? transfer.units : least(transfer.units, gain - stored);
      const meant = units > 0n ? explainCoins(quotes, coin, units) : undefined;
      if (!meant) continue;
      const id = await insertNamedTransfer(
        tx,
        network,
        { transfer: { ...transfer, units }, ...meant, namedBy, evidence },
        at,
      );
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}
