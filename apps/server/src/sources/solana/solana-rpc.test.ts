import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNetwork } from '../../../rig/chains/networks.ts';
import { profileOf } from '../../networks/profile.ts';
import { askAll, askEach, kindOfRefusal, MAX_CALLS_PER_REQUEST } from './solana-rpc.ts';

const network = findNetwork('SOL') ?? expect.unreachable('There is no SOL.');

describe('what a refusal means', () => {
  test.each([
    [-32_001, 'Block 7 cleaned up, does not exist on node. First available block: 9', 'unsupported'],
    [-32_004, 'Block not available for slot 7', 'not-yet'],
    [-32_005, 'Node is behind by 42 slots', 'not-yet'],
    [-32_007, 'Slot 7 was skipped, or missing due to ledger jump to recent snapshot', 'unavailable'],
    [-32_009, 'Slot 7 was skipped, or missing in long-term storage', 'unavailable'],
    [-32_011, 'Transaction history is not available from this node', 'unsupported'],
    [-32_014, 'Block status not yet available for slot 7', 'not-yet'],
    [-32_015, 'Transaction version (2) is not supported by the requesting client.', 'unsupported'],
    [-32_016, 'Minimum context slot has not been reached', 'not-yet'],
    [-32_019, 'Failed to query long-term storage; please try again', 'unavailable'],
    [-32_020, 'Transaction 5eyk not found', 'inconsistent'],
    [-32_601, 'Method not found', 'unsupported'],
    [-32_602, 'Invalid param: WrongSize', 'unsupported'],
    [-32_603, 'Internal error', 'unavailable'],
    [429, 'Too many requests for a specific RPC call', 'rate'],
    [-32_429, 'exceeded', 'rate'],
    [-32_007, '50/second request limit reached - reduce calls per second or upgrade your account', 'rate'],
    [-32_005, 'Too many requests from your IP', 'rate'],
  ])('the refusal %i %s means %s', (code, message, kind) => {
    expect(kindOfRefusal({ code, message })).toBe(kind);
  });
});

describe('a provider', () => {
  let answer: { status: number; headers?: Record<string, string>; body: string } = { status: 200, body: '' };
  const sizes: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as { id: number }[];
      sizes.push(calls.length);
      const body = answer.body === '' ? JSON.stringify(calls.map(({ id }) => ({ id, result: id }))) : answer.body;
      response.writeHead(answer.status, answer.headers).end(body);
    });
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const call = { method: 'getSlot', params: [] };

  test('a batch has no more calls than the strictest provider takes', async () => {
    answer = { status: 200, body: '' };
    sizes.length = 0;
    expect(
      await askEach(
        url,
        Array.from({ length: 25 }, () => call),
      ),
    ).toHaveLength(25);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(profileOf(network).batchMaxCalls ?? 0);
    expect(MAX_CALLS_PER_REQUEST).toBe(profileOf(network).batchMaxCalls);
  });

  test('a provider that was asked too often says how long to pause', async () => {
    answer = { status: 429, headers: { 'retry-after': '7' }, body: 'Too Many Requests' };
    await expect(askAll(url, [call])).rejects.toMatchObject({ kind: 'rate', retryAfterMs: 7_000 });
    answer = { status: 429, body: '{}' };
    await expect(askAll(url, [call])).rejects.toMatchObject({ kind: 'rate', retryAfterMs: undefined });
  });

  test('a batch that is refused as a whole is understood, though no call is answered', async () => {
    const error = { code: -32_005, message: 'Node is behind by 42 slots' };
    answer = { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) };
    await expect(askAll(url, [call])).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test.each([
    ['is down', 503, 'Service Unavailable'],
    ['is no node', 200, '{"Success":false}'],
    ['forbids it', 403, '{}'],
  ])('a provider that %s is asked again', async (_title, status, body) => {
    answer = { status, body };
    await expect(askAll(url, [call])).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
