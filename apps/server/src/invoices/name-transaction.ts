import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Network } from '../networks/network.ts';
import { findNetwork, readsAccounts } from '../networks/network.ts';
import type { NewRequest } from './named-transaction-store.ts';
import { findNameable, insertBoundedRequest, renewRequest } from './named-transaction-store.ts';

/** Leaves a request to read one transaction for one invoice. The worker reads it; whoever names it decides nothing. */

/** Of one invoice by its payer, whose page anybody may have; and of a store, while they wait. */
export const PAYER_LIMITS = { ofInvoice: 10, waitingOfStore: 200 };

const DIGITS = /^[0-9a-f]{64}$/;

/** A transaction's id as transfers of a network are stored with it; undefined for what can be none. */
export function storedTxId({ family }: Network, text: string): string | undefined {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  if (!DIGITS.test(digits)) return undefined;
  return family === 'evm' ? `0x${digits}` : digits;
}

/** False when the payer named it before, or as many as one may. */
export async function nameByPayer(database: Database, request: NewRequest): Promise<boolean> {
  return insertBoundedRequest(database.queries, 'payer', request, PAYER_LIMITS);
}

export type NamedByOperator = { transId: string; network: string; txId: string; reason: string; actor: string };

/** Without the bounds of a payer; a request that has ended is left anew. Audited. */
export async function nameByOperator(database: Database, clock: Clock, input: NamedByOperator): Promise<void> {
  const network = findNetwork(input.network);
  if (!network) throw new OperatorError(`There is no network ${input.network}.`);
  if (readsAccounts(network))
    throw new OperatorError(`Everything that reaches an account of ${network.symbol} is read: use invoice recheck.`);
  const txId = storedTxId(network, input.txId);
  if (txId === undefined) throw new OperatorError(`${input.txId} is no transaction of ${network.symbol}.`);
  const invoice = await findNameable(database.queries, input.transId);
  if (!invoice) throw new OperatorError(`There is no invoice ${input.transId}.`);
  if (!invoice.networks.includes(network.symbol))
    throw new OperatorError(`${input.transId} was never quoted on ${network.symbol}.`);
  const { invoiceId, storeId } = invoice;
  await inTransaction(database, async (tx) => {
    await renewRequest(tx, 'operator', { invoiceId, storeId, network: network.symbol, txId });
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: 'transfer.name',
      subject: `store:${storeId}`,
      details: { transId: input.transId, network: network.symbol, txId, reason: input.reason },
    });
  });
}
