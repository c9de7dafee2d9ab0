import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { TRANSFER_TOPIC } from '../../src/sources/json-rpc/evm-decode.ts';

/**
 * A node that costs its reader nothing: one block full of transfers, serialised once. It is a separate process, so that
 * only the reader is measured. Arguments are the chain id, the block's height and the token's contract.
 */

const TRANSFERS_PER_BLOCK = 5_000;
const LOOPBACK = '127.0.0.1';
const DECIMALS_ANSWER = `0x${(18).toString(16).padStart(64, '0')}`;

const [chainId = '', height = '', contract = ''] = process.argv.slice(2);
const hex = (value: number) => `0x${value.toString(16)}`;
const digest = (name: string) => `0x${createHash('sha256').update(name).digest('hex')}`;
const wordOf = (name: string) => `0x${digest(name).slice(26).padStart(64, '0')}`;

const block = {
  number: hex(Number(height)),
  hash: digest('block'),
  parentHash: digest('parent'),
  timestamp: hex(1_750_000_000),
};

/** Logs with every field that a node sends, read or not, because the parser spends time on all of them. */
const logs = Array.from({ length: TRANSFERS_PER_BLOCK }, (_unused, index) => ({
  address: contract.toLowerCase(),
  topics: [TRANSFER_TOPIC, wordOf(`from ${index}`), wordOf(`to ${index}`)],
  data: `0x${(10n ** 18n * BigInt(index + 1)).toString(16).padStart(64, '0')}`,
  blockHash: block.hash,
  blockNumber: block.number,
  blockTimestamp: block.timestamp,
  transactionHash: digest(`transaction ${index}`),
  transactionIndex: hex(index),
  logIndex: hex(index),
  removed: false,
}));

type Call = { id: number; method: string };

const answers: Record<string, unknown> = {
  eth_chainId: hex(Number(chainId)),
  eth_call: DECIMALS_ANSWER,
};
const BLOCK_ANSWER = Buffer.from(
  JSON.stringify([
    { jsonrpc: '2.0', id: 0, result: logs },
    { jsonrpc: '2.0', id: 1, result: block },
  ]),
);

function answerOf(body: string): Buffer {
  const calls = JSON.parse(body) as Call[];
  if (calls[0]?.method === 'eth_getLogs') return BLOCK_ANSWER;
  return Buffer.from(
    JSON.stringify(calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: answers[method] ?? null }))),
  );
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = answerOf(await text(request));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.byteLength });
  response.end(answer);
}

const server = createServer((request, response) => void respond(request, response));
server.listen(0, LOOPBACK, () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The canned node has no port.');
  process.send?.({ url: `http://${LOOPBACK}:${address.port}` });
});
process.on('disconnect', () => process.exit());
