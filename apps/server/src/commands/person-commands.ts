import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { z } from 'zod';
import { Refusal } from '../lib/refusal.ts';
import { parseMailAddress } from '../mail/mail-address.ts';
import { changeOperatorRole } from '../people/change-operator-role.ts';
import { createPerson } from '../people/create-person.ts';
import { disablePerson } from '../people/disable-person.ts';
import { enablePerson } from '../people/enable-person.ts';
import { issuePasswordLink } from '../people/issue-password-link.ts';
import { linkAddress } from '../people/link-address.ts';
import { OPERATOR_ROLES } from '../people/person.ts';
import { listPeople } from '../people/person-list-sql.ts';
import { findPersonByCode } from '../people/person-sql.ts';
import { resetFactors } from '../people/reset-factors.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import { namedPerson, reasonField, reasonOption } from './person-options.ts';

const MAX_NAME = 100;

const personInput = z.object({
  mail: z.string(),
  name: z.string().trim().min(1).max(MAX_NAME),
  language: z.enum(LANGUAGE_CODES).default('en'),
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
    return { person: code, set_password: linkAddress(context.dashboardUrl ?? '', 'reset', linkToken), days: 7 };
  },
});

const NO_MAIL_SERVER = 'no process with a mail server (COUNTERFOIL_MAIL_URL) has run in the last 7 days';

const reasonedInput = z.object({ person: z.string(), reason: reasonField });

const personResetFactors = command<OperatorContext, typeof reasonedInput>('person reset-factors', {
  summary: 'Schedule the removal of all two-factor methods of a person who has lost them, a day from now. Audited.',
  options: {
    person: 'PER-...',
    reason: 'TEXT',
  },
  input: reasonedInput,
  run: async (context, { person, reason }) => {
    const outbox = await context.outbox();
    const effectiveAt = await resetFactors(context, context.actor, { outbox, person, reason });
    const told = outbox.jobs ? 'by email' : `no one: ${NO_MAIL_SERVER}`;
    const scheduled = 'two-factor methods are removed at the first sign-in after effective_at, unless it is stopped';
    return { person, scheduled, effective_at: effectiveAt, told };
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
    return { person, set_password: linkAddress(context.dashboardUrl ?? '', 'reset', token), minutes: 60 };
  },
});

const accessInput = z.object({ person: z.string(), reason: reasonField });
const accessOptions = { person: namedPerson, reason: reasonOption };

const personDisable = command<OperatorContext, typeof accessInput>('person disable', {
  summary:
    'Shut a person out: they cannot sign in; their sessions, links, invitations and pending payment-method changes end. Audited.',
  options: accessOptions,
  input: accessInput,
  run: async (context, input) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const { person, isNew, sessions, links, invitations, changes } = await disablePerson(parts, context.actor, input);
    return { person, disabled: isNew ? 'now' : 'before', sessions, links, invitations, changes };
  },
});

const personEnable = command<OperatorContext, typeof accessInput>('person enable', {
  summary: 'Let a disabled person sign in again; what was ended stays ended. Audited.',
  options: accessOptions,
  input: accessInput,
  run: async (context, input) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const { person, isNew } = await enablePerson(parts, context.actor, input);
    return { person, enabled: isNew ? 'now' : 'before' };
  },
});

const roleInput = accessInput.extend({ role: z.enum(['none', ...OPERATOR_ROLES]) });

const personRole = command<OperatorContext, typeof roleInput>('person role', {
  summary: 'Change what a person may do as staff of this service; ends their sessions. Audited.',
  options: {
    person: namedPerson,
    role: 'none|support|operator  support only looks at all merchants, an operator changes them',
    reason: reasonOption,
  },
  input: roleInput,
  run: async (context, { person: named, role, reason: why }) => {
    const wanted = { person: named, role: role === 'none' ? null : role, reason: why };
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const { person, before, sessions } = await changeOperatorRole(parts, context.actor, wanted);
    return { person, before: before ?? 'none', role, sessions };
  },
});

const MAX_LISTED = 200;

const listInput = z.object({ name: z.string().trim().min(1).max(255).optional(), after: z.string().optional() });

const personList = command<OperatorContext, typeof listInput>('person list', {
  summary: `Users with operator role, two-factor and number of merchants, newest first, ${MAX_LISTED} at most.`,
  options: {
    name: 'TEXT          only users whose name or email address contains this',
    after: 'PER-...      next page: the last user of the page before',
  },
  input: listInput,
  run: async ({ database: { queries } }, { name, after }) => {
    const last = after === undefined ? undefined : await findPersonByCode(queries, after);
    if (after !== undefined && !last) throw new Refusal('PERSON_UNKNOWN', { person: after });
    const people = await listPeople(queries, name, { before: last?.id, limit: MAX_LISTED });
    return people.map(({ person, name: shown, mail, operatorRole, ...one }) => ({
      person,
      name: shown,
      email: mail,
      operator: operatorRole ?? 'no',
      verified: one.isVerified,
      disabled: one.isDisabled,
      two_factor: one.hasFactor,
      merchants: one.merchants,
      created_at: one.createdAt,
    }));
  },
});

export const personCommands = [
  personList,
  personCreate,
  personPasswordLink,
  personResetFactors,
  personDisable,
  personEnable,
  personRole,
];
