import { drawResetToken, makePerson } from '../../rig/people/make-person.ts';
import { personOf } from '../../rig/people/person-of.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { drawLink } from '../../src/people/draw-link.ts';
import { insertReset } from '../../src/people/factor-reset-sql.ts';
import { insertLockLink } from '../../src/people/lock-link-sql.ts';
import { hashPassword } from '../../src/people/password.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';
import { insertSignUp } from '../../src/people/sign-up-sql.ts';
import { ROUNDS } from './beside.ts';
import type { FloodSite } from './flood-site.ts';
import { browserAt } from './flood-site.ts';
import { floodSignIns, oneAddress } from './signin-flood.ts';

/** Every kind of one-time link is used once from the very address that floods sign-in. A valid link is never refused. */

const LIFE_MS = 3_600_000;
const PASSWORD = 'a new and long word';

type Link = { path: string; body: Record<string, unknown> };

async function drawLinks(site: FloodSite, passwordHash: string): Promise<Link[]> {
  const { database } = site;
  const at = new Date(systemClock.nowMs());
  const expiresAt = new Date(at.getTime() + LIFE_MS);
  const { code, mail } = await makePerson(site);
  const { id: personId } = await personOf(database, code);
  const keep = await inTransaction(database, async (tx) => {
    const reset = { personId, requestedBy: null, reason: 'lost', effectiveAt: expiresAt };
    const factorResetId = await insertReset(tx, reset, at);
    if (factorResetId === undefined) throw new Error('A reset is open already.');
    return drawLink(tx, { subject: { purpose: 'keep-factors', personId, factorResetId }, expiresAt }, at);
  });
  const lock = drawLinkToken();
  const { merchantAccountId } = site.neighbour.store;
  const hash = hashLinkToken(lock) ?? Buffer.alloc(0);
  await insertLockLink(database.queries, { hash, personId, merchantAccountId, expiresAt }, at);
  const verify = await inTransaction(database, async (tx) => {
    const mails = { normal: `new-${mail}`, shown: `new-${mail}` };
    const signUp = { mail: mails, name: 'New', language: 'en', passwordHash } as const;
    const signUpId = await insertSignUp(tx, signUp, { at, expiresAt });
    return drawLink(tx, { subject: { purpose: 'verify', signUpId }, expiresAt }, at);
  });
  return [
    { path: '/keep-factors', body: { token: keep } },
    { path: '/lock', body: { token: lock } },
    { path: '/verify', body: { token: verify, password: PASSWORD } },
    { path: '/reset', body: { token: await drawResetToken(site, code), password: PASSWORD } },
  ];
}

/** How many valid links were refused, of how many. */
export async function countRefusedLinks(site: FloodSite, { seconds, sets }: { seconds: number; sets: number }) {
  const passwordHash = await hashPassword(PASSWORD, { known: 'rig' });
  const links: Link[] = [];
  for (let set = 0; set < sets; set += 1) links.push(...(await drawLinks(site, passwordHash)));
  const [address = ''] = oneAddress(ROUNDS);
  const flooding = floodSignIns(site, [address], seconds);
  const browser = browserAt(site, address);
  const refused: string[] = [];
  for (const { path, body } of links) {
    const { status } = await browser.send('POST', path, body);
    if (status !== 200) refused.push(`${path} ${status}`);
  }
  const told = JSON.stringify(await flooding);
  console.log(`${'links_refused'.padEnd(34)} ${refused.length} of ${links.length} valid links refused; ${told}`);
  if (refused.length > 0) console.log(`  ${refused.join(', ')}`);
  return refused.length;
}
