import { randomBytes } from 'node:crypto';
import type { Address, Instruction, Signature, SignatureBytes, Transaction } from '@solana/kit';
import {
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { lookupAddresses, putLamports, putToken, putWrapped, randomAddress, tokenAt } from './accounts.ts';
import {
  associatedAccount,
  closeToken,
  createAssociated,
  memo,
  recoverNested,
  transferSol,
  transferToken,
  WRAPPED_SOL,
} from './instructions.ts';
import type { SolanaMint } from './mints.ts';
import { USDC } from './mints.ts';
import { submit } from './ledger.ts';
import type { SolanaNode } from './node.ts';

/**
 * Ways to pay on the Solana rig. Each function sends a transaction, which waits for the next block, and returns its
 * signature.
 */

export type SendOptions = { from?: Address; version?: 'legacy' | 0; lookupTable?: Address };

const FUNDS_LAMPORTS = 1_000_000_000_000n;
const MANY_BLOCKS = 1_000n;

function compile(
  node: SolanaNode,
  from: Address,
  instructions: readonly Instruction[],
  options: SendOptions,
): Transaction {
  const lifetime = {
    blockhash: blockhash(node.ledger.svm.latestBlockhash()),
    lastValidBlockHeight: BigInt(node.ledger.slot) + MANY_BLOCKS,
  };
  const table = options.lookupTable;
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (one) => setTransactionMessageFeePayer(from, one),
    (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
    (one) => appendTransactionMessageInstructions(instructions, one),
  );
  if (table !== undefined) {
    const tables = { [table]: lookupAddresses(node.ledger.svm, table) };
    return compileTransaction(compressTransactionMessageUsingAddressLookupTables(message, tables));
  }
  return compileTransaction(options.version === 'legacy' ? { ...message, version: 'legacy' } : message);
}

/** Signs with random bytes: the machine checks no signatures, so any address can pay. */
function sign({ messageBytes, signatures }: Transaction): Transaction {
  const signed = Object.keys(signatures).map((signer) => [signer, new Uint8Array(randomBytes(64)) as SignatureBytes]);
  return { messageBytes, signatures: Object.fromEntries(signed) as Transaction['signatures'] };
}

export function send(node: SolanaNode, instructions: readonly Instruction[], options: SendOptions = {}): Signature {
  const from = options.from ?? randomAddress();
  if ((node.ledger.svm.getBalance(from) ?? 0n) < FUNDS_LAMPORTS) putLamports(node.ledger.svm, from, FUNDS_LAMPORTS);
  return submit(node.ledger, sign(compile(node, from, instructions, options))).signature as Signature;
}

export type SolPayment = SendOptions & { to: Address; lamports: bigint; references?: readonly Address[] };

export function paySol(node: SolanaNode, { to, lamports, references = [], ...options }: SolPayment): Signature {
  const from = options.from ?? randomAddress();
  if (lamports > FUNDS_LAMPORTS / 2n) putLamports(node.ledger.svm, from, lamports + FUNDS_LAMPORTS);
  return send(node, [transferSol({ from, to, lamports, references })], { ...options, from });
}

export type TokenPayment = {
  mint: SolanaMint;
  /** Receiving wallet; its account for the mint is derived. */
  to: Address;
  units: bigint;
  references?: readonly Address[];
};

/** Creates the payer's token account with the units that it pays. */
async function fund(node: SolanaNode, from: Address, mint: SolanaMint, units: bigint): Promise<Address> {
  const source = await associatedAccount(from, mint.address, mint.program);
  const held = tokenAt(node.ledger.svm, source)?.units ?? 0n;
  if (held < units) {
    const program = mint.program === undefined ? {} : { program: mint.program };
    putToken(node.ledger.svm, source, { mint: mint.address, owner: from, units, ...program });
  }
  return source;
}

async function tokenInstructions(from: Address, source: Address, payment: TokenPayment): Promise<Instruction[]> {
  const { mint, to, units, references = [] } = payment;
  const destination = await associatedAccount(to, mint.address, mint.program);
  const program = mint.program === undefined ? {} : { program: mint.program };
  const moved = { source, destination, authority: from, units, mint: mint.address, decimals: mint.decimals };
  return [
    createAssociated({ payer: from, created: destination, owner: to, mint: mint.address, ...program }),
    transferToken({ ...moved, ...program, references }),
  ];
}

export type SplPayment = TokenPayment & SendOptions & { memo?: string };

/** Pays a token as wallets do: creates the receiver's account if it is missing, and puts a memo before the transfer. */
export async function paySpl(node: SolanaNode, payment: SplPayment): Promise<Signature> {
  const { from = randomAddress(), memo: text, version, lookupTable } = payment;
  const source = await fund(node, from, payment.mint, payment.units);
  const [create, transfer] = await tokenInstructions(from, source, payment);
  const instructions = [create, ...(text === undefined ? [] : [memo(text)]), transfer].filter(
    (one) => one !== undefined,
  );
  return send(node, instructions, {
    from,
    ...(version !== undefined && { version }),
    ...(lookupTable !== undefined && { lookupTable }),
  });
}

export type CoinPayment = { to: Address; lamports: bigint };

/** Pays several receivers in one transaction, as an exchange pays withdrawals. */
export async function payBatch(
  node: SolanaNode,
  payments: readonly TokenPayment[],
  { coins = [], ...options }: SendOptions & { coins?: readonly CoinPayment[] } = {},
): Promise<Signature> {
  const from = options.from ?? randomAddress();
  const instructions: Instruction[] = coins.map((coin) => transferSol({ from, ...coin }));
  for (const payment of payments) {
    const total = payments.filter(({ mint }) => mint === payment.mint).reduce((sum, { units }) => sum + units, 0n);
    const source = await fund(node, from, payment.mint, total);
    instructions.push(...(await tokenInstructions(from, source, payment)));
  }
  return send(node, instructions, { ...options, from });
}

/** Sends more than the payer has: the transaction is in a block, pays its fee and moves no tokens. */
export async function payFailing(node: SolanaNode, payment: SplPayment): Promise<Signature> {
  const from = payment.from ?? randomAddress();
  const source = await fund(node, from, payment.mint, payment.units - 1n);
  return send(node, await tokenInstructions(from, source, payment), { from });
}

/**
 * Pays tokens by a call from one program to another: no instruction of the message states the amount. The
 * associated-token program moves tokens to the wallet's token account out of a nested account, which belongs to another
 * token account of the wallet; wallets recover tokens in this way after a payment whose receiver was a token account
 * instead of the wallet.
 */
export async function payThroughProgram(node: SolanaNode, { mint, to, units }: TokenPayment): Promise<Signature> {
  const { svm } = node.ledger;
  const holder = await associatedAccount(to, USDC.address);
  if (!tokenAt(svm, holder)) putToken(svm, holder, { mint: USDC.address, owner: to, units: 0n });
  const nested = await associatedAccount(holder, mint.address);
  putToken(svm, nested, { mint: mint.address, owner: holder, units });
  const destination = await associatedAccount(to, mint.address);
  if (!tokenAt(svm, destination)) putToken(svm, destination, { mint: mint.address, owner: to, units: 0n });
  return send(
    node,
    [recoverNested({ nested, mint: mint.address, destination, holder, holderMint: USDC.address, wallet: to })],
    { from: to },
  );
}

/** Pays coins by closing a token account: the message has no instruction that transfers coins. */
export function payByClosing(node: SolanaNode, { to, lamports }: { to: Address; lamports: bigint }): Signature {
  const from = randomAddress();
  const wrapped = randomAddress();
  const units = lamports - 10_000_000n;
  putWrapped(node.ledger.svm, wrapped, { mint: WRAPPED_SOL, owner: from, units });
  return send(node, [closeToken(wrapped, to, from)], { from });
}
