import type { Address } from '@solana/kit';
import { getBase58Encoder } from '@solana/kit';
import type { Call } from '../evm/backend.ts';
import { RpcError } from '../json-rpc.ts';
import { tokensOwnedBy } from './accounts.ts';
import { TOKEN_PROGRAM } from './instructions.ts';
import { blockAtOrBelow, FIRST_SLOT, lastBlock, slotsBetween, submit } from './ledger.ts';
import type { LedgerTransaction } from './transaction.ts';
import { decodeWire } from './transaction.ts';
import type { Config, NodeView } from './view.ts';
import {
  blockAt,
  CODES,
  contextOf,
  headOf,
  headSlot,
  indexedTo,
  requireContext,
  requireMark,
  requireSlot,
  storageUnreachable,
  timeOf,
  visible,
} from './view.ts';

/** JSON-RPC methods and errors of a node, as Agave has them. */

type Answer = (view: NodeView, params: readonly unknown[], config: Config) => unknown;

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
const MAX_SIGNATURES = 1_000;
const MAX_ACCOUNTS = 100;
const MAX_BLOCKS = 500_000;

function transactionJson(view: NodeView, transaction: LedgerTransaction, config: Config): Record<string, unknown> {
  const { message, signature, signatures, meta, wire } = transaction;
  const version = view.versions.get(signature) ?? transaction.version;
  const supported = config.maxSupportedTransactionVersion;
  if (version !== 'legacy' && (supported === undefined || supported < version)) {
    const text = `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`;
    throw new RpcError(CODES.unsupportedVersion, text);
  }
  const body =
    config.encoding === 'base64' ? [Buffer.from(wire).toString('base64'), 'base64'] : { signatures, message };
  const told = view.garbled.has(signature) ? { logMessages: null } : meta;
  return { meta: told, transaction: body, ...(supported !== undefined && { version }) };
}

/**
 * Whether a transaction is older than the transaction `mark`, by slot and position in the block. `mark` need not be in
 * the list of the address that is asked about.
 */
function isBefore(view: NodeView, one: LedgerTransaction, mark: LedgerTransaction): boolean {
  if (one.slot !== mark.slot) return one.slot < mark.slot;
  const order = view.ledger.blocks.get(one.slot)?.transactions ?? [];
  return order.indexOf(one) < order.indexOf(mark);
}

const getSignaturesForAddress: Answer = (view, [address], config) => {
  requireContext(view, config);
  const limit = config.limit ?? MAX_SIGNATURES;
  if (limit > MAX_SIGNATURES) throw new RpcError(CODES.invalidParams, `Invalid limit; max ${MAX_SIGNATURES}`);
  const newest = Math.min(headOf(view, config), indexedTo(view));
  const listed = (view.ledger.byAddress.get(String(address)) ?? []).filter(
    ({ slot }) => slot <= newest && slot >= view.firstAvailable,
  );
  const before = requireMark(view, config.before, config);
  // An unknown `before` gives an empty page, which looks like the end of the list.
  if (config.before !== undefined && !before) return [];
  const until = requireMark(view, config.until, config);
  const finalized = headSlot(view, 'finalized');
  const wanted = listed.filter(
    (one) => (!before || isBefore(view, one, before)) && (!until || isBefore(view, until, one)),
  );
  if (wanted.length < limit && view.storageUnreachable) throw storageUnreachable();
  return wanted
    .slice(-limit)
    .toReversed()
    .map((one) => ({
      signature: one.signature,
      slot: one.slot,
      err: one.error,
      memo: one.memo,
      blockTime: timeOf(view, one.slot),
      confirmationStatus: one.slot <= finalized ? 'finalized' : 'confirmed',
    }));
};

const getTransaction: Answer = (view, [signature], config) => {
  const found = view.withheld.has(String(signature)) ? undefined : visible(view, String(signature), config);
  if (!found) return null;
  return { slot: found.slot, blockTime: timeOf(view, found.slot), ...transactionJson(view, found, config) };
};

const getBlock: Answer = (view, [slot], config) => {
  requireSlot(view, Number(slot), config);
  const block = blockAt(view, Number(slot));
  const details = config.transactionDetails ?? 'full';
  return {
    blockHeight: block.height,
    blockTime: timeOf(view, block.slot),
    blockhash: block.hash,
    parentSlot: block.parentSlot,
    previousBlockhash: block.previousHash,
    ...(details === 'full' && { transactions: block.transactions.map((one) => transactionJson(view, one, config)) }),
    ...(details === 'signatures' && { signatures: block.transactions.map((one) => one.signature) }),
  };
};

const getSignatureStatuses: Answer = (view, [signatures], config) => ({
  context: contextOf(view, config),
  value: (signatures as string[]).map((signature) => {
    const found = visible(view, signature, { commitment: 'processed' });
    if (!found) return null;
    const final = found.slot <= headSlot(view, 'finalized');
    const confirmations = final ? null : view.ledger.slot - found.slot;
    const confirmationStatus = final ? 'finalized' : 'confirmed';
    return { slot: found.slot, confirmations, err: found.error, status: found.meta['status'], confirmationStatus };
  }),
});

/** The clock account at a commitment; other accounts have only the machine's newest state. */
function clockAccount(view: NodeView, config: Config) {
  const slot = headOf(view, config);
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigInt64LE(BigInt(view.ledger.blocks.get(slot)?.time ?? 0), 32);
  return accountJson({ data, executable: false, lamports: 1_169_280n, programAddress: SYSVAR_OWNER });
}

type AccountState = { data: Uint8Array; executable: boolean; lamports: bigint; programAddress: string };

function accountJson({ data, executable, lamports, programAddress }: AccountState) {
  return {
    data: [Buffer.from(data).toString('base64'), 'base64'],
    executable,
    lamports,
    owner: programAddress,
    rentEpoch: 2n ** 64n - 1n,
    space: data.length,
  };
}

const getAccountInfo: Answer = (view, [address], config) => {
  requireContext(view, config);
  const context = contextOf(view, config);
  if (address === CLOCK) return { context, value: clockAccount(view, config) };
  const found = view.ledger.svm.getAccount(address as Address);
  return { context, value: found.exists ? accountJson(found) : null };
};

const getMultipleAccounts: Answer = (view, [addresses], config) => {
  requireContext(view, config);
  const asked = addresses as Address[];
  if (asked.length > MAX_ACCOUNTS)
    throw new RpcError(CODES.invalidParams, `Too many inputs provided; max ${MAX_ACCOUNTS}`);
  const { offset, length } = config.dataSlice ?? { offset: 0, length: Infinity };
  const value = asked.map((address) => {
    const found = view.ledger.svm.getAccount(address);
    return found.exists ? accountJson({ ...found, data: found.data.slice(offset, offset + length) }) : null;
  });
  return { context: contextOf(view, config), value };
};

const getTokenAccountsByOwner: Answer = (view, [owner, filter], config) => {
  const { programId = TOKEN_PROGRAM, mint } = filter as { programId?: Address; mint?: string };
  const found = tokensOwnedBy(view.ledger.svm, owner as Address, programId).filter(
    ({ token }) => mint === undefined || token.mint === mint,
  );
  const value = found.flatMap(({ address }) => {
    const account = view.ledger.svm.getAccount(address);
    return account.exists ? [{ pubkey: address, account: accountJson(account) }] : [];
  });
  return { context: contextOf(view, config), value };
};

const sendTransaction: Answer = (view, [encoded], config) => {
  const wire =
    config.encoding === 'base64' ? Buffer.from(String(encoded), 'base64') : getBase58Encoder().encode(String(encoded));
  return submit(view.ledger, decodeWire(new Uint8Array(wire))).signature;
};

const METHODS: Readonly<Record<string, Answer>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 1 }),
  getGenesisHash: (view) => view.genesisHash,
  getSlot: (view, _params, config) => {
    requireContext(view, config);
    return headOf(view, config);
  },
  getBlockHeight: (view, _params, config) => blockAtOrBelow(view.ledger, headOf(view, config))?.height ?? 0,
  getFirstAvailableBlock: (view) => view.firstAvailable,
  getLatestBlockhash: (view, _params, config) => ({
    context: contextOf(view, config),
    value: {
      blockhash: view.ledger.svm.latestBlockhash(),
      lastValidBlockHeight: (lastBlock(view.ledger)?.height ?? 0) + 150,
    },
  }),
  getBlock,
  getBlocks: (view, [from, to], config) => {
    const end = Math.min(typeof to === 'number' ? to : Infinity, headOf(view, config));
    if (end - Number(from) > MAX_BLOCKS)
      throw new RpcError(CODES.invalidParams, `Slot range too large; max ${MAX_BLOCKS}`);
    return slotsBetween(view.ledger, Math.max(Number(from), view.firstAvailable), end);
  },
  getBlockTime: (view, [slot]) => {
    requireSlot({ ...view, indexLagSlots: 0 }, Number(slot), { commitment: 'confirmed' });
    return timeOf(view, Number(slot));
  },
  getAgGenesisCert: ({ alpenglow }) => (alpenglow ? { slot: FIRST_SLOT, blockId: 'genesis' } : null),
  getTransaction,
  getSignaturesForAddress,
  getSignatureStatuses,
  getTokenAccountsByOwner,
  getAccountInfo,
  getMultipleAccounts,
  getBalance: (view, [address], config) => ({
    context: contextOf(view, config),
    value: view.ledger.svm.getBalance(address as Address) ?? 0n,
  }),
  getMinimumBalanceForRentExemption: (view, [bytes]) =>
    view.ledger.svm.minimumBalanceForRentExemption(BigInt(Number(bytes))),
  sendTransaction,
};

export function answerCall(view: NodeView, { method, params }: Call): unknown {
  const answer = METHODS[method];
  if (!answer) throw new RpcError(CODES.methodNotFound, 'Method not found');
  const config = params.findLast((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
  return answer(view, params, config ?? {});
}
