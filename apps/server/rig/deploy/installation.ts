import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { inheritedEnvironment } from '../processes/inherited-environment.ts';

/** An installation on one host as an operator makes it: bin/install with answers, and compose.yaml as compose reads it. */

export const REPOSITORY = join(import.meta.dirname, '../../../..');

/** Answers of an operator; values that are secret can be found by `PLANTED`. */
export const PLANTED = 'PLANTED';
export const ANSWERS: Readonly<Record<string, string>> = {
  COUNTERFOIL_API_HOST: 'api.shop.test',
  COUNTERFOIL_CHECKOUT_HOST: 'pay.shop.test',
  COUNTERFOIL_DASHBOARD_HOST: 'dashboard.shop.test',
  COUNTERFOIL_RPC_BSC: `https://one.invalid/${PLANTED},https://two.invalid/v2?key=${PLANTED}`,
  COUNTERFOIL_RPC_TRC20: `https://${PLANTED}@tron.invalid`,
  COUNTERFOIL_MAIL_URL: `smtps://shop:${PLANTED}%40@mail.invalid`,
  COUNTERFOIL_ALARM_EMAIL: 'oncall@shop.test',
  COUNTERFOIL_ALARM_URL: `https://alarms.invalid/${PLANTED}`,
  COUNTERFOIL_HEARTBEAT_URL: `https://beats.invalid/${PLANTED}`,
  COUNTERFOIL_MAIL_FROM: '"Shop Pay <pay@shop.test>"',
};

export type Service = {
  image: string;
  build?: { args: Record<string, string> };
  user?: string;
  command?: string[];
  entrypoint?: string[];
  environment: Record<string, string | null>;
  secrets?: { source: string }[];
  volumes?: string[];
  ports?: unknown[];
  networks: Record<string, unknown>;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  restart?: string;
  stop_grace_period?: string;
  logging?: { driver: string; options: Record<string, string> };
  tmpfs?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
};

type Compose = {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, { internal?: boolean; ipam?: { config: Record<string, string>[] } }>;
};

const run = promisify(execFile);

export type Outcome = { code: number; out: string; error: string };

type InstallOptions = {
  answers?: Readonly<Record<string, string>>;
  /** Further lines of the file with answers. */
  lines?: readonly string[];
  /** Answers in the environment. */
  variables?: Readonly<Record<string, string>>;
  /** The user who runs it, who may be unable to enter the project's folder: from a copy. */
  asUser?: number | undefined;
  /** The owner of files; only root can assign them to the containers' users. */
  owner?: 'containers' | 'keep';
};

const ownerHere = process.getuid?.() === 0 ? 'containers' : 'keep';

/** Runs bin/install as on a host without anything but a shell, and answers by a file. */
export async function install(folder: string, options: InstallOptions = {}): Promise<Outcome> {
  const { answers = ANSWERS, lines = [], variables, asUser, owner = ownerHere } = options;
  const file = join(folder, 'answers');
  await writeFile(file, [...Object.entries(answers).map(([name, value]) => `${name}=${value}`), ...lines].join('\n'));
  const words = ['--answers', file, '--folder', folder, ...(owner === 'keep' ? ['--owner', 'keep'] : [])];
  const original = join(REPOSITORY, 'bin/install');
  const program = asUser === undefined ? original : join(folder, 'install');
  if (asUser !== undefined) {
    await chmod(folder, 0o755);
    await cp(original, program);
  }
  try {
    const { stdout, stderr } = await run(program, words, {
      cwd: '/',
      env: { ...inheritedEnvironment(), ...variables, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      ...(asUser !== undefined && { uid: asUser }),
    });
    return { code: 0, out: stdout, error: stderr };
  } catch (cause) {
    const { code, stdout, stderr } = cause as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, error: stderr };
  }
}

/** The file compose.yaml with the settings of the folder, as compose itself reads it. */
async function readCompose(folder: string): Promise<Compose> {
  await cp(join(REPOSITORY, 'compose.yaml'), join(folder, 'compose.yaml'));
  const words = ['-f', join(folder, 'compose.yaml'), '--project-directory', folder, '--profile', 'admin', 'config'];
  const options = { cwd: folder, env: inheritedEnvironment() };
  const { stdout } = await run('docker-compose', words, options).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new Error('docker-compose is needed: apt-get install docker-compose');
    throw cause;
  });
  return parse(stdout) as Compose;
}

export type Installation = { folder: string; printed: string; compose: Compose; remove: () => Promise<void> };

export async function makeInstallation(answers = ANSWERS): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-install-'));
  const { code, out, error } = await install(folder, { answers });
  if (code !== 0) throw new Error(`bin/install ended with ${code}:\n${error}`);
  const compose = await readCompose(folder);
  return { folder, printed: out, compose, remove: () => rm(folder, { recursive: true }) };
}

export type Mounted = {
  environment: Record<string, string>;
  /** A path of the container, as the path where it lies here. */
  here: (path: string) => string;
};

const MOUNTED_SECRETS = '/run/secrets';
const MOUNTED_RING = '/run/key-ring';
const MOUNTED_STATE = '/var/lib/counterfoil';
const OWNER_WRITES = 0o200;

/**
 * Puts a service's secrets into a folder with owners and modes, and returns its process's environment: that of compose,
 * with mapped container paths. `changeSecret` replaces the network between containers, in which the database has a
 * name.
 */
export async function mountService(
  { folder, compose }: Installation,
  name: string,
  changeSecret: (text: string) => string = (text) => text,
): Promise<Mounted> {
  const service = compose.services[name];
  if (!service) throw new Error(`There is no service ${name}.`);
  const secrets = join(folder, 'mounts', name);
  await mkdir(secrets, { recursive: true, mode: 0o755 });
  for (const { source } of service.secrets ?? []) {
    const { file } = compose.secrets[source] ?? { file: '' };
    const copy = join(secrets, basename(file));
    const { mode, uid, gid } = await stat(file);
    await rm(copy, { force: true });
    await writeFile(copy, changeSecret(await readFile(file, 'utf8')), { mode: 0o600 });
    await chown(copy, uid, gid);
    await chmod(copy, mode & ~OWNER_WRITES);
  }
  // A named volume, which belongs to the image's user.
  const state = join(folder, 'mounts', 'state');
  await mkdir(state, { recursive: true, mode: 0o700 });
  const ring = join(folder, 'secrets/key-ring');
  const { uid, gid } = await stat(ring);
  await chown(state, uid, gid);
  const here = (path: string) =>
    path.replace(MOUNTED_SECRETS, secrets).replace(MOUNTED_RING, ring).replace(MOUNTED_STATE, state);
  const environment = Object.entries(service.environment).flatMap(([variable, value]) =>
    value === null ? [] : [[variable, here(value)]],
  );
  return { environment: Object.fromEntries(environment) as Record<string, string>, here };
}
