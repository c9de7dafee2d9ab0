import { z } from 'zod';
import type { Network, Token } from '../../networks/network.ts';
import { SourceError } from '../chain-source.ts';
import { NATIVE_INDEX } from '../transfer.ts';
import { TOKEN_PROGRAM } from './derive-token-account.ts';
import { parseAnswer } from './solana-rpc.ts';

/** Decodes a wallet's balance changes. Instructions are not decoded: programs may move money in unknown ways. */

const balanceSchema = z.object({
  accountIndex: z.int(),
  mint: z.string(),
  owner: z.string().optional(),
  programId: z.string().optional(),
  // As text: a number would lose digits above 2^53.
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
});
const instructionSchema = z.object({ programIdIndex: z.int(), accounts: z.array(z.int()) });

const transactionSchema = z.object({
  slot: z.int(),
  blockTime: z.int().nullish(),
  meta: z.object({
    err: z.unknown(),
    fee: z.number(),
    preBalances: z.array(z.number()),
    postBalances: z.array(z.number()),
    preTokenBalances: z.array(balanceSchema),
    postTokenBalances: z.array(balanceSchema),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).optional(),
    innerInstructions: z.array(z.object({ instructions: z.array(instructionSchema) })).nullish(),
  }),
  transaction: z.object({
    signatures: z.array(z.string()).min(1),
    message: z.object({
      header: z.object({
        numRequiredSignatures: z.int(),
        numReadonlySignedAccounts: z.int(),
        numReadonlyUnsignedAccounts: z.int(),
      }),
      accountKeys: z.array(z.string()),
      instructions: z.array(instructionSchema),
    }),
  }),
});

type RawTransaction = z.infer<typeof transactionSchema>;
type TokenBalance = z.infer<typeof balanceSchema>;

export type SolanaTransaction = {
  signature: string;
  slot: number;
  blockTime: number | null;
  succeeded: boolean;
  /** Message addresses, then those of lookup tables: writable, then read-only. */
  keys: readonly string[];
  raw: RawTransaction;
};

export function decodeTransaction(answer: unknown): SolanaTransaction {
  const raw = parseAnswer(transactionSchema, answer, 'transaction');
  const { slot, blockTime, meta, transaction } = raw;
  const loaded = meta.loadedAddresses ?? { writable: [], readonly: [] };
  const keys = [...transaction.message.accountKeys, ...loaded.writable, ...loaded.readonly];
  if (meta.preBalances.length !== keys.length || meta.postBalances.length !== keys.length)
    throw new SourceError('inconsistent', 'A transaction does not name the accounts of its balances.');
  const signature = transaction.signatures[0] ?? '';
  const succeeded = meta.err === null || meta.err === undefined;
  return { signature, slot, blockTime: blockTime ?? null, succeeded, keys, raw };
}

type TokenByMint = ReadonlyMap<string, Token>;

export function tokensByMint(network: Network): TokenByMint {
  return new Map(network.tokens.flatMap((token) => (token.contract === null ? [] : [[token.contract, token]])));
}

/** Changes of a mint's balances by owner. A new token account was empty before. */
export function changesOfMint(
  { raw }: SolanaTransaction,
  mint: string,
  program: string = TOKEN_PROGRAM,
): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const add = (balances: readonly TokenBalance[], sign: bigint) => {
    for (const { owner, programId, uiTokenAmount } of balances.filter((one) => one.mint === mint)) {
      // Old nodes omit the token program, which then is the classic one: the mint's program was checked before.
      if ((programId ?? TOKEN_PROGRAM) !== program) continue;
      if (owner === undefined) throw new SourceError('inconsistent', 'A token balance has no owner.');
      changes.set(owner, (changes.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
    }
  };
  add(raw.meta.preTokenBalances, -1n);
  add(raw.meta.postTokenBalances, 1n);
  return changes;
}

/** Lamports. Throws above nine million SOL, where JSON numbers lose digits. */
function lamportsAt(balances: readonly number[], position: number): bigint {
  const lamports = balances[position];
  if (lamports === undefined || !Number.isSafeInteger(lamports))
    throw new SourceError('inconsistent', 'A balance of coins cannot be read exactly.');
  return BigInt(lamports);
}

/**
 * Coins that the wallet gained. Coins from its own token accounts (unwrapped, or rent of closed ones) were its own
 * before, so their changes are added; their gains are not payments.
 */
function changeOfCoins({ keys, raw: { meta } }: SolanaTransaction, wallet: string): bigint {
  const position = keys.indexOf(wallet);
  if (position === -1) return 0n;
  const change = (at: number) => lamportsAt(meta.postBalances, at) - lamportsAt(meta.preBalances, at);
  const balances = [...meta.preTokenBalances, ...meta.postTokenBalances];
  const own = new Set(balances.filter(({ owner }) => owner === wallet).map(({ accountIndex }) => accountIndex));
  const gained = change(position);
  const together = [...own].reduce((sum, at) => sum + change(at), gained);
  return together < gained ? together : gained;
}

/** The address whose balance fell most, without the fee. */
function senderOfCoins({ keys, raw: { meta } }: SolanaTransaction, wallet: string): string {
  const falls = keys.map((key, at) => {
    const fall = (meta.preBalances[at] ?? 0) - (meta.postBalances[at] ?? 0) - (at === 0 ? meta.fee : 0);
    return { key, fall: key === wallet ? 0 : fall };
  });
  const most = falls.reduce((best, one) => (one.fall > best.fall ? one : best), { key: keys[0] ?? '', fall: 0 });
  return most.key;
}

function senderOfToken(changes: ReadonlyMap<string, bigint>, wallet: string, feePayer: string): string {
  let most = { owner: feePayer, change: 0n };
  for (const [owner, change] of changes) if (owner !== wallet && change < most.change) most = { owner, change };
  return most.owner;
}

type Credit = { token: string; index: string; from: string; units: bigint };

/**
 * Credits to the wallet, one per token however it was split; none if the transaction failed. The index includes the
 * wallet, because one transaction may pay many.
 */
export function decodeCredits(transaction: SolanaTransaction, wallet: string, network: Network): Credit[] {
  if (!transaction.succeeded) return [];
  const credits: Credit[] = [];
  for (const [mint, { symbol }] of tokensByMint(network)) {
    const changes = changesOfMint(transaction, mint);
    const units = changes.get(wallet);
    if (units === undefined || units <= 0n) continue;
    const from = senderOfToken(changes, wallet, transaction.keys[0] ?? '');
    credits.push({ token: symbol, index: `${symbol}:${wallet}`, from, units });
  }
  const coin = network.tokens.find((token) => token.contract === null);
  const lamports = coin ? changeOfCoins(transaction, wallet) : 0n;
  if (coin && lamports > 0n)
    credits.push({
      token: coin.symbol,
      index: `${NATIVE_INDEX}:${wallet}`,
      from: senderOfCoins(transaction, wallet),
      units: lamports,
    });
  return credits;
}
