import { VISITOR } from '../stores/open-store.ts';
import { pino } from 'pino';
import { createCheckTransaction } from '../../src/checkout/check-transaction.ts';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { namePayment } from '../../src/invoices/name-payment.ts';
import { readNamedTransactions } from '../../src/invoices/read-named-transactions.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createInspector } from '../../src/sources/create-inspector.ts';
import type { Follower } from '../../src/chains/follower.ts';
import type { ProxyAnswers } from '../chains/rpc-proxy.ts';
import { changing, Refused, startRpcProxy } from '../chains/rpc-proxy.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { chainOf, followerOf } from './engine-fixture.ts';
import { NETWORKS } from '../chains/networks.ts';

/** Submits transaction hashes like a payer, and reads them like a worker. */

const log = pino({ level: 'silent' });
const MAX_ROUNDS = 20;

/** Checks a transaction as "I have paid" on the page does. */
export async function checkAsPayer(
  engine: EngineFixture,
  transId: string,
  txId: string,
  network = 'BSC',
): Promise<string> {
  const { anvil, follower } = chainOf(engine, network);
  const [facts] = await readCheckoutFacts(engine.as('api').pool, [transId]);
  if (!facts) throw new Error(`There is no ${transId}.`);
  const check = createCheckTransaction({
    networks: NETWORKS,
    inspect: new Map([[network, createInspector(follower.source.network, [anvil.url])]]),
    clock: engine.clock,
    steadyClock: systemClock,
    readHeads: async () => () => undefined,
    name: (request) => namePayment({ database: engine.as('api') }, VISITOR, request),
  });
  return (await check(facts, { text: txId, around: { site: 'payer', block: 'payer' } }, log)).reason;
}

/** Reads submitted transactions. Database time cannot be moved, so they are made due first. */
export async function readNamed(
  engine: EngineFixture,
  follower: Follower = chainOf(engine, 'BSC').follower,
): Promise<void> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    await engine.database.pool.query('update named_transactions set next_try_at = now() where ended_at is null');
    if (!(await readNamedTransactions(follower))) return;
  }
  throw new Error('Reading named transactions does not end.');
}

export type RequestRow = { tx_id: string; named_by: string; outcome: string | null; tries: number };

export async function requestsOf(engine: EngineFixture, transId: string): Promise<RequestRow[]> {
  const { rows } = await engine.database.pool.query<RequestRow>(
    `select n.tx_id, n.named_by, n.outcome, n.tries from named_transactions n join invoices i on i.id = n.invoice_id
     where i.trans_id = $1 order by n.named_at`,
    [transId],
  );
  return rows;
}

export type NamedRow = {
  index: string;
  token: string;
  units: bigint;
  reason: string | null;
  named_by: string | null;
  read_how: string;
  canonical: boolean;
};

export async function namedRowsOf(engine: EngineFixture, txId: string): Promise<NamedRow[]> {
  const { rows } = await engine.database.pool.query<NamedRow & { units: string }>(
    `select split_part(index, ':', 1) as index, token, units, reason, named_by, read_how, canonical from transfers where tx_id = $1
     order by index`,
    [txId],
  );
  return rows.map((row) => Object.assign(row, { units: BigInt(row.units) }));
}

/** Refuses JSON-RPC methods, like a node that does not offer them. */
export function without(...methods: string[]): ProxyAnswers {
  return changing((call, result) => {
    if (methods.includes(call.method)) throw new Refused(-32_601, `the method ${call.method} does not exist`);
    return result;
  });
}

/** Answers as a node that has deleted the state of older blocks. */
export const pruned: ProxyAnswers = changing((call, result) => {
  if (call.method.includes('trace')) throw new Refused(-32_601, `the method ${call.method} does not exist`);
  if (call.method === 'eth_getBalance')
    throw new Refused(-32_000, 'missing trie node 7f3b (path ) state is not available');
  return result;
});

/** Runs `work` with a reader whose only provider gives these answers. */
export async function through<Result>(
  engine: EngineFixture,
  answers: ProxyAnswers,
  work: (follower: Follower, url: string) => Promise<Result>,
): Promise<Result> {
  const proxy = await startRpcProxy(chainOf(engine, 'BSC').anvil.url);
  proxy.answer(answers);
  try {
    return await work(followerOf(engine, 'BSC', [proxy.url]), proxy.url);
  } finally {
    await proxy.stop();
  }
}
