import type { Tx } from '../db/transaction.ts';
import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { parseMailAddress } from '../mail/mail-address.ts';
import type { KnownPerson } from './person-sql.ts';
import { findPersonByCode, findPersonByMail } from './person-sql.ts';

export async function requirePerson(queries: Queries | Tx, named: string): Promise<KnownPerson> {
  const mail = parseMailAddress(named);
  const person = mail ? await findPersonByMail(queries, mail.normal) : await findPersonByCode(queries, named);
  if (!person) throw new Refusal('PERSON_UNKNOWN', { person: named });
  return person;
}
