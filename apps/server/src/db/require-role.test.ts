import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { PATIENCE_MS, roleUrl } from '../../rig/database/role-database.ts';
import { temporaryName } from '../../rig/database/temporary-database.ts';
import { closeDatabase, openDatabase } from './database.ts';
import type { RoleFacts } from './require-role.ts';
import { findRoleFaults, requireRole } from './require-role.ts';
import { PROCESS_ROLES, ROLE_SETTINGS } from './role.ts';

const FIT: RoleFacts = {
  user: 'counterfoil_api',
  powers: [],
  roles: [],
  owned: 0,
  excess: [],
  settings: ROLE_SETTINGS.api,
};

const unfit = (...faults: string[]) => ({
  code: 'DATABASE_ROLE_UNFIT',
  details: { faults: expect.arrayContaining(faults) as unknown },
});

describe('a process', () => {
  test.each<[string, Partial<RoleFacts>, string[]]>([
    ['in its role', {}, []],
    ['as a member of its role', { user: 'api_in_spring', roles: ['counterfoil_api'] }, []],
    ['as a superuser', { user: 'postgres', powers: ['is a superuser'] }, ['is a superuser']],
    ['in the role of another', { user: 'counterfoil_worker' }, ['is not counterfoil_api']],
    ['in two roles', { user: 'both', roles: ['counterfoil_admin', 'counterfoil_api'] }, ['is also counterfoil_admin']],
    ['as one who may read everything', { roles: ['pg_read_all_data'] }, ['is also pg_read_all_data']],
    ['as the owner of tables', { owned: 3 }, ['owns 3 tables']],
    [
      'with rights of its own',
      { excess: ['UPDATE of ledger_entries'] },
      ['has more than counterfoil_api: UPDATE of ledger_entries'],
    ],
    [
      'without a time limit',
      { settings: { ...ROLE_SETTINGS.api, statement_timeout: '0' } },
      ['has statement_timeout = 0, and needs 3s'],
    ],
  ])('connected %s', (_, change, faults) => {
    expect(findRoleFaults('api', { ...FIT, ...change })).toEqual(faults);
  });
});

async function requireApi(url: string): Promise<void> {
  const options = { url, connections: 1, waitMs: PATIENCE_MS, settingsOnRole: true };
  const database = openDatabase({ ...options, name: 'counterfoil-test' }, () => {});
  try {
    await requireRole(database.pool, 'api');
  } finally {
    await closeDatabase(database);
  }
}

describe('at start', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await openTestDatabase(inject('template'));
  });
  afterAll(() => own.drop());

  // Some servers refuse logins without a password.
  const secret = decodeURIComponent(new URL(inject('adminUrl')).password);
  const password = secret === '' ? '' : `password '${secret}'`;

  function loginUrl(role: string): string {
    const address = new URL(own.url);
    address.username = role;
    return address.href;
  }

  test.each(PROCESS_ROLES)('the role of the %s is as main-migrate made it', async (role) => {
    const options = { url: roleUrl(own.url, role), connections: 1, waitMs: PATIENCE_MS, settingsOnRole: true };
    const database = openDatabase({ ...options, name: 'counterfoil-test' }, () => {});
    await expect(requireRole(database.pool, role)).resolves.toBeUndefined();
    await closeDatabase(database);
  });

  test('an administrator is refused, and told which role to connect as', async () => {
    await expect(requireRole(own.database.pool, 'api')).rejects.toMatchObject({
      code: 'DATABASE_ROLE_UNFIT',
      details: { role: 'counterfoil_api', faults: expect.arrayContaining(['is a superuser']) },
    });
  });

  test('a role is refused where another is needed', async () => {
    await expect(requireRole(own.as('worker').pool, 'api')).rejects.toMatchObject(unfit('is not counterfoil_api'));
  });

  test('rights that somebody granted beside the file are found', async () => {
    const member = temporaryName('member');
    const { pool } = own.database;
    await pool.query(`create role ${member} login ${password} in role counterfoil_api`);
    await pool.query(`grant update, delete on ledger_entries to ${member}`);
    try {
      await expect(requireApi(loginUrl(member))).rejects.toMatchObject(
        unfit(
          'has more than counterfoil_api: DELETE of ledger_entries',
          'has more than counterfoil_api: UPDATE of ledger_entries',
        ),
      );
    } finally {
      await pool.query(`drop owned by ${member}`);
      await pool.query(`drop role ${member}`);
    }
  });

  test('an administrator who only acts as the role is refused: it can stop doing so at any time', async () => {
    await expect(requireApi(`${own.url}?options=-c%20role%3Dcounterfoil_api`)).rejects.toMatchObject(
      unfit('is a superuser'),
    );
  });

  test('a role that can become a more powerful one is refused, whatever that one is called', async () => {
    const [member, mighty] = [temporaryName('member'), temporaryName('mighty')];
    const { pool } = own.database;
    await pool.query(`create role ${mighty} superuser`);
    await pool.query(`create role ${member} login noinherit ${password} in role counterfoil_api, ${mighty}`);
    try {
      await expect(requireApi(loginUrl(member))).rejects.toMatchObject(unfit('is a superuser'));
    } finally {
      await pool.query(`drop role ${member}, ${mighty}`);
    }
  });

  test('a session whose settings were changed for this database is refused', async () => {
    const name = new URL(own.url).pathname.slice(1);
    await own.database.pool.query(`alter role counterfoil_worker in database ${name} set enable_seqscan = on`);
    const url = roleUrl(own.url, 'worker');
    const options = { url, connections: 1, waitMs: PATIENCE_MS, settingsOnRole: true };
    const database = openDatabase({ ...options, name: 'counterfoil-test' }, () => {});
    await expect(requireRole(database.pool, 'worker')).rejects.toMatchObject(
      unfit('has enable_seqscan = on, and needs off'),
    );
    await closeDatabase(database);
  });
});
