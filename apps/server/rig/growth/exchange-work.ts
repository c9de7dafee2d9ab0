import type { QuoteRow } from '../../src/quotes/quote.ts';
import { removeExchangeAccount } from '../../src/wallets/remove-exchange-account.ts';
import { TESTER } from '../stores/open-store.ts';
import { PLATFORM } from './rigged-exchange.ts';
import type { WorkerRig } from './worker-rig.ts';
import { drain, quoteOne } from './worker-rig.ts';

/**
 * A worker's work for an exchange account: payments of every kind, a lost payment, an API key that the platform
 * refuses, a ban, and an exchange account that is removed.
 */

const MINUTE_MS = 60_000;
/** A time longer than a row may be missing before the row counts as gone. */
const GONE_MS = 11 * MINUTE_MS;
const BAN_SECONDS = 120;
const follows = (name: string) => /^(follow EXCHANGE|explain)/.test(name);

/** Lets time pass, so that quotas allow another poll, and polls. */
async function pollAfter(rig: WorkerRig, ms: number): Promise<void> {
  rig.clock.advance(ms);
  await drain(rig, follows);
}

async function quoteAtExchange(rig: WorkerRig): Promise<QuoteRow> {
  await drain(rig, (name) => name === 'prices');
  return quoteOne(rig, PLATFORM, 'USDT');
}

async function checkKeys(rig: WorkerRig): Promise<void> {
  await rig.own.pool.query(`update exchange_accounts set check_due_at = '-infinity'`);
  await drain(rig, (name) => name === 'exchange keys');
}

/**
 * Pays at the exchange account: once exactly, once pending until the payment fails, and once so that the payment is
 * gone for a while.
 */
export async function payAtExchange(rig: WorkerRig): Promise<void> {
  const { fake } = rig.exchange;
  await pollAfter(rig, MINUTE_MS);
  const quotes = [await quoteAtExchange(rig), await quoteAtExchange(rig)];
  await pollAfter(rig, MINUTE_MS);
  const [paid, failing] = quotes.map(({ toAddress, tokenAmount: amount }, place) =>
    fake.pay(toAddress, {
      token: 'USDT',
      amount,
      way: place === 0 ? 'internal' : 'second',
      state: place === 0 ? 'final' : 'pending',
    }),
  );
  if (!paid || !failing) throw new Error('Nothing was paid.');
  await pollAfter(rig, MINUTE_MS);
  fake.settle(failing.id, 'failed');
  fake.vanish(paid.id);
  await pollAfter(rig, MINUTE_MS);
  await pollAfter(rig, GONE_MS);
  fake.restore(paid.id);
  await pollAfter(rig, MINUTE_MS);
}

/** Makes the platform refuse an API key, widen the rights of another API key, and ban our IP address. */
export async function troubleExchange(rig: WorkerRig): Promise<void> {
  const { fake, account } = rig.exchange;
  await quoteAtExchange(rig);
  account.change({ active: false });
  await pollAfter(rig, MINUTE_MS);
  account.change({ active: true });
  account.grant('enableWithdrawals');
  await checkKeys(rig);
  account.revoke('enableWithdrawals');
  await checkKeys(rig);
  fake.misbehave({ kind: 'ban', retryAfterSeconds: BAN_SECONDS, times: 1 });
  await pollAfter(rig, MINUTE_MS);
  await pollAfter(rig, BAN_SECONDS * 1_000);
}

/** Removes an exchange account that an invoice waits for. */
export async function giveUpAccount(rig: WorkerRig): Promise<void> {
  const another = await rig.exchange.addAnother();
  await rig.own.pool.query(`update exchange_accounts set fault = 'rig', faulty_since = now() where account <> $1`, [
    another,
  ]);
  await quoteAtExchange(rig);
  await pollAfter(rig, MINUTE_MS);
  const decision = { network: PLATFORM, account: another, reason: 'rig' };
  await removeExchangeAccount({ database: rig.own, clock: rig.clock }, TESTER, decision);
  await pollAfter(rig, MINUTE_MS);
  await rig.own.pool.query(`update exchange_accounts set fault = null, faulty_since = null`);
}
