import { parseArgs } from 'node:util';
import { rest } from '../src/lib/loop.ts';
import { countCallsPerCheck } from './attack-checks.ts';
import type { Creates } from './attack-flood.ts';
import { createUntil, flood } from './attack-flood.ts';
import { openPayersPage, payUntil, strangersLines } from './attack-page.ts';
import type { Site } from './attack-site.ts';
import { requireInvoice, residentMegabytes, visitorHeaders, withSite } from './attack-site.ts';
import { holdSockets } from './attack-sockets.ts';

/**
 * What strangers can do to the public port of a real process, on this machine alone and for seconds: hold sockets, flood
 * every door that needs no key, crowd a payer's page. A merchant creates invoices all the while.
 */

const SIZES = {
  quick: { seconds: 4, socketsOfEachKind: 60, checks: 5 },
  full: { seconds: 15, socketsOfEachKind: 180, checks: 5 },
};
const LIMITS = { rpcCallsPerCheck: 3, createP99Growth: 5, rssGrowthMegabytes: 200 };
const DOCUMENTS = ['/docs', '/docs/', '/docs/openapi.json', '/docs/js/scalar.js', '/reference.html'];
const NOBODY = new AbortController().signal;

const round = (value: number) => Math.round(value * 100) / 100;

async function countDocuments({ server }: Site): Promise<number> {
  const answers = await Promise.all(
    DOCUMENTS.map((path) => fetch(`${server.url}${path}`, { headers: visitorHeaders('192.0.2.9') })),
  );
  return answers.filter(({ ok }) => ok).length;
}

function floodsOf(transId: string): Record<string, string[]> {
  return {
    'unknown codes': ['GET /bill/%C', 'GET /bill/%C/state'],
    'one page': [`GET /bill/${transId}`, `GET /bill/${transId}/state`],
    'the document': ['GET /openapi.json'],
    'keys that nobody has': ['POST /payment/crypto {"amount":"1"}', 'GET /invoice/%C'],
  };
}

function say(site: Site, name: string, creates: Creates, more = ''): void {
  const { created, failed, p50Ms, p99Ms } = creates;
  const memory = `${Math.round(residentMegabytes(site))} MB`;
  console.log(
    `${name.padEnd(22)} ${String(created).padStart(5)} created, ${failed} failed, p50 ${round(p50Ms)} p99 ${round(p99Ms)} ms, ${memory}${more}`,
  );
}

async function attack(site: Site, sizes: (typeof SIZES)['full']) {
  const faults: string[] = [];
  const documents = await countDocuments(site);
  await createUntil(site, rest(sizes.seconds * 500, NOBODY));
  const quiet = await createUntil(site, rest(sizes.seconds * 1_000, NOBODY));
  say(site, 'quiet', quiet);
  const before = residentMegabytes(site);
  const during: Creates[] = [];

  for (const [name, lines] of Object.entries(floodsOf(await requireInvoice(site)))) {
    const flooding = flood(site, lines, sizes.seconds);
    const creates = await createUntil(site, flooding);
    const { answered, limited } = await flooding;
    say(site, name, creates, `; ${answered} requests of strangers, ${limited} limited`);
    if (answered === 0) faults.push(`${name}: no request was answered`);
    during.push(creates);
  }

  await site.refresh();
  const transId = await openPayersPage(site);
  const crowding = flood(site, strangersLines(transId), sizes.seconds);
  const [payer, crowdedCreates] = await Promise.all([payUntil(site, transId, crowding), createUntil(site, crowding)]);
  const { answered, limited } = await crowding;
  say(site, 'a crowded page', crowdedCreates, `; ${answered} requests of strangers, ${limited} limited`);
  console.log(`the payer asked ${payer.asked} times, ${payer.refused} refused, ${payer.switches} silent switches`);
  during.push(crowdedCreates);

  const holding = holdSockets(site, sizes.socketsOfEachKind);
  const heldCreates = await createUntil(site, holding);
  const held = await holding;
  say(site, 'held sockets', heldCreates, `; ${held.opened} opened, ${held.most} held at most, ${held.held} after 15 s`);
  if (held.most < held.opened / 2) faults.push('most sockets were never held: nothing was attacked');
  during.push(heldCreates);

  await site.refresh();
  const checks = await countCallsPerCheck(site, sizes.checks);
  if (checks.made === 0) faults.push('no check reached a node: nothing was attacked');
  if (during.some(({ failed }) => failed > 0)) faults.push('a merchant was refused');
  const figures = {
    held_sockets: held.held,
    docs_on_public_port: documents,
    payer_refused: payer.refused,
    stranger_limited: limited,
    silent_switches: payer.switches,
    rpc_calls_per_check: checks.most,
    create_p99_growth: round(Math.max(...during.map(({ p99Ms }) => p99Ms)) / quiet.p99Ms),
    rss_growth_mb: Math.round(residentMegabytes(site) - before),
  };
  return { figures, faults };
}

type Figures = Awaited<ReturnType<typeof attack>>['figures'];

function findFaults(figures: Figures): string[] {
  const zero = ['held_sockets', 'docs_on_public_port', 'payer_refused', 'silent_switches'] as const;
  return [
    ...zero.filter((key) => figures[key] !== 0).map((key) => `${key} is ${figures[key]}`),
    ...(figures.stranger_limited === 0 ? ['no stranger was limited'] : []),
    ...(figures.rpc_calls_per_check > LIMITS.rpcCallsPerCheck ? ['a check costs too many calls'] : []),
    ...(figures.create_p99_growth > LIMITS.createP99Growth ? ['creates became too slow'] : []),
    ...(figures.rss_growth_mb > LIMITS.rssGrowthMegabytes ? ['memory grew too much'] : []),
  ];
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
await withSite(async (site) => {
  const { figures, faults } = await attack(site, values.quick ? SIZES.quick : SIZES.full);
  const all = [...faults, ...findFaults(figures)];
  for (const fault of all) console.log(`FAULT ${fault}`);
  if (all.length > 0) process.exitCode = 1;
  console.log(JSON.stringify(figures));
});
