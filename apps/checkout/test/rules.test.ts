import { describe, expect, test } from 'vitest';
import { FIXTURES } from '../preview/fixtures.ts';
import { arrivalReason } from '../src/arrivals.ts';
import type { CheckoutView } from '../src/checkout-view.ts';
import { clockText, spokenWarning } from '../src/countdown.ts';
import { mayReplace, pollDelay } from '../src/follow-view.ts';
import { encodeTransfer, sendTransfer } from '../src/injected-wallets.ts';
import { en } from '../src/locales/en.ts';
import { groupMethods, searchMethods } from '../src/method-list.ts';
import { secondsLeft } from '../src/page.ts';
import { splitAddress, splitAmount } from '../src/quote-lines.ts';
import { returnsByItself } from '../src/return-link.ts';
import { speak } from '../src/text.ts';

const fixture = (name: string): CheckoutView => {
  const view = FIXTURES[name];
  if (!view) throw new Error(`No fixture ${name}.`);
  return view;
};

describe('the amount', () => {
  test.each([
    ['49.983127', '49.98', '3127'],
    ['0.01234567', '0.0123', '4567'],
    ['50.12', '50.12', ''],
    ['50.123', '50.12', '3'],
    ['50', '50', ''],
  ])('the digits of %s after %s are marked', (amount, head, tail) => {
    expect(splitAmount(amount)).toEqual({ head, tail });
  });
});

test('the groups of an address join to the address', () => {
  for (const address of [
    '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    '384729105',
  ]) {
    const { groups, ending } = splitAddress(address);
    expect([...groups, ending].join('')).toBe(address);
    expect(ending).toHaveLength(6);
  }
});

describe('the time left', () => {
  test('is counted from the time of the server', () => {
    const view = fixture('pay');
    expect(secondsLeft(view, view.expiresAtMs - 1)).toBe(1);
    expect(secondsLeft(view, view.expiresAtMs)).toBe(0);
    expect(secondsLeft(view, view.expiresAtMs + 9_000)).toBe(0);
    expect([clockText(300), clockText(61), clockText(9)]).toEqual(['5:00', '1:01', '0:09']);
  });

  test.each([
    [301, 300, 'announceFive'],
    [300, 299, null],
    [61, 60, 'announceOne'],
    [900, 30, 'announceOne'],
    [60, 0, null],
  ])('falling from %i to %i seconds announces %s', (before, now, said) => {
    expect(spokenWarning(before, now)).toBe(said);
  });
});

describe('following', () => {
  test('an older view never replaces a newer one', () => {
    const [askedAt, shownAt] = [1_000, 1_200];
    expect(mayReplace(askedAt, shownAt)).toBe(false);
    expect(mayReplace(shownAt, askedAt)).toBe(true);
    expect(mayReplace(shownAt, shownAt)).toBe(true);
  });

  test('waits longer after each failure, spread out and never beyond 36 s', () => {
    expect([0, 1, 2, 3, 9].map((failures) => pollDelay(failures, 0.5))).toEqual([4_000, 8_000, 16_000, 30_000, 30_000]);
    expect([pollDelay(0, 0), pollDelay(99, 1)]).toEqual([3_200, 36_000]);
  });
});

describe('methods', () => {
  const { methods } = fixture('choose-many');

  test('are grouped by token, exchange accounts first', () => {
    expect(groupMethods(methods).map(({ key }) => key)).toEqual(['exchange', 'USDT', 'USDC', 'BNB']);
  });

  test.each([
    ['usdt trc20', ['USDT Tron']],
    ['  BEP20 usdc', ['USDC BNB Smart Chain']],
    ['dogecoin', []],
  ])('searching for %s finds %j', (query, found) => {
    expect(searchMethods(methods, query).map(({ token, networkName }) => `${token} ${networkName}`)).toEqual(found);
  });
});

test('an unknown reason is shown in general words', () => {
  const words = speak('en', en);
  const arrival = fixture('pay-arrival').arrivals[0];
  if (!arrival) throw new Error('No arrival.');
  expect(arrivalReason(words, arrival)).toBe('arrival.short');
  expect(arrivalReason(words, { ...arrival, difference: null })).toBe('arrival.inexact');
  expect(arrivalReason(words, { ...arrival, reason: 'something-new' })).toBe('arrival.other');
});

describe('going back to the shop by itself', () => {
  test.each([
    ['paid', {}, true],
    ['paid-late', {}, false],
    ['expired', {}, false],
    ['paid', { returnUrl: null }, false],
    ['paid', { returnUrl: 'javascript:alert(1)' }, false],
    ['paid', { arrivals: fixture('pay-arrival').arrivals }, false],
  ])('%s with %j: %s', (name, part, wanted) => {
    expect(returnsByItself({ ...fixture(name), ...part })).toBe(wanted);
  });
});

const TRANSFER = {
  chainIdHex: '0x38',
  contract: '0x55d398326f99059fF775485246999027B3197955',
  unitsHex: '0x2b5a9d5c5a3a17000',
  to: '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3',
};

function wallet(chainId: string, answers: Record<string, () => unknown> = {}) {
  const calls: { method: string; params?: unknown[] }[] = [];
  let chain = chainId;
  const known: Record<string, () => unknown> = {
    eth_requestAccounts: () => ['0xabc'],
    eth_chainId: () => chain,
    wallet_switchEthereumChain: () => (chain = '0x38'),
    eth_sendTransaction: () => '0xhash',
    ...answers,
  };
  const request = async (call: { method: string; params?: unknown[] }) => {
    calls.push(call);
    return known[call.method]?.();
  };
  return { provider: { request }, calls };
}

describe('a wallet of the browser', () => {
  test('gets the transfer of exactly the amount to exactly the address', () => {
    expect(encodeTransfer(TRANSFER)).toEqual({
      to: TRANSFER.contract,
      value: '0x0',
      data: `0xa9059cbb${'8894e0a0c962cb723c1976a4421c95949be2d4e3'.padStart(64, '0')}${'2b5a9d5c5a3a17000'.padStart(64, '0')}`,
    });
    expect(encodeTransfer({ ...TRANSFER, contract: null })).toEqual({ to: TRANSFER.to, value: TRANSFER.unitsHex });
  });

  test('is moved to the network first, and asked for one payment', async () => {
    const { provider, calls } = wallet('0x1');
    expect(await sendTransfer(provider, TRANSFER)).toEqual({ sent: '0xhash' });
    expect(calls.map(({ method }) => method)).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_sendTransaction',
    ]);
    expect(calls.at(-1)?.params).toEqual([{ from: '0xabc', ...encodeTransfer(TRANSFER) }]);
  });

  test('that stays on another network after saying yes is asked for nothing', async () => {
    const { provider, calls } = wallet('0x1', { wallet_switchEthereumChain: () => null });
    expect(await sendTransfer(provider, TRANSFER)).toEqual({ failed: 'network' });
    expect(calls.some(({ method }) => method === 'eth_sendTransaction')).toBe(false);
  });

  test.each([
    [4001, 'declined'],
    [4902, 'network'],
    [-32_000, 'failed'],
  ])('that refuses with %i is reported as %s', async (code, failed) => {
    const refuse = () => {
      throw Object.assign(new Error('refused'), { code });
    };
    const { provider } = wallet('0x1', { wallet_switchEthereumChain: refuse });
    expect(await sendTransfer(provider, TRANSFER)).toEqual({ failed });
  });
});
