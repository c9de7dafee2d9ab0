import { sleep } from '../../src/lib/loop.ts';
import { countCallsPerCheck } from './checks.ts';
import type { Creates, Flooded } from './flood.ts';
import { createUntil, flood } from './flood.ts';
import { runFloods } from './floods.ts';
import type { PayerSeen } from './page.ts';
import { openPayersPage, payUntil, strangersLines } from './page.ts';
import type { Site } from './site.ts';
import { requireInvoice, residentMegabytes, visitorHeaders, withSite } from './site.ts';
import type { Held } from './sockets.ts';
import { holdSockets } from './sockets.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import { median } from '../../rig/report/percentile.ts';

/**
 * Attacks the public port of a real process as strangers could, on this machine only and for seconds: holds sockets,
 * floods every path that needs no API key, crowds a payer's page. A merchant creates invoices before and during each
 * attack. All attacks are repeated: latency is judged by the median of all rounds, and memory by whether the same attack
 * takes more of it again. Floods of a whole installation follow, each beside a neighbour; `--part floods` runs them alone.
 */

/** In a shorter crowd, opening its connections would be more than one create in a hundred and decide the p99. */
const SIZES = {
  quick: {
    seconds: 2,
    crowdSeconds: 6,
    socketsOfEachKind: 60,
    checks: 5,
    floods: { seconds: 2, atOnce: 300, linkSets: 5 },
  },
  full: {
    seconds: 15,
    crowdSeconds: 15,
    socketsOfEachKind: 180,
    checks: 5,
    floods: { seconds: 15, atOnce: 1_000, linkSets: 10 },
  },
};
const ROUNDS = 3;
/** `rssGrowthAgain`: memory that the last round may take again, as a share of what the first round took. */
const LIMITS = { rpcCallsPerCheck: 3, createP99Growth: 10, rssGrowthAgain: 0.5 };
const DOCUMENTS = ['/docs', '/docs/', '/docs/openapi.json', '/docs/js/scalar.js', '/reference.html'];
const NOBODY = new AbortController().signal;

type Sizes = (typeof SIZES)['full'];
type Report = {
  faults: string[];
  /** Growth of p99 of creates in each round, by the name of the attack. */
  growths: Map<string, number[]>;
};

const round = (value: number) => Math.round(value * 100) / 100;

async function countDocuments({ server }: Site): Promise<number> {
  const answers = await Promise.all(
    DOCUMENTS.map((path) => fetch(`${server.url}${path}`, { headers: visitorHeaders('192.0.2.9') })),
  );
  return answers.filter(({ ok }) => ok).length;
}

function say(site: Site, name: string, creates: Creates, more = ''): void {
  const { created, failed, p50Ms, p99Ms } = creates;
  const memory = `${Math.round(residentMegabytes(site))} MB`;
  console.log(
    `${name.padEnd(22)} ${String(created).padStart(5)} created, ${failed} failed, p50 ${round(p50Ms)} p99 ${round(p99Ms)} ms, ${memory}${more}`,
  );
}

type Attack<Outcome> = { name: string; run: () => Promise<Outcome>; tell: (outcome: Outcome) => string };

/** Measures the latency of a merchant's create calls during an attack, compared with the latency just before. */
async function measure<Outcome>(
  site: Site,
  sizes: Sizes,
  report: Report,
  { name, run, tell }: Attack<Outcome>,
): Promise<Outcome> {
  const quiet = await createUntil(site, sleep(sizes.seconds * 1_000, NOBODY));
  say(site, 'quiet', quiet);
  const running = run();
  const creates = await createUntil(site, running);
  const outcome = await running;
  say(site, name, creates, `; ${tell(outcome)}`);
  if (creates.failed > 0) report.faults.push(`${name}: a merchant was refused`);
  report.growths.set(name, [...(report.growths.get(name) ?? []), creates.p99Ms / quiet.p99Ms]);
  return outcome;
}

const tellFlood = ({ answered, limited }: Flooded) => `${answered} requests of strangers, ${limited} limited`;

async function floodDoors(site: Site, sizes: Sizes, report: Report): Promise<void> {
  const transId = await requireInvoice(site);
  const doors: Record<string, string[]> = {
    'unknown codes': ['GET /bill/%C', 'GET /bill/%C/state'],
    'one page': [`GET /bill/${transId}`, `GET /bill/${transId}/state`],
    'the document': ['GET /openapi.json'],
    'keys that nobody has': ['POST /payment/crypto {"amount":"1"}', 'GET /invoice/%C'],
  };
  for (const [name, lines] of Object.entries(doors)) {
    const run = () => flood(site, lines, sizes.seconds);
    const { answered } = await measure(site, sizes, report, { name, run, tell: tellFlood });
    if (answered === 0) report.faults.push(`${name}: no request was answered`);
  }
}

type Crowded = { payer: PayerSeen; strangers: Flooded };

async function crowdPage(site: Site, sizes: Sizes, report: Report): Promise<Crowded> {
  const run = async () => {
    await site.refresh();
    const transId = await openPayersPage(site);
    const crowding = flood(site, strangersLines(transId), sizes.crowdSeconds);
    const payer = await payUntil(site, transId, crowding);
    return { payer, strangers: await crowding };
  };
  const tell = ({ payer, strangers }: Crowded) =>
    `${tellFlood(strangers)}; the payer asked ${payer.asked} times, ${payer.refused} refused, ${payer.switches} silent switches`;
  return measure(site, { ...sizes, seconds: sizes.crowdSeconds }, report, { name: 'a crowded page', run, tell });
}

const tellHeld = ({ opened, most, held }: Held) => `${opened} opened, ${most} held at most, ${held} after 15 s`;

async function holdOn(site: Site, sizes: Sizes, report: Report): Promise<Held> {
  const run = () => holdSockets(site, sizes.socketsOfEachKind);
  const outcome = await measure(site, sizes, report, { name: 'held sockets', run, tell: tellHeld });
  if (outcome.most < outcome.opened / 2) report.faults.push('most sockets were never held: nothing was attacked');
  return outcome;
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

type Round = { crowded: Crowded; held: Held; residentMegabytes: number };

async function attackOnce(site: Site, sizes: Sizes, report: Report): Promise<Round> {
  await floodDoors(site, sizes, report);
  const crowded = await crowdPage(site, sizes, report);
  const held = await holdOn(site, sizes, report);
  await site.refresh();
  return { crowded, held, residentMegabytes: residentMegabytes(site) };
}

/** Median growth over all rounds, of the attack that slows creates most. */
function worstGrowth({ growths }: Report): number {
  const medians = [...growths].map(([name, all]) => ({ name, growth: median(all) }));
  for (const { name, growth } of medians) console.log(`${name.padEnd(22)} p99 of creates grows ${round(growth)} times`);
  return Math.max(...medians.map(({ growth }) => growth));
}

async function attack(site: Site, sizes: Sizes) {
  const report: Report = { faults: [], growths: new Map() };
  const documents = await countDocuments(site);
  // Before the crowd, whose checks use up what the store's visitors may ask in a minute.
  const checks = await countCallsPerCheck(site, sizes.checks);
  if (checks.made < sizes.checks) report.faults.push('checks did not reach a node: nothing was attacked');
  await createUntil(site, sleep(sizes.seconds * 500, NOBODY));
  const before = residentMegabytes(site);
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS) rounds.push(await attackOnce(site, sizes, report));
  const memory = [before, ...rounds.map((one) => one.residentMegabytes)];
  const took = (place: number) => Math.round((memory.at(place) ?? 0) - (memory.at(place - 1) ?? 0));
  const figures = {
    held_sockets: Math.max(...rounds.map(({ held }) => held.held)),
    docs_on_public_port: documents,
    payer_refused: sum(rounds.map(({ crowded }) => crowded.payer.refused)),
    stranger_limited: sum(rounds.map(({ crowded }) => crowded.strangers.limited)),
    silent_switches: sum(rounds.map(({ crowded }) => crowded.payer.switches)),
    rpc_calls_per_check: checks.most,
    create_p99_growth: round(worstGrowth(report)),
    rss_growth_mb: took(1),
    rss_growth_again_mb: took(-1),
  };
  return { figures, faults: report.faults };
}

type Figures = Awaited<ReturnType<typeof attack>>['figures'];

function findFaults(figures: Figures): string[] {
  const zero = ['held_sockets', 'docs_on_public_port', 'payer_refused', 'silent_switches'] as const;
  return [
    ...zero.filter((key) => figures[key] !== 0).map((key) => `${key} is ${figures[key]}`),
    ...(figures.stranger_limited === 0 ? ['no stranger was limited'] : []),
    ...(figures.rpc_calls_per_check > LIMITS.rpcCallsPerCheck ? ['a check costs too many calls'] : []),
    ...(figures.create_p99_growth > LIMITS.createP99Growth ? ['creates became too slow'] : []),
    ...(figures.rss_growth_again_mb > LIMITS.rssGrowthAgain * figures.rss_growth_mb ? ['memory grows on'] : []),
  ];
}

/** Prints the faults and the line of figures. */
function printFigures(figures: object, faults: readonly string[]): void {
  for (const fault of faults) console.log(`FAULT ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  console.log(JSON.stringify(figures));
}

const { quick, seed, part } = readDrillArguments();
const sizes = quick ? SIZES.quick : SIZES.full;
console.log(`seed ${seed}`);
if (part === 'floods') {
  const { figures, faults } = await runFloods(sizes.floods);
  printFigures(figures, faults);
} else {
  await withSite(seed, async (site) => {
    const { figures, faults } = await attack(site, sizes);
    const floods = await runFloods(sizes.floods);
    printFigures({ ...figures, ...floods.figures }, [...faults, ...findFaults(figures), ...floods.faults]);
  });
}
