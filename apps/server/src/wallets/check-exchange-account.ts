import { raiseAlarms, raiseRarely } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { KeyFacts } from '../platforms/statement-source.ts';
import type { ExchangeAccountName } from './exchange-account.ts';
import { CHECK_EVERY_MS, findKeyFault, KEY_WARNING_MS, REFUSED_CHECK_EVERY_MS } from './exchange-account.ts';
import { findExchangeAccount, saveCheck } from './exchange-account-sql.ts';
import { openExchangeKey } from './open-exchange-key.ts';
import type { ExchangeContext } from './statement-sources.ts';
import { requireStatementSource } from './statement-sources.ts';

type CheckContext = ExchangeContext & { ring: KeyRing };

/** The result of a check; `unanswered` when the platform did not answer. */
type CheckedKey = { fault: string | null; keyExpiresAt: Date | null } | { unanswered: string };

/** Interval of warnings about a key that ends soon. */
const WARNED_EVERY_MS = 86_400_000;

/** Subject of alarms about an exchange account. */
const subjectOf = ({ network, account }: ExchangeAccountName) => `${network} ${account}`;

async function raiseKeyAlarms(
  tx: Tx,
  at: Date,
  name: ExchangeAccountName,
  found: { fault: string | null; earlierFault: string | null; keyExpiresAt: Date | null },
): Promise<void> {
  const { fault, earlierFault, keyExpiresAt } = found;
  const subject = subjectOf(name);
  if (fault !== null && fault !== earlierFault)
    await raiseAlarms(tx, at, [{ kind: 'exchange-key-refused', subject, details: { fault } }]);
  if (keyExpiresAt === null || keyExpiresAt.getTime() >= at.getTime() + KEY_WARNING_MS) return;
  const details = { keyExpiresAt: keyExpiresAt.toISOString() };
  await raiseRarely(tx, at, { kind: 'exchange-key-ends', subject, details }, WARNED_EVERY_MS);
}

/**
 * Checks a key with its platform and saves the result. An account with a fault is no longer offered; its open invoices
 * wait. A platform that does not answer changes nothing until the last check is a day old.
 */
export async function checkExchangeAccount(
  { database, clock, statements, ring }: CheckContext,
  _actor: Actor,
  name: ExchangeAccountName,
): Promise<CheckedKey> {
  const known = await findExchangeAccount(database.queries, name);
  if (!known || known.removedAt !== null) throw new Refusal('EXCHANGE_ACCOUNT_UNKNOWN', name);
  const key = await openExchangeKey(database.queries, ring, known);
  let facts: KeyFacts | undefined;
  let refusal: string | undefined;
  try {
    facts = await requireStatementSource(statements, name.network).readKey(key);
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    // A refusal of the key is an answer; an unreachable platform is not.
    if (cause.kind !== 'unsupported') return { unanswered: cause.message };
    refusal = cause.message;
  }
  const nowMs = clock.nowMs();
  const at = new Date(nowMs);
  const fault = facts ? (findKeyFault(facts, name.account, nowMs) ?? null) : `refused: ${refusal}`;
  const keyExpiresAt = facts?.expiresAtMs === undefined ? null : new Date(facts.expiresAtMs);
  const nextAt = new Date(nowMs + (facts ? CHECK_EVERY_MS : REFUSED_CHECK_EVERY_MS));
  await inTransaction(database, async (tx) => {
    const result = { at, nextAt, fault, ...(facts && { keyExpiresAt }) };
    const saved = await saveCheck(tx, name, known.secretId, result);
    if (saved) await raiseKeyAlarms(tx, at, name, { fault, earlierFault: saved.earlierFault, keyExpiresAt });
  });
  return { fault, keyExpiresAt };
}
