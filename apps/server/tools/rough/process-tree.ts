import { readdirSync, readFileSync } from 'node:fs';

type Found = { id: number; parent: number; isStopped: boolean; isMarked: boolean };

function readProcess(id: number, mark: string): Found | undefined {
  try {
    // The program's name, in brackets, may contain anything.
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isMarked = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(mark);
    return { id, parent: Number(parent), isStopped: state === 'T', isMarked };
  } catch {
    // It has ended, or belongs to another user.
    return undefined;
  }
}

/**
 * Running processes with this line in their environment, and their descendants: a server leaves the tree of the process
 * that started it, and PostgreSQL overwrites the environment of its children.
 */
export function findTree(mark: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const all = ids.flatMap((id) => readProcess(Number(id), mark) ?? []);
  const children = Map.groupBy(all, ({ parent }) => parent);
  const tree = new Set(all.filter(({ isMarked }) => isMarked));
  // Iterating over a Set includes elements that are added on the way.
  for (const { id } of tree) for (const child of children.get(id) ?? []) tree.add(child);
  return [...tree].filter(({ isStopped }) => !isStopped).map(({ id }) => id);
}
