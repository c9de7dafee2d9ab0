import { readdirSync, readFileSync } from 'node:fs';

/**
 * What processes use, as Linux reports it under /proc. Processor time is not distorted by other load on the machine, as
 * elapsed time is.
 */

/** Positions in /proc/<pid>/stat, counted after the process's name. */
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const ENDED_CHILDREN_USER_TICKS = 13;
const ENDED_CHILDREN_SYSTEM_TICKS = 14;
const TICKS_PER_SECOND = 100;
const KIB = 1_024;

function statOf(processId: number): number[] {
  const text = readFileSync(`/proc/${processId}/stat`, 'utf8');
  // The name is in brackets and may contain spaces and brackets.
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

function secondsOf(stat: readonly number[], positions: readonly number[]): number {
  return positions.reduce((sum, position) => sum + (stat[position] ?? Number.NaN), 0) / TICKS_PER_SECOND;
}

/** Processor time of one process since its start, in seconds. */
export function processorSeconds(processId: number): number {
  return secondsOf(statOf(processId), [USER_TICKS, SYSTEM_TICKS]);
}

export function parentOf(processId: number): number {
  return statOf(processId)[PARENT] ?? Number.NaN;
}

/** Process ids of the children that run now. */
export function childrenOf(processId: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return parentOf(child) === processId;
      } catch {
        // A process that ended during the search no longer has an entry.
        return false;
      }
    });
}

/**
 * Processor time of a process and its children, in seconds: of children that run, and of those that have ended and were
 * waited for, such as PostgreSQL's sessions and vacuum workers.
 */
export function familySeconds(processId: number): number {
  const ended = [ENDED_CHILDREN_USER_TICKS, ENDED_CHILDREN_SYSTEM_TICKS];
  // Children are added up before their parent: one that ends in between is counted twice rather than never.
  const running = childrenOf(processId).map((child) => {
    try {
      return processorSeconds(child);
    } catch {
      return 0;
    }
  });
  const own = secondsOf(statOf(processId), [USER_TICKS, SYSTEM_TICKS, ...ended]);
  return running.reduce((sum, seconds) => sum + seconds, own);
}

function statusBytes(processId: number, name: string): number {
  const text = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * KIB;
}

/** Memory of a process that is resident. */
export function residentBytes(processId: number): number {
  return statusBytes(processId, 'VmRSS');
}

/** Private memory of a process and its running children, without shared memory. */
export function familyPrivateBytes(processId: number): number {
  return [processId, ...childrenOf(processId)].reduce((sum, one) => {
    try {
      return sum + statusBytes(one, 'RssAnon');
    } catch {
      return sum;
    }
  }, 0);
}
