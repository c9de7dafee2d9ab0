import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import type { ExchangeNetwork } from '../../src/networks/exchange-networks.ts';
import { EXCHANGE_NETWORKS } from '../../src/networks/exchange-networks.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { ExchangeOptions } from '../../src/platforms/exchange/ask-platform.ts';
import type { Pause } from '../../src/platforms/exchange/request-gate.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import type { ExchangeKey, StatementRow, StatementSource } from '../../src/platforms/statement-source.ts';
import type {
  FakeAccount,
  FakeExchange,
  FakeExchangeOptions,
  FakeFault,
  FakePlatform,
} from '../../rig/exchanges/fake-exchange.ts';

/** What every adapter of an exchange platform owes, against the fake of its platform. */

export type AdapterSubject = {
  platform: FakePlatform;
  start: (options: FakeExchangeOptions) => Promise<FakeExchange>;
  create: (
    network: ExchangeNetwork,
    options: ExchangeOptions & { wait: (ms: number) => Promise<void> },
  ) => StatementSource;
  /** Rights that no key may have, by the platform's names; and one that it does not have. */
  refusedRights: readonly string[];
  /** Precision of the platform's times in milliseconds. */
  precisionMs: number;
  /** Rows that need more than two pages. */
  manyRows: number;
};

/** A whole second, so that platforms with coarse times can be compared. */
export const START_MS = 1_794_734_000_000;
const MINUTE_MS = 60_000;
/** Long enough for a busy machine. */
const TIMEOUT_MS = 10_000;
/** For an answer that never comes. Those before it are waited for as long, so a busy machine must give them by then. */
const IMPATIENT_MS = 2_000;

export type World = {
  clock: ManualClock;
  fake: FakeExchange;
  source: StatementSource;
  /** Another adapter behind the same gate, with this limit of time. */
  open: (timeoutMs: number) => StatementSource;
  account: FakeAccount;
  key: ExchangeKey;
  pauses: Pause[];
  /** The statement of the last ten minutes, or of a range. */
  read: (fromMs?: number, toMs?: number) => Promise<StatementRow[]>;
};

function networkOf(platform: FakePlatform): ExchangeNetwork {
  const network = EXCHANGE_NETWORKS.find(({ id }) => id === `EXCHANGE_PAY:${platform}`);
  if (!network) throw new Error(`There is no network of ${platform}.`);
  return network;
}

async function startWorld(subject: AdapterSubject): Promise<World> {
  const clock = createManualClock(START_MS);
  const fake = await subject.start({ clock });
  const pauses: Pause[] = [];
  const wait = (ms: number) => clock.wait(ms);
  const gate = createRequestGate({ clock, wait, onPause: (pause) => void pauses.push(pause) });
  const open = (timeoutMs: number) => subject.create(networkOf(subject.platform), { clock, gate, timeoutMs, wait });
  const source = open(TIMEOUT_MS);
  const account = fake.openAccount();
  const key = { baseUrl: fake.url, credentials: account.credentials };
  return {
    clock,
    fake,
    source,
    open,
    account,
    key,
    pauses,
    read: (fromMs = fake.nowMs() - 10 * MINUTE_MS, toMs = fake.nowMs()) => {
      // The quota of a second is free again.
      clock.advance(2_000);
      return source.readStatement(key, fromMs, toMs);
    },
  };
}

export async function failureOf(work: Promise<unknown>): Promise<SourceError> {
  const cause = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(cause instanceof SourceError)) throw new Error(`No SourceError but ${inspect(cause)}`);
  return cause;
}

const idsOf = (rows: readonly StatementRow[]) => rows.map(({ id }) => id).sort();

/** The ids of a statement, or the kind of its refusal. */
const idsOrKind = (reading: Promise<StatementRow[]>) =>
  reading.then(idsOf, (cause: unknown) => (cause instanceof SourceError ? cause.kind : cause));

/** A world for each test of a block. */
export function useWorld(subject: AdapterSubject): () => World {
  let world: World;
  beforeEach(async () => {
    world = await startWorld(subject);
  });
  afterEach(() => world.fake.stop());
  return () => world;
}

export function describeAdapter(subject: AdapterSubject): void {
  describe('what every adapter owes', () => {
    const getWorld = useWorld(subject);
    describeStatements(subject, getWorld);
    describeKeys(subject, getWorld);
    describeFailures(getWorld);
  });
}

function describeStatements(subject: AdapterSubject, getWorld: () => World): void {
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });
  const pay = (payment: Partial<Parameters<FakeExchange['pay']>[1]> = {}) =>
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '12.345678', ...payment });

  describe('a statement', () => {
    test('shows a payment once, with its ids, its exact amount and the time of the platform', async () => {
      const ids = pay({ amount: '12.34567891', from: 'pa***@example.com' });
      const [row, ...others] = await world.read();
      expect(others).toEqual([]);
      expect(row).toMatchObject({ ...ids, token: 'USDT', units: 1_234_567_891n, atMs: START_MS, state: 'final' });
    });

    test('shows every token that the network lists, and no other coin', async () => {
      const shown = [pay(), pay({ token: 'USDC' })].map(({ id }) => id);
      pay({ token: 'BTC' });
      pay({ token: 'usdt' });
      expect(idsOf(await world.read())).toEqual(shown.sort());
    });

    test.each(['0', '0.00000000', '-12.345678'])('does not show an amount of %s', async (amount) => {
      pay({ amount });
      expect(await world.read()).toEqual([]);
    });

    test('does not show what came from a chain', async () => {
      pay({ way: 'chain' });
      expect(await world.read()).toEqual([]);
    });

    test('shows a payment that cannot be read as unclear at its time, beside the others', async () => {
      const { id } = pay();
      pay({ amount: '1.123456789', atMs: START_MS - 1_000 });
      const rows = await world.read();
      expect(rows.filter(({ state }) => state !== 'unclear').map((row) => row.id)).toEqual([id]);
      const unclear = rows.filter(({ state }) => state === 'unclear');
      expect(new Set(unclear.map(({ atMs }) => atMs))).toEqual(new Set([START_MS - 1_000]));
    });

    test('reads amounts with an exponent exactly', async () => {
      pay({ amount: '1E-8' });
      expect(await world.read()).toMatchObject([{ units: 1n, state: 'final' }]);
    });

    test('shows two different payments with one id as one unclear row, beside the others', async () => {
      const { id } = pay();
      pay({ id, amount: '7', atMs: START_MS - 1_000 });
      const other = pay({ amount: '3' });
      const states = new Map((await world.read()).map((row) => [row.id, row.state]));
      expect(states.get(id)).toBe('unclear');
      expect(states.get(other.id)).toBe('final');
    });

    test('is of its own account, though rows of another have the same ids', async () => {
      const { id } = pay();
      world.fake.pay(world.fake.openAccount().uid, { token: 'USDT', amount: '7', id });
      expect(await world.read()).toMatchObject([{ id, units: 1_234_567_800n, state: 'final' }]);
    });

    test('follows a pending payment to its end', async () => {
      const [good, bad] = [pay({ state: 'pending' }), pay({ state: 'pending' })];
      const waiting = await world.read();
      expect(waiting).not.toEqual([]);
      for (const { state } of waiting) expect(state).toBe('pending');
      world.fake.settle(good.id, 'final');
      world.fake.settle(bad.id, 'failed');
      const states = new Map((await world.read()).map(({ id, state }) => [id, state]));
      expect(states.get(good.id)).toBe('final');
      expect(states.get(bad.id)).not.toBe('final');
    });

    test('has both ends of its range, and nothing beyond them', async () => {
      const fromMs = START_MS - 300_000;
      const toMs = START_MS - 200_000;
      const inside = [fromMs, fromMs + subject.precisionMs, toMs].map((atMs) => pay({ atMs }).id);
      for (const atMs of [fromMs - subject.precisionMs, toMs + subject.precisionMs]) pay({ atMs });
      expect(idsOf(await world.read(fromMs, toMs))).toEqual(inside.sort());
    });

    test('has every row of many pages, each once', async () => {
      const ids = Array.from({ length: subject.manyRows }, (_, place) => pay({ atMs: START_MS - place * 250 }).id);
      expect(idsOf(await world.read())).toEqual(ids.sort());
      expect(world.fake.counts().refused).toBe(0);
    });

    test('has every row when foreign coins fill the pages', async () => {
      const ids = Array.from({ length: subject.manyRows }, (_, place) => {
        pay({ token: 'BTC', atMs: START_MS - place * 250 });
        return place % 50 === 0 ? [pay({ atMs: START_MS - place * 250 }).id] : [];
      }).flat();
      expect(idsOf(await world.read())).toEqual(ids.sort());
    });

    test('shows a row once that the platform shows twice', async () => {
      const ids = Array.from({ length: 7 }, (_, place) => pay({ atMs: START_MS - place * 1_000 }).id);
      world.fake.misbehave({ kind: 'duplicates' });
      const rows = await world.read();
      expect(idsOf(rows.filter(({ state }) => state === 'final'))).toEqual(ids.sort());
      expect(world.fake.counts().duplicates).toBeGreaterThan(0);
    });

    test('is complete or refused when the platform mixes rows up', async () => {
      const ids = Array.from({ length: subject.manyRows }, (_, place) => pay({ atMs: START_MS - place * 250 }).id);
      world.fake.misbehave({ kind: 'shuffled' });
      expect([ids.sort(), 'inconsistent']).toContainEqual(await idsOrKind(world.read()));
    });

    test('is complete or refused when rows arrive while it is read', async () => {
      const ids = Array.from({ length: subject.manyRows }, (_, place) => pay({ atMs: START_MS - place * 250 }).id);
      world.fake.misbehave({ kind: 'arriving', part: 'statement' });
      expect([ids.sort(), 'inconsistent']).toContainEqual(await idsOrKind(world.read()));
    });

    test('shows a late row at its own time', async () => {
      const late = pay({ visibleAtMs: START_MS + 2 * 3_600_000 });
      pay({ atMs: START_MS + 1_000 });
      expect(idsOf(await world.read())).not.toContain(late.id);
      world.clock.advance(2 * 3_600_000);
      const rows = await world.read(START_MS - 1_000, world.fake.nowMs());
      expect(rows.find(({ id }) => id === late.id)?.atMs).toBe(START_MS);
      expect(world.fake.counts().lateRows).toBe(1);
    });

    test('does not show a row that the platform shows no more', async () => {
      const { id } = pay();
      world.fake.vanish(id);
      expect(await world.read()).toEqual([]);
      world.fake.restore(id);
      expect(idsOf(await world.read())).toEqual([id]);
    });

    test('never shows money that went back as a payment', async () => {
      const { id } = pay();
      world.fake.refund(id);
      const rows = await world.read();
      expect(rows.filter(({ state }) => state !== 'refund').map((row) => row.id)).toEqual([id]);
    });

    test('shows a payment as before, though its refund has the same id', async () => {
      const { id } = pay();
      world.fake.refund(id, { sharesId: true });
      const rows = await world.read();
      expect(rows.filter(({ state }) => state !== 'refund')).toMatchObject([
        { id, units: 1_234_567_800n, state: 'final' },
      ]);
      expect(rows.filter((row) => row.id === id)).toHaveLength(1);
    });

    test('is of its own account alone', async () => {
      const other = world.fake.openAccount();
      world.fake.pay(other.uid, { token: 'USDT', amount: '1' });
      expect(await world.read()).toEqual([]);
    });
  });
}

function describeKeys(subject: AdapterSubject, getWorld: () => World): void {
  describe('a key', () => {
    test('that may only read is accepted, with the id that payers send to', async () => {
      const { source, key, account } = getWorld();
      const facts = await source.readKey(key);
      expect(facts).toMatchObject({ account: account.uid, canRead: true, refusedRights: [], isSubAccount: false });
      expect(facts.boundToAddresses).toBe(true);
    });

    test.each(subject.refusedRights)('that has the right %s is refused, and the right is named', async (right) => {
      const { source, key, account } = getWorld();
      account.grant(right);
      const { refusedRights } = await source.readKey(key);
      expect(refusedRights).toContain(right);
    });

    test('of a sub-account, and one without bound addresses, are told apart', async () => {
      const { source, key, account } = getWorld();
      account.change({ isSubAccount: true, boundToAddresses: false });
      expect(await source.readKey(key)).toMatchObject({ isSubAccount: true, boundToAddresses: false });
    });
  });
}

type Failing = readonly [name: string, fault: FakeFault, kind: SourceError['kind']];

const FAILINGS: readonly Failing[] = [
  ['asks for a pause', { kind: 'rate', retryAfterSeconds: 7 }, 'rate'],
  ['asks for a pause, and does not say how long', { kind: 'rate' }, 'rate'],
  ['bans our address', { kind: 'ban', retryAfterSeconds: 600 }, 'rate'],
  ['has an error', { kind: 'error', status: 500 }, 'unavailable'],
  ['is overloaded', { kind: 'error', status: 503 }, 'unavailable'],
  ['does not answer', { kind: 'slow' }, 'unavailable'],
  ['breaks off', { kind: 'cut' }, 'unavailable'],
  ['shows a page for people', { kind: 'html' }, 'unavailable'],
  ['answers something else', { kind: 'malformed' }, 'inconsistent'],
];

const limitOf = ({ kind }: FakeFault) => (kind === 'slow' ? IMPATIENT_MS : TIMEOUT_MS);
const secretsOf = ({ credentials }: FakeAccount) => Object.values(credentials);

function describeFailures(getWorld: () => World): void {
  describe('when the platform', () => {
    test.each(FAILINGS)('%s, a read fails and no secret is told', async (_name, fault, kind) => {
      const { fake, read, account, clock, open, key } = getWorld();
      fake.pay(account.uid, { token: 'USDT', amount: '1' });
      await read();
      fake.misbehave({ ...fault, part: 'statement' });
      clock.advance(2_000);
      const failure = await failureOf(open(limitOf(fault)).readStatement(key, START_MS - 1_000, fake.nowMs()));
      expect(failure.kind).toBe(kind);
      for (const secret of secretsOf(account)) expect(inspect(failure, { depth: 9 })).not.toContain(secret);
      expect(fake.counts().faults[fault.kind]).toBeGreaterThan(0);
    });

    test('asks for a pause, nothing is asked until it is over', async () => {
      const { fake, read, clock, pauses } = getWorld();
      fake.misbehave({ kind: 'rate', retryAfterSeconds: 7, part: 'statement', times: 1 });
      const { retryAfterMs = 0 } = await failureOf(read());
      const { requests } = fake.counts();
      clock.advance(-2_000);
      expect((await failureOf(read())).kind).toBe('rate');
      expect(fake.counts().requests).toBe(requests);
      clock.advance(retryAfterMs);
      expect(await read()).toEqual([]);
      expect(pauses).toHaveLength(1);
    });

    test('refuses the time, it is measured anew', async () => {
      const { fake, read, account } = getWorld();
      fake.skew(3_600_000);
      const { id } = fake.pay(account.uid, { token: 'USDT', amount: '1' });
      expect((await read())[0]?.id).toBe(id);
      fake.skew(-3_600_000);
      expect(await read()).toEqual([]);
    });

    test.each([
      ['the key', { apiKey: 'no-such-key' }],
      ['the secret', { apiSecret: 'another secret' }],
    ])('does not know %s, it is said once and for all', async (_name, wrong) => {
      const { source, key, fake } = getWorld();
      const credentials = { ...key.credentials, ...wrong };
      const failure = await failureOf(source.readStatement({ ...key, credentials }, START_MS - 1, START_MS));
      expect(failure.kind).toBe('unsupported');
      expect(failure.message).toMatch(/\d{3,}/);
      expect(inspect(failure, { depth: 9 })).not.toContain(credentials.apiSecret);
      expect(fake.counts().refused).toBe(1);
    });

    test('refuses an ended key or our address, it is said once and for all', async () => {
      const { account, read, source, key } = getWorld();
      account.change({ refusesAddress: true });
      expect((await failureOf(read())).kind).toBe('unsupported');
      account.change({ refusesAddress: false, active: false });
      expect((await failureOf(read())).kind).toBe('unsupported');
      expect((await failureOf(source.readKey(key))).kind).toBe('unsupported');
    });
  });

  test('the platform never has to refuse, however often it is asked', async () => {
    const { source, key, fake, clock } = getWorld();
    const startedMs = clock.nowMs();
    const kinds = new Set<string | undefined>();
    for (let asked = 0; asked < 500; asked += 1)
      await source.readKey(key).catch((cause: unknown) => kinds.add((cause as SourceError).kind));
    expect([...kinds].filter((kind) => kind !== 'rate')).toEqual([]);
    // Either some were refused by our own gate, or they waited for their turn.
    expect(kinds.size + clock.nowMs() - startedMs).toBeGreaterThan(0);
    expect(fake.counts().refused).toBe(0);
  });

  test("the time is the platform's", async () => {
    const { source, fake } = getWorld();
    fake.skew(-90_000);
    expect(await source.readTime(fake.url)).toBe(fake.nowMs());
  });
}
