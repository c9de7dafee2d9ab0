import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { readsAccounts } from '../networks/network.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { storedTxId } from './named-transaction.ts';
import { findNameable, renewRequest } from './named-transaction-sql.ts';

type NameTransactionInput = { transId: string; network: string; txId: string; reason: string };

/** Requests a read of a transaction as an operator, without payers' limits and repeatedly; decides nothing. */
export async function nameTransaction(
  { database, clock, networks }: NetworksContext,
  actor: Actor,
  { transId, network: symbol, txId: written, reason }: NameTransactionInput,
): Promise<void> {
  const network = networks.get(symbol);
  if (!network) throw new Refusal('NETWORK_UNKNOWN', { network: symbol });
  if (readsAccounts(network)) throw new Refusal('TRANSACTION_READ_BY_ACCOUNT', { network: symbol });
  const txId = storedTxId(network, written);
  if (txId === undefined) throw new Refusal('TRANSACTION_INVALID', { network: symbol, txId: written });
  const invoice = await findNameable(database.queries, transId);
  if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
  if (!invoice.networks.includes(symbol)) throw new Refusal('NETWORK_NOT_QUOTED', { transId, network: symbol });
  const { invoiceId, storeId } = invoice;
  await inTransaction(database, async (tx) => {
    await renewRequest(tx, 'operator', { invoiceId, storeId, network: symbol, txId });
    await recordAudit(tx, clock, actor, {
      action: 'transfer.name',
      subject: `invoice:${transId}`,
      details: { transId, network: symbol, txId, reason },
    });
  });
}
