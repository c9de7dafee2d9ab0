import { roleUrl } from '../../rig/database/role-database.ts';
import { runProgram } from '../../rig/processes/run-program.ts';
import { openCommandLine } from '../../rig/commands/command-line.ts';
import type { World } from './world.ts';

/** The operator's command line at the drill's installation. */

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
export async function examine(world: World): Promise<string[]> {
  const settings = {
    ...world.doctorSettings,
    COUNTERFOIL_DATABASE_URL: roleUrl(world.url, 'admin'),
    COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(world.url, 'views'),
    COUNTERFOIL_ENVIRONMENT: 'development',
  };
  const { out, error } = await runProgram('cli', ['doctor', '--alarm', 'yes', '--json'], settings);
  if (out === '') throw new Error(`The doctor said nothing: ${error}`);
  const findings = JSON.parse(out) as { check: string; state: string }[];
  return findings.filter(({ state }) => state === 'wrong').map(({ check }) => check);
}
