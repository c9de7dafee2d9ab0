import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { SandboxNetwork } from '../networks/sandbox-networks.ts';
import type {
  AccountHeads,
  AccountRead,
  AccountRequest,
  AccountSource,
  AccountTransaction,
  AccountTransfer,
  ChainPosition,
  TransactionsRequest,
} from '../sources/account-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { TestTransferRow } from './sandbox-transfer-sql.ts';
import { isOut, readChanges, readPaymentsAbove, readPaymentsById, reserveHeights } from './sandbox-transfer-sql.ts';

/**
 * The source of a sandbox network: reads test payments from our database and answers like a node. Answers are never
 * outdated: a new payment gets a height above every one read before.
 */

const PROVIDER = 'sandbox';
/** A test payment is the only transfer of its transaction. */
const INDEX = '0';
const MAX_ROWS = 500;
/** A slow payment becomes final after this time: until then no other invoice at its address can expire. */
const LONGEST_SLOW_MS = 600_000;

const positionAt = (height: number): ChainPosition => ({ height, time: Math.floor(height / SECOND_MS) });

function transferOf(row: TestTransferRow, account: string): AccountTransfer {
  return {
    token: row.token,
    txId: row.txId,
    index: INDEX,
    from: row.from,
    to: account,
    units: BigInt(row.units),
    height: row.height,
    blockHash: row.blockHash,
    blockTime: row.time,
    references: [],
  };
}

/** The answer ends below the first payment that is not final enough, or at a full page's last row. */
function endOf(rows: readonly TestTransferRow[], { upTo, commitment }: AccountRequest): ChainPosition {
  const slow = commitment === 'finalized' ? rows.find(({ final }) => !final) : undefined;
  const last = rows.length < MAX_ROWS ? undefined : rows.at(-1);
  const heights = [upTo.height, ...(slow ? [slow.height - 1] : []), ...(last ? [last.height] : [])];
  return positionAt(Math.min(...heights));
}

function transactionOf(
  txId: string,
  row: TestTransferRow | undefined,
  { account, commitment }: TransactionsRequest,
): AccountTransaction {
  if (!row || row.gone) return { txId, outcome: 'absent' };
  if (!row.final && commitment === 'finalized') return { txId, outcome: 'pending' };
  return { txId, outcome: 'read', transfers: [transferOf(row, account)] };
}

export function createSandboxSource(
  network: SandboxNetwork,
  { database: { queries }, clock }: { database: Database; clock: Clock },
): AccountSource {
  const placeOf = (account: string) => ({ network: network.id, account });

  /** A payment that was slow for too long is final. Heights are unix milliseconds. */
  const ripen = (rows: readonly TestTransferRow[]): TestTransferRow[] =>
    rows.map((row) => ({ ...row, final: row.final || row.height <= clock.nowMs() - LONGEST_SLOW_MS }));

  async function requireNoOutage(account: string): Promise<void> {
    if (await isOut(queries, placeOf(account), new Date(clock.nowMs())))
      throw new SourceError('unavailable', 'The store asked for an outage.');
  }

  async function readAccount(request: AccountRequest): Promise<AccountRead> {
    const { account, after, upTo, commitment } = request;
    await requireNoOutage(account);
    await reserveHeights(queries, placeOf(account), upTo.height);
    const rows = ripen(await readPaymentsAbove(queries, placeOf(account), after.height, MAX_ROWS));
    const end = endOf(rows, request);
    if (end.height <= after.height) throw new SourceError('not-yet', 'A test payment waits for its confirmation.');
    const shown = commitment === 'confirmed' ? rows : rows.filter(({ height }) => height <= end.height);
    return { transfers: shown.map((row) => transferOf(row, account)), end, unreadable: [], by: PROVIDER };
  }

  return {
    network,
    providers: [PROVIDER],
    heads: async (): Promise<AccountHeads> => {
      const head = positionAt(clock.nowMs());
      return { confirmed: head, finalized: head };
    },
    positionBefore: async (time, upTo) => {
      const before = positionAt(Math.floor(time) * SECOND_MS - 1);
      return before.height < upTo.height ? before : upTo;
    },
    readAccount,
    readTransactions: async (request) => {
      await requireNoOutage(request.account);
      const rows = ripen(await readPaymentsById(queries, placeOf(request.account), request.txIds));
      const byId = new Map(rows.map((row) => [row.txId, row]));
      return { transactions: request.txIds.map((txId) => transactionOf(txId, byId.get(txId), request)), by: PROVIDER };
    },
    fingerprints: async (accounts) => {
      const counted = new Map(
        (await readChanges(queries, network.id, accounts)).map(({ account, changes }) => [account, changes]),
      );
      return new Map(accounts.map((account) => [account, String(counted.get(account) ?? 'untouched')]));
    },
    verify: async () => {},
  };
}
