import { followHead } from '../../src/chains/follow-chain.ts';
import type { ReadingFact } from '../../src/chains/reading.ts';
import { isNetworkOffered } from '../../src/chains/reading.ts';
import { headLagBlocks } from '../../src/networks/profile.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { chainOf } from './engine-fixture.ts';
import { mineNow } from './follow-network.ts';
import type { MethodChoice } from './select-method.ts';
import { selectMethod } from './select-method.ts';

/** Whether a network is offered, by what is stored of its head. */
async function isOfferedNow({ database, clock }: EngineFixture, network: string): Promise<boolean> {
  const { rows } = await database.pool.query<ReadingFact>(
    `select block_time as "readTime", head_time as "headTime", head_read_at as "headReadAt" from chains where network = $1`,
    [network],
  );
  return rows[0] !== undefined && isNetworkOffered(rows[0], clock);
}

/**
 * Selects a payment method as a customer does. Tests let hours pass without a block; the network then makes blocks and
 * is read first, as it is in the real world. A network that is read and still behind is refused.
 */
export async function selectCurrent(
  engine: EngineFixture,
  choice: MethodChoice,
  catchUp: () => Promise<void>,
): Promise<QuoteRow> {
  const context = { database: engine.as('api'), clock: engine.clock };
  try {
    return await selectMethod(context, choice);
  } catch (cause) {
    if (await isOfferedNow(engine, choice.network)) throw cause;
    await catchUp();
    return selectMethod(context, choice);
  }
}

/** Makes a network current if it is not. */
export async function keepCurrent(engine: EngineFixture, network: string): Promise<void> {
  if (!(await isOfferedNow(engine, network))) await makeCurrent(engine, network);
}

/** Lets a network make as many blocks as first reads stay behind the head, and reads up to there. */
export async function makeCurrent(engine: EngineFixture, network: string): Promise<void> {
  const { follower } = chainOf(engine, network);
  await mineNow(engine, network, headLagBlocks(follower.source.network) + 1);
  while ((await followHead(follower)) === 'worked');
}
