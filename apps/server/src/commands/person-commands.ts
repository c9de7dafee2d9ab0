import { z } from 'zod';
import { addMember } from '../people/add-member.ts';
import { createPerson } from '../people/create-person.ts';
import { ROLES } from '../people/permission.ts';
import { LANGUAGES, OPERATOR_ROLES } from '../people/person.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

/** Commands about people who sign in to the dashboard. */

const MAX_NAME = 100;
const MAX_MAIL = 254;

const personInput = z.object({
  mail: z.email('must be one mail address').max(MAX_MAIL),
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
    const { code, linkToken } = await createPerson(context, context.actor, {
      mail: { normal: mail.toLowerCase(), shown: mail },
      name,
      language,
      operatorRole: operator === 'no' ? null : operator,
    });
    return { person: code, set_password: `/reset/${linkToken}`, days: 7 };
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
  summary: 'Make a person a member of a merchant. Audited.',
  options: {
    merchant: 'NUMBER',
    person: 'PER-...',
    role: 'owner|admin|developer|finance|viewer',
  },
  input: memberInput,
  run: async (context, { merchant, person, role }) => {
    await addMember(context, context.actor, { merchantAccountId: merchant, personCode: person, role });
    return { merchant, person, role };
  },
});

export const personCommands = [personCreate, memberAdd];
