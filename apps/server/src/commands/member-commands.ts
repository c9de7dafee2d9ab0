import { ROLES } from '@counterfoil/core/permission.ts';
import { z } from 'zod';
import { addMember } from '../people/add-member.ts';
import { listMembers } from '../people/membership-sql.ts';
import { removeMember } from '../people/remove-member.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import { namedPerson, reasonField, reasonOption } from './person-options.ts';

const MAX_LISTED = 500;
const merchant = z
  .string()
  .regex(/^\d{1,18}$/, 'must be a number')
  .transform(BigInt);

const memberInput = z.object({ merchant, person: z.string(), role: z.enum(ROLES) });

const memberAdd = command<OperatorContext, typeof memberInput>('member add', {
  summary: 'Make a person a member of a merchant; its owners are notified. Audited.',
  options: {
    merchant: 'NUMBER',
    person: 'PER-...',
    role: 'owner|admin|developer|finance|viewer',
  },
  input: memberInput,
  run: async (context, { merchant: merchantAccountId, person, role }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    await addMember(parts, context.actor, { merchantAccountId, personCode: person, role });
    return { merchant: merchantAccountId, person, role };
  },
});

const listInput = z.object({ merchant });

const memberList = command<OperatorContext, typeof listInput>('member list', {
  summary: 'Members of a merchant, by name.',
  options: { merchant: 'NUMBER' },
  input: listInput,
  run: async ({ database }, { merchant: merchantAccountId }) => {
    const members = await listMembers(database.queries, merchantAccountId, MAX_LISTED);
    return members.map(({ person, name, mail, role, since, hasFactor, isDisabled }) => ({
      person,
      name,
      mail,
      role,
      since,
      two_factor: hasFactor,
      disabled: isDisabled,
    }));
  },
});

const removeInput = z.object({ merchant, person: z.string(), reason: reasonField });

const memberRemove = command<OperatorContext, typeof removeInput>('member remove', {
  summary: 'Remove a member of a merchant; the member and the owners are notified. Audited.',
  options: { merchant: 'NUMBER', person: namedPerson, reason: reasonOption },
  input: removeInput,
  run: async (context, { merchant: merchantAccountId, person: named, reason: why }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const removed = { merchantAccountId, person: named, reason: why };
    const { person } = await removeMember(parts, context.actor, removed);
    return { merchant: merchantAccountId, person, removed: true };
  },
});

export const memberCommands = [memberAdd, memberList, memberRemove];
