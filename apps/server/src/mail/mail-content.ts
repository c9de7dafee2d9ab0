import type { MailFacts, MailTemplate } from './mail.ts';
import type { Shown } from './show-fact.ts';

export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'button'; label: string; link: string }
  | { kind: 'rows'; rows: readonly (readonly [label: string, value: string])[] }
  | { kind: 'small'; text: string };

type MailContent = { subject: string; blocks: readonly Block[] };

/** The texts of one language: a function per template, so that every language builds its own sentences. */
export type Words = {
  readonly [Template in MailTemplate]: (facts: Shown<MailFacts[Template]>) => MailContent;
};

export type MethodWords = Pick<Words, Extract<MailTemplate, `method${string}`>>;

export type RestoreWords = Pick<Words, 'restore-requested' | 'restore-stopped' | 'account-restored'>;
export type AccessWords = Pick<Words, 'account-disabled' | 'account-enabled' | 'staff-role-changed'>;

export type StoreWords = Pick<
  Words,
  | 'api-key-changed'
  | 'webhook-secret-changed'
  | 'webhook-endpoint-added'
  | 'store-switched'
  | 'brand-changed'
  | 'https-only-off'
  | 'payment-attached'
  | 'audit-exported'
>;

export type TwoFactorWords = Pick<Words, Extract<MailTemplate, `${string}two-factor${string}`>>;

const heading = (text: string): Block => ({ kind: 'heading', text });
export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const button = (label: string, link: string): Block => ({ kind: 'button', label, link });
export const rows = (...all: (readonly [label: string, value: string])[]): Block => ({ kind: 'rows', rows: all });
export const small = (text: string): Block => ({ kind: 'small', text });

/** An email whose heading is its subject. */
export const mail = (subject: string, ...blocks: Block[]): MailContent => ({
  subject,
  blocks: [heading(subject), ...blocks],
});
