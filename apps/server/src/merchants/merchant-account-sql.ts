import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { MethodDelay } from './method-delay.ts';

export type MerchantAccount = MethodDelay & {
  id: bigint;
  code: string;
  name: string;
  active: boolean;
  shard: string;
  twoFactorRequired: boolean;
  lockedAt: Date | null;
  lockedBy: string | null;
  createdAt: Date;
};

const NUMBER = /^\d{1,18}$/;

export async function findMerchantAccount(queries: Queries, named: string): Promise<MerchantAccount | undefined> {
  const isNamed = NUMBER.test(named) ? sql`id = ${BigInt(named)}` : sql`code = ${named}`;
  const { rows } = await sql<MerchantAccount>`
    select id, code, name, active, shard, two_factor_required as "twoFactorRequired",
      methods_locked_at as "lockedAt", methods_locked_by as "lockedBy", change_delay_hours as "delayHours",
      shorter_delay_hours as "shorterHours", shorter_delay_at as "shorterAt", created_at as "createdAt"
    from merchants where ${isNamed}`.execute(queries);
  return rows[0];
}
