import { base58 } from '@scure/base';
import type { Network } from '../../networks/network.ts';
import type { InspectedTransaction, InspectionLimits } from '../inspected-transaction.ts';
import { TOKEN_PROGRAM } from './derive-token-account.ts';
import { getTransactionCall } from './read-transactions.ts';
import type { SolanaTransaction } from './solana-decode.ts';
import { changesOfMint, decodeTransaction, tokensByMint } from './solana-decode.ts';
import type { SolanaCall } from './solana-rpc.ts';
import { askAll, askEach, TIMEOUT_MS } from './solana-rpc.ts';
import { positionAtOrBelow } from './solana-time.ts';

const SIGNATURE_BYTES = 64;
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const COMMITMENT = 'confirmed';

function isSignature(text: string): boolean {
  return SIGNATURE_TEXT.test(text) && base58.decode(text).length === SIGNATURE_BYTES;
}

type Balance = SolanaTransaction['raw']['meta']['postTokenBalances'][number];
const keyOf = ({ mint, programId }: Balance) => `${mint} ${programId ?? TOKEN_PROGRAM}`;

/** Token gains by owner. Tokens of other programs than the classic one are shown by mint, without symbol. */
function gains(network: Network, transaction: SolanaTransaction): InspectedTransaction['transfers'] {
  const tokens = tokensByMint(network);
  const balances = transaction.raw.meta.postTokenBalances;
  const mints = new Map(balances.map((balance) => [keyOf(balance), balance]));
  return [...mints.values()].flatMap(({ mint, programId = TOKEN_PROGRAM }) => {
    const token = programId === TOKEN_PROGRAM ? (tokens.get(mint)?.symbol ?? null) : null;
    const changes = [...changesOfMint(transaction, mint, programId)].filter(([, units]) => units > 0n);
    return changes.map(([to, units]) => ({ token, contract: mint, to, units }));
  });
}

/** The receiver of most coins. Coins of token accounts are rent and are left out. */
function coinOf({ keys, raw: { meta } }: SolanaTransaction): InspectedTransaction['coin'] {
  const accounts = new Set([...meta.preTokenBalances, ...meta.postTokenBalances].map((one) => one.accountIndex));
  let most: { to: string | null; units: number } = { to: null, units: 0 };
  for (const [at, to] of keys.entries()) {
    const units = (meta.postBalances[at] ?? 0) - (meta.preBalances[at] ?? 0);
    if (!accounts.has(at) && units > most.units) most = { to, units };
  }
  return { to: most.to, units: BigInt(most.units) };
}

/** Null when the transaction is unknown or not confirmed. */
export async function inspectSolanaTransaction(
  network: Network,
  url: string,
  txId: string,
  { timeoutMs = TIMEOUT_MS, maxBytes }: Partial<InspectionLimits> = {},
): Promise<InspectedTransaction | null> {
  if (!isSignature(txId)) return null;
  const calls = [getTransactionCall(network, txId, COMMITMENT)];
  const [raw] = await askAll(url, calls, timeoutMs, maxBytes);
  if (raw === null) return null;
  const transaction = decodeTransaction(raw);
  const provider = {
    ask: (more: readonly SolanaCall[]) => askAll(url, more, timeoutMs, maxBytes),
    askEach: (more: readonly SolanaCall[]) => askEach(url, more, timeoutMs, maxBytes),
  };
  return {
    succeeded: transaction.succeeded,
    height: transaction.slot,
    time: transaction.blockTime ?? (await positionAtOrBelow(provider, transaction.slot, COMMITMENT)).time,
    transfers: gains(network, transaction),
    coin: coinOf(transaction),
  };
}
