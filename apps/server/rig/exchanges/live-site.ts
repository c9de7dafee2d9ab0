import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClockPace, ManualClock } from '../../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import { NETWORKS } from '../chains/networks.ts';
import { NO_PRICES } from '../fakes/price-servers.ts';
import type { Template } from '../database/template-database.ts';
import { openEngineFixture } from '../invoices/engine-fixture.ts';
import { newInvoice, setPrices } from '../invoices/pay-invoice.ts';
import { waitUntil } from '../processes/wait-until.ts';
import { openStore, VISITOR } from '../stores/open-store.ts';
import type { ExchangeFixture, ExchangeSite, OpenPayment } from './exchange-fixture.ts';
import { startFake } from './exchange-fixture.ts';
import type { FakePlatform } from './fake-exchange.ts';

/** A fake platform and a database for real processes that follow it, in real time. */

/**
 * A clock that runs on from the machine's time, `pace.rate` times as fast where a pace is given. Tests can also move
 * the clock ahead.
 */
function createRunningClock(pace: ClockPace | undefined): ManualClock {
  const base = createPacedClock(systemClock, pace);
  let aheadMs = 0;
  const nowMs = () => base.nowMs() + aheadMs;
  return {
    ...base,
    nowMs,
    advance: (ms) => {
      aheadMs += ms;
    },
    wait: async (ms) => {
      const untilMs = nowMs() + ms;
      await Promise.resolve();
      aheadMs += Math.max(0, untilMs - nowMs());
    },
  };
}

export type LiveSite = ExchangeSite & {
  keyRingFile: string;
  /** Settings of a worker that has the key ring. */
  settings: Record<string, string>;
  /** Settings of a worker without a key ring. */
  keyless: Record<string, string>;
};

export async function openLiveSite(template: Template, platform: FakePlatform, rate = 1): Promise<LiveSite> {
  const pace = rate === 1 ? undefined : { rate, fromMs: systemClock.nowMs() };
  const clock = createRunningClock(pace);
  const engine = { ...(await openEngineFixture(template, [])), clock };
  const fake = await startFake(platform, { clock, quotas: false });
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-exchange-'));
  const keyRingFile = join(folder, 'key-ring.json');
  const { ring } = await openStore(engine.database, { wallet: false });
  await writeKeyRing(keyRingFile, ring);
  const keyless = {
    COUNTERFOIL_LOG_LEVEL: 'warn',
    ...NO_PRICES,
    ...(pace && { COUNTERFOIL_CLOCK_PACE: `${pace.rate}@${pace.fromMs}` }),
  };
  return {
    engine,
    fake,
    network: `EXCHANGE_PAY:${platform}`,
    keyRingFile,
    keyless,
    settings: { ...keyless, COUNTERFOIL_KEY_RING_FILE: keyRingFile },
    close: async () => {
      await fake.stop();
      await engine.close();
      await rm(folder, { recursive: true });
    },
  };
}

const OFFER_WAIT = { what: 'The platform is not offered.', timeoutMs: 60_000, pollMs: 50 };

/**
 * Opens an invoice and selects a payment at the platform. The selection is repeated until a worker process has read the
 * platform, because a platform that is not read is not offered.
 */
export async function openLivePayment({
  engine,
  network,
  store,
}: Pick<ExchangeFixture, 'engine' | 'network' | 'store'>): Promise<OpenPayment> {
  const transId = await newInvoice(engine, store);
  const choice = { transId, network, token: 'USDT' };
  const context = { database: engine.as('api'), clock: engine.clock, networks: NETWORKS };
  let quote: QuoteRow | undefined;
  await waitUntil(async () => {
    await setPrices(engine);
    const selection = await selectPaymentMethod(context, VISITOR, choice);
    if (selection.selected) quote = selection.quote;
    return selection.selected;
  }, OFFER_WAIT);
  if (!quote) throw new Error(OFFER_WAIT.what);
  return { transId, quote };
}
