import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/**
 * Arguments of a drill: `--quick` runs a short slice, `--seed N` draws the same numbers again (`--seed random` draws a
 * seed, which the drill prints), `--part NAME` runs one part alone.
 */
export type DrillArguments = { quick: boolean; seed: number; part: string | undefined };

const MAX_SEED = 2 ** 31 - 1;

/** The seed of an argument; `random` draws one. */
export function readSeed(text: string): number {
  const seed = text === 'random' ? randomInt(MAX_SEED) : Number(text);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number or "random".');
  return seed;
}

export function readDrillArguments(): DrillArguments {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      part: { type: 'string' },
    },
  });
  return { quick: values.quick, seed: readSeed(values.seed), part: values.part };
}
