import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { dateFromUnix, unixSeconds } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import { findToken, readsAccounts } from '../networks/network.ts';
import { rescanAccount } from '../accounts/rescan-account.ts';
import type { RescanContext } from '../accounts/rescan-network.ts';
import { findStart } from '../accounts/start-account.ts';
import type { DoubtedTransfer } from '../chains/confirm-transfers.ts';
import { findHeight } from '../chains/find-height.ts';
import { requireChainState, rescanChain } from '../chains/rescan-chain.ts';
import { chooseWitnesses } from '../chains/witness.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import type { RecheckedQuote } from './recheck-sql.ts';
import { readForRecheck } from './recheck-sql.ts';

type QuoteRecheck = { found: number; doubted: DoubtedTransfer[] };

async function recheckQuote(context: RescanContext, quote: RecheckedQuote, trusted?: string): Promise<QuoteRecheck> {
  const network = context.networks.get(quote.network);
  const token = network && findToken(network, quote.token);
  if (!network || !token) throw new Refusal('TOKEN_UNKNOWN', { network: quote.network, token: quote.token });
  const startsAt = unixSeconds(quote.createdAt) - WINDOW_SKEW_SECONDS;
  if (readsAccounts(network)) {
    const follower = context.openAccountFollower(network);
    await follower.source.verify();
    const { finalized } = await follower.source.heads('second');
    const after = await findStart(follower.source, startsAt, finalized);
    const startAt = dateFromUnix(startsAt);
    const rescan = { account: quote.toAddress, after, upTo: finalized, startAt };
    return { found: await rescanAccount(follower, rescan), doubted: [] };
  }
  const follower = context.openFollower(network);
  const { height } = await requireChainState(follower);
  const witnesses = await chooseWitnesses(follower.source, trusted);
  const readTo = Math.min(height, witnesses.finalized);
  const pass = { only: witnesses.first };
  const from = await findHeight(follower.source, startsAt, readTo, pass);
  const to = await findHeight(follower.source, unixSeconds(quote.closesAt) + 1, readTo, pass);
  const native = token.contract === null;
  return rescanChain(follower, { from, to, native, known: [quote.toAddress], witnesses, wait: context.wait });
}

/** `trusted`: a provider whose answer alone is accepted. */
type RecheckInput = { transId: string; trusted?: string | undefined };

type Recheck = { network: string; token: string; to: string; found: number; doubted: DoubtedTransfer[] };

/**
 * Reads every quote's address again, from its creation to the invoice's end and grace; found transfers are handled as
 * any payment. Audited, with the trusted provider if any.
 */
export async function recheckInvoice(
  context: RescanContext,
  actor: Actor,
  { transId, trusted }: RecheckInput,
): Promise<Recheck[]> {
  const { database, clock } = context;
  const invoice = await readForRecheck(database.queries, transId);
  if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
  const rechecks: Recheck[] = [];
  for (const quote of invoice.quotes) {
    const { found, doubted } = await recheckQuote(context, quote, trusted);
    const { network, token, toAddress: to } = quote;
    rechecks.push({ network, token, to, found, doubted });
  }
  await inTransaction(database, (tx) =>
    recordAudit(tx, clock, actor, {
      action: 'invoice.recheck',
      subject: `invoice:${transId}`,
      details: {
        transId,
        found: rechecks.map(({ network, token, found }) => ({ network, token, found })),
        ...(trusted !== undefined && { trusted }),
      },
    }),
  );
  return rechecks;
}
