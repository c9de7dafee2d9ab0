import type { Alarm } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Network } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { requireNetwork } from '../networks/networks.ts';
import { isSandbox } from '../networks/sandbox-networks.ts';
import { stopFollowed } from '../accounts/account-sql.ts';
import { endFreeze, freezeChain, isFrozen } from '../chains/chain-sql.ts';
import type { ApplyTransfers } from '../chains/follower.ts';
import type { RevertedCompletion } from './change-invoice-sql.ts';
import {
  endStopsOfFollowed,
  endStopsOfRestored,
  findRevertedCompletions,
  forgetRestored,
  lacksPayment,
  rememberReverted,
} from './change-invoice-sql.ts';
import { LOST_PAYMENT, stopAccount } from '../wallets/exchange-account-sql.ts';
import { changeInvoices } from './change-invoices.ts';
import { readInvoiceIds } from './match-sql.ts';
import { matchTransfers } from './match-transfers.ts';
import { recordReceivedMoney } from './record-events.ts';

/** The empty set of covered invoices: no invoice expires while transfers are applied. Expiry has a loop of its own. */
const NOTHING_COVERED: ReadonlySet<bigint> = new Set();

/**
 * Guards completed invoices on chains: when the payment of a completed invoice is gone, the network freezes and an
 * alarm is raised. When the last such payment is back, the freeze ends by itself.
 */
async function guardCompletions(tx: Tx, at: Date, network: string, transferIds: readonly bigint[]): Promise<void> {
  const reverted = await findRevertedCompletions(tx, transferIds);
  if (reverted.length > 0) {
    const ids = reverted.map(({ id }) => id);
    await rememberReverted(tx, network, ids, at);
    await freezeChain(tx, network, at, `The payment of ${reverted[0]?.transId} is no longer in the chain.`);
    await raiseAlarms(
      tx,
      at,
      reverted.map(({ transId, txId }) => ({ kind: 'payment-reverted', subject: transId, details: { network, txId } })),
    );
  } else if (await isFrozen(tx, network)) {
    const restored = await forgetRestored(tx, network);
    if (restored > 0 && !(await lacksPayment(tx, network))) await endFreeze(tx, network);
  }
}

/** How single followed accounts are stopped, and started again, on exchange platforms or in the sandbox. */
type AccountStops = {
  stop: (tx: Tx, at: Date, network: string, reverted: RevertedCompletion) => Promise<void>;
  endRestored: (tx: Tx, network: string) => Promise<void>;
};

const reasonOf = ({ transId }: RevertedCompletion) => `payment-gone: ${transId}`;

const EXCHANGE_STOPS: AccountStops = {
  stop: async (tx, at, network, reverted) => {
    const { transId, txId, account } = reverted;
    const alarms: Alarm[] = [{ kind: 'payment-reverted', subject: transId, details: { network, txId } }];
    if (await stopAccount(tx, { network, account }, at, { reason: reasonOf(reverted), by: LOST_PAYMENT }))
      alarms.push({ kind: 'exchange-account-stopped', subject: `${network} ${account}`, details: { transId, txId } });
    await raiseAlarms(tx, at, alarms);
  },
  endRestored: endStopsOfRestored,
};

/** Stops followed accounts of the sandbox without an alarm: the test store itself asked for the lost payment. */
const SANDBOX_STOPS: AccountStops = {
  stop: (tx, at, network, reverted) => stopFollowed(tx, network, reverted.account, at, reasonOf(reverted)),
  endRestored: endStopsOfFollowed,
};

/**
 * Guards completed invoices where followed accounts are stopped one by one: only the followed account that lost a
 * payment stops, not its network. Stops end by themselves when every lost payment is back.
 */
const guardAccounts =
  ({ stop, endRestored }: AccountStops) =>
  async (tx: Tx, at: Date, network: string, transferIds: readonly bigint[]): Promise<void> => {
    const reverted = await findRevertedCompletions(tx, transferIds);
    const ids = reverted.map(({ id }) => id);
    if (reverted.length > 0) await rememberReverted(tx, network, ids, at);
    for (const one of reverted) await stop(tx, at, network, one);
    if (reverted.length === 0 && (await forgetRestored(tx, network)) > 0) await endRestored(tx, network);
  };

function guardOf(network: Network) {
  if (isExchange(network)) return guardAccounts(EXCHANGE_STOPS);
  return isSandbox(network) ? guardAccounts(SANDBOX_STOPS) : guardCompletions;
}

type ApplyContext = { clock: Clock; networks: Networks };

/**
 * Creates the function that applies transfers which are new, moved, gone or proven, and decides invoices that lost a
 * payment: matching, status, ledger, events.
 */
export function createApplyTransfers({ clock, networks }: ApplyContext): ApplyTransfers {
  return async (tx, network, transferIds, invoiceIds = []) => {
    if (transferIds.length + invoiceIds.length === 0) return;
    const at = new Date(clock.nowMs());
    const known = requireNetwork(networks, network);
    const meant = await matchTransfers(tx, known, transferIds);
    await guardOf(known)(tx, at, network, transferIds);
    const attached = await readInvoiceIds(tx, transferIds);
    // Invoices that get an event are locked together with the others, in the order of their ids.
    const touched = new Set([...attached, ...invoiceIds, ...meant.map(({ invoiceId }) => invoiceId)]);
    await changeInvoices(tx, at, [...touched], NOTHING_COVERED);
    await recordReceivedMoney(
      tx,
      at,
      meant.map(({ id }) => id),
    );
  };
}
