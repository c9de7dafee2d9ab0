import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { findTree } from './process-tree.ts';

/**
 * `pnpm rough stutter`: freezes processes irregularly until it is terminated. Arguments: a seed, and either the folder of
 * a control group or a line in the environment of the processes.
 */

const LONGEST_RUN_MS = 9_000;
const LONGEST_FREEZE_MS = 3_000;

const seed = Number(process.argv[2]);
const target = process.argv[3] ?? '';

function signal(id: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(id, name);
  } catch {
    // It has ended.
  }
}

function createFreezer(): { freeze: () => void; thaw: () => void } {
  const [first, second] = [join(target, 'freezer.state'), join(target, 'cgroup.freeze')];
  if (existsSync(first))
    return { freeze: () => writeFileSync(first, 'FROZEN'), thaw: () => writeFileSync(first, 'THAWED') };
  if (existsSync(second)) return { freeze: () => writeFileSync(second, '1'), thaw: () => writeFileSync(second, '0') };
  const stopped = new Set<number>();
  const findRunning = () => findTree(target).filter((id) => !stopped.has(id));
  return {
    freeze: () => {
      // Processes may start others until all are stopped.
      for (let found = findRunning(); found.length > 0; found = findRunning()) {
        for (const id of found) {
          signal(id, 'SIGSTOP');
          stopped.add(id);
        }
      }
    },
    thaw: () => {
      for (const id of stopped) signal(id, 'SIGCONT');
      stopped.clear();
    },
  };
}

const { freeze, thaw } = createFreezer();
let freezes = 0;
process.once('SIGTERM', () => {
  thaw();
  console.error(`rough: ${freezes} freezes`);
  process.exit();
});
const next = seededNumbers(seed);
for (;;) {
  await wait(next() * LONGEST_RUN_MS);
  freeze();
  freezes += 1;
  await wait(next() * LONGEST_FREEZE_MS);
  thaw();
}
