import { copyFile, rename } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { backUpRing } from '../../rig/database/key-ring-fixture.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { runProgram } from '../../rig/processes/run-program.ts';

/**
 * Rotations of a key ring as an operator makes them: commands run as processes, and the ring file is copied to another
 * host.
 */

export type Rings = {
  databaseUrl: string;
  /** Ring file that the commands change. */
  first: string;
  /** Ring file that the second worker reads. */
  second: string;
  workers: readonly WorkerProcess[];
  tell: (fault: string) => void;
};

export type Rotation = {
  before: string;
  after: string;
  startedAtMs: number;
  addedAtMs: number;
  copiedAtMs: number;
  endedAtMs: number;
  /** Number of times that the command `reseal` was refused because a worker lacked the new key. */
  refusals: number;
};

const MAX_RESEAL_TRIES = 60;
const TRY_EVERY_MS = 250;
const LACKING = /processes run without key/;
const CHANGED = /digest does not match/;

type Answer = Record<string, string>;
type Outcome = { answer: Answer } | { refusal: string };

async function runKeyring(rings: Rings, ...words: string[]): Promise<Outcome> {
  const { code, out, error } = await runProgram('cli', ['keyring', ...words, '--json'], {
    COUNTERFOIL_DATABASE_URL: rings.databaseUrl,
    COUNTERFOIL_KEY_RING_FILE: rings.first,
  });
  return code === 0 ? { answer: JSON.parse(out) as Answer } : { refusal: error.trim() };
}

async function mustRun(rings: Rings, ...words: string[]): Promise<Answer> {
  const outcome = await runKeyring(rings, ...words);
  if ('answer' in outcome) return outcome.answer;
  throw new Error(`keyring ${words.join(' ')} was refused: ${outcome.refusal}`);
}

async function copyNow({ first, second }: Rings): Promise<void> {
  await copyFile(first, `${second}.draft`);
  await rename(`${second}.draft`, second);
}

let copying: Promise<unknown> = Promise.resolve();

/** Copies the ring file, one copy at a time, so that an older copy never replaces a newer one. */
export function copyRing(rings: Rings): Promise<void> {
  const copied = copying.then(() => copyNow(rings));
  copying = copied.catch(() => {});
  return copied;
}

export type RotateOptions = {
  /** Time from the new key in the first ring file until the second ring file gets the key. */
  lagMs: number;
  /** Whether workers get a signal to read their ring file; without a signal workers notice the change by themselves. */
  signal: boolean;
  /** Waits until another secret was sealed, while the second ring file lacks the key. */
  untilBehind?: () => Promise<void>;
  /** Waits until other rotations have added their keys too. */
  untilAdded?: () => Promise<void>;
};

/** Backs the first ring file up and reseals with the digest of the backup. */
async function reseal(rings: Rings, key: string): Promise<Outcome> {
  const digest = await backUpRing(rings.first);
  return runKeyring(rings, 'reseal', '--key', key, '--copy-digest', digest);
}

/**
 * Reseals as soon as every worker holds the key; while a worker lacks the key, the command must refuse. It also refuses
 * when another rotation has changed the file since its backup, which counts as no refusal.
 */
async function resealWhenHeld(rings: Rings, key: string, beforeEach: () => Promise<void>) {
  let refusals = 0;
  for (let tries = 0; ; tries += 1) {
    await beforeEach();
    const outcome = await reseal(rings, key);
    if ('answer' in outcome) return { answer: outcome.answer, refusals };
    if (!(LACKING.test(outcome.refusal) || CHANGED.test(outcome.refusal)) || tries === MAX_RESEAL_TRIES)
      throw new Error(`keyring reseal was refused: ${outcome.refusal}`);
    if (LACKING.test(outcome.refusal)) refusals += 1;
    await wait(TRY_EVERY_MS);
  }
}

export async function rotate(
  rings: Rings,
  { lagMs, signal, untilBehind, untilAdded }: RotateOptions,
): Promise<Rotation> {
  const startedAtMs = systemClock.nowMs();
  const { key = '' } = await mustRun(rings, 'add');
  const addedAtMs = systemClock.nowMs();
  await untilAdded?.();
  const hangUp = () => {
    if (signal) for (const worker of rings.workers) worker.child.kill('SIGHUP');
  };
  let early = 0;
  if (lagMs > 0) {
    const tooEarly = await reseal(rings, key);
    if ('answer' in tooEarly) rings.tell('reseal did not wait for the second worker');
    else early = 1;
    await untilBehind?.();
    await wait(Math.max(0, addedAtMs + lagMs - systemClock.nowMs()));
  }
  await copyRing(rings);
  const copiedAtMs = systemClock.nowMs();
  hangUp();
  const { answer, refusals } = await resealWhenHeld(rings, key, async () => {
    if (lagMs > 0) return;
    await copyRing(rings);
    hangUp();
  });
  const { before = '', after = '' } = answer;
  await mustRun(rings, 'retire', '--key', before);
  const endedAtMs = systemClock.nowMs();
  return { before, after, startedAtMs, addedAtMs, copiedAtMs, endedAtMs, refusals: refusals + early };
}

/**
 * Whether all rotations were in progress at one moment: every rotation had added its key, and no rotation had ended.
 */
export function overlap(rotations: readonly Rotation[]): boolean {
  const lastAdded = Math.max(...rotations.map(({ addedAtMs }) => addedAtMs));
  const firstEnded = Math.min(...rotations.map(({ endedAtMs }) => endedAtMs));
  return lastAdded < firstEnded;
}
