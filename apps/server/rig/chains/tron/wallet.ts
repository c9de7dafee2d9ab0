import type { EvmBlock, EvmLog, EvmReceipt, EvmTransaction, TronView } from './block.ts';
import { blockIdOf, kindOf, parentIdOf, readEvmBlock, readEvmReceipts } from './block.ts';

/** HTTP interface of java-tron: hexadecimal without 0x, addresses with Tron's prefix, times in milliseconds. */

const VERSION = 31;
const ASSET_NAME = '31303035303930';
const FREEZE_DAYS = 3;
const MAX_BLOCKS = 100;

const bare = (hex: string) => hex.slice(2).toLowerCase();
const prefixed = (address: string | null) => `41${bare(address ?? '0x')}`;
const milliseconds = (block: EvmBlock) => Number(block.timestamp) * 1000;

function parameterOf(transaction: EvmTransaction): Record<string, unknown> {
  const owner_address = prefixed(transaction.from);
  const to_address = prefixed(transaction.to);
  const amount = Number(transaction.value);
  const data = bare(transaction.input);
  switch (kindOf(transaction)) {
    case 'TransferContract':
      return { amount, owner_address, to_address };
    case 'TransferAssetContract':
      return { amount, asset_name: ASSET_NAME, owner_address, to_address };
    case 'VoteWitnessContract':
      return { owner_address, votes: [{ vote_address: to_address, vote_count: amount }] };
    case 'FreezeBalanceContract':
      return {
        owner_address,
        frozen_balance: amount,
        frozen_duration: FREEZE_DAYS,
        resource: 'ENERGY',
        receiver_address: to_address,
      };
    case 'TriggerSmartContract':
      // Java-tron leaves empty fields out.
      return { data, owner_address, contract_address: to_address, ...(amount > 0 && { call_value: amount }) };
    case 'CreateSmartContract':
      return { owner_address, new_contract: { bytecode: data, origin_address: owner_address } };
  }
}

function transactionJson(transaction: EvmTransaction, receipt: EvmReceipt | undefined) {
  const type = kindOf(transaction);
  const value = parameterOf(transaction);
  return {
    ret: [{ contractRet: receipt?.status === '0x1' ? 'SUCCESS' : 'REVERT' }],
    signature: ['00'.repeat(65)],
    txID: bare(transaction.hash),
    raw_data: { contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }] },
    raw_data_hex: '',
  };
}

async function blockJson(view: TronView, newest: number, height: number): Promise<Record<string, unknown>> {
  const block = height > newest ? null : await readEvmBlock(view, height);
  if (!block) return {};
  const receipts = await readEvmReceipts(view, height);
  const transactions = block.transactions.map((one, place) => transactionJson(one, receipts[place]));
  return {
    blockID: bare(blockIdOf(height, block.hash)),
    block_header: {
      raw_data: {
        ...(height > 0 && { number: height }),
        txTrieRoot: bare(block.transactionsRoot),
        witness_address: prefixed(block.miner),
        parentHash: bare(parentIdOf(block)),
        version: VERSION,
        timestamp: milliseconds(block),
      },
      witness_signature: '00'.repeat(65),
    },
    ...(transactions.length > 0 && { transactions }),
  };
}

function logJson(log: EvmLog) {
  const data = bare(log.data);
  return { address: bare(log.address), topics: log.topics.map(bare), ...(data !== '' && { data }) };
}

/**
 * Transaction info. The receipt of a success has the field `result` only if a contract was called or created; a failure
 * shows in `result` of the receipt and in `result` of the info.
 */
function infoJson(block: EvmBlock, transaction: EvmTransaction, receipt: EvmReceipt) {
  const failed = receipt.status !== '0x1';
  const kind = kindOf(transaction);
  const ran = kind === 'TriggerSmartContract' || kind === 'CreateSmartContract';
  return {
    id: bare(receipt.transactionHash),
    blockNumber: Number(block.number),
    blockTimeStamp: milliseconds(block),
    contractResult: [''],
    ...(ran && receipt.to !== null && { contract_address: prefixed(receipt.to) }),
    receipt: ran || failed ? { result: failed ? 'REVERT' : 'SUCCESS' } : { net_usage: 268 },
    ...(receipt.logs.length > 0 && { log: receipt.logs.map(logJson) }),
    ...(failed && { result: 'FAILED' }),
  };
}

async function infosJson(view: TronView, newest: number, height: number): Promise<unknown> {
  if (height <= 0) return {};
  const block = height > newest ? null : await readEvmBlock(view, height);
  if (!block) return [];
  const receipts = await readEvmReceipts(view, height);
  return block.transactions.flatMap((transaction, place) => {
    const receipt = receipts[place];
    return receipt ? [infoJson(block, transaction, receipt)] : [];
  });
}

/** Blocks from the first height to before the last; blocks above the head are left out without an error. */
async function blocksJson(view: TronView, newest: number, from: number, before: number): Promise<unknown> {
  if (before <= from || before - from > MAX_BLOCKS) return {};
  const blocks: unknown[] = [];
  for (let height = from; height < Math.min(before, newest + 1); height += 1) {
    blocks.push(await blockJson(view, newest, height));
  }
  return blocks.length > 0 ? { block: blocks } : {};
}

type Asked = { num?: number; startNum?: number; endNum?: number };

/** Answers a path of the HTTP interface; undefined for a path that the node does not have. */
export async function askTronWallet(view: TronView, path: string, asked: Asked): Promise<unknown> {
  const [, area, name = ''] = path.split('/');
  if (area !== 'walletsolidity' && area !== 'wallet') return undefined;
  const newest = area === 'walletsolidity' ? view.solid : view.head;
  switch (name) {
    case 'getnowblock':
      return blockJson(view, newest, newest);
    case 'getblockbynum':
      return blockJson(view, newest, asked.num ?? 0);
    case 'getblockbylimitnext':
      return blocksJson(view, newest, asked.startNum ?? 0, asked.endNum ?? 0);
    case 'gettransactioninfobyblocknum':
      return infosJson(view, newest, asked.num ?? 0);
    default:
      return undefined;
  }
}
