import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Language, OperatorRole } from './person.ts';
import { createPersonCode, drawLinkToken, hashLinkToken } from './person.ts';
import { insertLink, insertPerson } from './person-sql.ts';

type CreatePersonInput = {
  mail: { normal: string; shown: string };
  name: string;
  language: Language;
  operatorRole: OperatorRole | null;
};

type CreatedPerson = {
  code: string;
  /** The token of the link by which the person sets their first password. */
  linkToken: string;
};

const DAY_MS = 86_400_000;
/** How long the link for the first password can be followed. */
const FIRST_LINK_DAYS = 7;

/** Creates a person who can sign in once they have followed the link and set a password. */
export async function createPerson(
  { database, clock }: Context,
  actor: Actor,
  input: CreatePersonInput,
): Promise<CreatedPerson> {
  const at = new Date(clock.nowMs());
  const code = createPersonCode();
  const linkToken = drawLinkToken();
  const hash = hashLinkToken(linkToken);
  if (!hash) throw new Error('A link token has an unknown form.');
  const { mail, name, language, operatorRole } = input;
  return inTransaction(database, async (tx) => {
    const personId = await insertPerson(tx, { ...input, code }, at);
    if (personId === undefined) throw new Refusal('PERSON_EXISTS', { mail: mail.shown });
    const expiresAt = new Date(at.getTime() + FIRST_LINK_DAYS * DAY_MS);
    await insertLink(tx, { hash, purpose: 'set-password', personId, expiresAt }, at);
    await recordAudit(tx, clock, actor, {
      action: 'person.create',
      subject: `person:${code}`,
      details: { after: { mail: mail.shown, name, language, operatorRole } },
    });
    return { code, linkToken };
  });
}
