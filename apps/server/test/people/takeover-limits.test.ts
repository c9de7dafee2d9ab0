import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { backUpRing, keepSecrets, ringContext } from '../../rig/database/key-ring-fixture.ts';
import type { TakeoverRig, Victim } from '../../rig/people/takeover-rig.ts';
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
  tokensTo,
  visitor,
} from '../../rig/people/takeover-rig.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { disablePerson } from '../../src/people/disable-person.ts';
import { MAX_KEPT } from '../../src/people/earlier-credentials.ts';
import { enablePerson } from '../../src/people/enable-person.ts';
import { stopResetByFactor } from '../../src/people/factor-reset-sql.ts';
import { keepFactors } from '../../src/people/keep-factors.ts';
import { renewRecoveryCodes } from '../../src/people/renew-recovery-codes.ts';
import { resetFactors } from '../../src/people/reset-factors.ts';
import { addRingKey } from '../../src/secrets/add-ring-key.ts';
import { resealSecrets } from '../../src/secrets/reseal-secrets.ts';
import { retireRingKey } from '../../src/secrets/retire-ring-key.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { applyDueRestores } from '../../src/takeovers/apply-due-restores.ts';
import { openUndo } from '../../src/takeovers/open-undo.ts';
import { requestRestore } from '../../src/takeovers/request-restore.ts';
import { restoreCredentials } from '../../src/takeovers/restore-credentials.ts';

/** What an undo link cannot do, attacks on it, and who can stop an operator's reset. */

const OPERATOR = { kind: 'operator', name: 'test' } as const;
const WORKER = { kind: 'worker', name: 'dashboard' } as const;
const INVALID = { code: 'LINK_INVALID' };

let rig: TakeoverRig;
beforeAll(async () => {
  rig = await openTakeoverRig(inject('template'));
});
afterAll(() => rig.close());

const operatorContext = () => ({ database: rig.as('admin'), clock: rig.clock, jobs: undefined });

/** A victim whose address and password a thief has replaced, with the victim's undo link. */
async function takenOver(): Promise<{ victim: Victim; stolen: string; token: string }> {
  const victim = await makeVictim(rig);
  await forgetChanges(rig, victim);
  const thief = await enterAs(rig, victim);
  const stolen = await changeAddress(rig, thief);
  await change(rig, thief, 'password');
  const [token = ''] = await tokensTo(rig, victim.mail, 'undo');
  return { victim, stolen, token };
}

const open = (token: string) => openUndo(contextOfLink(rig, token), visitor(), token);
const prove = (token: string, factor: { totp: string } | { recovery: string }) =>
  restoreCredentials(contextOfLink(rig, token), visitor(), { token, factor });
const applyDue = () => applyDueRestores({ ...contextFor(rig), database: rig.as('dashboard') }, WORKER);
const request = (token: string) => requestRestore(contextOfLink(rig, token), visitor(), token);

describe('an undo link', () => {
  test('restores once, also when two requests come at the same moment', async () => {
    const { victim, token } = await takenOver();
    const both = await Promise.allSettled([
      prove(token, { totp: codeOf(rig, victim) }),
      prove(token, { recovery: victim.recoveryCodes[0] ?? '' }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await credentialsOf(rig, victim)).mail.shown).toBe(victim.mail);
  });

  test('refuses a recovery code that was used before or after the change', async () => {
    const { victim, token } = await takenOver();
    const { rows } = await rig.database.pool.query<{ id: bigint }>(
      `update recovery_codes set used_at = now() where person_id = $1 and hash = sha256($2::bytea) returning person_id as id`,
      [victim.id, `${victim.id}:${(victim.recoveryCodes[0] ?? '').replace('-', '')}`],
    );
    expect(rows).toHaveLength(1);
    const used = { recovery: victim.recoveryCodes[0] ?? '' };
    await expect(prove(token, used)).rejects.toMatchObject({ code: 'FACTOR_WRONG' });
    await prove(token, { recovery: victim.recoveryCodes[1] ?? '' });
    const left = await rig.database.pool.query(
      'select from recovery_codes where person_id = $1 and used_at is not null',
      [victim.id],
    );
    expect(left.rowCount).toBe(2);
  });

  test('does not take a method of another person, nor one that was added during the takeover', async () => {
    const { victim, token } = await takenOver();
    const other = await makeVictim(rig);
    const { totpSecret } = await replaceApp(rig, await enterAs(rig, victim));
    for (const secret of [other.totpSecret, totpSecret])
      await expect(prove(token, { totp: codeOf(rig, { totpSecret: secret }) })).rejects.toMatchObject({
        code: 'FACTOR_WRONG',
      });
  });

  test('locks also a merchant from which the thief has removed the victim', async () => {
    const { victim, token } = await takenOver();
    await rig.database.pool.query(
      `with gone as (delete from memberships where person_id = $1 returning merchant_account_id)
       insert into former_owners select merchant_account_id, $1, $2 from gone`,
      [victim.id, new Date(rig.clock.nowMs())],
    );
    await open(token);
    expect(await isLocked(rig, victim)).toBe(true);
  });

  test('shows no rows of other merchants, and none without it', async () => {
    const [{ token }, other] = [await takenOver(), await makeVictim(rig)];
    await open(token);
    expect(await isLocked(rig, other)).toBe(false);
    const { queries } = contextOfLink(rig, token).database;
    const seen = await queries.selectFrom('merchants').select('id').execute();
    expect(seen).toHaveLength(1);
  });

  test('is refused when somebody else has got the earlier address, and a restore that waited for it stops', async () => {
    const { victim, token } = await takenOver();
    await request(token);
    const mail = requireMailAddress(victim.mail);
    const person = { mail, name: 'New', language: 'en', operatorRole: null } as const;
    const { code } = await createPerson(operatorContext(), OPERATOR, person);
    const taken = { code: 'ADDRESS_TAKEN' };
    await expect(prove(token, { recovery: victim.recoveryCodes[0] ?? '' })).rejects.toMatchObject(taken);
    rig.pass(24);
    await applyDue();
    expect((await open(token)).effectiveAt).toBeNull();
    await rig.database.pool.query('update people set mail_normal = $2, mail_shown = $2 where code = $1', [
      code,
      `other-${victim.mail}`,
    ]);
    await prove(token, { recovery: victim.recoveryCodes[0] ?? '' });
  });

  test('of one person that cannot be opened keeps nobody else waiting for their restore', async () => {
    const [broken, whole] = [await takenOver(), await takenOver()];
    for (const { token } of [broken, whole]) await request(token);
    await rig.database.pool.query(`update earlier_credentials set sealed = '\\x00' || sealed where person_id = $1`, [
      broken.victim.id,
    ]);
    rig.pass(24);
    await expect(applyDue()).rejects.toThrow('could not be applied');
    expect((await credentialsOf(rig, whole.victim)).mail.shown).toBe(whole.victim.mail);
    await forgetChanges(rig, broken.victim);
    await applyDue();
  });

  test('and what it has asked for end when an operator disables the person, and enabling brings neither back', async () => {
    const { victim, token } = await takenOver();
    await request(token);
    await disablePerson(operatorContext(), OPERATOR, { person: victim.code, reason: 'test' });
    await enablePerson(operatorContext(), OPERATOR, { person: victim.code, reason: 'test' });
    await expect(open(token)).rejects.toMatchObject(INVALID);
    const { rows } = await rig.database.pool.query(
      'select stopped_at is not null as stopped from credential_restores where person_id = $1',
      [victim.id],
    );
    expect(rows).toEqual([{ stopped: true }]);
  });

  test('is not displaced by many changes: a person makes fifty a week, and later ones are refused', async () => {
    const { victim, token } = await takenOver();
    const thief = await enterAs(rig, victim);
    const context = contextFor(rig, { personId: victim.id });
    const { rows } = await rig.database.pool.query('select from earlier_credentials where person_id = $1', [victim.id]);
    for (let made = rows.length; made < MAX_KEPT; made += 1) await change(rig, thief, 'codes');
    await expect(renewRecoveryCodes(context, thief)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
    await prove(token, { totp: codeOf(rig, victim) });
    await renewRecoveryCodes(context, await enterAs(rig, victim));
  });

  test('works after the key ring was rotated, because earlier credentials are sealed anew', async () => {
    await keepSecrets(rig, 1, rig.ring);
    const { victim, token } = await takenOver();
    const key = await addRingKey(ringContext(rig), OPERATOR);
    await resealSecrets(ringContext(rig), OPERATOR, { key, copyDigest: await backUpRing(rig.path) });
    await retireRingKey(ringContext(rig), OPERATOR, { key: rig.first });
    rig.ring = await openKeyRing(rig.path);
    await prove(token, { totp: codeOf(rig, victim) });
    expect((await credentialsOf(rig, victim)).mail.shown).toBe(victim.mail);
  });

  test('leaves nothing readable in the database of what it restores', async () => {
    const { victim, token } = await takenOver();
    const readAll = async () => {
      const { rows } = await rig.database.pool.query<{ text: string }>(
        `select coalesce(encode(sealed, 'escape'), '') || purpose as text from earlier_credentials where person_id = $1`,
        [victim.id],
      );
      return rows.map(({ text }) => text).join(' ');
    };
    expect(await readAll()).not.toMatch(/argon2|acme\.test|hash|totp/);
    await prove(token, { totp: codeOf(rig, victim) });
    const { rows } = await rig.database.pool.query(
      'select from earlier_credentials where person_id = $1 and sealed is not null',
      [victim.id],
    );
    expect(rows).toEqual([]);
  });
});

const reset = (victim: Victim) =>
  resetFactors(operatorContext(), OPERATOR, {
    outbox: { clock: rig.clock, jobs: undefined },
    person: victim.code,
    reason: 'taken over',
  });

async function isOpen({ id }: Victim): Promise<boolean> {
  const { rows } = await rig.database.pool.query(
    'select from factor_resets where person_id = $1 and stopped_at is null and applied_at is null',
    [id],
  );
  return rows.length > 0;
}

const useFactor = ({ id }: Victim) =>
  inTransaction(rig.as('dashboard'), (tx) => stopResetByFactor(tx, id, new Date(rig.clock.nowMs())));

describe('a reset that an operator requests', () => {
  test('can be stopped only from the address that is older than the changes of the last seven days', async () => {
    const { victim, stolen } = await takenOver();
    await reset(victim);
    expect(await tokensTo(rig, stolen, 'keep-factors')).toEqual([]);
    const again = await changeAddress(rig, await enterAs(rig, victim));
    expect(await tokensTo(rig, again, 'keep-factors')).toEqual([]);
    const [token = ''] = await tokensTo(rig, victim.mail, 'keep-factors');
    await keepFactors(contextOfLink(rig, token), visitor(), token);
    expect(await isOpen(victim)).toBe(false);
  });

  test('is not stopped by a two-factor method while one was changed in the last seven days', async () => {
    const victim = await makeVictim(rig);
    await reset(victim);
    await useFactor(victim);
    expect(await isOpen(victim)).toBe(true);
    rig.pass(169);
    await useFactor(victim);
    expect(await isOpen(victim)).toBe(false);
  });

  test('goes to a person’s present address when it is older than seven days', async () => {
    const { victim, stolen: moved } = await takenOver();
    rig.pass(169);
    await reset(victim);
    expect(await tokensTo(rig, victim.mail, 'keep-factors')).toEqual([]);
    expect(await tokensTo(rig, moved, 'keep-factors')).toHaveLength(1);
  });
});
