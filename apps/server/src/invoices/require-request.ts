import { isAllowed } from '@counterfoil/core/permission.ts';
import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Networks } from '../networks/networks.ts';
import { BELONGS } from '../people/membership-sql.ts';
import { coversQuote } from './attachment.ts';
import { findAskerRole, findOwnTransfer, readTopupQuotes } from './attachment-sql.ts';
import type { AttachFacts } from './inbox-sql.ts';

const PERSON = 'person:';
const PERMISSION = 'transfer.attach';

/**
 * Refuses a request that its member could no longer make when a worker performs it. A top-up requires its full amount,
 * because it is credited in full: less is for an operator to decide.
 */
export async function requireRequest(
  tx: Tx,
  { askedBy, networks }: { askedBy: string; networks: Networks },
  { network, token, units, ...facts }: AttachFacts & { network: string },
): Promise<void> {
  const { merchantAccountId, invoiceId, transferId } = facts;
  const personCode = askedBy.startsWith(PERSON) ? askedBy.slice(PERSON.length) : '';
  const role = await findAskerRole(tx, personCode, facts);
  if (role === undefined || !isAllowed(role, PERMISSION, facts.storeLive))
    throw new Refusal('NO_PERMISSION', { permission: PERMISSION });
  if (transferId === null || token === null || units === null) throw new Refusal('TRANSFER_UNKNOWN');
  const scope = { reached: BELONGS(personCode), merchantAccountId };
  if (!(await findOwnTransfer(tx, scope, transferId))) throw new Refusal('TRANSFER_UNKNOWN');
  const quotes = await readTopupQuotes(tx, invoiceId);
  if (quotes && !coversQuote(networks, { network, token, units: BigInt(units) }, quotes))
    throw new Refusal('TOPUP_NOT_COVERED');
}
