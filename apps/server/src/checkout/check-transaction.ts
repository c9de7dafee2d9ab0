import type { TransactionCheck } from '@counterfoil/checkout/checkout-view';
import type { FastifyBaseLogger } from 'fastify';
import { setBounded } from '../lib/bounded-map.ts';
import type { Surroundings } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';
import { endWith } from '../lib/end-with.ts';
import type { Network } from '../networks/network.ts';
import { readsAccounts } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import type { AskingStore, Inspectors } from '../sources/inspected-transaction.ts';
import { storedTxId } from '../invoices/named-transaction.ts';
import type { NewRequest } from '../invoices/named-transaction-sql.ts';
import { createCheckTurns } from './check-turns.ts';
import type { CheckoutFacts } from './checkout-facts-sql.ts';
import { BudgetError } from './inspection-budget.ts';
import type { Found, Heads } from './transaction-verdict.ts';
import { askedNetworks, isClaim, judgeElsewhere, judgeQuoted, judgeUnasked, NOTHING } from './transaction-verdict.ts';

/** Answers "I have paid": explains a transaction by asking nodes, and makes a worker read a possible payment. */

export type CheckTransaction = (
  facts: CheckoutFacts,
  named: { text: string; around: Surroundings },
  log: FastifyBaseLogger,
) => Promise<TransactionCheck>;

const TIMEOUT_MS = 5_000;
/** A check may need two calls within its time. */
const QUESTION_TIMEOUT_MS = 2_000;
const KEPT_MS = 5_000;
const MAX_KEPT = 1_000;

/** A pasted hash: alone, without 0x, or in an explorer URL. */
const EVM_HASH = /(?:^|[^0-9a-f])(?:0x)?([0-9a-f]{64})(?![0-9a-f])/i;
const SOLANA_SIGNATURE = /(?:^|[^0-9A-Za-z])([1-9A-HJ-NP-Za-km-z]{86,88})(?![0-9A-Za-z])/;

type TransactionId = { kind: 'hash' | 'signature'; id: string };

export function readTransactionId(text: string): TransactionId | undefined {
  const signature = SOLANA_SIGNATURE.exec(text)?.[1];
  if (signature !== undefined) return { kind: 'signature', id: signature };
  const hash = EVM_HASH.exec(text)?.[1]?.toLowerCase();
  return hash === undefined ? undefined : { kind: 'hash', id: `0x${hash}` };
}

function namesOn(network: Network, { kind }: TransactionId): boolean {
  return (network.family === 'solana') === (kind === 'signature');
}

const tookTooLong = () => new Error('The node took too long.');

type CheckOptions = {
  networks: Networks;
  inspect: Inspectors;
  clock: Clock;
  steadyClock: Clock;
  readHeads: () => Promise<Heads>;
  /** Requests that a worker read a transaction; several per invoice are possible. */
  name: (request: NewRequest) => Promise<unknown>;
};

/** Failures are only logged: a later check requests again. */
async function leaveRequests(
  name: CheckOptions['name'],
  facts: CheckoutFacts,
  found: readonly Found[],
  named: TransactionId,
  log: FastifyBaseLogger,
): Promise<void> {
  for (const one of found.filter((each) => isClaim(facts, each))) {
    const isRead = readsAccounts(one.network);
    const txId = isRead ? named.id : storedTxId(one.network, named.id);
    if (txId === undefined) continue;
    const request = { invoiceId: facts.id, storeId: facts.storeId, network: one.network.id, txId, isRead };
    await name(request).catch((cause: unknown) => log.error({ err: cause }, 'a submitted transaction was not stored'));
  }
}

/** Asks a node until `endsAtMs`; `unavailable` when it cannot be asked or does not answer. */
async function inspectOn(
  { inspect, steadyClock }: CheckOptions,
  { network, id, store }: { network: Network; id: string; store: AskingStore },
  endsAtMs: number,
  log: FastifyBaseLogger,
): Promise<Found> {
  const ask = inspect.get(network.id);
  const leftMs = endsAtMs - steadyClock.nowMs();
  if (!ask || leftMs <= 0) return { network, transaction: 'unavailable' };
  try {
    const asked = ask(id, Math.min(QUESTION_TIMEOUT_MS, leftMs), store);
    return { network, transaction: await endWith(AbortSignal.timeout(Math.ceil(leftMs)), asked, tookTooLong) };
  } catch (cause) {
    const level = cause instanceof BudgetError ? 'debug' : 'warn';
    log[level]({ err: cause, network: network.id }, 'a transaction could not be inspected');
    return { network, transaction: 'unavailable' };
  }
}

/** Asks the quoted networks and, when none knows the transaction, the store's other networks. */
async function look(
  options: CheckOptions,
  facts: CheckoutFacts,
  named: TransactionId,
  log: FastifyBaseLogger,
): Promise<TransactionCheck> {
  const endsAtMs = options.steadyClock.nowMs() + TIMEOUT_MS;
  const lookOn = (networks: readonly Network[]) => {
    const possible = networks.filter((network) => namesOn(network, named));
    const { storeId, merchantAccountId } = facts;
    const asked = { id: named.id, store: { storeId, merchantAccountId } };
    return Promise.all(possible.map((network) => inspectOn(options, { network, ...asked }, endsAtMs, log)));
  };
  const { quoted, others } = askedNetworks(options.networks, facts);
  const found = await lookOn(quoted);
  await leaveRequests(options.name, facts, found, named, log);
  const judged = judgeQuoted(facts, found, await options.readHeads());
  if (judged) return judged;
  return judgeElsewhere(facts, await lookOn(others.filter((network) => options.inspect.has(network.id))));
}

export function createCheckTransaction(options: CheckOptions): CheckTransaction {
  const { clock, steadyClock } = options;
  const kept = new Map<string, { atMs: number; check: Promise<TransactionCheck> }>();
  const runInTurn = createCheckTurns();

  return (facts, { text, around }, log) => {
    const named = readTransactionId(text);
    if (!named) return Promise.resolve({ ...NOTHING, reason: 'malformed' });
    const unasked = judgeUnasked(facts, clock.nowMs());
    if (unasked) return Promise.resolve(unasked);
    // Status and number of quotes are part of the key: a cancel or another quote may change the answer.
    const key = `${facts.transId} ${facts.status} ${facts.quotes.length} ${named.id}`;
    const nowMs = steadyClock.nowMs();
    const present = kept.get(key);
    if (present && nowMs - present.atMs < KEPT_MS) return present.check;
    const { merchantAccountId } = facts;
    const check = runInTurn({ around, merchantAccountId }, () => look(options, facts, named, log)).then(
      (answer) => answer ?? { ...NOTHING, reason: 'unavailable' as const },
    );
    setBounded(kept, key, { atMs: nowMs, check }, MAX_KEPT);
    return check;
  };
}
