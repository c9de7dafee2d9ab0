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

/** Keeps every time that is set for the next poll of an exchange account, and when it was set. */
const KEEP_POLLS = `
  create table kept_polls (next_read_at timestamptz not null, set_at timestamptz not null default now());
  create function keep_poll() returns trigger language plpgsql security definer as $$ begin
    insert into kept_polls (next_read_at) values (new.next_read_at); return null;
  end $$;
  create trigger keep_poll after update of next_read_at on followed_accounts
    for each row when (new.next_read_at < 'infinity') execute function keep_poll()`;

test('a worker on a faster clock polls a platform by that clock, and waits by it when the platform asks it to', async () => {
  const site = await openLiveSite(inject('template'), 'BINANCE', RATE);
  const { engine, fake } = site;
  const { pool } = engine.database;
  await pool.query(KEEP_POLLS);
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
    const readWaitsMs = async () => {
      const { rows } = await pool.query<Record<'next_read_at' | 'set_at', Date>>('select * from kept_polls');
      return rows.map(({ next_read_at, set_at }) => next_read_at.getTime() - set_at.getTime());
    };
    await expect.poll(readWaitsMs, WITHIN).toContain(POLL_MS);
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
