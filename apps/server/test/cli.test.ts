import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { backUpRing } from '../rig/database/key-ring-fixture.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { helpOf, OPERATOR_COMMANDS, overview } from '../src/commands/operator-commands.ts';
import { nextAddress } from '../rig/stores/open-store.ts';
import { readMigrations } from '../src/db/migrate.ts';
import { JOB_SCHEMA_VERSION } from '../src/jobs/job.ts';
import { VERSION } from '../src/lib/version.ts';
import type { Outcome } from '../src/operate.ts';
import { operate } from '../src/operate.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { roleUrl } from '../rig/database/role-database.ts';
import { runProgram } from '../rig/processes/run-program.ts';

/** The part of an image that is checked: a header with 64 by 64 pixels. */
const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452000000400000004008020000000000000000000000', 'hex');
const SOME_DIGEST = 'a'.repeat(64);
const ACTOR = `cli:${userInfo().username}`;

let own: TestDatabase;
let folder: string;
let ringFile: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-cli-'));
  ringFile = join(folder, 'ring.json');
});
afterAll(async () => {
  await own.drop();
  await rm(folder, { recursive: true });
});

const runWith = (settings: Record<string, string>, words: readonly string[]) => operate(words, settings);

/** Runs a command as a person does: as a process of its own. */
const runProcess = (settings: Record<string, string>, words: readonly string[]): Promise<Outcome> =>
  runProgram('cli', words, settings);

const settings = () => ({
  COUNTERFOIL_DATABASE_URL: roleUrl(own.url, 'admin'),
  COUNTERFOIL_KEY_RING_FILE: ringFile,
});
const run = (...words: string[]) => runWith(settings(), words);

/** Answer of a command that must succeed. */
async function answer(...words: string[]): Promise<Record<string, string>> {
  const { code, out, error } = await run(...words, '--json');
  expect({ words, code, error }).toEqual({ words, code: 0, error: '' });
  return JSON.parse(out) as Record<string, string>;
}

async function auditSince(id: bigint): Promise<{ actor: string; action: string; text: string }[]> {
  const { rows } = await own.database.pool.query<{ actor: string; action: string; text: string }>(
    'select actor, action, details::text as text from audit_entries where id > $1 order by id',
    [id],
  );
  return rows;
}

async function auditHead(): Promise<bigint> {
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    'select coalesce(max(id), 0)::bigint as id from audit_entries',
  );
  return rows[0]?.id ?? 0n;
}

/** Runs a command that changes something: it leaves exactly one audit entry, by this user. */
async function change(action: string, ...words: string[]): Promise<Record<string, string>> {
  const before = await auditHead();
  const result = await answer(...words);
  const entries = await auditSince(before);
  expect(entries.map((entry) => [entry.actor, entry.action])).toEqual([[ACTOR, action]]);
  const secrets = [result['api_key'], result['webhook_secret']].filter((secret) => secret !== undefined);
  expect(secrets.filter((secret) => entries[0]?.text.includes(secret))).toEqual([]);
  return result;
}

/** Runs a command that only reads: it leaves no audit entry. */
async function look(...words: string[]): Promise<Record<string, string>> {
  const before = await auditHead();
  const result = await answer(...words);
  expect(await auditSince(before)).toEqual([]);
  return result;
}

/** Requires a refusal in words for a person: exit code 1, nothing on standard output, no stack. */
async function refused(words: readonly string[], message: RegExp, given = settings()): Promise<void> {
  const { code, out, error } = await runWith(given, words);
  expect({ words, code, out }).toEqual({ words, code: 1, out: '' });
  expect(error).toMatch(message);
  expect(error).not.toMatch(/^\s+at |node:internal|Node\.js v/m);
}

test('--version says the release, the commit and the versions of both schemas, without a database', async () => {
  const schema = (await readMigrations()).at(-1)?.name.slice(0, 4);
  const out = `counterfoil ${VERSION.version} (commit ${VERSION.commit}, schema ${schema}, jobs ${JOB_SCHEMA_VERSION})`;
  expect(await runWith({}, ['--version'])).toEqual({ code: 0, out, error: '' });
});

test('an operator sets up a shop from an empty database, and every change leaves one audit entry with their name', async () => {
  await change('key_ring.init', 'keyring', 'init');
  expect((await stat(ringFile)).mode & 0o777).toBe(0o600);
  await change('plan.create', 'plan', 'create', '--code', 'standard', '--fee-rate', '0.5', '--minimum-fee', '0.01');
  const { merchant } = await change('merchant.create', 'merchant', 'create', '--name', 'Alice & Söhne');
  const created = await change(
    'store.create',
    ...`store create --merchant ${merchant} --name Shop --plan standard --discount 10 --lifetime 45`.split(' '),
    ...'--https-callbacks yes'.split(' '),
  );
  expect(created).toEqual({
    merchant_id: expect.stringMatching(/^MID-[A-Z0-9]{12}$/),
    api_key: expect.stringMatching(/^cf_live_[A-Z0-9]\w{37}$/),
    webhook_secret: expect.stringMatching(/^whsec_/),
  });
  const store = String(created['merchant_id']);

  const address = nextAddress();
  const wallet = await change(
    'wallet.add',
    'wallet',
    'add',
    '--store',
    store,
    '--network',
    'BSC',
    '--address',
    address,
  );
  expect(await look('wallet', 'list', '--store', store)).toMatchObject([
    { network: 'BSC', address: wallet['address'] },
  ]);
  const named = ['--mail', 'Ada@acme.test', '--name', 'Ada', '--language', 'es'];
  const person = await change('person.create', 'person', 'create', ...named, '--operator', 'operator');
  expect(person).toEqual({
    person: expect.stringMatching(/^PER-[A-Z0-9]{12}$/),
    set_password: expect.stringMatching(/^\/reset#[\w-]{43}$/),
    days: 7,
  });
  expect(await run('person', 'create', ...named)).toMatchObject({
    code: 1,
    error: expect.stringContaining('already'),
  });
  const forgotten = ['--person', String(person['person']), '--reason', 'called back'];
  expect(await change('person.password_link', 'person', 'password-link', ...forgotten)).toMatchObject({
    set_password: expect.stringMatching(/^\/reset#[\w-]{43}$/),
  });
  const lost = ['person', 'reset-factors', '--person', String(person['person']), '--reason', 'lost the phone'];
  expect(await run(...lost)).toMatchObject({ code: 1, error: 'The person has no two-factor method.' });
  await own.database.pool.query(
    `insert into passkeys (person_id, credential_id, public_key, sign_count, backed_up, name, created_at)
       select id, 'id', 'key', 0, false, 'Phone', now() from people where code = $1`,
    [person['person']],
  );
  expect(await change('person.reset_factors', ...lost)).toMatchObject({
    scheduled: expect.stringContaining('unless it is stopped'),
    effective_at: expect.stringMatching(/^20\d\d-/),
    told: expect.stringContaining('no one'),
  });
  expect(await run(...lost)).toMatchObject({ code: 1, error: expect.stringContaining('already in progress') });
  const membership = ['--merchant', String(merchant), '--person', String(person['person']), '--role', 'owner'];
  await change('member.add', 'member', 'add', ...membership);
  expect(await run('member', 'add', ...membership)).toMatchObject({ code: 1 });
  const credit = ['balance', 'credit', '--store', store, '--note', 'first'];
  expect(await change('balance.credit', ...credit, '--usd', '25.00')).toEqual({ store, available: '25.00' });
  expect(await change('balance.credit', ...credit, '--usd=-0.000001')).toEqual({ store, available: '24.999999' });
  expect(await look('balance', 'show', '--store', store)).toEqual({ store, available: '24.999999' });

  expect(await change('api_key.reveal', 'key', 'reveal', '--store', store)).toEqual({ api_key: created['api_key'] });
  const issued = await change('api_key.regenerate', 'key', 'create', '--store', store, '--overlap', '24');
  expect(await change('api_key.reveal', 'key', 'reveal', '--store', store)).toEqual(issued);

  const picture = join(folder, 'logo.png');
  await writeFile(picture, PICTURE);
  const brand = ['store', 'brand', '--store', store];
  expect(await change('store.brand', ...brand, '--colour', '#0A7D33', '--logo', picture)).toEqual({
    store,
    name: 'none',
    colour: '#0a7d33',
    logo: expect.stringMatching(/^[0-9a-f]{64}$/),
    support_url: 'none',
    support_mail: 'none',
  });
  const contact = ['--support-url', 'https://shop.example/help', '--support-mail', 'help@shop.example'];
  expect(await change('store.brand', ...brand, '--name', 'Café', '--logo', 'none', ...contact)).toEqual({
    store,
    name: 'Café',
    colour: '#0a7d33',
    logo: 'none',
    support_url: 'https://shop.example/help',
    support_mail: 'help@shop.example',
  });
  await refused([...brand, '--colour', 'red'], /--colour: must be #rrggbb or none/);
  await refused([...brand, '--logo', fileURLToPath(import.meta.url)], /PNG, JPEG or WebP/);
  await refused([...brand, '--logo', join(folder, 'nothing.png')], /cannot be read/);

  await change('store.deactivate', 'store', 'deactivate', '--store', store);
  expect(await look('store', 'list')).toMatchObject([{ merchantId: store, active: false, live: true }]);
  await change('store.activate', 'store', 'activate', '--store', store);
  await change('merchant.deactivate', 'merchant', 'deactivate', '--merchant', String(merchant));
  await change('merchant.activate', 'merchant', 'activate', '--merchant', String(merchant));

  const { key = '' } = await change('key_ring.add', 'keyring', 'add');
  expect(await look('keyring', 'status')).toMatchObject([
    { seals: true, secrets: '3', file: 'held' },
    { key, seals: false, secrets: '0', file: 'held', held_by: [], lacked_by: [] },
  ]);
  const { before = '' } = await change(
    'key_ring.reseal',
    'keyring',
    'reseal',
    '--copy-digest',
    await backUpRing(ringFile),
  );
  await change('key_ring.retire', 'keyring', 'retire', '--key', before);
  expect(await look('keyring', 'status')).toMatchObject([{ key, seals: true, secrets: '3' }]);
  expect(await change('api_key.reveal', 'key', 'reveal', '--store', store)).toEqual(issued);
  expect(await look('ledger', 'check')).toEqual({ ledger: 'balanced' });
  const entries = Number(await auditHead());
  expect(await look('audit', 'verify')).toEqual({ entries, waiting: entries });

  const words = `store create --merchant ${merchant} --name Trial --plan standard --test yes`.split(' ');
  const trial = await change('store.create', ...words);
  expect(trial['api_key']).toMatch(/^cf_test_[A-Z0-9]\w{37}$/);
  const receive = `wallet add --store ${trial['merchant_id']} --network BSC --address ${nextAddress()}`.split(' ');
  await refused(receive, /receives in the sandbox only/);
});

test('an operator shuts a person out, by email address or code, and every change leaves one audit entry', async () => {
  const { merchant } = await change('merchant.create', 'merchant', 'create', '--name', 'Shut');
  const make = (mail: string) => change('person.create', 'person', 'create', '--mail', mail, '--name', 'Someone');
  const { person: first = '' } = await make('First@shut.test');
  const { person: second = '' } = await make('second@shut.test');
  const at = ['--merchant', String(merchant)];
  const why = ['--reason', 'left in anger'];
  await change('member.add', 'member', 'add', ...at, '--person', first, '--role', 'owner');
  await change('member.add', 'member', 'add', ...at, '--person', second, '--role', 'viewer');
  const byMail = ['--person', 'first@SHUT.test'];
  expect(await change('person.disable', 'person', 'disable', ...byMail, ...why)).toEqual({
    person: first,
    disabled: 'now',
    sessions: 0,
    links: 1,
    invitations: [],
    changes: [],
  });
  expect(await look('person', 'disable', '--person', first, ...why)).toMatchObject({ disabled: 'before', links: 0 });
  const listed = (await look('member', 'list', ...at)) as unknown as Record<string, unknown>[];
  expect(listed.toSorted((one, other) => String(one['mail']).localeCompare(String(other['mail'])))).toMatchObject([
    { person: first, mail: 'First@shut.test', role: 'owner', two_factor: false, disabled: true },
    { person: second, role: 'viewer', disabled: false },
  ]);
  await change('person.enable', 'person', 'enable', ...byMail, ...why);
  expect(await look('person', 'enable', ...byMail, ...why)).toEqual({ person: first, enabled: 'before' });
  expect(await change('person.role', 'person', 'role', ...byMail, '--role', 'support', ...why)).toMatchObject({
    before: 'none',
    role: 'support',
  });
  expect(await look('session', 'list', ...byMail)).toEqual([]);
  expect(await look('session', 'end', ...byMail, '--all', 'yes', ...why)).toEqual({ person: first, ended: 0 });
  await refused(['session', 'end', ...byMail, ...why], /--session: name one session, or --all yes/);
  await refused(['session', 'end', ...byMail, '--session', 'SES-X', ...why], /There is no such session/);
  await refused(['person', 'disable', '--person', 'x@shut.test', ...why], /There is no person x@shut.test/);
  const remove = [...'member remove'.split(' '), ...at, '--person'];
  await refused([...remove, first, ...why], /at least one owner/);
  await change('member.remove', ...remove, 'second@shut.test', ...why);
  await refused([...remove, second, ...why], /There is no such member/);
});

test('every command shows its options with --help, without a database', async () => {
  const { code, out } = await runWith({}, []);
  expect(code).toBe(0);
  expect(out).toBe(overview());
  for (const command of OPERATOR_COMMANDS) {
    expect(out).toContain(`  ${command.name} `);
    const help = helpOf(command);
    expect(help).toContain(`counterfoil-admin ${command.name}\n${command.summary}`);
    for (const option of Object.keys(command.options)) expect(help).toContain(`\n  --${option} `);
  }
  const last = OPERATOR_COMMANDS.at(-1);
  if (!last) throw new Error('There is no command.');
  expect(await runWith({}, [...last.name.split(' '), '--help'])).toEqual({
    code: 0,
    out: helpOf(last),
    error: '',
  });
});

test('without --json the answer is lines for a person', async () => {
  const { code, out } = await run('merchant', 'create', '--name', 'Bob');
  expect(code).toBe(0);
  expect(out).toMatch(/^merchant {2}\d+$/);
});

test('an unknown command shows what there is and ends with 2', async () => {
  for (const words of [['shop', 'create'], ['store'], ['store', 'explode', '--json']]) {
    const { code, out } = await run(...words);
    expect(code).toBe(2);
    expect(out).toContain('usage: counterfoil-admin NOUN VERB');
  }
  expect((await runWith({}, ['--help'])).code).toBe(0);
});

describe('what is refused is refused in words', () => {
  test.each<[string, RegExp]>([
    ['plan create', /--code: .*\n--fee-rate: /],
    ['plan create --code UPPER --fee-rate 0.5', /--code: must be lower-case/],
    ['plan create --code a --fee-rate half', /--fee-rate: must be a decimal/],
    ['plan create --code a --fee-rate 100.01', /--fee-rate: /],
    ['plan create --code a --fee-rate 1 --minimum-fee=-1', /--minimum-fee: /],
    ['plan create --code a --fee-rate 1 --minimum-fee 99999999999999999999', /--minimum-fee: /],
    ['plan create --code a --fee-rate 1 --create-burst 0', /--create-burst: /],
    ['plan create --code a --fee-rate 1 --trial-days 1.5', /--trial-days: /],
    ['merchant create --name', /--name/],
    ['merchant create --colour red', /--colour/],
    ['merchant create extra --name x', /extra/],
    ['merchant activate --merchant one', /--merchant: must be a number/],
    ['merchant activate --merchant 999999', /There is no merchant 999999/],
    ['store list --merchant 999999', /There is no merchant 999999/],
    ['security-events list --person PER-X', /There is no person PER-X/],
    ['security-events list --person nobody@acme.test', /There is no person nobody@acme.test/],
    ['store create --merchant 999999 --name x --plan standard', /There is no merchant 999999/],
    ['store create --merchant 1 --name x --plan none', /There is no plan none/],
    ['store create --merchant 1 --name x --plan standard --discount 100.01', /--discount: /],
    ['store create --merchant 1 --name x --plan standard --lifetime 9', /--lifetime: /],
    ['store create --merchant 1 --name x --plan standard --test maybe', /--test: /],
    ['store activate --store MID-X', /There is no store MID-X/],
    ['key create --store MID-X', /There is no store MID-X/],
    ['key create --store MID-X --overlap 169', /--overlap: /],
    ['key create --store MID-X --overlap ', /--overlap: must be a whole number/],
    ['webhook rotate --store MID-X --overlap ', /--overlap: must be a whole number/],
    ['plan change --code none --trial-days ', /--trial-days: must be a whole number/],
    ['plan change --code none --create-burst 1e3', /--create-burst: must be a whole number/],
    ['store create --merchant 1 --name x --plan standard --lifetime 0x1e', /--lifetime: must be a whole number/],
    ['method delay --merchant 999999 --reason x --hours +2', /--hours: must be a whole number/],
    ['security-events list --hours ', /--hours: must be a whole number/],
    ['job list --hours ', /--hours: must be a whole number/],
    ['mail test --to a@b.test --wait ', /--wait: must be a whole number/],
    ['key reveal --store MID-X', /There is no store MID-X/],
    ['balance show --store MID-X', /There is no store MID-X/],
    ['balance credit --store MID-X --usd abc --note x', /--usd: must be an amount in USD/],
    ['balance credit --store MID-X --usd 0.0000001 --note x', /--usd: must be an amount in USD/],
    ['balance credit --store MID-X --usd 99999999999999999999 --note x', /--usd: /],
    ['balance credit --store MID-X --usd -5 --note x', /--usd/],
    ['wallet add --store MID-X --network BSC --address 0x1', /There is no store MID-X/],
    ['wallet list --store MID-X', /There is no store MID-X/],
    ['keyring init', /exists already/],
    ['audit verify --head 12', /A head is POSITION:DIGEST/],
    ['audit verify --head 12:34', /Link 12 was exported and the chain ends at 0: its newest entries were removed/],
    ['audit head', /Nothing is chained yet/],
    ['keyring reseal', /--copy-digest: needs the SHA-256 of a backup/],
    ['keyring reseal --copy-digest 1234', /--copy-digest: must be a SHA-256 in hex/],
    [`keyring reseal --copy-digest ${SOME_DIGEST}`, /does not match the present content of .*: back the file up again/],
    [`keyring reseal --key kNone --copy-digest ${SOME_DIGEST}`, /The database has no key kNone/],
    ['keyring retire --key kNone', /There is no key kNone/],
    ['keyring abandon --key kNone', /--reason: /],
    ['keyring abandon --key kNone --reason gone', /The database has no key kNone/],
  ])('%s', async (line, message) => {
    const before = await auditHead();
    await refused(line.split(' '), message);
    expect(await auditSince(before)).toEqual([]);
  });

  test('no database address', () =>
    refused(['store', 'list'], /COUNTERFOIL_DATABASE_URL/, { ...settings(), COUNTERFOIL_DATABASE_URL: '' }));

  test('a key ring that is not there', () =>
    refused(['keyring', 'add'], /no key ring at/, {
      ...settings(),
      COUNTERFOIL_KEY_RING_FILE: join(folder, 'none'),
    }));

  test('a database that does not answer', () =>
    refused(['store', 'list'], /database/i, {
      ...settings(),
      COUNTERFOIL_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
    }));

  test('a schema that is behind', async () => {
    const behind = await openTestDatabase(inject('template'));
    await behind.database.pool.query('delete from schema_migrations where version > 1');
    await refused(['store', 'list'], /schema is behind this version/, {
      ...settings(),
      COUNTERFOIL_DATABASE_URL: roleUrl(behind.url, 'admin'),
    });
    await behind.drop();
  });
});

test('a process prints answers and refusals apart, with an exit code for each', async () => {
  const answered = await runProcess(settings(), ['store', 'list', '--json']);
  expect({ ...answered, out: JSON.parse(answered.out) as unknown }).toMatchObject({
    code: 0,
    out: [{ name: 'Trial' }, { name: 'Shop' }],
    error: '',
  });
  expect(await runProcess(settings(), ['wallet', 'list', '--store', 'MID-X'])).toEqual({
    code: 1,
    out: '',
    error: 'There is no store MID-X.\n',
  });
  expect(await runProcess(settings(), ['shop', 'create'])).toEqual({ code: 2, out: `${overview()}\n`, error: '' });
});

test('person create prints the whole link where the address of the dashboard is known', async () => {
  const known = { ...settings(), COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example/' };
  const words = ['person', 'create', '--mail', 'grace@acme.test', '--name', 'Grace', '--json'];
  const { code, out } = await runWith(known, words);
  expect({ code, answer: JSON.parse(out) as unknown }).toMatchObject({
    code: 0,
    answer: { set_password: expect.stringMatching(/^https:\/\/dashboard\.example\/reset#[\w-]{43}$/) as string },
  });
});

test('config check needs no database, names all faults of every process at once, and repeats no value', async () => {
  const wrong = {
    COUNTERFOIL_DATABASE_URL: 'mysql://me:hunter2@db/counterfoil',
    COUNTERFOIL_TRUSTED_PROXY: '10.0.0.0/8',
  };
  const { code, error } = await runWith(wrong, ['config', 'check']);
  expect(code).toBe(1);
  expect(error).not.toContain('hunter2');
  for (const process of ['api', 'worker', 'dashboard', 'admin']) expect(error).toContain(`${process}:\n`);
  expect(error).toContain('COUNTERFOIL_TRUSTED_PROXY: nothing reads it');
});

test('config print shows what a process reads without its secrets', async () => {
  const { code, out } = await runWith(settings(), ['config', 'print', '--process', 'admin']);
  expect(code).toBe(0);
  expect(out).toMatch(/^COUNTERFOIL_DATABASE_URL +\(hidden\) +\[environment\]$/m);
});

test('doctor speaks also where a process could not start, reads secrets from files, and ends with 1', async () => {
  const file = join(folder, 'database-url');
  await writeFile(file, 'postgresql://nobody:hunter2@127.0.0.1:9/counterfoil');
  const { code, out } = await runWith({ COUNTERFOIL_DATABASE_URL_FILE: file }, ['doctor', '--json']);
  const findings = JSON.parse(out) as { check: string; state: string }[];
  expect(code).toBe(1);
  expect(out).not.toContain('hunter2');
  expect(findings[0]).toMatchObject({ check: 'database', state: 'wrong' });
  expect(findings).toContainEqual(expect.objectContaining({ check: 'settings', state: 'fine' }));
});
