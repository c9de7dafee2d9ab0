import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import type { Network } from '../networks/network.ts';
import { findNetwork, findToken, readsAccounts } from '../networks/network.ts';
import type { AccountFollower } from '../transfers/account-follower.ts';
import { createAccountFollower } from '../transfers/account-follower.ts';
import type { DoubtedHit } from '../transfers/confirm-hits.ts';
import { findHeight } from '../transfers/find-height.ts';
import type { Follower } from '../transfers/follower.ts';
import { createFollower } from '../transfers/follower.ts';
import { rescanAccount } from '../transfers/rescan-account.ts';
import { requireChainState, rescanChain } from '../transfers/rescan-chain.ts';
import type { SourceAddress } from '../transfers/sources/create-source.ts';
import { createAccountSource, createSource } from '../transfers/sources/create-source.ts';
import { findStart } from '../transfers/start-account.ts';
import { chooseWitnesses } from '../transfers/witness.ts';
import { createApplyTransfers } from './apply-transfers.ts';
import { createFindEnds } from './expiry-store.ts';
import { WINDOW_SKEW_SECONDS } from './quote.ts';
import type { RecheckedQuote } from './recheck-store.ts';
import { readForRecheck } from './recheck-store.ts';

/** Looks again on chain for what an invoice may have been paid with, when a payer says that it was. */

export type RecheckContext = {
  database: Database;
  clock: Clock;
  actor: string;
  /** Addresses of the nodes of a network. */
  chainUrls: (network: string) => readonly string[];
  /** Block 0 of a local chain; undefined for the network itself. */
  genesisHash?: (network: string) => string | undefined;
  /** Lets so many milliseconds pass. */
  wait: (ms: number) => Promise<void>;
};

const parts = ({ database, clock }: RecheckContext) => ({
  database,
  clock,
  log: createLog('silent'),
  apply: createApplyTransfers(clock),
});

function requireUrls({ chainUrls }: RecheckContext, network: Network): readonly string[] {
  const urls = chainUrls(network.symbol);
  if (urls.length === 0) throw new OperatorError(`COUNTERFOIL_RPC_${network.symbol} is not set.`);
  return urls;
}

const addressOf = (context: RecheckContext, network: Network): SourceAddress => ({
  network,
  urls: requireUrls(context, network),
  genesisHash: context.genesisHash?.(network.symbol),
});

export function openFollower(context: RecheckContext, network: Network): Follower {
  const source = createSource(addressOf(context, network));
  return createFollower({ ...parts(context), owner: context.actor, source });
}

export function openAccountFollower(context: RecheckContext, network: Network): AccountFollower {
  return createAccountFollower({
    ...parts(context),
    findEnds: createFindEnds(context.database.queries),
    source: createAccountSource(addressOf(context, network)),
  });
}

const unixSeconds = (at: Date) => Math.floor(at.getTime() / 1000);

type QuoteRecheck = { found: number; doubted: DoubtedHit[] };

async function recheckQuote(context: RecheckContext, quote: RecheckedQuote, trusted?: string): Promise<QuoteRecheck> {
  const network = findNetwork(quote.network);
  const token = network && findToken(network, quote.token);
  if (!network || !token) throw new OperatorError(`${quote.token} on ${quote.network} is not in our list.`);
  const startsAt = unixSeconds(quote.createdAt) - WINDOW_SKEW_SECONDS;
  if (readsAccounts(network)) {
    const follower = openAccountFollower(context, network);
    await follower.source.verify();
    const { finalized } = await follower.source.heads('second');
    const after = await findStart(follower.source, startsAt, finalized);
    const startAt = new Date(startsAt * 1000);
    const rescan = { account: quote.toAddress, after, upTo: finalized, startAt };
    return { found: await rescanAccount(follower, rescan), doubted: [] };
  }
  const follower = openFollower(context, network);
  const { height } = await requireChainState(follower);
  const witnesses = await chooseWitnesses(follower.source, trusted);
  const readTo = Math.min(height, witnesses.finalized);
  const pass = { only: witnesses.first };
  const from = await findHeight(follower.source, startsAt, readTo, pass);
  const to = await findHeight(follower.source, unixSeconds(quote.closesAt) + 1, readTo, pass);
  const native = token.contract === null;
  return rescanChain(follower, { from, to, native, known: [quote.toAddress], witnesses, wait: context.wait });
}

export type Recheck = { network: string; token: string; to: string; found: number; doubted: DoubtedHit[] };

/**
 * Every quote's address, from its making to the invoice's end and grace; what is found goes the normal way. Audited, with
 * the provider that an operator trusts alone.
 */
export async function recheckInvoice(context: RecheckContext, transId: string, trusted?: string): Promise<Recheck[]> {
  const { database, clock, actor } = context;
  const invoice = await readForRecheck(database.queries, transId);
  if (!invoice) throw new OperatorError(`There is no invoice ${transId}.`);
  const rechecks: Recheck[] = [];
  for (const quote of invoice.quotes) {
    const { found, doubted } = await recheckQuote(context, quote, trusted);
    const { network, token, toAddress: to } = quote;
    rechecks.push({ network, token, to, found, doubted });
  }
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, {
      actor,
      action: 'invoice.recheck',
      subject: `store:${invoice.storeId}`,
      details: {
        transId,
        found: rechecks.map(({ network, token, found }) => ({ network, token, found })),
        ...(trusted !== undefined && { trusted }),
      },
    }),
  );
  return rechecks;
}
