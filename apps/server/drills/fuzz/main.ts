import fc from 'fast-check';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore } from '../../rig/stores/open-store.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import type { Ledger } from './judge.ts';
import { judgeAnswer, judgeCreateAnswer, judgeListAnswer, judgeLookupAnswer } from './judge.ts';
import { echoOf } from './oracle.ts';
import { addAnswer, createTally, printTally } from './report.ts';
import type { FuzzRequest, LookupTarget } from './requests.ts';
import { fuzzRequests } from './requests.ts';
import type { Transport, Wire } from '../../rig/requests/transport.ts';
import { openTransport } from '../../rig/requests/transport.ts';

/** Sends generated requests to a real server and checks every answer. `--seed N` repeats a run, `--quick` is short. */

const FULL_REQUESTS = 20_000;
const QUICK_REQUESTS = 2_000;
const CHUNK = 500;
const CONNECTIONS = 16;
const LEAST_REACHED = 0.95;
const MAX_PRINTED = 5;
const SHOWN_BODY = 2_000;
const FOREIGN_INVOICES = 8;
const CREDIT_MICRO_USD = 10n ** 16n;
const MINIMUM_FEE_MICRO_USD = 10_000n;

type Stores = Readonly<Record<'rich' | 'poor' | 'bare', TestStore>>;
type Fuzz = { stores: Stores; transport: Transport; foreign: readonly string[]; ledger: Ledger };

/** An API key that no store has: a changed key, a cut key, or a text unlike a key. */
function garbageKey(key: string, length: number): string {
  const altered = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
  return [altered, key.toLowerCase(), key.slice(1), 'garbage', `${key}.`, 'x'.repeat(3_000)][length % 6] ?? altered;
}

function keyHeaders(fuzz: Fuzz, request: FuzzRequest): [string, string][] {
  const { rich } = fuzz.stores;
  const caller = 'caller' in request ? request.caller : 'rich';
  if (caller === 'none') return [];
  if (caller === 'garbage') return [['x-api-key', garbageKey(rich.apiKey, JSON.stringify(request).length)]];
  if (caller === 'several') return [1, 2].map(() => ['x-api-key', rich.apiKey]);
  return [['x-api-key', fuzz.stores[caller].apiKey]];
}

function pathOf(fuzz: Fuzz, target: LookupTarget): string {
  if ('path' in target) return target.path;
  const [known, number] = 'own' in target ? [fuzz.ledger.own, target.own] : [fuzz.foreign, target.foreign];
  return known[number % known.length] ?? 'TID-';
}

/** The invoice code that a path asks for; escapes that stand for no character are taken literally. */
function transIdIn(path: string): string | undefined {
  const [segment = ''] = path.split(/[?#]/);
  if (segment.includes('/')) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function wireOf(fuzz: Fuzz, request: FuzzRequest): Wire {
  if (request.kind === 'raw') return { method: '', path: '', headers: [], body: undefined, raw: request.bytes };
  const headers: [string, string][] = [...keyHeaders(fuzz, request), ...request.headers];
  if (request.kind === 'lookup') {
    return { method: 'GET', path: `/invoice/${pathOf(fuzz, request.target)}`, headers, body: undefined };
  }
  if (request.kind === 'list') return { method: 'GET', path: `/invoices${request.query}`, headers, body: undefined };
  if (request.kind === 'other') return { ...request, headers };
  if (request.contentType !== undefined) headers.push(['content-type', request.contentType]);
  if (request.encoding !== undefined) headers.push(['content-encoding', request.encoding]);
  return { method: 'POST', path: '/payment/crypto', headers, body: request.body };
}

/** Parts of a request that its answer may repeat, as they look inside JSON. */
function repeatable(request: FuzzRequest, wire: Wire): string[] {
  const said = [request.kind === 'create' ? echoOf(request.body) : transIdIn(wire.path.replace('/invoice/', ''))];
  return said.map((text) => JSON.stringify(text ?? '').slice(1, -1));
}

function show(wire: Wire): string {
  const body = (wire.raw ?? wire.body)?.toString('latin1') ?? '';
  const headers = wire.headers.filter(([name]) => name !== 'x-api-key');
  const shown = body.length > SHOWN_BODY ? `${body.slice(0, SHOWN_BODY)}... (${body.length} bytes)` : body;
  return `${wire.method} ${wire.path.slice(0, SHOWN_BODY)} ${JSON.stringify(headers)} ${JSON.stringify(shown)}`;
}

async function runOne(fuzz: Fuzz, request: FuzzRequest, tally: ReturnType<typeof createTally>): Promise<void> {
  const wire = wireOf(fuzz, request);
  const startedAt = performance.now();
  const outcome = await fuzz.transport.send(wire);
  const faults = addAnswer(tally, request, outcome, performance.now() - startedAt);
  if ('answer' in outcome) {
    const { answer } = outcome;
    faults.push(...judgeAnswer(request, answer, repeatable(request, wire)));
    if (request.kind === 'create') {
      const { caller } = request;
      const { merchantId } = fuzz.stores[caller === 'poor' || caller === 'bare' ? caller : 'rich'];
      faults.push(...judgeCreateAnswer(request, answer, merchantId, fuzz.ledger));
    } else if (request.kind === 'lookup') {
      faults.push(...judgeLookupAnswer(request, answer, transIdIn(wire.path.slice('/invoice/'.length))));
    } else if (request.kind === 'list') {
      faults.push(...judgeListAnswer(request, answer, fuzz.foreign));
    }
  }
  if (faults.length === 0) return;
  tally.shapeViolations += 1;
  if (tally.shapeViolations > MAX_PRINTED) return;
  console.log(`\nFAULT ${faults.join('; ')}\n  ${show(wire)}`);
  if ('answer' in outcome) console.log(`  ${outcome.answer.status} ${outcome.answer.body.slice(0, SHOWN_BODY)}`);
}

async function runAll(fuzz: Fuzz, seed: number, total: number): Promise<ReturnType<typeof createTally>> {
  const { rich, poor, bare } = fuzz.stores;
  const arbitrary = fuzzRequests({ rich: rich.merchantId, poor: poor.merchantId, bare: bare.merchantId });
  const tally = createTally();
  for (let done = 0; done < total; done += CHUNK) {
    const queue = fc.sample(arbitrary, { seed: seed + done, numRuns: Math.min(CHUNK, total - done) }).values();
    const work = async () => {
      for (const request of queue) await runOne(fuzz, request, tally);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    if ((done + CHUNK) % (total / 4) === 0) console.log(`${done + CHUNK} of ${total}`);
  }
  return tally;
}

async function createForeign(url: string, store: TestStore): Promise<string[]> {
  const bodies = Array.from({ length: FOREIGN_INVOICES }, async () => {
    const response = await fetch(`${url}/payment/crypto`, {
      method: 'POST',
      headers: { 'x-api-key': store.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ merchant_id: store.merchantId, amount: 5 }),
    });
    return ((await response.json()) as { data: { trans_id: string } }).data.trans_id;
  });
  return Promise.all(bodies);
}

const { quick, seed } = readDrillArguments();
const total = quick ? QUICK_REQUESTS : FULL_REQUESTS;
console.log(`seed ${seed}, ${total} requests, ${CONNECTIONS} at once`);

const tally = await withDrillDatabase(async ({ url, database }) => {
  const feePlan = { ...LIFTED_PLAN, code: 'lifted-with-minimum', minimumFeeMicroUsd: MINIMUM_FEE_MICRO_USD };
  const stores = {
    rich: await openStore(database, { creditMicroUsd: CREDIT_MICRO_USD }),
    poor: await openStore(database, { plan: feePlan, creditMicroUsd: 0n }),
    bare: await openStore(database, { wallet: false }),
  };
  // Forwarded IP addresses are trusted: otherwise all callers without an API key would share one rate limit.
  const settings = { COUNTERFOIL_LOG_LEVEL: 'warn', COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.0/8' };
  const server = await startApi(url, settings);
  const transport = openTransport(server.url, CONNECTIONS);
  try {
    const foreign = await createForeign(server.url, await openStore(database));
    return await runAll({ stores, transport, foreign, ledger: { byRequestId: new Map(), own: [] } }, seed, total);
  } finally {
    transport.close();
    await server.stop();
  }
});

const figures = printTally(tally);
const failed = figures.server_errors + figures.shape_violations + figures.hangs > 0;
if (failed) console.log(`repeat with: pnpm drill fuzz --seed ${seed}${quick ? ' --quick' : ''}`);
console.log(JSON.stringify(figures));
process.exitCode = failed || figures.reached_validation < LEAST_REACHED ? 1 : 0;
