import type { MailFacts, MailTemplate } from './mail.ts';
import type { Shown } from './show-fact.ts';

/** The content of a mail before it is drawn: a subject, and blocks from top to bottom. */

export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'button'; label: string; link: string }
  | { kind: 'rows'; rows: readonly (readonly [label: string, value: string])[] }
  | { kind: 'small'; text: string };

type MailContent = { subject: string; blocks: readonly Block[] };

/** The words of one language: a function for each template, so that every language builds its own sentences. */
export type Words = {
  readonly [Template in MailTemplate]: (facts: Shown<MailFacts[Template]>) => MailContent;
};

/** The words of mails about payment methods, which each language has in a file of their own. */
export type MethodWords = Pick<Words, Extract<MailTemplate, `method${string}`>>;

/** The words of mails about restoring an account, which each language has in a file of their own. */
export type RestoreWords = Pick<Words, 'restore-requested' | 'restore-stopped' | 'account-restored'>;
/** The words of mails about what an operator did with a person's access, in a file of their own too. */
export type AccessWords = Pick<Words, 'account-disabled' | 'account-enabled' | 'staff-role-changed'>;

/** The words of mails about changes of a store, in a file of their own too. */
export type StoreWords = Pick<
  Words,
  'api-key-changed' | 'webhook-secret-changed' | 'store-switched' | 'brand-changed' | 'https-only-off'
>;

/** The words of mails about two-factor authentication, in a file of their own too. */
export type TwoFactorWords = Pick<Words, Extract<MailTemplate, `${string}two-factor${string}`>>;

const heading = (text: string): Block => ({ kind: 'heading', text });
export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const button = (label: string, link: string): Block => ({ kind: 'button', label, link });
export const rows = (...all: (readonly [label: string, value: string])[]): Block => ({ kind: 'rows', rows: all });
export const small = (text: string): Block => ({ kind: 'small', text });

/** A mail whose heading is its subject. */
export const mail = (subject: string, ...blocks: Block[]): MailContent => ({
  subject,
  blocks: [heading(subject), ...blocks],
});
