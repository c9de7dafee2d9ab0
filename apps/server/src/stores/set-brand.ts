import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { requireRepeatable, requireSetting, requireStored } from '../people/attempt.ts';
import { requireElevated } from '../people/require-elevated.ts';
import type { Brand } from './brand-sql.ts';
import { holdBrand, insertLogo, readBrand, upsertBrand } from './brand-sql.ts';
import type { LogoFault } from './logo.ts';
import { isSupportMail, isSupportUrl, MAX_SUPPORT_URL } from './contact.ts';
import { MAX_LOGO_BYTES, readLogo } from './logo.ts';
import { tellOwners } from './tell-owners.ts';

/** A change of brand: null clears a field; undefined ones do not change. */
type BrandInput = {
  store: StoreRef;
  displayName?: string | null;
  accent?: string | null;
  logo?: Buffer | null;
  supportUrl?: string | null;
  supportEmail?: string | null;
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

function requireContact({ supportUrl, supportEmail }: BrandInput): void {
  if (typeof supportUrl === 'string' && !isSupportUrl(supportUrl))
    throw new Refusal('SUPPORT_URL_UNFIT', { maxCharacters: MAX_SUPPORT_URL });
  if (typeof supportEmail === 'string' && !isSupportMail(supportEmail)) throw new Refusal('SUPPORT_MAIL_UNFIT');
}

/** The new value, or the present one if undefined. */
const changed = <Value>(next: Value | undefined, before: Value): Value => (next === undefined ? before : next);

const isSameLook = (left: Brand, right: Brand) =>
  left.displayName === right.displayName && left.accent === right.accent && left.logoHash === right.logoHash;

const isSameContact = (left: Brand, right: Brand) =>
  left.supportUrl === right.supportUrl && left.supportEmail === right.supportEmail;

/** Sets branding and support contact. Customers follow it: requires a step-up and notifies the owners. */
export async function setBrand(
  { database, clock, jobs }: MailContext,
  actor: Actor,
  input: BrandInput,
): Promise<Brand> {
  const { store } = input;
  if (actor.kind === 'person') requireElevated(actor);
  await requireSetting(database.queries, actor);
  const read = input.logo ? readLogo(input.logo) : undefined;
  if (read && 'fault' in read) throw refuseLogo(read.fault);
  requireContact(input);
  if (read && actor.kind === 'person') await requireStored(database.queries, actor.id);
  return inTransaction(database, async (tx) => {
    await holdBrand(tx, store.id);
    const before = await readBrand(tx, store.id);
    const after: Brand = {
      displayName: changed(input.displayName, before.displayName),
      accent: changed(input.accent, before.accent),
      logoHash: input.logo === undefined ? before.logoHash : (read?.logo.hash ?? null),
      supportUrl: changed(input.supportUrl, before.supportUrl),
      supportEmail: changed(input.supportEmail, before.supportEmail),
    };
    const hasNewContact = !isSameContact(before, after);
    const { merchantAccountId } = store;
    // Each is told in an email of its own: among many harmless changes, a thief's contact would be read too late.
    if (hasNewContact && actor.kind === 'person')
      await requireRepeatable(tx, 'contact', { person: actor.code, merchantAccountId });
    if (read) await insertLogo(tx, read.logo);
    await upsertBrand(tx, store.id, after);
    const data = { contact: hasNewContact ? 'yes' : 'no' };
    const notice = { store, template: 'brand-changed', at: new Date(clock.nowMs()), data } as const;
    if (hasNewContact || !isSameLook(before, after)) await tellOwners(tx, { clock, jobs }, actor, notice);
    const subject = `store:${store.id}`;
    await recordAudit(tx, clock, actor, { action: 'store.brand', subject, details: { before, after } });
    return after;
  });
}
