import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Logo, LogoExtension } from './logo.ts';

export type Brand = {
  displayName: string | null;
  accent: string | null;
  logoHash: string | null;
  /** The support contact for payers: an https page and an email address. */
  supportUrl: string | null;
  supportEmail: string | null;
};

/** Holds a store's brand, so that of two concurrent changes neither reverts the other. */
export async function holdBrand(tx: Tx, storeId: bigint): Promise<void> {
  await sql`insert into brands (store_id) values (${storeId}) on conflict do nothing`.execute(tx);
  await sql`select from brands where store_id = ${storeId} for no key update`.execute(tx);
}

export async function readBrand(queries: Queries | Tx, storeId: bigint): Promise<Brand> {
  const row = await queries.selectFrom('brands').selectAll().where('store_id', '=', storeId).executeTakeFirst();
  return {
    displayName: row?.display_name ?? null,
    accent: row?.accent ?? null,
    logoHash: row?.logo_hash ?? null,
    supportUrl: row?.support_url ?? null,
    supportEmail: row?.support_email ?? null,
  };
}

export async function upsertBrand(tx: Tx, storeId: bigint, brand: Brand): Promise<void> {
  const values = {
    display_name: brand.displayName,
    accent: brand.accent,
    logo_hash: brand.logoHash,
    support_url: brand.supportUrl,
    support_email: brand.supportEmail,
  };
  await tx
    .insertInto('brands')
    .values({ store_id: storeId, ...values })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(values))
    .execute();
}

export async function insertLogo(tx: Tx, { hash, extension, bytes }: Logo): Promise<void> {
  await tx
    .insertInto('logos')
    .values({ hash, extension, bytes })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findLogo(queries: Queries, hash: string, extension: LogoExtension): Promise<Buffer | undefined> {
  const row = await queries
    .selectFrom('logos')
    .select('bytes')
    .where('hash', '=', hash)
    .where('extension', '=', extension)
    .executeTakeFirst();
  return row?.bytes;
}

/** The file name of a logo on the checkout page, if it exists. */
export async function findLogoName(queries: Queries, hash: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select hash || '.' || extension as name from logos where hash = ${hash}`.execute(queries);
  return rows[0]?.name;
}
