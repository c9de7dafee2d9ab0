import type { Token } from '../networks/network.ts';
import { chainUnits } from '../quotes/quote.ts';

/** Suggests which invoices an unmatched transfer was meant for, likeliest first. */

/** A quote that the transfer may have been meant to pay. */
export type CandidateQuote = {
  transId: string;
  merchantId: string;
  name: string | null;
  requestId: string | null;
  status: string;
  amountUsd: string;
  token: string;
  displayUnits: bigint;
  /** When the quote owned its amount. */
  heldFrom: Date;
  heldTo: Date;
  /** Whether the transfer was marked with this quote on arrival: no other was near. */
  marked: boolean;
};

type SuggestionReason =
  | 'meant_for'
  | 'claimed'
  | 'same_amount'
  | 'near_amount'
  | 'other_amount'
  | 'other_token'
  | 'open_then'
  | 'not_open_then';

export type Suggestion = Pick<
  CandidateQuote,
  'transId' | 'merchantId' | 'name' | 'requestId' | 'status' | 'amountUsd'
> & {
  reasons: SuggestionReason[];
  /** Received minus quoted, in base units; null for different tokens. */
  differenceUnits: bigint | null;
};

type ReceivedMoney = {
  token: string;
  units: bigint;
  at: Date;
  /** Codes of invoices whose customers submitted its transaction. */
  claims?: ReadonlySet<string>;
};

const NEAR_PERCENT = 10n;
const PARTS = 1_000_000n;
const MAX_SUGGESTIONS = 5;

const magnitude = (value: bigint) => (value < 0n ? -value : value);

function distanceOf(received: bigint, receivedDecimals: number, asked: bigint, askedDecimals: number): bigint {
  const [left, right] = [received * 10n ** BigInt(askedDecimals), asked * 10n ** BigInt(receivedDecimals)];
  return (magnitude(left - right) * PARTS) / right;
}

type Judged = Suggestion & { rank: readonly bigint[] };

function judge(
  { token, units, at, claims }: ReceivedMoney,
  candidate: CandidateQuote,
  tokenOf: (symbol: string) => Token,
): Judged {
  const [received, asked] = [tokenOf(token), tokenOf(candidate.token)];
  const askedUnits = chainUnits(candidate.displayUnits, asked);
  const distance = distanceOf(units, received.decimals, askedUnits, asked.decimals);
  const sameToken = token === candidate.token;
  const isOpen = at >= candidate.heldFrom && at < candidate.heldTo;
  const isClaimed = claims?.has(candidate.transId) === true;
  const isNear = distance * 100n <= NEAR_PERCENT * PARTS;
  const amount = isNear ? 'near_amount' : 'other_amount';
  const reasons: SuggestionReason[] = [
    ...(candidate.marked ? (['meant_for'] as const) : []),
    ...(isClaimed ? (['claimed'] as const) : []),
    distance === 0n ? 'same_amount' : amount,
    ...(sameToken ? [] : (['other_token'] as const)),
    isOpen ? 'open_then' : 'not_open_then',
  ];
  const { transId, merchantId, name, requestId, status, amountUsd } = candidate;
  // Hashes are public: a claim decides only among invoices that were open for this token.
  const rank = [candidate.marked, isOpen, sameToken, isClaimed].map((isSo) => (isSo ? 0n : 1n));
  const differenceUnits = sameToken ? units - askedUnits : null;
  return {
    transId,
    merchantId,
    name,
    requestId,
    status,
    amountUsd,
    reasons,
    differenceUnits,
    rank: [...rank, distance],
  };
}

function compareRanks(left: Judged, right: Judged): number {
  for (const [place, value] of left.rank.entries()) {
    const other = right.rank[place];
    if (other !== undefined && value !== other) return value < other ? -1 : 1;
  }
  return left.transId < right.transId ? -1 : 1;
}

/** Ranks: the marked invoice, those open on arrival, the same token, claimed ones, the nearest amount; each once. */
export function suggestInvoices(
  money: ReceivedMoney,
  candidates: readonly CandidateQuote[],
  tokenOf: (symbol: string) => Token,
): Suggestion[] {
  const judged = candidates.map((candidate) => judge(money, candidate, tokenOf)).toSorted(compareRanks);
  const first = new Map(judged.toReversed().map((one) => [one.transId, one]));
  return judged
    .filter((one) => first.get(one.transId) === one)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ rank: _rank, ...suggestion }) => suggestion);
}
