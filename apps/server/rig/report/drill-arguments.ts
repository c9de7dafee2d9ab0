import { parseArgs } from 'node:util';

/**
 * Arguments of a drill: `--quick` runs a short slice, `--seed N` draws the same numbers again, `--part NAME` runs one
 * part alone.
 */
export type DrillArguments = { quick: boolean; seed: number; part: string | undefined };

export function readDrillArguments(): DrillArguments {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      part: { type: 'string' },
    },
  });
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  return { quick: values.quick, seed, part: values.part };
}
