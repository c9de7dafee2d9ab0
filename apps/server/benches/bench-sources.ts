import { measureTron } from './sources-tron.ts';
import { measureWatch } from './sources-watch.ts';

/** What following costs the providers, and what it costs us to know whom we follow for. */

const quick = process.argv.includes('--quick');
const TRON_BLOCKS = quick ? 10 : 60;
const WATCHED = 1_000_000;
const WATCHED_NETWORKS = ['BSC', 'TRC20'];

const tron = await measureTron(TRON_BLOCKS);
const watched = WATCHED_NETWORKS.map((symbol) => {
  const bytes = measureWatch(symbol, WATCHED);
  console.log(`watch set of ${WATCHED} addresses, ${symbol}: ${bytes} bytes, ${(bytes / WATCHED).toFixed(1)} each`);
  return bytes;
});
console.log(JSON.stringify({ tron, watch_bytes: Math.max(...watched) }));
