import { createHash } from 'node:crypto';

export type Delay = 'none' | 'before' | 'after';

/**
 * Chooses one query in `every` by a seed, the text of the query and how often that text was executed before, because
 * connections send their queries in another order at each run. Half of the chosen ones wait before they are executed, and
 * half afterwards.
 */
export function createDelayChoice(seed: number, every: number): (query: string) => Delay {
  const executions = new Map<string, number>();
  return (query) => {
    const key = createHash('sha256').update(query).digest('base64');
    const execution = (executions.get(key) ?? 0) + 1;
    executions.set(key, execution);
    const drawn = createHash('sha256').update(`${seed} ${key} ${execution}`).digest();
    if (drawn.readUInt32BE(0) >= 2 ** 32 / every) return 'none';
    return drawn.readUInt8(4) % 2 === 0 ? 'before' : 'after';
  };
}
