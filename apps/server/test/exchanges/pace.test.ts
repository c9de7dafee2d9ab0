import { expect, inject, test } from 'vitest';
import { openExchangeFixture, payQuote } from '../../rig/exchanges/exchange-fixture.ts';
import { openLivePayment, openLiveSite } from '../../rig/exchanges/live-site.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import { startWorker } from '../../rig/processes/server-process.ts';

const WITHIN = { timeout: 60_000, interval: 20 };
/** A second of this clock is 50 milliseconds long. */
const RATE = 20;
const POLL_MS = 200;
const PAUSE_SECONDS = 100;
/** How far this clock and the worker's may be apart: half a second of the machine's time. */
const APART_MS = 10_000;

/** Keeps every wait that is set for the next poll of an exchange account, in milliseconds of database time. */
const KEEP_WAITS = `
  create table poll_waits (wait_ms int not null);
  create function keep_wait() returns trigger language plpgsql security definer as $$ begin
    insert into poll_waits values (round(1000 * extract(epoch from new.next_read_at - now()))); return null;
  end $$;
  create trigger keep_wait after update of next_read_at on followed_accounts
    for each row when (new.next_read_at < 'infinity') execute function keep_wait()`;

test('a worker on a faster clock polls a platform by that clock, and waits by it when the platform asks it to', async () => {
  const site = await openLiveSite(inject('template'), 'BINANCE', RATE);
  const { engine, fake } = site;
  const { pool } = engine.database;
  await pool.query(KEEP_WAITS);
  const worker = await startWorker(engine.url, { ...site.settings, COUNTERFOIL_POLL_MS: `${POLL_MS}` });
  try {
    const fixture = await openExchangeFixture(site);
    // An account is polled at its usual pace while an invoice is open: half an hour of this clock may be too short.
    await pool.query('update stores set lifetime_minutes = 1440');
    const complete = async () => {
      const open = await openLivePayment(fixture);
      payQuote(fixture, open);
      await expect.poll(() => statusOf(engine, fixture.store, open.transId), WITHIN).toBe('completed');
    };
    await complete();
    const readWaits = async () => (await pool.query<{ wait_ms: number }>('select wait_ms from poll_waits')).rows;
    await expect.poll(readWaits, WITHIN).toContainEqual({ wait_ms: POLL_MS });
    const beforeBanMs = engine.clock.nowMs();
    fake.misbehave({ kind: 'ban', retryAfterSeconds: PAUSE_SECONDS, times: 1, part: 'statement' });
    const readPause = async () =>
      (await pool.query<{ paused_until: Date }>('select paused_until from platform_pauses')).rows[0];
    await expect.poll(readPause, WITHIN).toBeDefined();
    // The pause began between these two moments of this clock, however far they are apart.
    const bannedMs = Number((await readPause())?.paused_until) - PAUSE_SECONDS * 1_000;
    expect(bannedMs).toBeGreaterThanOrEqual(beforeBanMs - APART_MS);
    expect(bannedMs).toBeLessThanOrEqual(engine.clock.nowMs() + APART_MS);
    await complete();
  } finally {
    await worker.stop();
    await site.close();
  }
});
