import { measureEvm } from './evm.ts';
import { measureExchanges } from './exchange.ts';
import { measureSolana } from './solana.ts';
import { measureTron } from './tron.ts';
import { measureWatch } from './watch.ts';

/** Measures what following costs the providers, and the memory of the watch set. */

const quick = process.argv.includes('--quick');
const TRON_BLOCKS = quick ? 10 : 60;
const EVM_SECONDS = quick ? 10 : 60;
/** Network of a quick run, which takes less than a minute to measure. */
const QUICK_EVM = 'ETH';
const WATCHED = 1_000_000;
const WATCHED_NETWORKS = ['BSC', 'TRC20'];
const MINUTES_PER_DAY = 1_440;

const daily = await measureEvm(EVM_SECONDS, quick ? [QUICK_EVM] : undefined);
const evm = Object.fromEntries(
  Object.entries(daily).map(([symbol, { one, two }]) => [
    symbol.toLowerCase(),
    {
      requests_per_min: Math.round(one.requests / MINUTES_PER_DAY),
      requests_per_min_of_two: Math.round(two.requests / MINUTES_PER_DAY),
    },
  ]),
);
const tron = await measureTron(TRON_BLOCKS);
const { requests_per_min, http_requests_per_min, calls_per_min } = await measureSolana({ quick });
console.log(
  `solana, 100 accounts: ${requests_per_min} calls/min in ${http_requests_per_min} requests, of 600 that public nodes allow`,
);
console.log(calls_per_min);
const exchanges = Object.fromEntries(
  Object.entries(await measureExchanges({ quick })).map(([platform, perMinute]) => [
    platform,
    { requests_per_min: perMinute },
  ]),
);
const watched = WATCHED_NETWORKS.map((symbol) => {
  const bytes = measureWatch(symbol, WATCHED);
  console.log(`watch set of ${WATCHED} addresses, ${symbol}: ${bytes} bytes, ${(bytes / WATCHED).toFixed(1)} each`);
  return bytes;
});
console.log(
  JSON.stringify({ ...evm, tron, solana: { requests_per_min }, ...exchanges, watch_bytes: Math.max(...watched) }),
);
