import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/**
 * Arguments of a drill: `--quick` runs a short slice, `--seed N` draws the same numbers again (`--seed random` draws a
 * seed, which the drill prints), `--part NAME` runs one part alone.
 */
export type DrillArguments = { quick: boolean; seed: number; part: string | undefined };

const MAX_SEED = 2 ** 31 - 1;

export function readDrillArguments(): DrillArguments {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      part: { type: 'string' },
    },
  });
  const seed = values.seed === 'random' ? randomInt(MAX_SEED) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number or "random".');
  return { quick: values.quick, seed, part: values.part };
}
