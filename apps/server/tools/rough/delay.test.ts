import { expect, test } from 'vitest';
import { createDelayChoice } from './choose-delays.ts';
import { createFrontendReader } from './frontend-messages.ts';

const size = (bytes: number) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes);
  return length;
};
const message = (type: string, body: string) =>
  Buffer.concat([Buffer.from(type), size(4 + Buffer.byteLength(body)), Buffer.from(body)]);
const untyped = (code: number, body = '') => Buffer.concat([size(8 + body.length), size(code), Buffer.from(body)]);

const TLS_REQUEST = 80_877_103;
const STARTUP = 196_608;
const SENT = Buffer.concat([
  untyped(TLS_REQUEST),
  untyped(STARTUP, 'user\0counterfoil\0\0'),
  message('Q', 'begin\0'),
  message('P', 'named\0select $1::text -- ü\0\0\0'),
  message('B', '\0named\0\0\0'),
  message('E', '\0\0\0\0\0'),
  message('S', ''),
  message('P', '\0select 2\0\0\0'),
  message('B', '\0named\0\0\0'),
  message('E', '\0\0\0\0\0'),
  message('B', '\0\0\0\0'),
  message('E', '\0\0\0\0\0'),
  message('X', ''),
]);

test.each([1, 3, 7, SENT.length])('queries are found in a stream that arrives %i bytes at a time', (bytesEach) => {
  const read = createFrontendReader();
  const messages = [];
  for (let from = 0; from < SENT.length; from += bytesEach) {
    messages.push(...read(SENT.subarray(from, from + bytesEach)));
  }
  expect(Buffer.concat(messages.map(({ bytes }) => bytes))).toEqual(SENT);
  const named = 'select $1::text -- ü';
  expect(messages.flatMap(({ query }) => query ?? [])).toEqual(['begin', named, named, 'select 2']);
});

test('a seed chooses the same executions of a query, whatever the other queries are', () => {
  const executions = Array.from({ length: 3_000 }, (_none, index) => index);
  const [one, other, third] = [createDelayChoice(7, 300), createDelayChoice(7, 300), createDelayChoice(8, 300)];
  const chosen = executions.map(() => one('select 1'));
  const beside = executions.map((index) => {
    other(`select ${index + 2}`);
    return other('select 1');
  });
  expect(beside).toEqual(chosen);
  expect(executions.map(() => third('select 1'))).not.toEqual(chosen);
  expect(new Set(chosen)).toEqual(new Set(['none', 'before', 'after']));
});
