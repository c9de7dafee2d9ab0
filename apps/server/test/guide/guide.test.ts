import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { GuideCommand } from '../../rig/guide/read-guide.ts';
import { readGuide, wordsOf } from '../../rig/guide/read-guide.ts';
import { nextAddress } from '../../rig/stores/open-store.ts';
import { parseOptions } from '../../src/commands/command.ts';
import { configCommands } from '../../src/commands/config-commands.ts';
import { doctorCommand } from '../../src/commands/doctor-command.ts';
import { OPERATOR_COMMANDS } from '../../src/commands/operator-commands.ts';
import { supportCommand } from '../../src/commands/support-command.ts';
import { operate } from '../../src/operate.ts';
import { ELSEWHERE, OTHER_LINES } from './guide-lines.ts';

/** Types the operator's guide literally: a line that the command line no longer accepts fails here. */

const PROGRAM = 'counterfoil-admin ';
const COMMANDS = [...OPERATOR_COMMANDS, ...configCommands, doctorCommand, supportCommand];
const SERVER = new URL('../../', import.meta.url);
const REPOSITORY = new URL('../../', SERVER);

const guide = readGuide();
const isOurs = ({ line }: GuideCommand) => line.startsWith(PROGRAM);
const ours = guide.filter(isOurs);
const others = guide.filter((one) => !isOurs(one));

const wordsAfterProgram = ({ line }: GuideCommand) => wordsOf(line.slice(PROGRAM.length));
function nameOf(command: GuideCommand): string {
  const [noun = '', verb = ''] = wordsAfterProgram(command);
  return noun === doctorCommand.name ? noun : `${noun} ${verb}`;
}
const runHere = ours.filter((command) => ELSEWHERE[nameOf(command)] === undefined);

let own: TestDatabase;
let folder: string;
let ringFile: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-guide-'));
  ringFile = join(folder, 'ring.json');
});
afterAll(async () => {
  await own.drop();
  await rm(folder, { recursive: true });
});

const settings = () => ({
  COUNTERFOIL_ENVIRONMENT: 'development',
  COUNTERFOIL_DATABASE_URL: roleUrl(own.url, 'admin'),
  COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(own.url, 'views'),
  COUNTERFOIL_KEY_RING_FILE: ringFile,
  COUNTERFOIL_CHECKOUT_URL: 'http://localhost:3000',
  COUNTERFOIL_DASHBOARD_URL: 'http://localhost:3003',
});

/** What the lines before have answered: the values that a person would copy from there. */
const known: Record<string, string> = {};

/** Values of the guide's placeholders. */
const fill = (words: readonly string[]) =>
  words.map((word, index) => {
    const option = words[index - 1];
    if (word === 'NUMBER') return known['merchant'] ?? word;
    if (word === 'PER-...') return known['person'] ?? word;
    if (word === 'MID-...') return known['store'] ?? word;
    if (word === 'TID-...') return known['invoice'] ?? word;
    if (word === 'MCH-...') return known['change'] ?? word;
    if (word === 'OLD' || word === 'LOST') return known['key'] ?? word;
    if (word === 'CODE') return known['plan'] ?? word;
    if (word === 'DIGEST') return known['digest'] ?? word;
    if (option === '--address') return nextAddress();
    return word === '...' ? 'as the guide says' : word;
  });

/** What must have happened before a line of the guide makes sense. */
const BEFORE: Readonly<Record<string, () => Promise<unknown>>> = {
  'webhook attempts': async () => {
    known['invoice'] = 'TID-0GUIDE0000000000';
    await own.database.pool.query(
      `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       select id, $2, 1, now(), now() + interval '30 minutes', 0 from stores where merchant_id = $1`,
      [known['store'], known['invoice']],
    );
  },
  'store plan': async () => {
    known['plan'] = 'guide';
    await operate(['plan', 'create', '--code', 'guide', '--fee-rate', '1'], settings());
  },
  'person reset-factors': () =>
    own.database.pool.query(
      `insert into passkeys (person_id, credential_id, public_key, sign_count, backed_up, name, created_at)
       select id, 'id', 'key', 0, false, 'Phone', now() from people where code = $1`,
      [known['person']],
    ),
  'keyring reseal': async () => {
    const backup = join(folder, 'backup.json');
    await copyFile(ringFile, backup);
    known['digest'] = execFileSync('sha256sum', [backup], { encoding: 'utf8' }).split(' ')[0] ?? '';
  },
  'keyring abandon': async () => {
    const { out } = await operate(['keyring', 'status', '--json'], settings());
    const [key] = JSON.parse(out) as { key: string }[];
    known['key'] = key?.key ?? '';
    await rm(ringFile);
  },
};

/** Keeps values that a person would copy from an answer; the test store is not used further. */
function keep(name: string, words: readonly string[], answer: Record<string, string | number>): void {
  const takes: Record<string, [field: string, as: string]> = {
    'merchant create': ['merchant', 'merchant'],
    'person create': ['person', 'person'],
    'store create': ['merchant_id', 'store'],
    'wallet add': ['change', 'change'],
    'keyring reseal': ['before', 'key'],
  };
  const [field = '', as = ''] = takes[name] ?? [];
  const value = answer[field];
  if (value !== undefined && !words.includes('--test')) known[as] = String(value);
}

describe('every command of the guide', () => {
  test.each(ours)('$page: $line', (command) => {
    const found = COMMANDS.find(({ name }) => name === nameOf(command));
    const rest = wordsAfterProgram(command).slice(nameOf(command).split(' ').length);
    expect(found, 'a command that there is').toBeDefined();
    expect(() => parseOptions(found?.options ?? {}, rest)).not.toThrow();
  });
});

/** The pages in the order in which an operator comes to them. */
const ORDER = [
  'operations/install.md',
  'operations/go-live.md',
  'operations/everyday.md',
  'operations/rotate.md',
  'operations/incidents.md',
  'operations/restore.md',
];

test('the guide works as it stands, from an empty database to a lost key ring', async () => {
  expect(runHere.filter(({ page }) => !ORDER.includes(page))).toEqual([]);
  for (const command of ORDER.flatMap((page) => runHere.filter((one) => one.page === page))) {
    const name = nameOf(command);
    await BEFORE[name]?.();
    const words = fill(wordsAfterProgram(command));
    const { code, out, error } = await operate([...words, '--json'], settings());
    expect({ line: command.line, code, error }).toEqual({ line: command.line, code: 0, error: '' });
    keep(name, words, JSON.parse(out) as Record<string, string | number>);
  }
});

test('what is run elsewhere is named in the test that is said to run it', () => {
  const names = new Set(ours.map(nameOf));
  for (const [name, file] of Object.entries(ELSEWHERE)) {
    expect({ name, inGuide: names.has(name) }).toEqual({ name, inGuide: true });
    const named = readFileSync(new URL(file, SERVER), 'utf8').includes(name);
    expect({ name, file, named }).toEqual({ name, file, named: true });
  }
});

test('every other line is run by a file of this repository, or says why by none', () => {
  const lines = [...new Set(others.map(({ line }) => line))];
  expect(lines.filter((line) => OTHER_LINES[line] === undefined)).toEqual([]);
  expect(Object.keys(OTHER_LINES).filter((line) => !lines.includes(line))).toEqual([]);
  const files = Object.values(OTHER_LINES).flatMap((one) => ('by' in one ? [one.by] : []));
  expect(files.filter((file) => !existsSync(new URL(file, REPOSITORY)))).toEqual([]);
});

afterAll(() => {
  const notRun = Object.entries(OTHER_LINES).flatMap(([line, one]) => ('because' in one ? [{ line, ...one }] : []));
  for (const { line, because } of notRun) process.stdout.write(`not run: ${line}\n         ${because}\n`);
  const elsewhere = ours.length - runHere.length + others.length - notRun.length;
  const figures = { commands: guide.length, run_here: runHere.length, elsewhere, not_run: notRun.length };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
});
