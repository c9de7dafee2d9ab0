import { expect, test } from 'vitest';
import { decodeCallTrace, decodeFlatTrace } from './trace-coins.ts';

const TO = '0xaaaa';
const call = (more: object = {}) => ({ type: 'CALL', from: '0xba7c', to: TO, value: '0x5', ...more });
const root = (calls: object[], more: object = {}) => ({ type: 'CALL', from: '0xfeed', to: '0xba7c', calls, ...more });

test.each<[string, unknown, bigint | undefined]>([
  ['every call that reaches the address counts', root([call(), call({ to: '0xAAAA' })]), 10n],
  ["the transaction's own value does not", root([], { to: TO, value: '0x7' }), 0n],
  ['calls inside calls count', root([call({ to: '0x01', calls: [call()] })]), 5n],
  ['what failed takes its calls with it', root([call({ to: '0x01', error: 'reverted', calls: [call()] })]), 0n],
  ['a failed transaction moved nothing', root([call()], { error: 'reverted' }), 0n],
  ['a delegated call moves nothing', root([call({ type: 'DELEGATECALL' }), call({ type: 'CALLCODE' })]), 0n],
  ['what a contract leaves when it ends counts', root([call({ type: 'SELFDESTRUCT' })]), 5n],
  ['what the address passes on does not stay', root([call(), call({ from: TO, to: '0x01', value: '0x2' })]), 3n],
  ['what the address sent itself is no payment', root([call()], { from: TO }), 0n],
  ['an answer that is no trace tells nothing', { gas: 1 }, undefined],
  ['a malformed call tells nothing', root([{ to: TO }]), undefined],
])('coins in a trace by calls: %s', (_rule, trace, units) => {
  expect(decodeCallTrace(trace, TO)?.units).toBe(units);
});

const step = (traceAddress: number[], more: object = {}) => ({
  type: 'call',
  action: { callType: 'call', from: '0xba7c', to: TO, value: '0x5' },
  traceAddress,
  ...more,
});
const outer = step([], { action: { callType: 'call', from: '0xfeed', to: '0xba7c', value: '0x5' } });

test.each<[string, unknown, bigint | undefined]>([
  ['steps below the first count', [outer, step([0]), step([1, 0])], 10n],
  ['the first step is the transaction itself', [step([])], 0n],
  ['what failed takes those below it along', [outer, step([1], { error: 'Reverted' }), step([1, 0]), step([11])], 5n],
  [
    'a delegated call moves nothing',
    [outer, step([0], { action: { callType: 'delegatecall', to: TO, value: '0x5' } })],
    0n,
  ],
  [
    'what a contract leaves when it ends counts',
    [outer, step([0], { type: 'suicide', action: { address: '0x01', refundAddress: TO, balance: '0x9' } })],
    9n,
  ],
  [
    'what the address sent itself is no payment',
    [step([], { action: { from: TO, to: '0x01', value: '0x0' } }), step([0])],
    0n,
  ],
  ['an empty list tells nothing', [], undefined],
  ['a step without a place tells nothing', [{ type: 'call' }], undefined],
])('coins in a flat trace: %s', (_rule, trace, units) => {
  expect(decodeFlatTrace(trace, TO)?.units).toBe(units);
});
