import type { TransactionCheck } from '@counterfoil/checkout/checkout-view';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import type { Network } from '../networks/network.ts';
import { NETWORKS } from '../networks/network.ts';
import type { InspectTransaction } from '../transfers/inspected-transaction.ts';
import type { CheckoutFacts } from './checkout-facts-store.ts';
import type { Found } from './transaction-check.ts';
import { judgeElsewhere, judgeQuoted, NOTHING, quotedNetworks } from './transaction-check.ts';

/** "I have paid": asks nodes about one transaction and says what it means for one invoice. It settles nothing. */

export type CheckTransaction = (
  facts: CheckoutFacts,
  text: string,
  log: FastifyBaseLogger,
) => Promise<TransactionCheck>;

const TIMEOUT_MS = 5_000;
/** Each question of a check may need two round trips; the second must still fit. */
const QUESTION_TIMEOUT_MS = 2_000;
const KEPT_MS = 5_000;
const MAX_KEPT = 1_000;
const MAX_RUNNING = 16;

/** A hash as pasted: alone, without its prefix, or in the address of an explorer. */
const EVM_HASH = /(?:^|[^0-9a-f])(?:0x)?([0-9a-f]{64})(?![0-9a-f])/i;
const SOLANA_SIGNATURE = /(?:^|[^0-9A-Za-z])([1-9A-HJ-NP-Za-km-z]{86,88})(?![0-9A-Za-z])/;

/** Hashes name transactions of EVM chains and Tron alike, signatures those of Solana. */
export type TransactionId = { kind: 'hash' | 'signature'; id: string };

export function readTransactionId(text: string): TransactionId | undefined {
  const signature = SOLANA_SIGNATURE.exec(text)?.[1];
  if (signature !== undefined) return { kind: 'signature', id: signature };
  const hash = EVM_HASH.exec(text)?.[1]?.toLowerCase();
  return hash === undefined ? undefined : { kind: 'hash', id: `0x${hash}` };
}

function namesOn(network: Network, { kind }: TransactionId): boolean {
  return (network.family === 'solana') === (kind === 'signature');
}

function withTimeout<Answer>(promise: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The node took too long.')), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function createCheckTransaction(inspect: InspectTransaction, clock: Clock): CheckTransaction {
  const kept = new Map<string, { atMs: number; check: Promise<TransactionCheck> }>();
  let running = 0;

  const lookOn = (networks: readonly Network[], named: TransactionId, endsAtMs: number, log: FastifyBaseLogger) =>
    Promise.all(
      networks
        .filter((network) => namesOn(network, named))
        .map(async (network): Promise<Found> => {
          const ask = inspect.get(network.symbol);
          const leftMs = endsAtMs - clock.nowMs();
          if (!ask || leftMs <= 0) return { network, transaction: 'unavailable' };
          try {
            const asked = ask(named.id, Math.min(QUESTION_TIMEOUT_MS, leftMs));
            return { network, transaction: await withTimeout(asked, leftMs) };
          } catch (cause) {
            log.warn({ err: cause, network: network.symbol }, 'a transaction could not be inspected');
            return { network, transaction: 'unavailable' };
          }
        }),
    );

  const look = async (
    facts: CheckoutFacts,
    named: TransactionId,
    log: FastifyBaseLogger,
  ): Promise<TransactionCheck> => {
    const endsAtMs = clock.nowMs() + TIMEOUT_MS;
    const quoted = quotedNetworks(facts);
    const judged = judgeQuoted(facts, await lookOn(quoted, named, endsAtMs, log));
    if (judged) return judged;
    const others = NETWORKS.filter((network) => !quoted.includes(network) && inspect.has(network.symbol));
    return judgeElsewhere(facts, await lookOn(others, named, endsAtMs, log));
  };

  const lookBounded = async (
    facts: CheckoutFacts,
    named: TransactionId,
    log: FastifyBaseLogger,
  ): Promise<TransactionCheck> => {
    if (running >= MAX_RUNNING) return { ...NOTHING, reason: 'unavailable' };
    running += 1;
    try {
      return await look(facts, named, log);
    } finally {
      running -= 1;
    }
  };

  return (facts, text, log) => {
    const named = readTransactionId(text);
    if (!named) return Promise.resolve({ ...NOTHING, reason: 'malformed' });
    // A quote more, and another answer may be right.
    const name = `${facts.transId} ${facts.quotes.length} ${named.id}`;
    const nowMs = clock.nowMs();
    const present = kept.get(name);
    if (present && nowMs - present.atMs < KEPT_MS) return present.check;
    if (kept.size >= MAX_KEPT) kept.clear();
    const check = lookBounded(facts, named, log);
    kept.set(name, { atMs: nowMs, check });
    return check;
  };
}
