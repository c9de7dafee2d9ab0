import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TakeoverRig } from '../../rig/people/takeover-rig.ts';
import {
  change,
  changeAddress,
  contextFor,
  contextOfLink,
  credentialsOf,
  enterAs,
  forgetChanges,
  isLocked,
  makeVictim,
  openTakeoverRig,
  replaceApp,
  tokensTo,
  visitor,
} from '../../rig/people/takeover-rig.ts';
import type { Scene } from '../../rig/people/takeover-scene.ts';
import {
  applyDue,
  askAddress,
  followStopLink,
  join,
  mailsTo,
  openScene,
  PASSWORD,
  removeFromTeam,
  signInAs,
  thiefsBrowser,
  unlock,
} from '../../rig/people/takeover-scene.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { drawLink } from '../../src/people/draw-link.ts';
import { openSession } from '../../src/people/open-session.ts';
import { requireElevated } from '../../src/people/require-elevated.ts';
import { resumeSession } from '../../src/people/resume-session.ts';
import { setPassword } from '../../src/people/set-password.ts';
import { applyDueRestores } from '../../src/takeovers/apply-due-restores.ts';
import { openUndo } from '../../src/takeovers/open-undo.ts';
import { requestRestore } from '../../src/takeovers/request-restore.ts';
import { stopRestore } from '../../src/takeovers/stop-restore.ts';

/** The stories of docs/security.md: what a thief reaches at which hour, what the victim is sent, and how it ends. */

let rig: TakeoverRig;
beforeAll(async () => {
  rig = await openTakeoverRig(inject('template'));
});
afterAll(() => rig.close());

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(rig);
});

const UNCHANGED = ['BSC'];
const refusal = (code: string) => expect.objectContaining({ code }) as unknown;

describe('a stolen session', () => {
  test('reads until it ends, and changes nothing that needs a step-up', async () => {
    const owner = await join(scene, 'owner');
    const origin = { address: '10.7.0.1', agent: 'rig' };
    const at = new Date(rig.clock.nowMs());
    const session = {
      person: { id: owner.id, operatorRole: null },
      proof: 'totp',
      half: false,
      elevated: false,
      origin,
    } as const;
    const token = await inTransaction(rig.database, (tx) => openSession(tx, session, at));
    const resume = async () => (await resumeSession(contextFor(rig), visitor(), token))?.person;
    const thief = await resume();
    if (!thief) throw new Error('The session is gone.');
    await expect(askAddress(scene, thief)).rejects.toEqual(refusal('STEP_UP_NEEDED'));
    expect(() => requireElevated(thief)).toThrow('STEP_UP_NEEDED');
    for (let hour = 1; hour < 24; hour += 1) {
      rig.pass(1);
      expect(await resume()).toMatchObject({ elevated: false });
    }
    rig.pass(1);
    expect(await resume()).toBeUndefined();
  });

  test('that is not used ends after two hours', async () => {
    const { person, token } = await signInAs(scene, await join(scene, 'owner', { hasApp: false }), visitor());
    expect(person).toBeDefined();
    rig.pass(2);
    expect(await resumeSession(contextFor(rig), visitor(), token)).toBeUndefined();
  });
});

describe('a stolen elevated session', () => {
  test('of an owner asks for a new address, which another owner stops in the last hour', async () => {
    const [victim, other] = [await join(scene, 'owner'), await join(scene, 'owner')];
    const thief = await enterAs(rig, victim);
    const effectiveAt = await askAddress(scene, thief);
    expect((effectiveAt?.getTime() ?? 0) - rig.clock.nowMs()).toBe(24 * 3_600_000);
    for (const owner of [victim, other]) expect(await mailsTo(scene, owner.mail)).toContain('method-change-requested');
    rig.pass(23.9);
    expect(await applyDue(scene)).toEqual(UNCHANGED);
    await followStopLink(scene, other.mail);
    rig.pass(0.2);
    expect(await applyDue(scene)).toEqual(UNCHANGED);
    expect(await mailsTo(scene, victim.mail)).toContain('methods-locked');
  });

  test('of the only owner is stopped by that owner, without signing in', async () => {
    const victim = await join(scene, 'owner');
    await askAddress(scene, await enterAs(rig, victim));
    rig.pass(20);
    await followStopLink(scene, victim.mail);
    rig.pass(10);
    expect(await applyDue(scene)).toEqual(UNCHANGED);
  });

  test('has its way after a day when nobody reads the emails', async () => {
    await askAddress(scene, await enterAs(rig, await join(scene, 'owner')));
    rig.pass(24);
    expect(await applyDue(scene)).toEqual([...UNCHANGED, 'ETH']);
  });
});

describe('a stolen password', () => {
  test('of a user with two-factor authentication opens nothing', async () => {
    const { person } = await signInAs(scene, await join(scene, 'owner'), thiefsBrowser());
    expect(person).toBeUndefined();
  });

  test('of a user without it signs in, is reported, and moves no money', async () => {
    const victim = await join(scene, 'owner', { hasApp: false });
    await signInAs(scene, victim, visitor());
    const { person: thief } = await signInAs(scene, victim, thiefsBrowser());
    if (!thief) throw new Error('The thief is not signed in.');
    expect(await mailsTo(scene, victim.mail)).toEqual(['new-sign-in']);
    await expect(askAddress(scene, { ...thief, elevated: true })).rejects.toEqual(refusal('FACTOR_NEEDED'));
  });

  test('reaches nothing of a merchant that requires two-factor authentication, until a method is set up and reported', async () => {
    const victim = await join(scene, 'admin', { hasApp: false });
    await rig.database.pool.query('update merchants set two_factor_required = true where id = $1', [
      scene.store.merchantAccountId,
    ]);
    const { person: thief } = await signInAs(scene, victim, thiefsBrowser());
    if (!thief) throw new Error('The thief is not signed in.');
    await expect(askAddress(scene, { ...thief, elevated: true })).rejects.toEqual(refusal('TWO_FACTOR_REQUIRED'));
    await replaceApp(rig, { ...thief, elevated: true });
    expect(await mailsTo(scene, victim.mail)).toContain('factor-added');
    expect(await tokensTo(rig, victim.mail, 'undo')).toHaveLength(1);
  });
});

/** Sets a new password by a link that was emailed. */
async function reset(id: bigint): Promise<void> {
  const at = new Date(rig.clock.nowMs());
  const subject = { purpose: 'set-password', personId: id } as const;
  const expiresAt = new Date(at.getTime() + 3_600_000);
  const token = await drawLink(rig.database.queries, { subject, expiresAt }, at);
  await setPassword(contextOfLink(rig, token), thiefsBrowser(), { token, password: 'a long word of the thief' });
}

describe('whoever reads the current mailbox', () => {
  test('sets a new password and is not signed in without the two-factor method', async () => {
    const victim = await join(scene, 'owner');
    await reset(victim.id);
    expect(await mailsTo(scene, victim.mail)).toContain('password-changed');
    const { person } = await signInAs(scene, victim, thiefsBrowser(), 'a long word of the thief');
    expect(person).toBeUndefined();
    await expect(signInAs(scene, victim, visitor(), PASSWORD)).rejects.toEqual(refusal('SIGN_IN_REFUSED'));
  });

  test('of a user without two-factor authentication asks for a new address, which another owner stops', async () => {
    const [victim, other] = [await join(scene, 'owner', { hasApp: false }), await join(scene, 'owner')];
    await reset(victim.id);
    const { person: thief } = await signInAs(scene, victim, thiefsBrowser(), 'a long word of the thief');
    if (!thief) throw new Error('The thief is not signed in.');
    await replaceApp(rig, { ...thief, elevated: true });
    await askAddress(scene, { ...thief, elevated: true, hasFactor: true });
    rig.pass(23);
    await followStopLink(scene, other.mail);
    rig.pass(2);
    expect(await applyDue(scene)).toEqual(UNCHANGED);
  });
});

const applyRestores = () =>
  applyDueRestores({ ...contextFor(rig), database: rig.as('dashboard') }, { kind: 'worker', name: 'dashboard' });

test('whoever reads an old mailbox ends sessions for a week, and restores nothing that the user stops', async () => {
  const victim = await makeVictim(rig);
  await forgetChanges(rig, victim);
  const moved = await changeAddress(rig, await enterAs(rig, victim));
  const present = await credentialsOf(rig, victim);
  const [link = ''] = await tokensTo(rig, victim.mail, 'undo');
  rig.pass(24);
  const opened = await openUndo(contextOfLink(rig, link), visitor(), link);
  expect(opened).toMatchObject({ mail: victim.mail });
  await requestRestore(contextOfLink(rig, link), visitor(), link);
  rig.pass(23);
  const [stop = ''] = await tokensTo(rig, moved, 'undo/stop');
  await stopRestore(contextOfLink(rig, stop), visitor(), stop);
  rig.pass(2);
  await applyRestores();
  expect(await credentialsOf(rig, victim)).toEqual(present);
  rig.pass(7 * 24);
  await expect(openUndo(contextOfLink(rig, link), visitor(), link)).rejects.toEqual(refusal('LINK_INVALID'));
});

test('a restore of a user without access to a merchant locks its payment methods', async () => {
  const [owner, victim] = [await join(scene, 'owner'), await join(scene, 'admin', { hasApp: false })];
  await rig.database.pool.query('update merchants set two_factor_required = true where id = $1', [
    scene.store.merchantAccountId,
  ]);
  await change(rig, await enterAs(rig, victim), 'password');
  const [link = ''] = await tokensTo(rig, victim.mail, 'undo');
  await requestRestore(contextOfLink(rig, link), visitor(), link);
  expect(await isLocked(rig, victim)).toBe(true);
  rig.pass(23);
  await unlock(scene, await enterAs(rig, owner));
  rig.pass(1);
  await applyRestores();
  expect(await isLocked(rig, victim)).toBe(true);
});

test('a restore to a time without a two-factor method is reported to the owners of a merchant that requires one', async () => {
  const [owner, victim] = [await join(scene, 'owner'), await join(scene, 'admin', { hasApp: false })];
  await rig.database.pool.query('update merchants set two_factor_required = true where id = $1', [
    scene.store.merchantAccountId,
  ]);
  await forgetChanges(rig, victim);
  await replaceApp(rig, await enterAs(rig, victim));
  const [link = ''] = await tokensTo(rig, victim.mail, 'undo');
  await requestRestore(contextOfLink(rig, link), visitor(), link);
  rig.pass(24);
  expect(await mailsTo(scene, owner.mail)).not.toContain('member-without-two-factor');
  await applyRestores();
  expect(await mailsTo(scene, owner.mail)).toContain('member-without-two-factor');
});

test('a malicious admin asks for a new address, and can neither remove the owner who stops it nor unlock', async () => {
  const [owner, admin] = [await join(scene, 'owner'), await join(scene, 'admin')];
  const thief = await enterAs(rig, admin);
  await askAddress(scene, thief);
  await expect(removeFromTeam(scene, thief, owner)).rejects.toEqual(refusal('ROLE_TOO_HIGH'));
  rig.pass(23);
  await followStopLink(scene, owner.mail);
  await expect(unlock(scene, thief)).rejects.toEqual(refusal('NO_PERMISSION'));
  rig.pass(2);
  expect(await applyDue(scene)).toEqual(UNCHANGED);
  await removeFromTeam(scene, await enterAs(rig, owner), admin);
  await expect(askAddress(scene, thief)).rejects.toEqual(refusal('STORE_UNKNOWN'));
});

test('a malicious owner can neither remove the other owner while a change is pending nor unlock for a day', async () => {
  const [owner, thiefs] = [await join(scene, 'owner'), await join(scene, 'owner')];
  const thief = await enterAs(rig, thiefs);
  await askAddress(scene, thief);
  await expect(removeFromTeam(scene, thief, owner)).rejects.toEqual(refusal('OWNER_NEEDED'));
  rig.pass(23);
  await followStopLink(scene, owner.mail);
  await expect(unlock(scene, thief)).rejects.toEqual(refusal('UNLOCK_BY_REQUESTER'));
  rig.pass(2);
  expect(await applyDue(scene)).toEqual(UNCHANGED);
  await removeFromTeam(scene, await enterAs(rig, owner), thiefs);
  await expect(askAddress(scene, thief)).rejects.toEqual(refusal('STORE_UNKNOWN'));
});

test('an owner who is removed before the request is sent the link, and stops the change', async () => {
  const [owner, thiefs] = [await join(scene, 'owner'), await join(scene, 'owner')];
  const thief = await enterAs(rig, thiefs);
  await removeFromTeam(scene, thief, owner);
  expect(await mailsTo(scene, owner.mail)).toContain('membership-ended');
  rig.pass(6 * 24);
  await askAddress(scene, await enterAs(rig, thiefs));
  expect(await mailsTo(scene, owner.mail)).toContain('method-change-requested');
  rig.pass(23);
  await followStopLink(scene, owner.mail);
  rig.pass(2);
  expect(await applyDue(scene)).toEqual(UNCHANGED);
});
