import { z } from 'zod';
import type { AccountCommitment, AccountMark } from '../../account-source.ts';
import { SourceError } from '../../chain-source.ts';
import type { Provider } from './solana-providers.ts';
import { parseAnswer } from './solana-rpc.ts';

/** Slots and their times. */

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const CLOCK_BYTES = 40;
const CLOCK_TIME_AT = 32;
const LOOK_BACK_SLOTS = 1_000;
const MAX_TIMES = 8;

const clockSchema = z.object({ value: z.object({ data: z.tuple([z.string(), z.literal('base64')]) }) });

const clockCall = (commitment: AccountCommitment) => ({
  method: 'getAccountInfo',
  params: [CLOCK, { commitment, encoding: 'base64' }],
});

function markOf(answer: unknown): AccountMark {
  const { value } = parseAnswer(clockSchema, answer, 'clock');
  const data = Buffer.from(value.data[0], 'base64');
  if (data.length !== CLOCK_BYTES) throw new SourceError('inconsistent', 'The provider answered a malformed clock.');
  return { height: Number(data.readBigUInt64LE(0)), time: Number(data.readBigInt64LE(CLOCK_TIME_AT)) };
}

/** From the chain's own clock: slot and time in one answer, also where a block's time is not known yet. */
export async function readHeads({ ask }: Provider): Promise<Record<AccountCommitment, AccountMark>> {
  const [confirmed, finalized] = (await ask([clockCall('confirmed'), clockCall('finalized')])).map(markOf);
  if (!confirmed || !finalized || finalized.height > confirmed.height)
    throw new SourceError('inconsistent', 'What is final is ahead of what is confirmed.');
  return { confirmed, finalized };
}

/**
 * The time of a slot, or of the newest block below it that has one. Earlier is the safe side: nobody who paid in time
 * is late, and nothing counts as read that was not.
 */
export async function timeAtOrBelow(
  provider: Pick<Provider, 'ask' | 'askEach'>,
  slot: number,
  commitment: AccountCommitment,
): Promise<number> {
  const range = [Math.max(0, slot - LOOK_BACK_SLOTS), slot, { commitment }];
  const [answer] = await provider.ask([{ method: 'getBlocks', params: range }]);
  const slots = parseAnswer(z.array(z.int()), answer, 'list of blocks').slice(-MAX_TIMES).toReversed();
  const times = await provider.askEach(slots.map((one) => ({ method: 'getBlockTime', params: [one] })));
  for (const time of times) if (time.error === null && Number.isInteger(time.result)) return Number(time.result);
  throw new SourceError('unavailable', `The provider knows no time of slot ${slot}.`);
}
