import { expect, inject, test } from 'vitest';
import { openExchangeFixture, payQuote } from '../../rig/exchanges/exchange-fixture.ts';
import { openLivePayment, openLiveSite } from '../../rig/exchanges/live-site.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import { startWorker } from '../../rig/processes/server-process.ts';

const WITHIN = { interval: 20 };
/** A second of this clock is 50 milliseconds long. */
const RATE = 20;
const PAUSE_SECONDS = 100;
/** How far this clock and the worker's may be apart: 50 milliseconds of the machine's time. */
const APART_SECONDS = 1;
const PAY = '/sapi/v1/pay/transactions';
/** At two seconds each, these take 24 seconds. */
const POLLS = 12;

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
    // By the machine's clock, so many polls would take longer than is waited for.
    const countPolls = () => fake.counts().paths[PAY] ?? 0;
    const before = countPolls();
    await expect.poll(countPolls, WITHIN).toBeGreaterThan(before + POLLS);
    fake.misbehave({ kind: 'ban', retryAfterSeconds: PAUSE_SECONDS, times: 1, part: 'statement' });
    const readPause = async () =>
      (await engine.database.pool.query<{ paused_until: Date }>('select paused_until from platform_pauses')).rows[0];
    await expect.poll(readPause, WITHIN).toBeDefined();
    const leftMs = Number((await readPause())?.paused_until) - engine.clock.nowMs();
    expect(leftMs / 1_000).toBeGreaterThan(0);
    expect(leftMs / 1_000).toBeLessThanOrEqual(PAUSE_SECONDS + APART_SECONDS);
    const bannedMs = performance.now();
    await complete();
    expect(performance.now() - bannedMs).toBeLessThan((PAUSE_SECONDS * 1_000) / 2);
  } finally {
    await worker.stop();
    await site.close();
  }
});
