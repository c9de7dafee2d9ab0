import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManualClock } from '../../src/lib/clock.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import { NO_PRICES } from '../fakes/price-servers.ts';
import type { Template } from '../database/template-database.ts';
import { openEngineFixture } from '../invoices/engine-fixture.ts';
import { COMPILE_CACHE } from '../processes/worker-fleet.ts';
import { openStore } from '../stores/open-store.ts';
import type { ExchangeSite } from './exchange-fixture.ts';
import { startFake } from './exchange-fixture.ts';
import type { FakePlatform } from './fake-exchange.ts';

/** A fake platform and a database that real processes may follow it with: their time runs, and so does the platform's. */

/** The machine's clock, which can be moved ahead besides. */
function createRunningClock(): ManualClock {
  let aheadMs = 0;
  return {
    nowMs: () => systemClock.nowMs() + aheadMs,
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}

export type LiveSite = ExchangeSite & {
  keyRingFile: string;
  /** Settings of a worker that has the key ring. */
  settings: Record<string, string>;
  /** The same without a key ring. */
  keyless: Record<string, string>;
};

export async function openLiveSite(template: Template, platform: FakePlatform): Promise<LiveSite> {
  const clock = createRunningClock();
  const engine = { ...(await openEngineFixture(template, [])), clock };
  const fake = await startFake(platform, { clock, quotas: false });
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-exchange-'));
  const keyRingFile = join(folder, 'key-ring.json');
  const { ring } = await openStore(engine.database, { wallet: false });
  await writeKeyRing(keyRingFile, ring);
  const keyless = { NODE_COMPILE_CACHE: COMPILE_CACHE, COUNTERFOIL_LOG_LEVEL: 'warn', ...NO_PRICES };
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
