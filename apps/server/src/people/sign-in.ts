import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { clientSurroundings } from '../lib/client-address.ts';
import { Refusal } from '../lib/refusal.ts';
import { applyFactorReset } from './apply-factor-reset.ts';
import { knownDevice, requireSignedIn, requireSignIn } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import { endPresentSession } from './end-session.ts';
import { countRecoveryCodes } from './factor-sql.ts';
import { noteSignIn } from './note-sign-in.ts';
import { openSession } from './open-session.ts';
import { hashPassword, isPassword, needsNewHash, NOBODYS_HASH } from './password.ts';
import type { PeopleContext } from './people-context.ts';
import type { KnownPerson } from './person-sql.ts';
import { findPersonByMail, lockPerson, readPerson, savePassword } from './person-sql.ts';
import { returnIfBusy } from './return-if-busy.ts';
import { mailMark } from './security-event.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

type SignInInput = {
  mailNormal: string;
  password: string;
  /** The token of the browser's present session, which ends. */
  present?: string | undefined;
};

/** The two-factor methods that a user can complete a sign-in with. */
type OwnMethods = { totp: boolean; passkey: boolean; recovery: boolean };

type SignedIn = {
  token: string;
  /** Whether the session is unusable until two-factor is completed. */
  half: boolean;
  methods: OwnMethods;
};

async function openIfUnchanged(
  context: PeopleContext,
  actor: Visitor,
  { id, passwordHash, password, present }: Pick<KnownPerson, 'id' | 'passwordHash'> & Omit<SignInInput, 'mailNormal'>,
): Promise<SignedIn | undefined> {
  const { database, clock } = context;
  const own = { known: String(id) };
  const renewed = passwordHash !== null && needsNewHash(passwordHash) ? await hashPassword(password, own) : undefined;
  return inTransaction(database, async (tx) => {
    await lockPerson(tx, id);
    const person = await readPerson(tx, id);
    if (!person.admitted || person.passwordHash !== passwordHash) return undefined;
    const at = new Date(clock.nowMs());
    if (person.hasFactor) await applyFactorReset(tx, context, { personId: id, origin: actor }, at);
    const {
      hasFactor: half,
      hasTotp: totp,
      hasPasskey: passkey,
    } = person.hasFactor ? await readPerson(tx, id) : person;
    const methods = { totp, passkey, recovery: half && (await countRecoveryCodes(tx, id)) > 0 };
    if (renewed !== undefined) await savePassword(tx, id, renewed, at);
    await endPresentSession(tx, actor, present, at);
    if (!half) await noteSignIn(tx, context, { personId: id, kind: 'sign-in', origin: actor }, at);
    const session = { person, proof: 'password', half, elevated: false, origin: actor } as const;
    return { token: await openSession(tx, session, at), half, methods };
  });
}

export async function signIn(
  context: PeopleContext,
  actor: Visitor,
  { mailNormal, password, present }: SignInInput,
): Promise<SignedIn> {
  const { database, clock } = context;
  const { queries } = database;
  const device = await knownDevice(context, actor, { mailNormal });
  const reserved = await requireSignIn(queries, actor, { mailNormal, device });
  const person = await findPersonByMail(queries, mailNormal);
  const stored = person?.passwordHash ?? NOBODYS_HASH;
  const by = device ? { known: mailNormal } : { stranger: clientSurroundings(actor.address) };
  const isRight = await returnIfBusy(queries, reserved, () => isPassword(password, stored, by));
  const admitted = isRight && person?.admitted ? person : undefined;
  if (admitted) await requireSignedIn(queries, { personId: admitted.id, passwordHash: stored, device });
  const opened =
    admitted &&
    (await returnIfBusy(queries, reserved, () => openIfUnchanged(context, actor, { ...admitted, password, present })));
  if (opened) {
    await giveBackAttempts(queries, reserved);
    return opened;
  }
  const { address, agent } = actor;
  const mark = mailMark(mailNormal);
  const event = { kind: 'sign-in-refused', personId: person?.id ?? null, address, agent, mark } as const;
  await insertSecurityEvent(queries, event, new Date(clock.nowMs()));
  throw new Refusal('SIGN_IN_REFUSED');
}
