import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MerchantAccount } from './merchant-account-sql.ts';
import { findMerchantAccount } from './merchant-account-sql.ts';

export async function requireMerchant(queries: Queries, named: string): Promise<MerchantAccount> {
  const merchant = await findMerchantAccount(queries, named);
  if (!merchant) throw new Refusal('MERCHANT_UNKNOWN', { merchant: named });
  return merchant;
}
