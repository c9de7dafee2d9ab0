import { NO_MAIL } from '../../rig/mail/no-mail.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ExchangeFixture, ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import {
  openExchangeFixture,
  openExchangeSite,
  openPayment,
  pass,
  payQuote,
  poll,
} from '../../rig/exchanges/exchange-fixture.ts';
import type { FakeAccount } from '../../rig/exchanges/fake-exchange.ts';
import type { LiveSite } from '../../rig/exchanges/live-site.ts';
import { openLiveSite } from '../../rig/exchanges/live-site.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import { fail } from '../../rig/invoices/engine-fixture.ts';
import { decideAgain, expire } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, auditOf, endOf, eventsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { OPERATOR } from '../../rig/invoices/run-command.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { exchangeCommands } from '../../src/commands/exchange-commands.ts';
import { retireChain } from '../../src/chains/retire-chain.ts';
import { createStore } from '../../src/stores/create-store.ts';
import { createTestStore } from '../../src/sandbox/create-test-store.ts';
import { savePause } from '../../src/wallets/exchange-account-sql.ts';
import { runProgram } from '../../rig/processes/run-program.ts';

/** What operators do about exchange accounts, by the commands and by the real command line. */

const MINUTE = 60;
const REASON = 'a test';

let site: ExchangeSite;
let okx: ExchangeSite;
let folder: string;
beforeAll(async () => {
  [site, okx] = [
    await openExchangeSite(inject('template'), 'BINANCE'),
    await openExchangeSite(inject('template'), 'OKX'),
  ];
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-exchange-commands-'));
});
afterAll(async () => {
  await Promise.all([site.close(), okx.close()]);
  await rm(folder, { recursive: true });
});

let files = 0;

/** A key file as an operator writes it. */
async function keyFile({ credentials }: Pick<FakeAccount, 'credentials'>): Promise<string> {
  files += 1;
  const path = join(folder, `key-${files}`);
  const { apiKey, apiSecret, passphrase = '' } = credentials;
  await writeFile(path, `${apiKey}\n${apiSecret}\n${passphrase}\n`);
  return path;
}

type RunParts = { at?: ExchangeSite; store?: TestStore; anyBaseUrl?: boolean };

async function run(
  name: string,
  values: Record<string, string>,
  { at = site, store, anyBaseUrl = true }: RunParts = {},
) {
  const { clock } = at.engine;
  const found = exchangeCommands.find((one) => one.name === `exchange ${name}`) ?? fail();
  const context = {
    database: at.engine.as('admin'),
    clock,
    networks: NETWORKS,
    actor: OPERATOR,
    keyRingFile: fail,
    keyRing: async () => store?.ring ?? (await ringOf(at)),
    chainUrls: () => [],
    wait: (ms: number) => clock.wait(ms),
    privateCallbacks: anyBaseUrl,
    anyBaseUrl,
    egressAddresses: ['192.0.2.7'],
    ...NO_MAIL,
  };
  return found.run(context, values);
}

const ringOf = async ({ engine }: ExchangeSite) => (await openStore(engine.database, { wallet: false })).ring;
const newStore = ({ engine }: ExchangeSite) => openStore(engine.database, { clock: engine.clock, wallet: false });

/** Holds a hundred younger amounts at an account, which end before the open one does. */
async function holdYounger({ engine, account }: ExchangeFixture): Promise<void> {
  await engine.database.pool.query(
    `with made as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
         price_sources, held_from, held_to)
       select invoice_id, network, 'USDC', to_address, token_amount, token_price_usd, $2::timestamptz, display_units, finality,
         price_sources, $2::timestamptz, $2::timestamptz + interval '1 day'
       from quotes where to_address = $1 returning id, network, token, to_address, display_units)
     insert into amount_slots (network, token, address, display_units, quote_id, held_until)
     select network, token, to_address, display_units + 1000000 + n, id, $2::timestamptz + interval '1 day'
     from made, generate_series(1, 100) n`,
    [account.uid, new Date(engine.clock.nowMs())],
  );
}

async function add(store: TestStore, account: FakeAccount, more: RunParts & { baseUrl?: string } = {}) {
  const { at = site, baseUrl = at.fake.url, ...parts } = more;
  const file = await keyFile(account);
  const values = { store: store.merchantId, platform: at.network, 'key-file': file, 'base-url': baseUrl };
  return run('add', values, { at, store, ...parts });
}

const list = async (store: TestStore, at = site) => run('list', { store: store.merchantId }, { at, store });
const named = ({ network, account }: Pick<ExchangeFixture, 'network' | 'account'>) => ({
  platform: network,
  account: account.uid,
});
const decided = (fixture: ExchangeFixture) => ({ ...named(fixture), reason: REASON });
const subjectOf = ({ network, account }: ExchangeFixture) => `exchange:${network}:${account.uid}`;

async function countKeys({ engine }: ExchangeSite): Promise<number> {
  const { rows } = await engine.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from secrets where purpose like 'exchange_key:%'`,
  );
  return rows[0]?.count ?? 0;
}

async function choose({ engine, network, store }: ExchangeFixture) {
  await setPrices(engine);
  const transId = await newInvoice(engine, store);
  return selectMethod({ database: engine.as('api'), clock: engine.clock }, { transId, network, token: 'USDT' });
}

describe('exchange add', () => {
  test('takes a key that can only read, and shows the account that the platform names', async () => {
    const store = await newStore(site);
    const account = site.fake.openAccount();
    expect(await add(store, account)).toEqual({
      store: store.merchantId,
      platform: site.network,
      account: account.uid,
      key: 'added',
      takes_effect: 'now',
      bound_to_addresses: true,
      sub_account: false,
      key_ends: null,
      our_addresses: '192.0.2.7',
    });
    const { apiKey } = account.credentials;
    expect(await list(store)).toMatchObject([
      {
        platform: site.network,
        account: account.uid,
        state: 'offered',
        key: `...${apiKey.slice(-4)}`,
        latest_row: 'none',
      },
    ]);
    expect(await auditOf(site.engine, `store:${store.id}`)).toContain('exchange.add');
  });

  test.each<['BINANCE' | 'OKX', string]>([
    ['BINANCE', 'enableWithdrawals'],
    ['BINANCE', 'enableInternalTransfer'],
    ['BINANCE', 'permitsUniversalTransfer'],
    ['BINANCE', 'enableSpotAndMarginTrading'],
    ['BINANCE', 'enableSomethingNew'],
    ['OKX', 'trade'],
    ['OKX', 'withdraw'],
    ['OKX', 'something_new'],
  ])('refuses a key of %s with the right %s, by its name, and keeps nothing of it', async (platform, right) => {
    const at = platform === 'OKX' ? okx : site;
    const store = await newStore(at);
    const account = at.fake.openAccount();
    account.grant(right);
    const before = await countKeys(at);
    await expect(add(store, account, { at })).rejects.toThrow(new RegExp(`is refused \\(too-many-rights: ${right}\\)`));
    expect(await countKeys(at)).toBe(before);
    expect(await list(store, at)).toEqual([]);
  });

  test('refuses a key that cannot read, in the words of its platform', async () => {
    const store = await newStore(site);
    const account = site.fake.openAccount();
    account.revoke('enableReading');
    await expect(add(store, account)).rejects.toThrow(/does not answer: .*-2015/);
  });

  test('sends no key to an address that is not the platform’s own', async () => {
    const store = await newStore(site);
    const before = site.fake.counts().requests;
    await expect(add(store, site.fake.openAccount(), { anyBaseUrl: false })).rejects.toThrow(
      `${site.network} has no such address. Known: https://api.binance.com.`,
    );
    expect(site.fake.counts().requests).toBe(before);
  });

  test('a new key of the same account replaces the old one at once, and is used by the next poll', async () => {
    const fixture = await openExchangeFixture(site);
    const open = await openPayment(fixture);
    const next = fixture.account.issueKey();
    expect(await add(fixture.store, next)).toMatchObject({ account: fixture.account.uid, key: 'replaced' });
    expect(await auditOf(site.engine, `store:${fixture.store.id}`)).toContain('exchange.replace-key');
    fixture.account.change({ active: false });
    const id = payQuote(fixture, open);
    await poll(fixture);
    expect(await statusOf(site.engine, fixture.store, open.transId)).toBe('completed');
    expect(await transfersOf(site.engine, id)).toHaveLength(1);
    expect(await list(fixture.store)).toMatchObject([{ key: `...${next.credentials.apiKey.slice(-4)}` }]);
  });

  test('a new key ends the fault of the old one', async () => {
    const fixture = await openExchangeFixture(site);
    fixture.account.change({ active: false });
    expect(await run('check', named(fixture))).toMatchObject({ fault: expect.stringMatching(/^refused: .*-2015/) });
    expect(await list(fixture.store)).toMatchObject([{ state: expect.stringMatching(/^not offered: refused/) }]);
    await add(fixture.store, fixture.account.issueKey());
    expect(await list(fixture.store)).toMatchObject([{ state: 'offered' }]);
  });

  test('an account belongs to one merchant: another one is refused, another store of the same is not', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, account, store } = fixture;
    await expect(add(await newStore(site), account.issueKey())).rejects.toThrow(/another merchant/);
    const context = { database: engine.database, clock: engine.clock, ring: store.ring };
    const sibling = await createStore(context, TESTER, {
      merchantAccountId: store.merchantAccountId,
      name: 'Sibling',
      planCode: LIFTED_PLAN.code,
      discountPercent: '0',
      lifetimeMinutes: 30,
      httpsCallbacksOnly: false,
    });
    expect(await add({ ...store, ...sibling }, account)).toMatchObject({ account: account.uid });
  });

  test('a test store receives at no platform', async () => {
    const { engine } = site;
    const owner = await newStore(site);
    const context = { database: engine.database, clock: engine.clock, ring: owner.ring };
    const trial = await createTestStore(context, TESTER, {
      merchantAccountId: owner.merchantAccountId,
      name: 'Trial',
      planCode: LIFTED_PLAN.code,
      discountPercent: '0',
      lifetimeMinutes: 30,
      httpsCallbacksOnly: false,
    });
    const before = site.fake.counts().requests;
    await expect(add({ ...owner, ...trial }, site.fake.openAccount())).rejects.toThrow(/in the sandbox only/);
    expect(site.fake.counts().requests).toBe(before);
  });

  test('names what is wrong with a key file, a platform or a passphrase', async () => {
    const store = await newStore(okx);
    const account = okx.fake.openAccount();
    const values = { store: store.merchantId, platform: okx.network, 'base-url': okx.fake.url };
    const file = async (content: string) => {
      const path = join(folder, 'odd');
      await writeFile(path, content);
      return { ...values, 'key-file': path };
    };
    const { apiKey, apiSecret } = account.credentials;
    const odd = { at: okx, store };
    await expect(run('add', await file(`${apiKey}\n${apiSecret}\n`), odd)).rejects.toThrow(/third line/);
    await expect(run('add', await file(apiKey), odd)).rejects.toThrow(/secret on its second/);
    await expect(run('add', await file('x'.repeat(5_000)), odd)).rejects.toThrow(/too long/);
    await expect(run('add', { ...values, 'key-file': join(folder, 'none') }, odd)).rejects.toThrow(/cannot be read/);
    const unknown = { ...(await file('a\nb\nc')), platform: 'EXCHANGE_PAY:OTHER' };
    await expect(run('add', unknown, odd)).rejects.toThrow(/There is no exchange platform EXCHANGE_PAY:OTHER/);
  });
});

describe('exchange check', () => {
  test('says what a key may do now: an account whose key may do more is not offered, with an alarm, until it may not', async () => {
    const fixture = await openExchangeFixture(site);
    await poll(fixture);
    expect(await run('check', named(fixture))).toMatchObject({ fault: 'none' });
    fixture.account.grant('enableWithdrawals');
    expect(await run('check', named(fixture))).toMatchObject({ fault: 'too-many-rights: enableWithdrawals' });
    expect(await alarmsOf(site.engine, `${site.network} ${fixture.account.uid}`)).toEqual(['exchange-key-refused']);
    await expect(choose(fixture)).rejects.toThrow('network-unavailable');
    fixture.account.revoke('enableWithdrawals');
    expect(await run('check', named(fixture))).toMatchObject({ fault: 'none' });
    await expect(choose(fixture)).resolves.toMatchObject({ toAddress: fixture.account.uid });
  });

  test('changes nothing when the platform does not answer', async () => {
    const fixture = await openExchangeFixture(site);
    site.fake.misbehave({ kind: 'error', status: 503 });
    await expect(run('check', named(fixture))).rejects.toThrow(/does not answer/);
    expect(await list(fixture.store)).toMatchObject([{ state: 'offered' }]);
  });

  test('refuses an account that nobody receives at', async () => {
    await expect(run('check', { platform: site.network, account: '1' })).rejects.toThrow(
      /No store receives at account 1/,
    );
  });

  test('asks nothing of a platform that asked for a pause', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, fake } = site;
    await savePause(engine.as('worker').queries, fake.url, new Date(engine.clock.nowMs() + 60_000), REASON);
    const { requests } = fake.counts();
    const from = new Date(engine.clock.nowMs()).toISOString();
    await expect(run('check', named(fixture))).rejects.toThrow(/asked for a pause/);
    await expect(run('rescan', { ...decided(fixture), from })).rejects.toThrow(/asked for a pause/);
    await expect(add(fixture.store, fixture.account)).rejects.toThrow(/asked for a pause/);
    expect(fake.counts().requests).toBe(requests);
    engine.clock.advance(60_000);
    expect(await run('check', named(fixture))).toMatchObject({ fault: 'none' });
  });
});

describe('exchange rescan', () => {
  test('finds what arrived while nobody read, and pays what waits for it', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    const open = await openPayment(fixture);
    const from = new Date(engine.clock.nowMs()).toISOString();
    engine.clock.advance(MINUTE * 1_000);
    const id = payQuote(fixture, open);
    const stranger = payQuote(fixture, open, { amount: '7' });
    engine.clock.advance(MINUTE * 1_000);
    expect(await run('rescan', { ...decided(fixture), from })).toMatchObject({ rows: 2, changed: 2 });
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
    expect(await transfersOf(engine, id)).toMatchObject([{ trans_id: open.transId }]);
    expect(await transfersOf(engine, stranger)).toMatchObject([{ trans_id: null }]);
    expect(await auditOf(engine, subjectOf(fixture))).toEqual(['exchange.rescan']);
    expect(await run('rescan', { ...decided(fixture), from })).toMatchObject({ rows: 2, changed: 0 });
    expect(await eventsOf(engine, open.transId)).toHaveLength(1);
  });
});

test('a platform that is retired is not asked any more, and its invoices expire', async () => {
  const bybit = await openExchangeSite(inject('template'), 'BYBIT');
  try {
    const fixture = await openExchangeFixture(bybit);
    const { engine, fake, network } = fixture;
    const open = await openPayment(fixture);
    await retireChain({ database: engine.as('admin'), clock: engine.clock }, OPERATOR, { network, reason: REASON });
    const before = fake.counts().requests;
    engine.clock.advance(((await endOf(engine, open.transId)) + MINUTE) * 1_000 - engine.clock.nowMs());
    await poll(fixture);
    expect(fake.counts().requests).toBe(before);
    await expire(engine);
    expect(await statusOf(engine, fixture.store, open.transId)).toBe('expired');
  } finally {
    await bybit.close();
  }
});

describe('exchange stop and exchange start', () => {
  test('nothing completes at a stopped account, and what waited completes when it is started', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    const open = await openPayment(fixture);
    await run('stop', decided(fixture));
    await expect(run('stop', decided(fixture))).rejects.toThrow(/is already stopped/);
    expect(await list(store)).toMatchObject([{ state: `stopped: ${REASON}` }]);
    await expect(choose(fixture)).rejects.toThrow('network-unavailable');
    payQuote(fixture, open);
    await poll(fixture);
    expect(await statusOf(engine, store, open.transId)).toBe('processing');
    await run('start', decided(fixture));
    await expect(run('start', decided(fixture))).rejects.toThrow(/is not stopped/);
    await decideAgain(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
    expect(await auditOf(engine, subjectOf(fixture))).toEqual(['exchange.stop', 'exchange.start']);
  });

  test('an account that lost a payment goes on when an operator says so, and the same loss stops it no more', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store, fake } = fixture;
    const lost = await openPayment(fixture);
    const id = payQuote(fixture, lost);
    await poll(fixture);
    fake.vanish(id);
    await pass(fixture, 12 * MINUTE);
    expect(await list(store)).toMatchObject([{ state: `stopped: payment-gone: ${lost.transId}` }]);
    await run('start', decided(fixture));
    const next = await openPayment(fixture);
    payQuote(fixture, next);
    await pass(fixture, 12 * MINUTE);
    expect(await statusOf(engine, store, next.transId)).toBe('completed');
    expect(await statusOf(engine, store, lost.transId)).toBe('completed');
    expect(await list(store)).toMatchObject([{ state: 'offered' }]);
  });
});

/** Lets the invoice's end pass without reads. */
async function goPastEnd({ engine }: ExchangeFixture, transId: string): Promise<void> {
  engine.clock.advance(((await endOf(engine, transId)) + 1) * 1_000 - engine.clock.nowMs());
}

describe('exchange remove', () => {
  test('gives an account up: what waits there expires unread, nothing is quoted, and it can be added again', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    const open = await openPayment(fixture);
    await goPastEnd(fixture, open.transId);
    await expire(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('waiting');
    await run('remove', decided(fixture));
    await expire(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('expired');
    await expect(run('remove', decided(fixture))).rejects.toThrow(/No store receives/);
    expect(await list(store)).toMatchObject([{ state: 'removed' }]);
    const readStatements = () => site.fake.counts().paths['/sapi/v1/pay/transactions'];
    const before = readStatements();
    await poll(fixture);
    await poll(fixture);
    expect(readStatements()).toBe(before);
    expect(await auditOf(engine, subjectOf(fixture))).toEqual(['exchange.remove']);
    await add(store, fixture.account);
    await poll(fixture);
    await expect(choose(fixture)).resolves.toMatchObject({ toAddress: fixture.account.uid });
  });

  test('an invoice whose account was removed before any read of it expires too', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    await poll(fixture);
    await setPrices(engine);
    const transId = await newInvoice(engine, store);
    await selectMethod(
      { database: engine.as('api'), clock: engine.clock },
      { transId, network: site.network, token: 'USDT' },
    );
    await run('remove', decided(fixture));
    await goPastEnd(fixture, transId);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
  });

  test('an account that is added again is read on from its oldest open quote', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    const open = await openPayment(fixture);
    await run('remove', decided(fixture));
    await poll(fixture);
    await add(store, fixture.account);
    payQuote(fixture, open);
    await poll(fixture);
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
  });

  test('a payment at an account that is added again is found before its invoice expires, though others choose first', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    const open = await openPayment(fixture);
    await run('remove', decided(fixture));
    await poll(fixture);
    payQuote(fixture, open);
    engine.clock.advance(25 * 3_600_000);
    await add(store, fixture.account);
    await openPayment(fixture);
    await pass(fixture, 5 * MINUTE);
    await expire(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
    expect(await eventsOf(engine, open.transId)).toHaveLength(1);
  });

  test('a quote at an idle account starts it where it was covered, when more amounts are held than are looked at', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store, network, account } = fixture;
    const { pool } = engine.database;
    const open = await openPayment(fixture);
    await pool.query(
      `update followed_accounts set state = 'idle', next_read_at = 'infinity' where network = $1 and account = $2`,
      [network, account.uid],
    );
    payQuote(fixture, open);
    engine.clock.advance(25 * 3_600_000);
    await holdYounger(fixture);
    await run('check', named(fixture));
    await openPayment(fixture);
    await pass(fixture, 5 * MINUTE);
    await expire(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
  });

  test('an account of unknown coverage that is added again starts where it was added first, when more amounts are held than are looked at', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store, network, account } = fixture;
    const open = await openPayment(fixture);
    await poll(fixture);
    await run('remove', decided(fixture));
    const { pool } = engine.database;
    const names = [network, account.uid];
    await pool.query('delete from chain_coverage where network = $1 and scope = $2', names);
    await pool.query(
      `update followed_accounts set state = 'idle', next_read_at = 'infinity' where network = $1 and account = $2`,
      names,
    );
    payQuote(fixture, open);
    engine.clock.advance(25 * 3_600_000);
    await holdYounger(fixture);
    await add(store, account);
    await openPayment(fixture);
    await pass(fixture, 5 * MINUTE);
    await expire(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
  });

  test('a quote at an idle account starts it no later than an older quote there that is still open', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, store, network, account } = fixture;
    const open = await openPayment(fixture);
    await engine.database.pool.query(
      `update followed_accounts set state = 'idle', next_read_at = 'infinity' where network = $1 and account = $2`,
      [network, account.uid],
    );
    payQuote(fixture, open);
    engine.clock.advance(25 * 3_600_000);
    await run('check', named(fixture));
    await openPayment(fixture);
    await pass(fixture, 5 * MINUTE);
    await expire(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('completed');
  });
});

describe('the command line', () => {
  let live: LiveSite;
  let base: Record<string, string>;
  beforeAll(async () => {
    live = await openLiveSite(inject('template'), 'BINANCE');
    base = {
      ...live.settings,
      COUNTERFOIL_DATABASE_URL: roleUrl(live.engine.url, 'admin'),
      COUNTERFOIL_ENVIRONMENT: 'development',
      COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    };
  });
  afterAll(() => live.close());

  const runLine = (words: readonly string[], input: string, settings = base) =>
    runProgram('cli', ['exchange', ...words, '--json'], settings, { input });

  const addWords = (store: TestStore, file: string) =>
    `add --store ${store.merchantId} --platform ${live.network} --base-url ${live.fake.url} --key-file ${file}`.split(
      ' ',
    );

  test('reads a key from standard input or from a file', async () => {
    const store = await newStore(live);
    const [first, second] = [live.fake.openAccount(), live.fake.openAccount()];
    const { apiKey, apiSecret } = first.credentials;
    const fromInput = await runLine(addWords(store, '-'), `${apiKey}\n${apiSecret}\n`);
    expect(fromInput.error).toBe('');
    expect(JSON.parse(fromInput.out)).toMatchObject({ account: first.uid, key: 'added' });
    const fromFile = await runLine(addWords(store, await keyFile(second)), '');
    expect(JSON.parse(fromFile.out)).toMatchObject({ account: second.uid, key: 'added' });
    const { out } = await runLine(['list', '--store', store.merchantId], '');
    expect(JSON.parse(out)).toMatchObject([{ account: first.uid }, { account: second.uid }]);
  });

  test('in production sends no key to an address that the platform does not have', async () => {
    const store = await newStore(live);
    const account = live.fake.openAccount();
    const before = live.fake.counts().requests;
    const production = { ...base, COUNTERFOIL_ENVIRONMENT: 'production', COUNTERFOIL_PRIVATE_CALLBACKS: 'refuse' };
    const { out, error } = await runLine(addWords(store, await keyFile(account)), '', production);
    expect({ out, error: error.trim() }).toEqual({
      out: '',
      error: `${live.network} has no such address. Known: https://api.binance.com.`,
    });
    expect(live.fake.counts().requests).toBe(before);
  });
});
