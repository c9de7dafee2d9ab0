import type { Hex } from 'viem';
import type { Anvil } from '../evm/anvil.ts';

/** Java-tron's view of an EVM node: one wei is one sun, and calls with a marker represent contracts of other kinds. */

export const TRON_CHAIN_ID = 728_126_428;
/** Genesis block id of Tron's mainnet; its last four bytes are the chain id. */
const GENESIS_ID: Hex = '0x00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

export type EvmTransaction = {
  hash: Hex;
  from: Hex;
  to: Hex | null;
  input: Hex;
  value: Hex;
  gas: Hex;
  transactionIndex: Hex;
  blockNumber: Hex | null;
};

export type EvmBlock = {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  miner: Hex;
  gasUsed: Hex;
  size: Hex;
  transactionsRoot: Hex;
  transactions: EvmTransaction[];
};

export type EvmLog = {
  address: Hex;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  blockTimestamp: Hex;
  transactionHash: Hex;
  transactionIndex: Hex;
  logIndex: Hex;
};

export type EvmReceipt = {
  transactionHash: Hex;
  transactionIndex: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  from: Hex;
  to: Hex | null;
  status: Hex;
  gasUsed: Hex;
  cumulativeGasUsed: Hex;
  contractAddress: Hex | null;
  logs: EvmLog[];
};

/** One backend's view, fixed during a request. */
export type TronView = { chain: EvmNode; head: number; solid: number };

/** Node from which blocks and receipts come. */
export type EvmNode = Pick<Anvil, 'rpc'>;

export const toHex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
export const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;

const HEIGHT_DIGITS = 16;
const KEPT_FROM = 2 + HEIGHT_DIGITS;

/** Block id: eight bytes of height and the last 24 of the hash. Block 0 has the id of the real network. */
export function blockIdOf(height: number, hash: Hex): Hex {
  if (height === 0) return GENESIS_ID;
  return `0x${height.toString(16).padStart(HEIGHT_DIGITS, '0')}${hash.slice(KEPT_FROM)}`;
}

export function parentIdOf(block: EvmBlock): Hex {
  const height = Number(block.number);
  return height === 0 ? zeros(32) : blockIdOf(height - 1, block.parentHash);
}

export async function readEvmBlock(view: TronView, height: number): Promise<EvmBlock | null> {
  if (height > view.head) return null;
  return view.chain.rpc<EvmBlock | null>('eth_getBlockByNumber', [toHex(height), true]);
}

export function readEvmReceipts(view: TronView, height: number): Promise<EvmReceipt[]> {
  return view.chain.rpc<EvmReceipt[]>('eth_getBlockReceipts', [toHex(height)]);
}

/** Markers of call data for contracts that move no TRX but look as if they did. */
export const MARKERS = {
  TransferAssetContract: '0x54524331',
  VoteWitnessContract: '0x564f5445',
  FreezeBalanceContract: '0x46525a45',
} as const satisfies Record<string, Hex>;

export type LookAlike = keyof typeof MARKERS;
export type ContractKind = LookAlike | 'TransferContract' | 'TriggerSmartContract' | 'CreateSmartContract';

export function kindOf(transaction: EvmTransaction): ContractKind {
  if (transaction.to === null) return 'CreateSmartContract';
  const marked = Object.entries(MARKERS).find(([, marker]) => transaction.input.startsWith(marker));
  if (marked) return marked[0] as LookAlike;
  return transaction.input === '0x' ? 'TransferContract' : 'TriggerSmartContract';
}

const GAS_PRICE = '0x64';

/** A transaction in JSON-RPC: every kind has a receiver and a value, and only calls and creations have input. */
export function transactionView(transaction: EvmTransaction, block: EvmBlock) {
  const kind = kindOf(transaction);
  const hasInput = kind === 'TriggerSmartContract' || kind === 'CreateSmartContract';
  return {
    blockHash: blockIdOf(Number(block.number), block.hash),
    blockNumber: block.number,
    from: transaction.from,
    gas: transaction.gas,
    gasPrice: GAS_PRICE,
    hash: transaction.hash,
    input: hasInput ? transaction.input : '0x',
    nonce: zeros(8),
    r: zeros(32),
    s: zeros(32),
    to: transaction.to,
    transactionIndex: transaction.transactionIndex,
    type: '0x0',
    v: '0x1b',
    value: transaction.value,
  };
}

export function blockView(block: EvmBlock, whole: boolean) {
  const { transactions } = block;
  return {
    baseFeePerGas: '0x0',
    difficulty: '0x0',
    extraData: '0x',
    gasLimit: toHex(transactions.reduce((sum, { gas }) => sum + BigInt(gas), 0n)),
    gasUsed: block.gasUsed,
    hash: blockIdOf(Number(block.number), block.hash),
    logsBloom: zeros(256),
    miner: block.miner,
    mixHash: zeros(32),
    nonce: zeros(8),
    number: block.number,
    parentHash: parentIdOf(block),
    receiptsRoot: zeros(32),
    sha3Uncles: zeros(32),
    size: block.size,
    stateRoot: '0x',
    timestamp: block.timestamp,
    totalDifficulty: '0x0',
    transactions: whole ? transactions.map((one) => transactionView(one, block)) : transactions.map(({ hash }) => hash),
    transactionsRoot: block.transactionsRoot,
    uncles: [],
  };
}

/** A log in JSON-RPC. Older releases of java-tron have no `blockTimestamp`, so a reader must work without it. */
export function logView(log: EvmLog, withTimestamp: boolean) {
  return {
    address: log.address.toLowerCase(),
    blockHash: blockIdOf(Number(log.blockNumber), log.blockHash),
    blockNumber: log.blockNumber,
    ...(withTimestamp && { blockTimestamp: log.blockTimestamp }),
    data: log.data,
    logIndex: log.logIndex,
    removed: false,
    topics: log.topics,
    transactionHash: log.transactionHash,
    transactionIndex: log.transactionIndex,
  };
}

export function receiptView(receipt: EvmReceipt, withTimestamp: boolean) {
  return {
    blockHash: blockIdOf(Number(receipt.blockNumber), receipt.blockHash),
    blockNumber: receipt.blockNumber,
    contractAddress: receipt.contractAddress,
    cumulativeGasUsed: receipt.cumulativeGasUsed,
    effectiveGasPrice: GAS_PRICE,
    from: receipt.from,
    gasUsed: receipt.gasUsed,
    logs: receipt.logs.map((log) => logView(log, withTimestamp)),
    logsBloom: zeros(256),
    status: receipt.status,
    to: receipt.to,
    transactionHash: receipt.transactionHash,
    transactionIndex: receipt.transactionIndex,
    type: '0x0',
  };
}
