import { readFile } from 'node:fs/promises';
import type { ProcessRole } from '../../src/db/role.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { Standing } from '../../rig/report/image-judgement.ts';
import { parseStanding } from '../../rig/report/image-judgement.ts';
import type { Container, Containers } from './container.ts';
import type { EntryPoint, Installation } from './installation.ts';

/** What the kernel says about the processes of containers: who they are, and what they can change. */

/** Reads who a container's first process is. */
export async function readStanding({ processId }: Container): Promise<Standing> {
  const [status, mounts] = await Promise.all(
    ['status', 'mounts'].map((name) => readFile(`/proc/${processId}/${name}`, 'utf8')),
  );
  return parseStanding(status ?? '', mounts ?? '');
}

/**
 * Looks, as the image's user, for files and folders of the root that can be written, and tries to write some. `find` asks
 * the kernel for each one; the folder for temporary files is not part of the root.
 */
const LOOK_FOR_WRITABLE = `
  find / -xdev -writable ! -type l ! -path /tmp 2>/dev/null
  for folder in / /etc /usr/local/bin /srv/counterfoil /srv/counterfoil/apps/server/src /var/tmp; do
    if (: > "$folder/written") 2>/dev/null; then echo "$folder/written"; fi
  done
  : > /tmp/written && echo temporary`;

/** Looks for what only builds or tests: package managers, compilers, and rooms of the project that are not for use. */
const LOOK_FOR_NEEDLESS = `
  cd /srv/counterfoil/apps
  for tool in npm npx pnpm corepack gcc cc make git; do command -v $tool; done
  find . -name node_modules -print -o -name '*.ts' -print
  for room in server/rig server/test server/drills server/benches server/tools server/demo checkout/test dashboard/src; do
    if [ -e $room ]; then echo $room; fi
  done
  echo looked`;

export type Look = { writable: string[]; needless: string[] };

async function look(containers: Containers, script: string, last: string): Promise<string[]> {
  const { output } = await containers.finish({ name: 'look', arguments: ['-c', script], entryPoint: ['/bin/sh'] });
  const lines = output.trim().split('\n');
  if (lines.at(-1) !== last) throw new Error(`Nobody can look into the image:\n${output}`);
  return lines.slice(0, -1);
}

/** Looks around inside the image; throws when not even the folder for temporary files can be written. */
export async function lookAround(containers: Containers): Promise<Look> {
  return {
    writable: await look(containers, LOOK_FOR_WRITABLE, 'temporary'),
    needless: await look(containers, LOOK_FOR_NEEDLESS, 'looked'),
  };
}

/** Database roles that are wrong for an entry point. */
const WRONG_ROLES: readonly (readonly [EntryPoint, readonly string[], ProcessRole])[] = [
  ['api', [], 'worker'],
  ['worker', [], 'api'],
  ['dashboard', [], 'admin'],
  ['admin', ['store', 'list'], 'api'],
];

/** Starts every process with the role of another. Returns how many were refused for it. */
export async function tryWrongRoles(installation: Installation, containers: Containers, faults: Faults) {
  const tries = WRONG_ROLES.map(async ([entry, words, role]) => {
    const { code, output } = await containers.finish(installation.runOf(entry, words, role));
    const isRefused = code === 1 && output.includes(`counterfoil_${role}`) && output.includes(`counterfoil_${entry}`);
    if (!isRefused) faults.add(`${entry} with the role of ${role} ended with exit code ${code}: ${output}`);
    return isRefused;
  });
  const refused = await Promise.all(tries);
  return refused.filter(Boolean).length;
}
