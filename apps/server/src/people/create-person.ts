import type { Language } from '@counterfoil/core/language.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { drawLink, LINK_MS } from './draw-link.ts';
import type { OperatorRole } from './person.ts';
import { createPersonCode } from './person.ts';
import { insertPerson } from './person-sql.ts';

type CreatePersonInput = {
  mail: { normal: string; shown: string };
  name: string;
  language: Language;
  operatorRole: OperatorRole | null;
};

type CreatedPerson = {
  code: string;
  linkToken: string;
};

export async function createPerson(
  { database, clock }: Context,
  actor: Operator,
  input: CreatePersonInput,
): Promise<CreatedPerson> {
  const at = new Date(clock.nowMs());
  const code = createPersonCode();
  const { mail, name, language, operatorRole } = input;
  return inTransaction(database, async (tx) => {
    const personId = await insertPerson(tx, { ...input, code }, at);
    if (personId === undefined) throw new Refusal('PERSON_EXISTS', { mail: mail.shown });
    const expiresAt = new Date(at.getTime() + LINK_MS.first);
    const linkToken = await drawLink(tx, { subject: { purpose: 'set-password', personId }, expiresAt }, at);
    await recordAudit(tx, clock, actor, {
      action: 'person.create',
      subject: `person:${code}`,
      details: { after: { mail: mail.shown, name, language, operatorRole } },
    });
    return { code, linkToken };
  });
}
