import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import type { ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import { FAKES, openExchangeFixture, openExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import type { FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import { EXCHANGE_SCENARIOS } from './scenarios.ts';

describe.each(Object.keys(FAKES) as FakePlatform[])('at %s', (platform) => {
  let site: ExchangeSite;
  beforeAll(async () => {
    site = await openExchangeSite(inject('template'), platform);
  });
  afterAll(() => site.close());

  test.each(EXCHANGE_SCENARIOS)('%s', async (_title, run) => {
    await run(await openExchangeFixture(site));
  });
});
