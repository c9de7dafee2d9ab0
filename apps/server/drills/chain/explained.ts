import type { Database } from '../../src/db/database.ts';
import type { Judgement } from './judgement.ts';
import { blame } from './judgement.ts';
import type { TransferRow } from './rows.ts';
import { findUnexplainedEnds } from './rows.ts';
import { settlingBlocks } from './rules.ts';
import type { TrueTransfer } from './truth.ts';
import { sideOf } from './world.ts';

/**
 * Checks that every transfer to the drill's receiving addresses is stored as often as it is in the chain, and is
 * explained in its row.
 */

const keyOf = ({ network, tx, token, to, units }: Pick<TransferRow, 'network' | 'tx' | 'token' | 'to' | 'units'>) =>
  [network, tx, token, to.toLowerCase(), units].join(' ');

async function readAddresses(database: Database): Promise<Set<string>> {
  const { rows } = await database.pool.query<{ network: string; address: string }>(
    'select network, address from wallets',
  );
  return new Set(rows.map(({ network, address }) => `${network} ${address.toLowerCase()}`));
}

/** Settled transfers to the drill's receiving addresses. */
function owed({ world, truth }: Judgement, ours: ReadonlySet<string>): TrueTransfer[] {
  return Object.values(truth).flatMap((chain) => {
    const settled = chain.head - settlingBlocks(sideOf(world, chain.network), world.mostSettleSeconds);
    return chain.transfers.filter(
      ({ network, to, height }) => height <= settled && ours.has(`${network} ${to.toLowerCase()}`),
    );
  });
}

export async function judgeTransfers(
  judgement: Judgement,
  rows: readonly TransferRow[],
  database: Database,
): Promise<void> {
  const ours = await readAddresses(database);
  const inChain = Map.groupBy(
    Object.values(judgement.truth).flatMap(({ transfers }) => transfers),
    (one) => keyOf({ ...one, units: String(one.units) }),
  );
  const inRows = Map.groupBy(rows, keyOf);
  for (const one of owed(judgement, ours)) {
    const key = keyOf({ ...one, units: String(one.units) });
    const found = inRows.get(key)?.length ?? 0;
    if (found === 0) blame(judgement, one.network, 'unexplained', `${key} is in no row`);
  }
  for (const [key, same] of inRows) {
    const [first] = same;
    if (!first) continue;
    const times = inChain.get(key)?.length ?? 0;
    if (same.length > times)
      blame(judgement, first.network, 'unexplained', `${key} has ${same.length} rows and ${times} transfers`);
  }
  for (const row of rows.filter(({ explained }) => !explained))
    blame(judgement, row.network, 'unexplained', `${keyOf(row)} pays nothing, and nobody says why`);
  for (const { transId, network, meaning } of await findUnexplainedEnds(database))
    blame(judgement, network, 'unexplained', `${transId} ${meaning}`);
}
