import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '../../rig/database/role-database.ts';
import { inheritedEnvironment } from '../../rig/processes/inherited-environment.ts';
import { openCommandLine } from '../../rig/commands/command-line.ts';
import type { World } from './world.ts';

/** The operator's command line at the drill's installation. */

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

type Alarm = { id: string; kind: string; subject: string };

const linesOf = (world: World) => openCommandLine(world);

/** Unacknowledged alarms. */
async function listAlarms(world: World): Promise<Alarm[]> {
  return (await linesOf(world).ask('alarm', 'list')) as Alarm[];
}

/** Acknowledges every alarm. */
export async function acknowledgeAll(world: World): Promise<void> {
  for (const { id } of await listAlarms(world))
    await linesOf(world).ask('alarm', 'acknowledge', '--id', id, '--reason', 'seen in the drill');
}

export const unfreeze = (world: World, network: string) =>
  linesOf(world).ask('chain', 'unfreeze', '--network', network, '--reason', 'the loss is borne');

/** Examines the installation as its timer does; returns the checks that are wrong. */
export function examine(world: World): Promise<string[]> {
  const env = {
    ...inheritedEnvironment(),
    ...world.doctorSettings,
    COUNTERFOIL_DATABASE_URL: roleUrl(world.url, 'admin'),
    COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(world.url, 'views'),
    COUNTERFOIL_ENVIRONMENT: 'development',
  };
  const words = ['--no-warnings', CLI, 'doctor', '--alarm', 'yes', '--json'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, { env }, (cause, out, error) => {
      if (out === '') return reject(new Error(`The doctor said nothing: ${error}`, { cause: cause ?? undefined }));
      const findings = JSON.parse(out) as { check: string; state: string; says: string }[];
      resolve(findings.filter(({ state }) => state === 'wrong').map(({ check }) => check));
    });
  });
}
