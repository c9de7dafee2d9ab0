import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parseDecimal } from '@counterfoil/core/amount.ts';
import { MICRO_USD_DECIMALS } from '@counterfoil/core/usd.ts';
import type { Database } from '../../src/db/database.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore } from '../../rig/stores/open-store.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { ApiAnswer } from './client.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { createBody, createFor, FEE_MICRO_USD, inParallel, tally } from './client.ts';

/** Create calls that race: for one request_id, for one balance, and with clients that disconnect. */

export type DrillContext = { database: Database; servers: readonly ServerProcess[]; faults: Faults };

const SAME_REQUEST = 64;
const DISTINCT_REQUESTS = 400;
const AFFORDABLE = 50;
/** Balance that is less than a fee. */
const REMAINDER_MICRO_USD = 99_999n;
const MIXED_STORES = 10;
const MIXED_IDS = 20;
const MIXED_AFFORDABLE = 15;
const MAX_CUT_DELAY_MS = 15;
const COMMIT_TIMEOUT_MS = 60_000;
const COMMIT_POLL_MS = 5;
const CUTS_AT_ONCE = 10;
const MAX_RETRIES = 20;

function storeWorth(database: Database, creditMicroUsd: bigint): Promise<TestStore> {
  return openStore(database, { plan: LIFTED_PLAN, creditMicroUsd });
}

async function findCodes(database: Database, store: TestStore, requestId: string): Promise<string[]> {
  const rows = await database.queries
    .selectFrom('invoices')
    .select('trans_id')
    .where('store_id', '=', store.id)
    .where('request_id', '=', requestId)
    .execute();
  return rows.map((row) => row.trans_id);
}

export type SameRequestFigures = { requests: number; replays: number; invoicesPerRequestId: number };

/** Sends one request_id 64 times at once on a balance worth one fee: one invoice, 63 replays, no 402. */
export async function raceOneRequestId(context: DrillContext, rounds: number): Promise<SameRequestFigures> {
  const { database, servers, faults } = context;
  const figures = { requests: 0, replays: 0, invoicesPerRequestId: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const store = await storeWorth(database, FEE_MICRO_USD);
    const requestId = `same-${round}`;
    const answers = await inParallel(servers, SAME_REQUEST, (server) => createFor(server, store, requestId));
    const replays = answers.filter((answer) => answer.status === 200 && answer.body.idempotent === true).length;
    const created = answers.filter((answer) => answer.status === 200 && answer.body.idempotent === undefined).length;
    const told = new Set(answers.map((answer) => answer.body.data?.trans_id));
    const stored = await findCodes(database, store, requestId);
    if (created !== 1 || replays !== SAME_REQUEST - 1 || told.size !== 1 || !told.has(stored[0])) {
      faults.add(`${requestId}: ${created} created, ${replays} replays, ${told.size} codes told (${tally(answers)})`);
    }
    figures.requests += answers.length;
    figures.replays += replays;
    figures.invoicesPerRequestId = Math.max(figures.invoicesPerRequestId, stored.length, told.size);
  }
  return figures;
}

function microUsd(details: Record<string, unknown>, name: string): bigint | undefined {
  const text = details[name];
  return typeof text === 'string' ? parseDecimal(text, MICRO_USD_DECIMALS) : undefined;
}

/** What is wrong with the details of a 402 answer; undefined when the details are right. */
function faultOfRefusal(answer: ApiAnswer, available: bigint): string | undefined {
  const details = answer.body.details ?? {};
  const balance = microUsd(details, 'current_balance');
  const fee = microUsd(details, 'required_fee');
  const shortage = microUsd(details, 'shortage');
  if (balance === undefined || fee === undefined || shortage === undefined) return 'details are not decimal strings';
  if (shortage !== fee - balance) return `shortage ${shortage} is not ${fee} - ${balance}`;
  if (fee !== FEE_MICRO_USD) return `required_fee is ${fee}`;
  if (balance !== available) return `current_balance is ${balance}, ${available} is left`;
  const rest = [details['fee_rate_percent'], details['discount_percent'], details['invoice_amount']].join(' ');
  return rest === '0.5 0 50.00' ? undefined : `rate, discount and amount are ${rest}`;
}

export type BalanceFigures = { requests: number; granted: number; expected: number };

/** Sends 400 distinct create calls at once on a balance worth 50 fees: 50 invoices, 350 exact refusals. */
export async function raceOneBalance(context: DrillContext, rounds: number): Promise<BalanceFigures> {
  const { database, servers, faults } = context;
  const figures = { requests: 0, granted: 0, expected: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const remainder = round % 2 === 0 ? 0n : REMAINDER_MICRO_USD;
    const store = await storeWorth(database, FEE_MICRO_USD * BigInt(AFFORDABLE) + remainder);
    const answers = await inParallel(servers, DISTINCT_REQUESTS, (server, position) =>
      createFor(server, store, `distinct-${position}`),
    );
    const granted = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.body.error_code === 'INSUFFICIENT_BALANCE');
    if (granted.length + refused.length !== answers.length) faults.add(`one balance: ${tally(answers)}`);
    if (granted.length !== AFFORDABLE) faults.add(`one balance: ${granted.length} granted, not ${AFFORDABLE}`);
    for (const answer of refused) {
      const fault = faultOfRefusal(answer, remainder);
      if (fault) faults.add(`402: ${fault}`);
    }
    figures.requests += answers.length;
    figures.granted += granted.length;
    figures.expected += AFFORDABLE;
  }
  return figures;
}

/**
 * Sends every request_id twice for ten stores at once, each with a balance worth 15 fees: SQL statements that serve
 * several stores must neither block each other nor mix the stores up. Both calls of a pair have one outcome: the same
 * invoice, or two refusals.
 */
export async function raceManyStores(context: DrillContext, rounds: number): Promise<BalanceFigures> {
  const { database, servers, faults } = context;
  const figures = { requests: 0, granted: 0, expected: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const stores: TestStore[] = [];
    while (stores.length < MIXED_STORES)
      stores.push(await storeWorth(database, FEE_MICRO_USD * BigInt(MIXED_AFFORDABLE)));
    const told = new Map<string, Set<string>>();
    const answers = await inParallel(servers, MIXED_STORES * MIXED_IDS * 2, async (server, position) => {
      const store = stores[Math.floor(position / 2) % MIXED_STORES];
      if (!store) throw new Error('No store to ask for.');
      const requestId = `mixed-${Math.floor(position / 2 / MIXED_STORES)}`;
      const answer = await createFor(server, store, requestId);
      const name = `${store.merchantId} ${requestId}`;
      told.set(name, (told.get(name) ?? new Set()).add(answer.body.data?.trans_id ?? answer.body.error_code ?? ''));
      return answer;
    });
    const outcomes = [...told.values()];
    const invoices = outcomes.filter((one) => [...one].every((outcome) => outcome.startsWith('TID-'))).length;
    const refused = outcomes.filter((one) => one.has('INSUFFICIENT_BALANCE')).length;
    const divided = outcomes.filter((one) => one.size !== 1).length;
    if (divided > 0 || invoices + refused !== outcomes.length) {
      faults.add(`many stores: ${divided} pairs with two answers (${tally(answers)})`);
    }
    if (invoices !== MIXED_STORES * MIXED_AFFORDABLE) faults.add(`many stores: ${invoices} invoices`);
    figures.requests += answers.length;
    figures.granted += invoices;
    figures.expected += MIXED_STORES * MIXED_AFFORDABLE;
  }
  return figures;
}

/** Sends a create call with its whole body or half of the body, and cuts the connection. */
async function sendAndCut(server: ServerProcess, store: TestStore, requestId: string, cut: Cut): Promise<void> {
  const body = createBody(store, requestId);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  // The server may close first; its answer is discarded, as for a client that is gone.
  socket.on('error', () => {}).resume();
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  socket.write(
    `POST /payment/crypto HTTP/1.1\r\nhost: drill\r\ncontent-type: application/json\r\n` +
      `x-api-key: ${store.apiKey}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n` +
      (cut.halfBody ? body.slice(0, body.length / 2) : body),
  );
  await cut.until();
  socket.destroy();
}

type Cut = { halfBody: boolean; until: () => Promise<unknown> };

/** Every third client is cut after its invoice was committed; the others within some milliseconds, or mid-body. */
function planCut(database: Database, store: TestStore, requestId: string, position: number): Cut {
  const isCommitted = async () => (await findCodes(database, store, requestId)).length > 0;
  const committed = { what: `${requestId} was never committed.`, timeoutMs: COMMIT_TIMEOUT_MS, pollMs: COMMIT_POLL_MS };
  if (isCutAfterCommit(position)) return { halfBody: false, until: () => waitUntil(isCommitted, committed) };
  return { halfBody: position % 7 === 6, until: () => wait(position % (MAX_CUT_DELAY_MS + 1)) };
}

const isCutAfterCommit = (position: number) => position % 3 === 0;

/** Repeats a call until the call is answered, as a careful client does after an answer was lost. */
async function retryUntilAnswered(
  servers: readonly ServerProcess[],
  store: TestStore,
  requestId: string,
): Promise<ApiAnswer | undefined> {
  for (let tries = 0; tries < MAX_RETRIES; tries += 1) {
    const server = servers[tries % servers.length];
    const answer = server && (await createFor(server, store, requestId));
    if (answer?.status === 200) return answer;
  }
  return undefined;
}

export type CutFigures = { requests: number; committedBeforeCut: number; invoicesPerRequestId: number };

/** Cuts clients during the commit and retries: each client gets one invoice, and the retry returns its code. */
export async function cutClients(context: DrillContext, count: number): Promise<CutFigures> {
  const { database, servers, faults } = context;
  const store = await storeWorth(database, FEE_MICRO_USD * BigInt(count));
  const figures = { requests: count, committedBeforeCut: 0, invoicesPerRequestId: 0 };
  const cutOne = async (server: ServerProcess, position: number) => {
    const requestId = `cut-${position}`;
    await sendAndCut(server, store, requestId, planCut(database, store, requestId, position));
    const answer = await retryUntilAnswered(servers, store, requestId);
    if (!answer) faults.add(`${requestId}: no answer after ${MAX_RETRIES} retries`);
    if (answer?.body.idempotent) figures.committedBeforeCut += 1;
    else if (isCutAfterCommit(position)) faults.add(`${requestId}: committed before the cut, and not replayed`);
    return { requestId, told: answer?.body.data?.trans_id };
  };
  const told: { requestId: string; told: string | undefined }[] = [];
  for (let done = 0; done < count; done += CUTS_AT_ONCE) {
    const atOnce = Math.min(CUTS_AT_ONCE, count - done);
    told.push(...(await inParallel(servers, atOnce, (server, position) => cutOne(server, done + position))));
  }
  // Invoices are read after all retries: a cut request may still be running after the retry was answered.
  for (const one of told) {
    const stored = await findCodes(database, store, one.requestId);
    if (stored.length !== 1 || stored[0] !== one.told) {
      faults.add(`${one.requestId}: stored ${stored.join(' and ')}, told ${one.told}`);
    }
    figures.invoicesPerRequestId = Math.max(figures.invoicesPerRequestId, stored.length);
  }
  return figures;
}
