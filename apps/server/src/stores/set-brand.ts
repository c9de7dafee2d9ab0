import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Brand } from './brand-store.ts';
import { insertLogo, readBrand, upsertBrand } from './brand-store.ts';
import type { LogoFault } from './logo.ts';
import { MAX_LOGO_BYTES, readLogo } from './logo.ts';
import { findStore } from './store-store.ts';

/** null takes back; what is left out stays. */
export type BrandInput = {
  merchantId: string;
  displayName?: string | null;
  accent?: string | null;
  logo?: Buffer | null;
  actor: string;
};

const FAULTS: Record<LogoFault, string> = {
  'too-large': `A logo may have at most ${MAX_LOGO_BYTES} bytes.`,
  'not-a-picture': 'A logo must be a PNG, JPEG or WebP picture.',
  'wrong-size': 'A logo must be 16 to 1024 pixels wide and high.',
};

/** How a store looks to its customers. */
export async function setBrand(database: Database, clock: Clock, input: BrandInput): Promise<Brand> {
  const store = await findStore(database.queries, input.merchantId);
  if (!store) throw new OperatorError(`There is no store ${input.merchantId}.`);
  const read = input.logo ? readLogo(input.logo) : undefined;
  if (read && 'fault' in read) throw new OperatorError(FAULTS[read.fault]);
  return inTransaction(database, async (tx) => {
    const before = await readBrand(tx, store.id);
    const after: Brand = {
      displayName: input.displayName === undefined ? before.displayName : input.displayName,
      accent: input.accent === undefined ? before.accent : input.accent,
      logoHash: input.logo === undefined ? before.logoHash : (read?.logo.hash ?? null),
    };
    if (read) await insertLogo(tx, read.logo);
    await upsertBrand(tx, store.id, after);
    const subject = `store:${store.id}`;
    await recordAudit(tx, clock, { actor: input.actor, action: 'store.brand', subject, details: { before, after } });
    return after;
  });
}
