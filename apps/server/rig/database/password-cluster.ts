import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../fakes/listen.ts';

/** A PostgreSQL server of its own that asks everybody for a password, as an installation's does. */

export type PasswordCluster = {
  host: string;
  port: number;
  /** Address of its administrator, with the password. */
  adminUrl: string;
  /** What the server has written to its log. */
  readLog(): Promise<string>;
  stop(): Promise<void>;
};

const HOST = '127.0.0.1';
const ADMINISTRATOR = 'postgres';
const START_SECONDS = '60';

const run = promisify(execFile);

/** PostgreSQL refuses to run as root: then its commands run as its own user. */
const isRoot = process.getuid?.() === 0;

function asServerUser(command: string, words: readonly string[]): Promise<{ stdout: string }> {
  const [program, before] = isRoot ? ['runuser', ['-u', 'postgres', '--', command]] : [command, []];
  return run(program, [...before, ...words], { cwd: '/' });
}

/** Id of the user or the group that a server runs as. */
export async function idOf(flag: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [flag, 'postgres'])).stdout);
}

/** Settings of a server that waits for no disk. */
const VOLATILE = { fsync: 'off' };

const asConfiguration = (settings: Readonly<Record<string, string>>) =>
  Object.entries({ log_statement: 'ddl', ...settings })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');

/**
 * Starts a server whose administrator has this password. It logs every statement that defines something. The settings
 * are those of postgresql.conf, which `alter system` can change.
 */
export async function startPasswordCluster(
  password: string,
  settings: Readonly<Record<string, string>> = VOLATILE,
): Promise<PasswordCluster> {
  const binaries = process.env['COUNTERFOIL_POSTGRES_BIN'];
  if (!binaries) throw new Error('COUNTERFOIL_POSTGRES_BIN is not set; use bin/with-postgres.');
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-cluster-'));
  const [passwordFile, data, log] = ['password', 'data', 'server.log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(passwordFile, password);
  await chmod(folder, 0o700);
  if (isRoot) {
    const [user, group] = [await idOf('-u'), await idOf('-g')];
    for (const path of [passwordFile, folder]) await chown(path, user, group);
  }
  const port = await freePort();
  const control = (...words: string[]) => asServerUser(join(binaries, 'pg_ctl'), ['-D', data, '-w', ...words]);
  const authentication = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const encoding = ['--encoding=UTF8', '--locale=C'];
  await asServerUser(join(binaries, 'initdb'), [
    '--no-sync',
    '-D',
    data,
    '-U',
    ADMINISTRATOR,
    ...authentication,
    ...encoding,
  ]);
  await appendFile(join(data, 'postgresql.conf'), asConfiguration(settings));
  const place = `-p ${port} -c listen_addresses=${HOST} -c unix_socket_directories=${folder}`;
  await control('-t', START_SECONDS, '-l', log, '-o', place, 'start');
  return {
    host: HOST,
    port,
    adminUrl: `postgresql://${ADMINISTRATOR}:${encodeURIComponent(password)}@${HOST}:${port}/postgres`,
    readLog: async () => (await asServerUser('cat', [log])).stdout,
    stop: async () => {
      await control('-m', 'immediate', 'stop');
      await rm(folder, { recursive: true });
    },
  };
}
