import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { normalizeAddress } from '../networks/address.ts';
import { findNetwork, NETWORKS } from '../networks/network.ts';
import { findStore } from '../stores/store-store.ts';
import { claimAddress, insertWallet } from './wallet-store.ts';

export type AddWalletInput = { merchantId: string; network: string; address: string; actor: string };

/** Lets a store receive on a network at an address. An address belongs to one merchant. */
export async function addWallet(database: Database, clock: Clock, input: AddWalletInput): Promise<{ address: string }> {
  const store = await findStore(database.queries, input.merchantId);
  if (!store) throw new OperatorError(`There is no store ${input.merchantId}.`);
  if (!store.live) throw new OperatorError(`${input.merchantId} is a test store: it receives on no live network.`);
  const network = findNetwork(input.network);
  if (!network)
    throw new OperatorError(
      `There is no network ${input.network}. Known: ${NETWORKS.map((one) => one.symbol).join(', ')}.`,
    );
  const address = normalizeAddress(network.family, input.address);
  if (!address) throw new OperatorError(`${input.address} is not an address of ${network.name}.`);
  const wallet = {
    storeId: store.id,
    merchantAccountId: store.merchantAccountId,
    network: network.symbol,
    family: network.family,
    address,
    at: new Date(clock.nowMs()),
  };
  return inTransaction(database, async (tx) => {
    if ((await claimAddress(tx, wallet)) !== store.merchantAccountId) {
      throw new OperatorError(`${address} belongs to another merchant.`);
    }
    if (!(await insertWallet(tx, wallet)))
      throw new OperatorError(`The store receives on ${network.symbol} at ${address} already.`);
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: 'wallet.add',
      subject: `store:${store.id}`,
      details: { after: { network: network.symbol, address } },
    });
    return { address };
  });
}
