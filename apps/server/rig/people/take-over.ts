import type { MailedSite } from './mailed-site.ts';
import { awaitMail, tokenIn } from './mailed-site.ts';
import type { RigPerson } from './make-person.ts';

/** A thief with a user's session, at a site that sends real emails. */

type Site = Pick<MailedSite, 'database' | 'receiver'>;

/** Lets the changes that a person has made to their own account so far be more than a week old. */
export async function forgetChanges({ database }: Site, { code }: RigPerson): Promise<void> {
  await database.pool.query(
    'delete from earlier_credentials where person_id = (select id from people where code = $1)',
    [code],
  );
}

async function send({ browser }: RigPerson, path: string, body: unknown): Promise<void> {
  const { status } = await browser.send('POST', path, body);
  if (status !== 200) throw new Error(`POST ${path}: ${status}`);
}

/** Replaces a person's email address in their own session, and returns the undo link that the old address gets. */
export async function stealAddress(site: Site, person: RigPerson, stolen: string): Promise<string> {
  await send(person, '/me/email', { mail: stolen });
  const token = tokenIn(await awaitMail(site, stolen, 'Confirm your email address'));
  await send(person, '/me/email/confirm', { token });
  return tokenIn(await awaitMail(site, person.mail, 'Your email address was changed'));
}
