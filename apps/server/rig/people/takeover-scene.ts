import type { Role } from '@counterfoil/core/permission.ts';
import pino from 'pino';
import type { Person, Visitor } from '../../src/lib/actor.ts';
import { addMember } from '../../src/people/add-member.ts';
import { changeMember } from '../../src/people/change-member.ts';
import { resumeSession } from '../../src/people/resume-session.ts';
import { signIn } from '../../src/people/sign-in.ts';
import { storeForMember } from '../../src/stores/store-for-member.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { applyMethodChanges } from '../../src/wallets/apply-method-changes.ts';
import { lockMethodsByLink } from '../../src/wallets/lock-methods-by-link.ts';
import { unlockMethods } from '../../src/wallets/unlock-methods.ts';
import { ALICE } from '../database/key-ring-fixture.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { TestStore } from '../stores/open-store.ts';
import { nextAddress, openStore } from '../stores/open-store.ts';
import type { TakeoverRig, Victim } from './takeover-rig.ts';
import { contextFor, contextOfLink, makeVictim, tokensTo, visitor } from './takeover-rig.ts';

/** A merchant with a live store, and what thieves and owners do about the place where it receives. */

export type Scene = { rig: TakeoverRig; store: TestStore; account: string };

const WORKER = { kind: 'worker', name: 'rig' } as const;
export const PASSWORD = 'a long word of the victim';

export async function openScene(rig: TakeoverRig): Promise<Scene> {
  const store = await openStore(rig.database, { ring: rig.ring, clock: rig.clock });
  const { rows } = await rig.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    store.merchantAccountId,
  ]);
  return { rig, store, account: rows[0]?.code ?? '' };
}

/** A person with a role at the merchant. */
export async function join({ rig, store }: Scene, role: Role, options?: { hasApp: boolean }): Promise<Victim> {
  const person = await makeVictim(rig, options);
  const context = { database: rig.as('admin'), clock: rig.clock, jobs: undefined };
  const { merchantAccountId } = store;
  await addMember(context, ALICE, { merchantAccountId, personCode: person.code, role });
  return { ...person, merchantAccountId };
}

const contextOf = ({ rig }: Scene, { id }: Pick<Person, 'id'>) => ({
  ...contextFor(rig, { personId: id }),
  networks: NETWORKS,
});

/** Asks for a new address where the store receives. Returns when it takes effect. */
export async function askAddress(scene: Scene, actor: Person, network = 'ETH'): Promise<Date | undefined> {
  const context = contextOf(scene, actor);
  const asked = {
    merchantCode: scene.account,
    merchantId: scene.store.merchantId,
    permission: 'method.change',
  } as const;
  // A thief who adds a two-factor method receives its recovery codes and confirms them.
  await scene.rig.database.pool.query('update people set codes_confirmed = true where id = $1', [actor.id]);
  const store = await storeForMember(context, actor, asked);
  return (await addWallet(context, actor, { store, network, address: nextAddress() })).waiting?.effectiveAt;
}

export const removeFromTeam = (scene: Scene, actor: Person, { code: person }: Victim): Promise<void> =>
  changeMember(contextOf(scene, actor), actor, { merchantCode: scene.account, person, role: null });

export const unlock = (scene: Scene, actor: Person): Promise<void> =>
  unlockMethods(contextOf(scene, actor), actor, { merchantCode: scene.account });

/** Follows the newest link in an email to an address that stops payment-method changes. */
export async function followStopLink({ rig }: Scene, mail: string): Promise<void> {
  const token = (await tokensTo(rig, mail, 'lock')).at(-1);
  if (token === undefined) throw new Error(`${mail} has got no link that stops a change.`);
  await lockMethodsByLink(contextOfLink(rig, token), visitor(), token);
}

/** Applies what is due, as a worker does. Returns the networks where the store receives afterwards. */
export async function applyDue({ rig, store }: Scene): Promise<string[]> {
  const log = pino({ level: 'silent' });
  await applyMethodChanges({ database: rig.as('worker'), clock: rig.clock, jobs: undefined, log }, WORKER);
  const { rows } = await rig.database.pool.query<{ network: string }>(
    'select network from wallets where store_id = $1 and removed_at is null order by id',
    [store.id],
  );
  return rows.map(({ network }) => network);
}

/** A thief at an unknown network address and browser. */
export const thiefsBrowser = (): Visitor => ({ ...visitor(), agent: 'Thief', address: '198.51.100.7' });

/** Signs in by password. Returns the session; undefined when it waits for two-factor. */
export async function signInAs(
  { rig }: Scene,
  { mail: mailNormal }: Pick<Victim, 'mail'>,
  origin: Visitor,
  password = PASSWORD,
): Promise<{ token: string; person: Person | undefined }> {
  const { token } = await signIn(contextFor(rig), origin, { mailNormal, password });
  return { token, person: (await resumeSession(contextFor(rig), origin, token))?.person };
}

/** Emails that an address got, by template, oldest first. */
export async function mailsTo({ rig }: Scene, mail: string): Promise<string[]> {
  const { rows } = await rig.database.pool.query<{ template: string }>(
    'select template from mails where to_address = $1 order by id',
    [mail],
  );
  return rows.map(({ template }) => template);
}
