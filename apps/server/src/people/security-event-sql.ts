import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/**
 * Security events: sign-ins that succeeded or failed, and what people did to their own factors. They are no audit
 * entries, because there may be many and anybody can cause them.
 */

type SecurityEventKind =
  | 'sign-in'
  | 'sign-in-refused'
  | 'factor-refused'
  | 'step-up'
  | 'sign-out'
  | 'session-revoked'
  | 'signed-up'
  | 'password-set'
  | 'reset-asked'
  | 'address-change-asked'
  | 'address-changed'
  | 'totp-added'
  | 'totp-removed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'recovery-codes-drawn'
  | 'recovery-code-used'
  | 'factors-kept'
  | 'factors-reset';

type SecurityEvent = { kind: SecurityEventKind; personId: bigint | null; address: string; agent: string };

export async function insertSecurityEvent(queries: Queries | Tx, event: SecurityEvent, at: Date): Promise<void> {
  const { kind, personId, address, agent } = event;
  await sql`
    insert into security_events (at, person_id, kind, address, agent)
    values (${at}, ${personId}, ${kind}, ${address}, ${agent})`.execute(queries);
}
