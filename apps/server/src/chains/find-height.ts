import type { ChainSource, Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';

const FIRST_STEP = 1_024;
const MAX_SEARCHES = 64;

export async function findHeight(source: ChainSource, time: number, upTo: number, pass: Pass): Promise<number> {
  const isOlder = async (height: number) => {
    const block = await source.blockAt(height, pass);
    if (!block) throw new SourceError('inconsistent', `The node has no block ${height}.`);
    return block.time < time;
  };
  let above = upTo;
  let below = Math.max(0, upTo - FIRST_STEP);
  for (let step = FIRST_STEP; below > 0 && !(await isOlder(below)); step *= 2) {
    above = below;
    below = Math.max(0, below - step);
  }
  for (let searches = 0; searches < MAX_SEARCHES && above - below > 1; searches += 1) {
    const middle = Math.floor((above + below) / 2);
    if (await isOlder(middle)) below = middle;
    else above = middle;
  }
  return above;
}
