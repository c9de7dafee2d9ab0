import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Step, TakeoverRig, Victim } from '../../rig/people/takeover-rig.ts';
import {
  change,
  changeAddress,
  codeOf,
  contextFor,
  contextOfLink,
  credentialsOf,
  enterAs,
  forgetChanges,
  isLocked,
  makeVictim,
  openTakeoverRig,
  replaceApp,
  sessionsOf,
  tokensTo,
  visitor,
} from '../../rig/people/takeover-rig.ts';
import { forgetSessions } from '../../src/people/forget-sessions.ts';
import { applyDueRestores } from '../../src/takeovers/apply-due-restores.ts';
import { openUndo } from '../../src/takeovers/open-undo.ts';
import { requestRestore } from '../../src/takeovers/request-restore.ts';
import { restoreCredentials } from '../../src/takeovers/restore-credentials.ts';
import { stopRestore } from '../../src/takeovers/stop-restore.ts';

/** Takeovers that their victims undo, with real rows and the verbs of thief and victim. */

const DASHBOARD = { kind: 'worker', name: 'dashboard' } as const;
const INVALID = { code: 'LINK_INVALID' };

let rig: TakeoverRig;
beforeAll(async () => {
  rig = await openTakeoverRig(inject('template'));
});
afterAll(() => rig.close());

/** A victim whose last own change is long ago. */
async function settledVictim(options?: { hasApp: boolean }): Promise<Victim> {
  const victim = await makeVictim(rig, options);
  await forgetChanges(rig, victim);
  return victim;
}

const open = (token: string) => openUndo(contextOfLink(rig, token), visitor(), token);
const prove = (token: string, factor: { totp: string } | { recovery: string }) =>
  restoreCredentials(contextOfLink(rig, token), visitor(), { token, factor });
const request = (token: string) => requestRestore(contextOfLink(rig, token), visitor(), token);
const stop = (token: string) => stopRestore(contextOfLink(rig, token), visitor(), token);
const applyDue = () => applyDueRestores({ ...contextFor(rig), database: rig.as('dashboard') }, DASHBOARD);

/** The first undo link that an address got. */
async function undoOf(mail: string): Promise<string> {
  const [token] = await tokensTo(rig, mail, 'undo');
  if (token === undefined) throw new Error(`${mail} has got no undo link.`);
  return token;
}

/** Every order of some steps. */
function ordersOf(steps: readonly Step[]): Step[][] {
  if (steps.length === 0) return [[]];
  return steps.flatMap((step) => ordersOf(steps.filter((one) => one !== step)).map((rest) => [step].concat(rest)));
}

const THRICE: readonly Step[] = ['address', 'password', 'app'];
/** Every order of each change once, and every series of three in which changes may be made several times. */
const SERIES: readonly Step[][] = [
  ...ordersOf(['address', 'password', 'app', 'passkey']),
  ...THRICE.flatMap((first) => THRICE.flatMap((second) => THRICE.map((third) => [first, second, third]))),
  ...THRICE.map((step): Step[] => ['codes', step, 'codes', 'address']),
];

/** Addresses whose readers are notified as former users of them. */
async function replacedAddresses({ id }: Victim): Promise<string[]> {
  const { rows } = await rig.database.pool.query<{ mail: string }>(
    'select replaced_shown as mail from address_changes where person_id = $1 and replaced_shown is not null',
    [id],
  );
  return rows.map(({ mail }) => mail);
}

/** Addresses that a thief gave to the account. */
async function addressesOfThief({ id, mail }: Victim): Promise<string[]> {
  const { rows } = await rig.database.pool.query<{ mail: string }>(
    'select distinct mail_shown as mail from address_changes where person_id = $1 and mail_shown <> $2',
    [id, mail],
  );
  return rows.map((row) => row.mail);
}

describe('a takeover is undone by the victim in every order of steps', () => {
  test.each(SERIES.map((steps, index) => [steps.join(', '), steps, index] as const))(
    '%s',
    async (_name, steps, index) => {
      const victim = await settledVictim();
      const before = await credentialsOf(rig, victim);
      const thief = await enterAs(rig, victim);
      for (const step of steps) await change(rig, thief, step);
      expect(await credentialsOf(rig, victim)).not.toEqual(before);

      const links = await tokensTo(rig, victim.mail, 'undo');
      // Any of the links that the victim got will do.
      const link = links.at(index % links.length) ?? '';
      expect(await open(link)).toEqual({
        mail: victim.mail,
        totp: true,
        passkey: steps.indexOf('passkey') !== -1 && steps.indexOf('passkey') < steps.indexOf('address'),
        recovery: true,
        effectiveAt: null,
      });
      expect(await sessionsOf(rig, victim)).toBe(0);
      expect(await isLocked(rig, victim)).toBe(true);
      await prove(link, index % 2 === 0 ? { totp: codeOf(rig, victim) } : { recovery: victim.recoveryCodes[0] ?? '' });
      expect(await credentialsOf(rig, victim)).toEqual(before);

      expect(await replacedAddresses(victim)).toEqual([]);
      // Nothing that was sent during the takeover reverses it.
      for (const token of await tokensTo(rig, victim.mail, 'undo'))
        await expect(open(token)).rejects.toMatchObject(INVALID);
      for (const token of links) await expect(open(token)).rejects.toMatchObject(INVALID);
      for (const mail of await addressesOfThief(victim)) expect(await tokensTo(rig, mail, 'undo')).toEqual([]);
    },
  );
});

async function takenOver(options?: { hasApp: boolean }) {
  const victim = await settledVictim(options);
  const before = await credentialsOf(rig, victim);
  const thief = await enterAs(rig, victim);
  await change(rig, thief, 'password');
  const stolen = await changeAddress(rig, thief);
  await change(rig, thief, 'passkey');
  return { victim, before, stolen, link: await undoOf(victim.mail) };
}

describe('a restore without an earlier two-factor method', () => {
  test('waits a day, also for a person who never had two-factor', async () => {
    const { victim, before, link } = await takenOver({ hasApp: false });
    expect(await open(link)).toMatchObject({ totp: false, recovery: false, effectiveAt: null });
    const effectiveAt = await request(link);
    expect(effectiveAt.getTime() - rig.clock.nowMs()).toBe(86_400_000);
    expect(await request(link)).toEqual(effectiveAt);
    rig.pass(23.9);
    await applyDue();
    expect(await credentialsOf(rig, victim)).not.toEqual(before);
    await enterAs(rig, victim);
    rig.pass(0.1);
    await applyDue();
    expect(await credentialsOf(rig, victim)).toEqual(before);
    expect(await sessionsOf(rig, victim)).toBe(0);
    await expect(open(link)).rejects.toMatchObject(INVALID);
  });

  test.each(['the old', 'the new'] as const)(
    'is stopped from %s address, and can be requested again',
    async (which) => {
      const { victim, before, stolen, link } = await takenOver();
      await request(link);
      const [token = ''] = await tokensTo(rig, which === 'the old' ? victim.mail : stolen, 'undo/stop');
      await stop(token);
      await expect(stop(token)).rejects.toMatchObject(INVALID);
      rig.pass(25);
      await applyDue();
      expect(await credentialsOf(rig, victim)).not.toEqual(before);
      await request(link);
      await prove(link, { totp: codeOf(rig, victim) });
      expect(await credentialsOf(rig, victim)).toEqual(before);
      // The pending restore has ended with it.
      for (const stopping of await tokensTo(rig, stolen, 'undo/stop'))
        await expect(stop(stopping)).rejects.toMatchObject(INVALID);
    },
  );

  test('is requested three times a week at most, so that nobody must stop it for ever', async () => {
    const { victim, before, stolen, link } = await takenOver();
    for (let round = 0; round < 3; round += 1) {
      await request(link);
      await stop((await tokensTo(rig, stolen, 'undo/stop')).at(-1) ?? '');
      rig.pass(25);
    }
    await expect(request(link)).rejects.toMatchObject({ code: 'TOO_MANY_RESTORES' });
    await prove(link, { totp: codeOf(rig, victim) });
    expect(await credentialsOf(rig, victim)).toEqual(before);
  });

  test('goes back to before the takeover, whatever the thief changes while it waits', async () => {
    const { victim, before, link } = await takenOver();
    await request(link);
    const again = await enterAs(rig, victim);
    for (const step of ['address', 'password', 'app', 'address'] as const) await change(rig, again, step);
    rig.pass(24);
    await applyDue();
    expect(await credentialsOf(rig, victim)).toEqual(before);
  });

  test('that was requested on the last day is applied, although the seven days are over by then', async () => {
    const { victim, before, link } = await takenOver();
    rig.pass(167);
    await request(link);
    rig.pass(24);
    await forgetSessions({ database: rig.as('dashboard'), clock: rig.clock });
    await applyDue();
    expect(await credentialsOf(rig, victim)).toEqual(before);
  });
});

describe('an undo link', () => {
  test('works for seven days; then the earlier credentials are erased', async () => {
    const victim = await settledVictim();
    await change(rig, await enterAs(rig, victim), 'password');
    const link = await undoOf(victim.mail);
    rig.pass(167.9);
    await open(link);
    rig.pass(0.2);
    await expect(open(link)).rejects.toMatchObject(INVALID);
    await forgetSessions({ database: rig.as('dashboard'), clock: rig.clock });
    const { rows } = await rig.database.pool.query('select from earlier_credentials where person_id = $1', [victim.id]);
    expect(rows).toEqual([]);
  });

  test('removes a passkey that a thief added before everything else', async () => {
    const victim = await settledVictim();
    const before = await credentialsOf(rig, victim);
    const thief = await enterAs(rig, victim);
    await change(rig, thief, 'passkey');
    await change(rig, thief, 'address');
    await prove((await tokensTo(rig, victim.mail, 'undo')).at(-1) ?? '', { totp: codeOf(rig, victim) });
    expect(await credentialsOf(rig, victim)).toEqual(before);
  });

  test('is void once another one restored the same or older credentials', async () => {
    const victim = await settledVictim();
    const thief = await enterAs(rig, victim);
    for (const step of ['password', 'app', 'address'] as const) await change(rig, thief, step);
    const links = await tokensTo(rig, victim.mail, 'undo');
    expect(links).toHaveLength(4);
    await prove(links[0] ?? '', { totp: codeOf(rig, victim) });
    for (const link of links) await expect(open(link)).rejects.toMatchObject(INVALID);
  });

  test('ends all sessions when it is opened, before anything is proven', async () => {
    const victim = await settledVictim();
    await change(rig, await enterAs(rig, victim), 'password');
    expect(await sessionsOf(rig, victim)).toBeGreaterThan(0);
    await open(await undoOf(victim.mail));
    expect(await sessionsOf(rig, victim)).toBe(0);
  });

  test('leaves no address of the thief that is notified as a former one', async () => {
    const victim = await settledVictim();
    const thief = await enterAs(rig, victim);
    for (const step of ['address', 'address', 'password'] as const) await change(rig, thief, step);
    expect(await replacedAddresses(victim)).toHaveLength(2);
    await prove(await undoOf(victim.mail), { totp: codeOf(rig, victim) });
    expect(await replacedAddresses(victim)).toEqual([]);
  });

  test('goes back to the oldest credentials that have the method which is given', async () => {
    const victim = await settledVictim({ hasApp: false });
    const app = await replaceApp(rig, await enterAs(rig, victim));
    const protectedState = await credentialsOf(rig, victim);
    const thief = await enterAs(rig, victim);
    await change(rig, thief, 'app');
    await change(rig, thief, 'address');
    const link = await undoOf(victim.mail);
    await prove(link, { totp: codeOf(rig, app) });
    expect(await credentialsOf(rig, victim)).toEqual(protectedState);
    // Older credentials are kept: restoring later ones cannot end them.
    expect(await open(link)).toMatchObject({ mail: victim.mail, totp: false });
  });

  test('is not sent to an address that the person got in the last seven days', async () => {
    const victim = await settledVictim();
    const session = await enterAs(rig, victim);
    const moved = await changeAddress(rig, session);
    await change(rig, session, 'password');
    expect(await tokensTo(rig, moved, 'undo')).toEqual([]);
    rig.pass(169);
    await change(rig, await enterAs(rig, victim), 'password');
    expect(await tokensTo(rig, moved, 'undo')).toHaveLength(1);
  });
});
