import type { Role } from '@counterfoil/core/permission.ts';

/** A two-factor method in emails; `all` when a person has lost every one. */
const MAIL_FACTORS = ['app', 'passkey', 'recovery-codes', 'all'] as const;
export type MailFactor = (typeof MAIL_FACTORS)[number];

export const isMailFactor = (text: string): text is MailFactor => MAIL_FACTORS.includes(text as MailFactor);

type StoreFacts = { merchant: string; store: string };

type MethodFacts = { merchant: string; store: string; network: string; address: string };

/** The undo link; null in an email to an address that may not undo the change. */
type UndoFacts = { link: string | null };

type StoreChangeFacts = StoreFacts & { changedBy: string; at: Date };

/** A change of a store whose email may report further ones; `more` is their number. */
type MergedStoreFacts = StoreChangeFacts & { more: number };

/** Facts of emails, loaded when sent and never stored, because of links. Only `link` may be a link. */
export type MailFacts = {
  'verify-address': { link: string; expiresAt: Date };
  invitation: { inviter: string; merchant: string; role: Role; link: string; expiresAt: Date };
  'reset-password': { link: string; expiresAt: Date };
  'password-changed': UndoFacts & { at: Date };
  'address-changed': UndoFacts & { newAddress: string; at: Date };
  'factor-added': UndoFacts & { factor: MailFactor; at: Date };
  'factor-removed': UndoFacts & { factor: MailFactor; at: Date };
  'restore-requested': { effectiveAt: Date; link: string };
  'restore-stopped': { at: Date };
  'account-restored': { at: Date };
  'factors-reset-requested': { requestedBy: string; effectiveAt: Date; link: string };
  'member-factors-reset': { person: string; requestedBy: string; effectiveAt: Date; link: string };
  'recovery-code-used': { at: Date; left: number };
  'new-sign-in': { browser: string; ip: string; at: Date };
  'role-changed': { merchant: string; changedBy: string; role: Role };
  'team-changed': {
    merchant: string;
    member: string;
    role: Role | null;
    changedBy: string;
    at: Date;
    /** How many more changes the email covers. */
    more: number;
  };
  'method-change-requested': MethodFacts & { requestedBy: string; effectiveAt: Date; link: string };
  'method-change-cancelled': MethodFacts & { cancelledBy: string; at: Date };
  'method-changed': MethodFacts & { at: Date };
  'method-delay-changed': { merchant: string; hours: number; from: Date };
  'method-removed': MethodFacts & { removedBy: string; at: Date };
  'methods-locked': { merchant: string; lockedBy: string; at: Date };
  'methods-unlocked': { merchant: string; unlockedBy: string; at: Date };
  'api-key-changed': StoreChangeFacts & { hint: string; oldEndsAt: Date };
  /** `endpoint`: code of the webhook endpoint whose secret it is; null for the store's own. */
  'webhook-secret-changed': StoreChangeFacts & { oldEndsAt: Date; endpoint: string | null };
  'webhook-endpoint-added': StoreChangeFacts & { url: string };
  'store-switched': MergedStoreFacts & { active: boolean };
  'brand-changed': MergedStoreFacts & { contact: boolean };
  'https-only-off': MergedStoreFacts;
  'payment-attached': MergedStoreFacts & { invoice: string };
  'audit-exported': { merchant: string; changedBy: string; at: Date };
  'operator-view': { merchant: string; operator: string; reason: string; until: Date };
  'account-disabled': { at: Date };
  'account-enabled': { at: Date };
  'staff-role-changed': {
    staffRole: 'none' | 'support' | 'operator';
    at: Date;
  };
  'two-factor-code-used-again': { at: Date };
  'two-factor-required': {
    merchant: string;
    changedBy: string;
    at: Date;
    /** Whether the reader has no access until they set it up. */
    isMissing: boolean;
    link: string;
  };
  'two-factor-optional': { merchant: string; changedBy: string; at: Date };
  'member-without-two-factor': { merchant: string; member: string; at: Date };
  'membership-ended': { merchant: string; changedBy: string; at: Date };
  'low-balance': StoreFacts & { amount: string };
  'endpoint-failing': StoreFacts & { host: string; since: Date; isLong: boolean };
  'endpoint-back': StoreFacts & { host: string; at: Date };
  'unmatched-money': { merchant: string; count: number; at: Date };
  'payment-claimed': StoreFacts & { amount: string; order: string; link: string };
  'api-key-ending': StoreFacts & { hint: string; endsAt: Date };
  'exchange-key-ending': { merchant: string; network: string; account: string; endsAt: Date };
  'mail-test': Record<string, never>;
};

export type MailTemplate = keyof MailFacts;
export type FactsOf<Template extends MailTemplate> = MailFacts[Template];

/** Templates that can wait. All others concern access and money: they are always sent, and before these. */
export const ORDINARY_TEMPLATES: readonly MailTemplate[] = [
  'verify-address',
  'invitation',
  'role-changed',
  'team-changed',
  'membership-ended',
  'low-balance',
  'endpoint-failing',
  'endpoint-back',
  'unmatched-money',
  'payment-claimed',
  'api-key-ending',
  'exchange-key-ending',
  'mail-test',
];

export type MailData = Readonly<Record<string, string>>;

const MAX_IDS = 8;
const ID = /^[A-Za-z0-9_:-]{1,64}$/;

/** Whether data has only ids: a few short texts that can be neither addresses nor links. */
export function holdsIdsOnly(data: MailData): boolean {
  const ids = Object.entries(data).flat();
  return ids.length <= MAX_IDS * 2 && ids.every((id) => ID.test(id));
}

/**
 * `queued` until processed by a worker; `sent` when the mail server accepted it; `failed` when rejected permanently or
 * after the last attempt; `unsent` when email was not set up; `dropped` when no longer needed.
 */
export type MailState = 'queued' | 'sent' | 'failed' | 'unsent' | 'dropped';
