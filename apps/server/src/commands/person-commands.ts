import { z } from 'zod';
import { Refusal } from '../lib/refusal.ts';
import { parseMailAddress } from '../mail/mail-address.ts';
import { addMember } from '../people/add-member.ts';
import { createPerson } from '../people/create-person.ts';
import { issuePasswordLink } from '../people/issue-password-link.ts';
import { ROLES } from '../people/permission.ts';
import { LANGUAGES, OPERATOR_ROLES } from '../people/person.ts';
import { resetFactors } from '../people/reset-factors.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

/** Commands about people who sign in to the dashboard. */

const MAX_NAME = 100;

const personInput = z.object({
  mail: z.string(),
  name: z.string().trim().min(1).max(MAX_NAME),
  language: z.enum(LANGUAGES).default('en'),
  operator: z.enum([...OPERATOR_ROLES, 'no']).default('no'),
});

const personCreate = command<OperatorContext, typeof personInput>('person create', {
  summary: 'Let a person sign in to the dashboard; prints the link for their password. Audited.',
  options: {
    mail: 'ADDRESS',
    name: 'NAME',
    language: 'en|es|zh|ar  of mail and pages (en)',
    operator: 'no|support|operator  support only looks at all merchants, an operator changes them (no)',
  },
  input: personInput,
  run: async (context, { mail, name, language, operator }) => {
    const address = parseMailAddress(mail);
    if (!address) throw new Refusal('MAIL_ADDRESS_INVALID', { address: mail });
    const { code, linkToken } = await createPerson(context, context.actor, {
      mail: address,
      name,
      language,
      operatorRole: operator === 'no' ? null : operator,
    });
    return { person: code, set_password: `${context.dashboardUrl ?? ''}/reset/${linkToken}`, days: 7 };
  },
});

const MAX_REASON = 300;
const NO_MAIL_SERVER = 'no process with a mail server (COUNTERFOIL_MAIL_URL) has run in the last 7 days';

const reasonedInput = z.object({ person: z.string(), reason: z.string().trim().min(1).max(MAX_REASON) });

const personResetFactors = command<OperatorContext, typeof reasonedInput>('person reset-factors', {
  summary: 'Remove all second factors of a person who has lost them, after a day in which it can be stopped. Audited.',
  options: {
    person: 'PER-...',
    reason: 'TEXT',
  },
  input: reasonedInput,
  run: async (context, { person, reason }) => {
    const outbox = await context.outbox();
    const effectiveAt = await resetFactors(context, context.actor, { outbox, person, reason });
    const told = outbox.jobs ? 'by mail' : `nobody: ${NO_MAIL_SERVER}`;
    return { person, effective_at: effectiveAt, told };
  },
});

const personPasswordLink = command<OperatorContext, typeof reasonedInput>('person password-link', {
  summary: 'Print a link for a new password, for a person who has forgotten theirs. Audited.',
  options: {
    person: 'PER-...',
    reason: 'TEXT',
  },
  input: reasonedInput,
  run: async (context, { person, reason }) => {
    const token = await issuePasswordLink(context, context.actor, { person, reason });
    return { person, set_password: `${context.dashboardUrl ?? ''}/reset/${token}`, minutes: 60 };
  },
});

const memberInput = z.object({
  merchant: z
    .string()
    .regex(/^\d{1,18}$/, 'must be a number')
    .transform(BigInt),
  person: z.string(),
  role: z.enum(ROLES),
});

const memberAdd = command<OperatorContext, typeof memberInput>('member add', {
  summary: 'Make a person a member of a merchant; its owners are told. Audited.',
  options: {
    merchant: 'NUMBER',
    person: 'PER-...',
    role: 'owner|admin|developer|finance|viewer',
  },
  input: memberInput,
  run: async (context, { merchant, person, role }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    await addMember(parts, context.actor, { merchantAccountId: merchant, personCode: person, role });
    return { merchant, person, role };
  },
});

export const personCommands = [personCreate, personPasswordLink, personResetFactors, memberAdd];
