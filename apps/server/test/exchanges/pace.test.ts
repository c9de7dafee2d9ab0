import { expect, inject, test } from 'vitest';
import { openExchangeFixture, payQuote } from '../../rig/exchanges/exchange-fixture.ts';
import { openLivePayment, openLiveSite } from '../../rig/exchanges/live-site.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import { startWorker } from '../../rig/processes/server-process.ts';

const WITHIN = { timeout: 60_000, interval: 20 };
/** A second of this clock is 50 milliseconds long. */
const RATE = 20;
const PAUSE_SECONDS = 100;
/** How far this clock and the worker's may be apart: half a second of the machine's time. */
const APART_MS = 10_000;
const PAY = '/sapi/v1/pay/transactions';
/** By the machine's clock, so many polls of two seconds would not end. */
const POLLS = 40;

test('a worker on a faster clock asks a platform by that clock, and waits by it when it is told to', async () => {
  const site = await openLiveSite(inject('template'), 'BINANCE', RATE);
  const { engine, fake } = site;
  const worker = await startWorker(engine.url, { ...site.settings, COUNTERFOIL_POLL_MS: '200' });
  try {
    const fixture = await openExchangeFixture(site);
    const complete = async () => {
      const open = await openLivePayment(fixture);
      payQuote(fixture, open);
      await expect.poll(() => statusOf(engine, fixture.store, open.transId), WITHIN).toBe('completed');
    };
    await complete();
    const countPolls = () => fake.counts().paths[PAY] ?? 0;
    const before = countPolls();
    await expect.poll(countPolls, WITHIN).toBeGreaterThan(before + POLLS);
    const beforeBanMs = engine.clock.nowMs();
    fake.misbehave({ kind: 'ban', retryAfterSeconds: PAUSE_SECONDS, times: 1, part: 'statement' });
    const readPause = async () =>
      (await engine.database.pool.query<{ paused_until: Date }>('select paused_until from platform_pauses')).rows[0];
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
