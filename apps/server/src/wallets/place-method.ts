import type { Tx } from '../db/transaction.ts';
import { demandHeld, saveExchangeAccount } from './exchange-account-sql.ts';
import { CHECK_EVERY_MS } from './exchange-account.ts';
import type { ExchangeParts, MethodFault, MethodPlace } from './method-change.ts';
import { claimAddress, insertWallet } from './wallet-sql.ts';

type PlacedMethod = MethodPlace & {
  storeId: bigint;
  merchantAccountId: bigint;
  exchange: (ExchangeParts & { secretId: bigint; checkedAt: Date }) | undefined;
};

type Placed = {
  /** The new wallet; undefined when only the key changed. */
  walletId: bigint | undefined;
  replaced: boolean;
};

/** Applies a payment method in the caller's transaction; an old check is repeated immediately. */
export async function placeMethod(
  tx: Tx,
  { exchange, ...place }: PlacedMethod,
  at: Date,
): Promise<Placed | { fault: MethodFault }> {
  const wallet = { ...place, at };
  if ((await claimAddress(tx, wallet)) !== place.merchantAccountId) return { fault: 'address-of-another-merchant' };
  if (!exchange) {
    const walletId = await insertWallet(tx, wallet);
    return walletId === undefined ? { fault: 'wallet-exists' } : { walletId, replaced: false };
  }
  const name = { network: place.network, account: place.address };
  const checkDueAt = exchange.checkedAt < at ? at : new Date(at.getTime() + CHECK_EVERY_MS);
  const { merchantAccountId } = place;
  const { known } = await saveExchangeAccount(tx, { ...name, ...exchange, merchantAccountId, at, checkDueAt });
  const walletId = await insertWallet(tx, wallet);
  if (known) await demandHeld(tx, name, at);
  return { walletId, replaced: known };
}
