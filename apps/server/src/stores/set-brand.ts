import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Brand } from './brand-sql.ts';
import { insertLogo, readBrand, upsertBrand } from './brand-sql.ts';
import type { LogoFault } from './logo.ts';
import { MAX_LOGO_BYTES, readLogo } from './logo.ts';

/** A change of a store's brand: null clears a field; a field that is left out stays as it is. */
type BrandInput = {
  store: StoreRef;
  displayName?: string | null;
  accent?: string | null;
  logo?: Buffer | null;
};

function refuseLogo(fault: LogoFault): Refusal {
  switch (fault) {
    case 'too-large':
      return new Refusal('LOGO_TOO_LARGE', { maxBytes: MAX_LOGO_BYTES });
    case 'not-a-picture':
      return new Refusal('LOGO_NOT_A_PICTURE');
    case 'wrong-size':
      return new Refusal('LOGO_OF_WRONG_SIZE');
  }
}

/** Sets how a store looks on the checkout page. */
export async function setBrand({ database, clock }: Context, actor: Actor, input: BrandInput): Promise<Brand> {
  const { store } = input;
  const read = input.logo ? readLogo(input.logo) : undefined;
  if (read && 'fault' in read) throw refuseLogo(read.fault);
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
    await recordAudit(tx, clock, actor, { action: 'store.brand', subject, details: { before, after } });
    return after;
  });
}
