import { afterEach, describe, expect, test } from 'vitest';
import { startBinanceServer } from '../../rig/exchanges/binance-server.ts';
import type { FakeAccount, FakeExchange, FakeWay } from '../../rig/exchanges/fake-exchange.ts';
import { deadUrl } from '../../rig/fakes/listen.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import { EXCHANGE_NETWORKS } from '../../src/networks/exchange-networks.ts';
import { createBinanceSource } from '../../src/platforms/binance/binance-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { Pause } from '../../src/platforms/exchange/request-gate.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import type { ExchangeKey, StatementSource } from '../../src/platforms/statement-source.ts';

const network = EXCHANGE_NETWORKS.find(({ id }) => id === 'EXCHANGE_PAY:BINANCE');
if (!network) throw new Error('There is no Binance.');

const START_MS = 1_794_734_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PAY = '/sapi/v1/pay/transactions';

let clock: ManualClock;
let exchange: FakeExchange;
let account: FakeAccount;
let source: StatementSource;
const pauses: Pause[] = [];

/** Long enough for a slow machine; short only where the fake never answers. */
const TIMEOUT_MS = 10_000;
const IMPATIENT_MS = 300;

function openSource(timeoutMs = TIMEOUT_MS): StatementSource {
  if (!network) throw new Error('There is no Binance.');
  const gate = createRequestGate({
    clock,
    wait: (ms) => clock.wait(ms),
    onPause: (pause) => pauses.push(pause),
  });
  return createBinanceSource(network, { clock, gate, timeoutMs });
}

async function open(quotas = true): Promise<void> {
  clock = createManualClock(START_MS);
  exchange = await startBinanceServer({ clock, quotas });
  account = exchange.openAccount();
  source = openSource();
  pauses.length = 0;
}

const keyOf = (one: FakeAccount) => ({ baseUrl: exchange.url, credentials: one.credentials });
/** Reads with a gate of its own, so that only the tests of quotas meet them. */
const read = (fromMs = START_MS - MINUTE_MS, toMs = clock.nowMs(), through = openSource()) =>
  through.readStatement(keyOf(account), fromMs, toMs);

/** A payment that will end in this state. */
function payPending(way: FakeWay, state: 'final' | 'failed') {
  const { id } = exchange.pay(account.uid, { token: 'USDT', amount: '1', state: 'pending', way });
  return { id, state };
}

async function failureOf(promise: Promise<unknown>): Promise<SourceError> {
  const failure = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(failure instanceof SourceError)) throw new Error(`Not a SourceError: ${String(failure)}`);
  const secrets = Object.values(account.credentials);
  const told = `${failure.message} ${JSON.stringify(failure)} ${String(failure.cause)} ${failure.stack}`;
  for (const secret of [...secrets, 'signature=']) expect(told).not.toContain(secret);
  return failure;
}

afterEach(async () => {
  await exchange.stop();
});

describe('a statement', () => {
  test('has payments by Pay and internal deposits, by time, and nothing else', async () => {
    await open();
    const pay = (facts: object) =>
      exchange.pay(account.uid, { token: 'USDT', amount: '5', from: '67736251', ...facts });
    const second = pay({ amount: '0.00000001', token: 'USDC', way: 'second', atMs: START_MS - 3_000 });
    const first = pay({ amount: '12.34567', atMs: START_MS - 5_000 });
    for (const facts of [{ token: 'DOGE' }, { way: 'chain' }, { amount: '-1' }, { amount: '0' }]) pay(facts);
    exchange.pay(exchange.openAccount().uid, { token: 'USDT', amount: '9' });
    expect(await read()).toEqual([
      { ...first, token: 'USDT', units: 1_234_567_000n, atMs: START_MS - 5_000, from: '67736251', state: 'final' },
      { ...second, token: 'USDC', units: 1n, atMs: START_MS - 3_000, from: '', state: 'final' },
    ]);
    expect(exchange.counts()).toMatchObject({ refused: 0, bans: 0 });
  });

  test('holds the range with both of its ends', async () => {
    await open();
    for (const atMs of [-2, -1, 0, 1]) exchange.pay(account.uid, { token: 'USDT', amount: '1', atMs: START_MS + atMs });
    clock.advance(1_000);
    const rows = await read(START_MS - 1, START_MS);
    expect(rows.map(({ atMs }) => atMs - START_MS)).toEqual([-1, 0]);
  });

  test('shows a deposit that is told with whole seconds once, wherever ranges meet', async () => {
    await open();
    exchange.pay(account.uid, { token: 'USDT', amount: '1', way: 'second', atMs: START_MS - 1_500 });
    for (let edge = START_MS - 3_000; edge < START_MS; edge += 100) {
      const rows = [...(await read(START_MS - 10_000, edge)), ...(await read(edge + 1, START_MS))];
      expect(rows).toHaveLength(1);
    }
  });

  test('follows a payment that is pending until the platform has said its last word', async () => {
    await open();
    const ids = (['internal', 'second'] as const).flatMap((way) => [
      payPending(way, 'final'),
      payPending(way, 'failed'),
    ]);
    expect((await read()).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending', 'pending']);
    for (const { id, state } of ids) exchange.settle(id, state);
    const states = new Map((await read()).map(({ id, state }) => [id, state]));
    expect(ids.map(({ id }) => states.get(id))).toEqual(ids.map(({ state }) => state));
  });

  test('shows a refund as a row of its own, and the payment as before', async () => {
    await open();
    const { id } = exchange.pay(account.uid, { token: 'USDT', amount: '7' });
    const refund = exchange.refund(id);
    const rows = await read();
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual(expect.objectContaining({ id, state: 'final' }));
    expect(rows).toContainEqual(
      expect.objectContaining({ id: `refund ${START_MS} ${refund.id}`, units: 700_000_000n, state: 'refund' }),
    );
  });

  test('has late rows at their own time, and misses rows that the platform takes away', async () => {
    await open();
    const late = exchange.pay(account.uid, { token: 'USDT', amount: '1', visibleAtMs: START_MS + 5 * MINUTE_MS });
    expect(await read()).toEqual([]);
    clock.advance(5 * MINUTE_MS);
    expect(await read(START_MS - MINUTE_MS, START_MS)).toMatchObject([{ ...late, atMs: START_MS }]);
    exchange.vanish(late.id);
    expect(await read()).toEqual([]);
    exchange.restore(late.id);
    expect(await read()).toHaveLength(1);
    expect(exchange.counts().lateRows).toBe(1);
  });

  test.each(['duplicates', 'shuffled'] as const)('is the same when the platform answers with rows %s', async (kind) => {
    await open();
    for (let count = 0; count < 9; count += 1)
      exchange.pay(account.uid, { token: 'USDT', amount: '1', atMs: START_MS - count * 1_000 });
    const rows = await read();
    exchange.misbehave({ kind });
    expect(await read()).toEqual(rows);
    expect(rows).toHaveLength(9);
  });
});

describe('completeness', () => {
  test('a full answer is halved until nothing can be missing', async () => {
    await open(false);
    const amounts = Array.from({ length: 450 }, (_, place) => `0.${String(place + 1).padStart(8, '0')}`);
    for (const [place, amount] of amounts.entries())
      exchange.pay(account.uid, { token: 'USDT', amount, atMs: START_MS - MINUTE_MS + place * 100 });
    const rows = await read();
    expect(rows.map(({ units }) => units)).toEqual(amounts.map((_, place) => BigInt(place + 1)));
  });

  test('a full answer for one millisecond is an error, never a statement', async () => {
    await open();
    for (let count = 0; count < 100; count += 1) exchange.pay(account.uid, { token: 'USDT', amount: '1' });
    expect(await failureOf(read(START_MS, START_MS))).toMatchObject({ kind: 'inconsistent' });
    const before = exchange.counts().paths[PAY] ?? 0;
    expect((await failureOf(read())).kind).toMatch(/inconsistent|range/);
    expect((exchange.counts().paths[PAY] ?? 0) - before).toBeLessThanOrEqual(20);
  });

  test('rows of other coins that fill an answer hide nothing', async () => {
    await open();
    for (let count = 0; count < 120; count += 1)
      exchange.pay(account.uid, { token: 'DOGE', amount: '1', atMs: START_MS - MINUTE_MS + count * 400 });
    exchange.pay(account.uid, { token: 'USDT', amount: '1' });
    expect(await read()).toHaveLength(1);
  });

  test('a range of many months is read in parts; what Binance no longer shows is an error', async () => {
    await open();
    const ages = [1, 89, 90, 180, 400].map((days) => days * DAY_MS);
    for (const age of ages) exchange.pay(account.uid, { token: 'USDT', amount: '1', atMs: START_MS - age });
    expect(await read(START_MS - 450 * DAY_MS, START_MS)).toHaveLength(ages.length);
    expect(await failureOf(read(START_MS - 600 * DAY_MS, START_MS))).toMatchObject({ kind: 'unsupported' });
    expect(exchange.counts().refused).toBe(0);
  });
});

describe('a key', () => {
  test('is described by the platform: its account, its rights, its addresses', async () => {
    await open();
    expect(await source.readKey(keyOf(account))).toEqual({
      account: account.uid,
      canRead: true,
      refusedRights: [],
      boundToAddresses: true,
      isSubAccount: false,
    });
    account.change({ boundToAddresses: false });
    account.grant('enableWithdrawals');
    account.grant('enableSomethingNew');
    expect(await source.readKey(keyOf(account))).toMatchObject({
      refusedRights: ['enableSomethingNew', 'enableWithdrawals'],
      boundToAddresses: false,
    });
    account.revoke('enableWithdrawals');
    account.revoke('enableSomethingNew');
    expect((await source.readKey(keyOf(account))).refusedRights).toEqual([]);
  });

  test.each<[string, (key: ExchangeKey) => void, string]>([
    ['ended', () => account.change({ active: false }), '-2015'],
    ['may not read', () => account.revoke('enableReading'), '-2015'],
    ['may not be used from here', () => account.change({ refusesAddress: true }), '-2015'],
    ['has another secret', ({ credentials }) => void (credentials.apiSecret = 'e'.repeat(64)), '-1022'],
    ['is not well-formed', ({ credentials }) => void (credentials.apiKey = 'no key'), '-2014'],
  ])('that %s is refused for good, by the code of the platform', async (_, spoil, code) => {
    await open();
    const key = { baseUrl: exchange.url, credentials: { ...account.credentials } };
    spoil(key);
    for (const reading of [source.readKey(key), source.readStatement(key, START_MS, START_MS)]) {
      const failure = await failureOf(reading);
      expect(failure.kind).toBe('unsupported');
      expect(failure.message).toContain(code);
    }
  });
});

describe('the clock of the platform', () => {
  test('is asked for, and requests carry its time', async () => {
    await open();
    for (const skewMs of [-3_600_000, -6_000, 0, 6_000, 3_600_000]) {
      exchange.skew(skewMs);
      expect(await source.readTime(exchange.url)).toBe(START_MS + skewMs);
      expect(await read()).toEqual([]);
    }
    expect(exchange.counts().refused).toBe(0);
  });

  test('that jumps between two measurements is measured again at once', async () => {
    await open();
    await source.readStatement(keyOf(account), START_MS, START_MS);
    exchange.skew(30_000);
    expect(await source.readStatement(keyOf(account), START_MS, START_MS)).toEqual([]);
    expect(exchange.counts().refused).toBeGreaterThan(0);
  });

  test('that refuses the time and cannot be asked for it makes reads wait', async () => {
    await open();
    await source.readStatement(keyOf(account), START_MS, START_MS);
    exchange.skew(30_000);
    exchange.misbehave({ kind: 'error', status: 503, part: 'time' });
    expect(await failureOf(source.readStatement(keyOf(account), START_MS, START_MS))).toMatchObject({
      kind: 'unavailable',
    });
  });
});

describe('quotas and bans', () => {
  test('polling every second stays below half of the quota and is never refused by the platform', async () => {
    await open();
    let refused = 0;
    for (let second = 0; second < 150; second += 1) {
      await source.readStatement(keyOf(account), START_MS, START_MS + 10).catch((cause: unknown) => {
        if (!(cause instanceof SourceError) || cause.kind !== 'rate') throw cause;
        refused += 1;
      });
      clock.advance(1_000);
    }
    expect(refused).toBeGreaterThan(0);
    expect(exchange.counts()).toMatchObject({ refused: 0, bans: 0 });
    expect(exchange.counts().paths[PAY]).toBe(90);
  });

  test('429 for the quota of one account pauses that account, and no other', async () => {
    await open();
    const other = exchange.openAccount();
    exchange.misbehave({ kind: 'rate', retryAfterSeconds: 7, times: 1, part: 'statement' });
    const failure = await failureOf(source.readStatement(keyOf(account), START_MS, START_MS));
    expect(failure).toMatchObject({ kind: 'rate', retryAfterMs: 7_000 });
    expect(pauses).toMatchObject([{ baseUrl: exchange.url, untilMs: START_MS + 7_000 }]);
    const before = exchange.counts().paths[PAY];
    await failureOf(source.readStatement(keyOf(account), START_MS, START_MS));
    expect(exchange.counts().paths[PAY]).toBe(before);
    expect(await source.readStatement(keyOf(other), START_MS, START_MS)).toEqual([]);
    clock.advance(7_000);
    expect(await source.readStatement(keyOf(account), START_MS, START_MS)).toEqual([]);
  });

  test('429 for a quota of our address pauses everything there', async () => {
    await open();
    exchange.misbehave({ kind: 'rate', retryAfterSeconds: 7, times: 1, part: 'key' });
    await failureOf(source.readKey(keyOf(account)));
    expect(await failureOf(source.readStatement(keyOf(account), START_MS, START_MS))).toMatchObject({ kind: 'rate' });
    expect(exchange.counts().paths[PAY]).toBeUndefined();
  });

  test('a ban of our address, 418, stops all accounts and every question until it is over', async () => {
    await open();
    const other = exchange.openAccount();
    exchange.misbehave({ kind: 'ban', retryAfterSeconds: 300 });
    const failure = await failureOf(source.readTime(exchange.url));
    expect(failure).toMatchObject({ kind: 'rate', retryAfterMs: 300_000 });
    expect(pauses).toEqual([{ baseUrl: exchange.url, account: undefined, untilMs: START_MS + 300_000 }]);
    clock.advance(299_999);
    for (const one of [account, other]) {
      expect(await failureOf(source.readKey(keyOf(one)))).toMatchObject({ kind: 'rate', retryAfterMs: 1 });
      await failureOf(source.readStatement(keyOf(one), START_MS, START_MS));
    }
    expect(exchange.counts()).toMatchObject({ requests: 1, bans: 1 });
    exchange.misbehave(null);
    clock.advance(1);
    expect(await source.readStatement(keyOf(other), START_MS, START_MS)).toEqual([]);
  });
});

describe('a platform in trouble', () => {
  test.each([
    [{ kind: 'error', status: 502 }, 'unavailable'],
    [{ kind: 'error', status: 503 }, 'unavailable'],
    [{ kind: 'slow' }, 'unavailable'],
    [{ kind: 'cut' }, 'unavailable'],
    [{ kind: 'html' }, 'unavailable'],
    [{ kind: 'malformed' }, 'inconsistent'],
    [{ kind: 'error', status: 400 }, 'inconsistent'],
    [{ kind: 'error', status: 403 }, 'rate'],
  ] as const)('%o makes every read fail as %s, and the next one is whole again', async (fault, kind) => {
    await open();
    exchange.pay(account.uid, { token: 'USDT', amount: '1' });
    for (const part of ['statement', 'key', 'time'] as const) {
      exchange.misbehave({ ...fault, part });
      const asked = openSource(fault.kind === 'slow' ? IMPATIENT_MS : TIMEOUT_MS);
      const reading = part === 'key' ? asked.readKey(keyOf(account)) : read(START_MS - MINUTE_MS, clock.nowMs(), asked);
      expect(await failureOf(reading)).toMatchObject({ kind });
    }
    exchange.misbehave(null);
    expect(await read()).toHaveLength(1);
  });

  test('an address where nobody listens is unavailable', async () => {
    await open();
    const failure = await failureOf(
      source.readStatement({ baseUrl: await deadUrl(), credentials: account.credentials }, START_MS, START_MS),
    );
    expect(failure.kind).toBe('unavailable');
  });
});
