import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import type { Admission } from './admission-sql.ts';
import { createMerchantRates } from './merchant-rate.ts';

const SUSTAINED = 60;
const WINDOW = { limit: SUSTAINED, remaining: 1, resetSeconds: 60 };

function admissionOf(merchantAccountId: bigint, live = true, exceeded?: 'burst'): Admission {
  const store = { merchantAccountId, live } as Admission['store'];
  return { store, sustained: SUSTAINED, rate: { window: WINDOW, ...(exceeded && { exceeded }) } };
}

const clock = createManualClock(1_794_700_000_000);
const judge = createMerchantRates(clock);
const countAdmitted = (admission: Admission, requests: number) =>
  Array.from({ length: requests }, () => judge('create', admission)).filter(({ rate }) => !rate.exceeded).length;

test('two hundred stores of one merchant have ten times the rate of one store together', () => {
  expect(countAdmitted(admissionOf(1n), 200 * SUSTAINED)).toBe(10 * SUSTAINED);
  expect(judge('create', admissionOf(1n)).rate).toEqual({
    window: { limit: 600, remaining: 0, resetSeconds: 60 },
    exceeded: 'sustained',
  });
});

test('other merchants, test stores and other requests of the merchant are counted apart', () => {
  expect(countAdmitted(admissionOf(2n), 1)).toBe(1);
  expect(countAdmitted(admissionOf(1n, false), 1)).toBe(1);
  expect(judge('lookup', admissionOf(1n)).rate.exceeded).toBeUndefined();
});

test('a request that is over the rate of its store is not counted', () => {
  expect(countAdmitted(admissionOf(3n, true, 'burst'), 10 * SUSTAINED)).toBe(0);
  expect(countAdmitted(admissionOf(3n), 10 * SUSTAINED)).toBe(10 * SUSTAINED);
});

test('the stores of a merchant are admitted again in the next minute', () => {
  clock.advance(60_000);
  expect(countAdmitted(admissionOf(1n), 1)).toBe(1);
});
