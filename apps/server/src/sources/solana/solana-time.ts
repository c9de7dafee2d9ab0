import { z } from 'zod';
import { dateFromUnix } from '../../lib/clock.ts';
import type { AccountCommitment, AccountHeads, ChainPosition } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import type { Provider } from './solana-providers.ts';
import type { SolanaAnswer } from './solana-rpc.ts';
import { parseAnswer } from './solana-rpc.ts';

/** Slots and times. The length of a slot changes with upgrades, so times are never computed from slots. */

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const CLOCK_BYTES = 40;
const CLOCK_TIME_AT = 32;
const NEAR_SLOTS = 4;
const LISTED_SLOTS: readonly number[] = [1_000, 100_000];
const MAX_TIMES = 8;

export type Asking = Pick<Provider, 'ask' | 'askEach'>;

const clockSchema = z.object({ value: z.object({ data: z.tuple([z.string(), z.literal('base64')]) }) });

const clockCall = (commitment: AccountCommitment) => ({
  method: 'getAccountInfo',
  params: [CLOCK, { commitment, encoding: 'base64' }],
});

function positionOf(answer: unknown): ChainPosition {
  const { value } = parseAnswer(clockSchema, answer, 'clock');
  const data = Buffer.from(value.data[0], 'base64');
  if (data.length !== CLOCK_BYTES) throw new SourceError('inconsistent', 'The provider answered a malformed clock.');
  return { height: Number(data.readBigUInt64LE(0)), time: Number(data.readBigInt64LE(CLOCK_TIME_AT)) };
}

/** From the chain's clock account, which has slot and time together, even before the block's time is known. */
export async function readHeads({ ask }: Provider): Promise<AccountHeads> {
  const [confirmed, finalized] = (await ask([clockCall('confirmed'), clockCall('finalized')])).map(positionOf);
  if (!confirmed || !finalized || finalized.height > confirmed.height)
    throw new SourceError('inconsistent', 'The final slot is ahead of the confirmed one.');
  return { confirmed, finalized };
}

/** The first of the slots that has a time, in the given order. */
async function firstTimed({ askEach }: Asking, slots: readonly number[]): Promise<ChainPosition | undefined> {
  const times: SolanaAnswer[] = await askEach(slots.map((slot) => ({ method: 'getBlockTime', params: [slot] })));
  for (const [position, answer] of times.entries()) {
    const height = slots[position];
    if (height !== undefined && answer.error === null && Number.isInteger(answer.result))
      return { height, time: Number(answer.result) };
  }
  return undefined;
}

async function listBlocks({ ask }: Asking, from: number, to: number, commitment: AccountCommitment): Promise<number[]> {
  const [answer] = await ask([{ method: 'getBlocks', params: [from, to, { commitment }] }]);
  return parseAnswer(z.array(z.int()), answer, 'list of blocks');
}

/** The newest block with a time at or below a slot. An earlier time is safe: no timely payment looks late. */
export async function positionAtOrBelow(
  asking: Asking,
  slot: number,
  commitment: AccountCommitment,
): Promise<ChainPosition> {
  const near = Array.from({ length: NEAR_SLOTS }, (_unused, back) => slot - back).filter((one) => one >= 0);
  const found = await firstTimed(asking, near);
  if (found) return found;
  for (const back of LISTED_SLOTS) {
    const blocks = await listBlocks(asking, Math.max(0, slot - back), slot, commitment);
    const timed = await firstTimed(asking, blocks.slice(-MAX_TIMES).toReversed());
    if (timed) return timed;
  }
  throw new SourceError('unavailable', `The provider knows no time of slot ${slot}.`);
}

/** Finds the newest slot with a block at or below `slot`. */
export async function slotAtOrBelow(asking: Asking, slot: number, commitment: AccountCommitment): Promise<number> {
  for (const back of LISTED_SLOTS) {
    const found = (await listBlocks(asking, Math.max(0, slot - back), slot, commitment)).at(-1);
    if (found !== undefined) return found;
  }
  throw new SourceError('unavailable', `The provider knows no block near slot ${slot}.`);
}

async function readOldest(asking: Asking): Promise<ChainPosition> {
  const [answer] = await asking.ask([{ method: 'getFirstAvailableBlock', params: [] }]);
  const first = parseAnswer(z.int(), answer, 'first block');
  const near = Array.from({ length: NEAR_SLOTS }, (_unused, ahead) => first + ahead);
  const found = await firstTimed(asking, near);
  if (!found) throw new SourceError('unavailable', `The provider knows no time of its first slot ${first}.`);
  return found;
}

const MAX_PROBES = 40;
/** The search ends this share of the distance to `upTo` before `time`, or SPARE_SECONDS. */
const SPARE_SHARE = 0.1;
const SPARE_SECONDS = 60;

/** A block that is surely older than `time`, by block times alone. `slotSeconds` only places the first probe. */
export async function findPositionBefore(
  asking: Asking,
  time: number,
  upTo: ChainPosition,
  slotSeconds: number,
): Promise<ChainPosition> {
  if (upTo.time < time) return upTo;
  const oldest = await readOldest(asking);
  if (oldest.time >= time)
    throw new SourceError(
      'unsupported',
      `The provider has kept nothing from before ${dateFromUnix(time).toISOString()}.`,
    );
  const spare = Math.max(SPARE_SECONDS, (upTo.time - time) * SPARE_SHARE);
  let above = upTo;
  let below = oldest;
  let step = Math.ceil((upTo.time - time + spare / 2) / slotSeconds);
  for (let probes = 0; probes < MAX_PROBES && time - below.time > spare; probes += 1) {
    const reached = below !== oldest || above.height - step <= below.height;
    const slot = reached ? Math.floor((above.height + below.height) / 2) : above.height - step;
    if (slot <= below.height) break;
    const found = await positionAtOrBelow(asking, slot, 'finalized');
    // No block is between `below` and the tested slot, so the search ends with `below`.
    if (found.height <= below.height) break;
    if (found.time < time) below = found;
    else {
      above = found;
      step *= 2;
    }
  }
  return below;
}
